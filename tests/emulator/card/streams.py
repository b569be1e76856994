"""Runtime calls for streams, events, graphs and the whole device."""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int, c_void_p

from tests.emulator.card.card import ADDRESS, INT, SIZE, TEXT, UINT, Card, call, put
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.machine import BUS_ID, attribute, properties
from tests.emulator.card.work import Event, Stream

_NON_BLOCKING = 1


def _answers(card: Card) -> None:
    """Raise CudaError like a driver that fails to start."""
    if card.machine.init:
        raise CudaError(Status(card.machine.init))


def _first(card: Card, device: int) -> None:
    _answers(card)
    if device != 0:
        raise CudaError(Status.INVALID_DEVICE, f"there is no device {device}.")


@call(ADDRESS)
def cudaGetDeviceCount(card: Card, n: int) -> None:
    _answers(card)
    put(n, c_int, 1)


@call(ADDRESS)
def cudaGetDevice(card: Card, device: int) -> None:
    _answers(card)
    put(device, c_int, 0)


@call(INT)
def cudaSetDevice(card: Card, device: int) -> None:
    _first(card, device)


@call(ADDRESS, INT, INT)
def cudaDeviceGetAttribute(card: Card, value: int, number: int, device: int) -> None:
    _first(card, device)
    try:
        put(value, c_int, attribute(card.machine, number))
    except CudaError as e:
        card.note(str(e))
        raise


@call(ADDRESS, INT)
def cudaGetDeviceProperties(card: Card, told: int, device: int) -> None:
    _first(card, device)
    of_card = properties(card.machine)
    ctypes.memmove(told, ctypes.addressof(of_card), ctypes.sizeof(of_card))


@call(ADDRESS, INT, INT)
def cudaDeviceGetPCIBusId(card: Card, text: int, n_bytes: int, device: int) -> None:
    _first(card, device)
    ctypes.memmove(text, BUS_ID.encode() + b"\0", min(n_bytes, len(BUS_ID) + 1))


@call(ADDRESS, TEXT)
def cudaDeviceGetByPCIBusId(card: Card, device: int, text: bytes) -> None:
    if text.decode() != BUS_ID:
        raise CudaError(Status.INVALID_DEVICE, text.decode())
    put(device, c_int, 0)


@call(ADDRESS)
def cudaDriverGetVersion(card: Card, version: int) -> None:
    put(version, c_int, card.machine.driver)


@call()
def cudaGetLastError(card: Card) -> None:
    """Return success: every call reports its own error."""


@call()
def cudaDeviceSynchronize(card: Card) -> None:
    card.work.finish_all()


def _new_stream(card: Card, at: int, flags: int) -> None:
    work = card.work
    stream = Stream(0, is_blocking=not flags & _NON_BLOCKING)
    stream.handle = work.new(work.streams, stream)
    put(at, c_void_p, stream.handle)


@call(ADDRESS)
def cudaStreamCreate(card: Card, at: int) -> None:
    _new_stream(card, at, 0)


@call(ADDRESS, UINT)
def cudaStreamCreateWithFlags(card: Card, at: int, flags: int) -> None:
    _new_stream(card, at, flags)


@call(ADDRESS, UINT, INT)
def cudaStreamCreateWithPriority(card: Card, at: int, flags: int, priority: int) -> None:
    _new_stream(card, at, flags)


@call(ADDRESS)
def cudaStreamDestroy(card: Card, handle: int | None) -> None:
    """Remove the stream; its queued work still runs."""
    stream = card.work.stream(handle)
    if stream.handle == 0:
        raise CudaError(Status.INVALID_HANDLE, "the stream 0 stays.")
    if stream.graph is None:
        card.work.finish(stream.last)
    del card.work.streams[stream.handle]


@call(ADDRESS)
def cudaStreamSynchronize(card: Card, handle: int | None) -> None:
    card.work.synchronize(card.work.stream(handle))


