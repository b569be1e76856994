"""Memory calls: allocation, release, and copies in the order of a stream.

CUDA's rules for copies: pageable memory is read before the call returns, unless the GPU reads the
page tables of the host. A copy into pageable memory blocks. Page-locked memory is read and written
when the copy runs (CUDA Runtime API, "API synchronization behavior").
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_size_t, c_void_p

from tests.emulator.card.card import ADDRESS, INT, SIZE, UINT, Card, call, put
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.structures import PointerAttributes
from tests.emulator.card.work import Stream

_HOST_TO_DEVICE, _DEVICE_TO_HOST, _DEVICE_TO_DEVICE, _DEFAULT = 1, 2, 3, 4


@call(ADDRESS, SIZE)
def cudaMalloc(card: Card, at: int, n_bytes: int) -> None:
    put(at, c_void_p, card.memory.take(n_bytes).at if n_bytes else None)


@call(ADDRESS)
def cudaFree(card: Card, at: int | None) -> None:
    if at is not None:
        card.work.finish_all()
        card.memory.give(at, "device")


@call(ADDRESS, SIZE, UINT)
def cudaHostAlloc(card: Card, at: int, n_bytes: int, flags: int) -> None:
    put(at, c_void_p, card.memory.take(n_bytes, "pinned").at)


@call(ADDRESS)
def cudaFreeHost(card: Card, at: int | None) -> None:
    if at is not None:
        card.work.finish_all()
        card.memory.give(at, "pinned")


@call(ADDRESS, ADDRESS)
def cudaMemGetInfo(card: Card, free: int, total: int) -> None:
    put(free, c_size_t, card.memory.total - card.memory.used)
    put(total, c_size_t, card.machine.memory_bytes)


@call(ADDRESS, ADDRESS)
def cudaPointerGetAttributes(card: Card, attributes: int, at: int) -> None:
    block = card.memory.at(at)
    kinds = {"pinned": 1, "device": 2, "constant": 2}
    kind = 0 if block is None else kinds[block.kind]
    of_device, of_host = (at if kind else None), (None if kind == 2 else at)
    attributes_now = PointerAttributes(kind, 0 if kind else -2, of_device, of_host)
    ctypes.memmove(attributes, ctypes.addressof(attributes_now), ctypes.sizeof(attributes_now))


@call(ADDRESS, ADDRESS, SIZE, INT)
def cudaMemcpy(card: Card, to: int, source: int, n_bytes: int, kind: int) -> None:
    stream = card.work.stream(0)
    _copied(card, to, source, n_bytes, kind, stream)
    card.work.synchronize(stream)


@call(ADDRESS, ADDRESS, SIZE, INT, ADDRESS)
def cudaMemcpyAsync(
    card: Card, to: int, source: int, n_bytes: int, kind: int, stream: int | None
) -> None:
    _copied(card, to, source, n_bytes, kind, card.work.stream(stream))


def _copied(card: Card, to: int, source: int, n_bytes: int, kind: int, stream: Stream) -> None:
    """Queue a copy of `n_bytes`."""
    if not n_bytes:
        return
    from_kind, to_kind = _kind(card, source), _kind(card, to)
    ends = {
        _HOST_TO_DEVICE: (False, True),
        _DEVICE_TO_HOST: (True, False),
        _DEVICE_TO_DEVICE: (True, True),
        _DEFAULT: (from_kind in ("device", "constant"), to_kind in ("device", "constant")),
    }.get(kind)
    if ends is None:
        raise CudaError(Status.NOT_SUPPORTED, f"a copy of kind {kind}")
    for is_device, at, what in ((ends[0], source, "a copy's source"), (ends[1], to, "a copy")):
        if is_device:
            card.check(at, n_bytes, what)
        elif _kind(card, at) in ("device", "constant"):
            card.note(f"{what}: memory of the card is called memory of the host.")
            raise CudaError(Status.INVALID_VALUE)

    def copy(from_: int) -> None:
        check_alive(card, ((source, from_kind), (to, to_kind)), n_bytes)
        ctypes.memmove(to, from_, n_bytes)

    queue_copy(card, stream, copy, (source, from_kind, n_bytes), to_kind)


def queue_copy(
    card: Card,
    stream: Stream,
    copy: Callable[[int], object],
    source: tuple[int, str, int],
    to_kind: str,
) -> None:
    """Queue a copy; read the source and block as CUDA does for the memory of both ends."""
    at, from_kind, n_bytes = source
    if from_kind == "" and stream.graph is None and not card.machine.host_tables:
        staged = ctypes.create_string_buffer(ctypes.string_at(at, n_bytes), n_bytes)
        card.work.put(stream, lambda: copy(ctypes.addressof(staged)))
    else:
        card.work.put(stream, lambda: copy(at))
    if to_kind == "" and stream.graph is None:
        card.work.synchronize(stream)


def _kind(card: Card, at: int) -> str:
    block = card.memory.at(at)
    return "" if block is None else block.kind


def check_alive(card: Card, ends: tuple[tuple[int, str], ...], n_bytes: int) -> None:
    """Raise CudaError if memory of a queued copy has been freed."""
    for at, kind in ends:
        block = card.memory.at(at) if kind else None
        if kind and (block is None or not block.holds(at, n_bytes)):
            raise card.fault(Status.ILLEGAL_ADDRESS, f"a copy: {at:#x} was released before it.")


@call(ADDRESS, INT, SIZE)
def cudaMemset(card: Card, at: int, value: int, n_bytes: int) -> None:
    cudaMemsetAsync(card, at, value, n_bytes, None)


@call(ADDRESS, INT, SIZE, ADDRESS)
def cudaMemsetAsync(card: Card, at: int, value: int, n_bytes: int, stream: int | None) -> None:
    if not n_bytes:
        return
    card.check(at, n_bytes, "clearing")

    def clear() -> None:
        check_alive(card, ((at, "device"),), n_bytes)
        ctypes.memset(at, value & 255, n_bytes)

    card.work.put(card.work.stream(stream), clear)