@call(ADDRESS)
def cudaStreamQuery(card: Card, handle: int | None) -> None:
    """Report "not ready" once, so that polling makes progress."""
    stream = card.work.stream(handle)
    is_done = stream.last is None or stream.last.is_done
    card.work.synchronize(stream)
    if not is_done:
        raise CudaError(Status.NOT_READY)


@call(ADDRESS, ADDRESS, UINT)
def cudaStreamWaitEvent(card: Card, stream: int | None, event: int, flags: int) -> None:
    card.work.wait(card.work.stream(stream), card.work.event(event))


@call(ADDRESS, INT)
def cudaStreamBeginCapture(card: Card, stream: int | None, mode: int) -> None:
    card.work.begin(card.work.stream(stream))


@call(ADDRESS, ADDRESS)
def cudaStreamEndCapture(card: Card, stream: int | None, at: int) -> None:
    put(at, c_void_p, None)
    graph = card.work.end(card.work.stream(stream))
    put(at, c_void_p, card.work.new(card.work.graphs, graph))


@call(ADDRESS, ADDRESS)
def cudaStreamIsCapturing(card: Card, stream: int | None, at: int) -> None:
    graph = card.work.stream(stream).graph
    put(at, c_int, 0 if graph is None else 2 if graph.is_broken else 1)


@call(ADDRESS, ADDRESS, ADDRESS, ADDRESS, SIZE)
def cudaGraphInstantiate(card: Card, at: int, graph: int, *more: object) -> None:
    """Return the graph itself: it never changes after capture."""
    put(at, c_void_p, card.work.new(card.work.graphs, card.work.graphs[graph]))


@call(ADDRESS, ADDRESS)
def cudaGraphUpload(card: Card, graph: int, stream: int | None) -> None:
    card.work.stream(stream)


@call(ADDRESS, ADDRESS)
def cudaGraphLaunch(card: Card, graph: int, stream: int | None) -> None:
    card.work.launch(card.work.graphs[graph], card.work.stream(stream))


@call(ADDRESS)
def cudaGraphDestroy(card: Card, graph: int) -> None:
    del card.work.graphs[graph]


@call(ADDRESS)
def cudaGraphExecDestroy(card: Card, graph: int) -> None:
    del card.work.graphs[graph]


@call(ADDRESS)
def cudaEventCreate(card: Card, at: int) -> None:
    put(at, c_void_p, card.work.new(card.work.events, Event()))


@call(ADDRESS, UINT)
def cudaEventCreateWithFlags(card: Card, at: int, flags: int) -> None:
    cudaEventCreate(card, at)


@call(ADDRESS)
def cudaEventDestroy(card: Card, event: int) -> None:
    card.work.event(event)
    del card.work.events[event]


@call(ADDRESS, ADDRESS)
def cudaEventRecord(card: Card, event: int, stream: int | None) -> None:
    card.work.record(card.work.event(event), card.work.stream(stream))


@call(ADDRESS)
def cudaEventSynchronize(card: Card, event: int) -> None:
    _reached(card, event)


@call(ADDRESS)
def cudaEventQuery(card: Card, event: int) -> None:
    """Like `cudaStreamQuery`."""
    task = card.work.event(event).task
    is_done = task is None or task.is_done
    _reached(card, event)
    if not is_done:
        raise CudaError(Status.NOT_READY)


@call(ADDRESS, ADDRESS, ADDRESS)
def cudaEventElapsedTime(card: Card, at: int, start: int, end: int) -> None:
    events = [card.work.event(each) for each in (start, end)]
    for event in events:
        if event.task is None:
            raise CudaError(Status.INVALID_HANDLE, "the event was never recorded.")
        if not event.task.is_done:
            raise CudaError(Status.NOT_READY)
    put(at, c_float, 1e3 * (events[1].at_s - events[0].at_s))


def _reached(card: Card, handle: int) -> None:
    task = card.work.event(handle).task
    if task is not None and task.graph is not None:
        raise CudaError(Status.CAPTURED_EVENT, "the event was recorded in a graph.")
    card.work.finish(task)
