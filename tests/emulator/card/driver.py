"""Driver calls: properties of the card, modules and launches."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int, c_size_t, c_uint64, c_void_p

from tests.emulator.card.card import ADDRESS, INT, SIZE, TEXT, UINT, Card, call, put
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.machine import BUS_ID, SHARED_BYTES, UUID, attribute
from tests.emulator.card.modules import LoadedModule

_words: list[c_char_p] = []
"""Texts that callers still point to."""


@call(UINT)
def cuInit(card: Card, flags: int) -> None:
    if card.machine.init:
        raise CudaError(Status(card.machine.init))


@call(ADDRESS)
def cuDriverGetVersion(card: Card, version: int) -> None:
    put(version, c_int, card.machine.driver)


@call(ADDRESS)
def cuDeviceGetCount(card: Card, n: int) -> None:
    put(n, c_int, 1)


@call(ADDRESS, INT)
def cuDeviceGet(card: Card, device: int, number: int) -> None:
    if number != 0:
        raise CudaError(Status.INVALID_DEVICE)
    put(device, c_int, 0)


@call(ADDRESS, INT, INT)
def cuDeviceGetName(card: Card, text: int, n_bytes: int, device: int) -> None:
    name = card.machine.name.encode() + b"\0"
    ctypes.memmove(text, name, min(n_bytes, len(name)))


@call(ADDRESS, INT)
def cuDeviceTotalMem_v2(card: Card, n_bytes: int, device: int) -> None:
    put(n_bytes, c_size_t, card.machine.memory_bytes)


@call(ADDRESS, INT, INT)
def cuDeviceGetPCIBusId(card: Card, text: int, n_bytes: int, device: int) -> None:
    ctypes.memmove(text, BUS_ID.encode() + b"\0", min(n_bytes, len(BUS_ID) + 1))


@call(ADDRESS, INT)
def cuDeviceGetUuid(card: Card, at: int, device: int) -> None:
    cuDeviceGetUuid_v2(card, at, device)


@call(ADDRESS, INT)
def cuDeviceGetUuid_v2(card: Card, at: int, device: int) -> None:
    ctypes.memmove(at, UUID, len(UUID))


@call(ADDRESS, INT, INT)
def cuDeviceGetAttribute(card: Card, value: int, number: int, device: int) -> None:
    put(value, c_int, attribute(card.machine, number))


@call(INT, ADDRESS)
def cuGetErrorName(card: Card, status: int, at: int) -> None:
    _tell(at, f"CUDA_ERROR_{Status(status).name}")


@call(INT, ADDRESS)
def cuGetErrorString(card: Card, status: int, at: int) -> None:
    _tell(at, Status(status).name.lower().replace("_", " "))


def _tell(at: int, text: str) -> None:
    kept = c_char_p(text.encode())
    _words.append(kept)
    put(at, c_void_p, ctypes.cast(kept, c_void_p).value)


@call(ADDRESS)
def cuCtxGetCurrent(card: Card, at: int) -> None:
    put(at, c_void_p, 1)


@call(ADDRESS)
def cuCtxSetCurrent(card: Card, context: int | None) -> None:
    """Accept any context; the card has one."""


@call(ADDRESS)
def cuCtxGetDevice(card: Card, device: int) -> None:
    put(device, c_int, 0)


@call(ADDRESS, ADDRESS)
def cuModuleLoadData(card: Card, at: int, image: int) -> None:
    text = ctypes.string_at(image)
    if not text.lstrip().startswith((b"//", b".version")):
        raise CudaError(Status.INVALID_IMAGE, "this is no PTX")
    put(at, c_void_p, card.work.new(card.modules, LoadedModule(text.decode(), card)))


@call(ADDRESS)
def cuModuleUnload(card: Card, module: int) -> None:
    card.modules.pop(module).forget()


@call(ADDRESS, ADDRESS, TEXT)
def cuModuleGetFunction(card: Card, at: int, module: int, name: bytes) -> None:
    function = card.modules[module].function(name.decode())
    put(at, c_void_p, card.work.new(card.functions, function))


@call(ADDRESS, ADDRESS, ADDRESS, TEXT)
def cuModuleGetGlobal_v2(card: Card, at: int, size: int | None, module: int, name: bytes) -> None:
    place, n_bytes = card.modules[module].constant(name.decode())
    put(at, c_uint64, place)
    if size is not None:
        put(size, c_size_t, n_bytes)


@call(ADDRESS, *(UINT,) * 7, ADDRESS, ADDRESS, ADDRESS)
def cuLaunchKernel(card: Card, function: int, *given: int | None) -> None:
    *sizes, shared, stream, parameters, extra = given
    if extra is not None or not parameters:
        raise CudaError(Status.NOT_SUPPORTED, "a launch with its arguments in one block")
    work = card.functions[function].launch(tuple(map(int, sizes)), int(shared or 0), parameters)
    card.work.put(card.work.stream(stream), work)


@call(ADDRESS, INT, ADDRESS)
def cuFuncGetAttribute(card: Card, at: int, number: int, function: int) -> None:
    """Return threads per block and shared memory of the kernel; registers are unknown."""
    of = card.functions[function]
    known = {0: of.entry.max_threads, 1: of.shared_bytes, 2: 0, 3: 0, 4: 40, 5: 90, 6: 90, 7: 0}
    put(at, c_int, known[number])


@call(ADDRESS, INT, INT)
def cuFuncSetAttribute(card: Card, function: int, number: int, value: int) -> None:
    if value > SHARED_BYTES:
        raise CudaError(Status.INVALID_VALUE)


@call(ADDRESS, ADDRESS, INT, SIZE)
def cuOccupancyMaxActiveBlocksPerMultiprocessor(
    card: Card, at: int, function: int, n_threads: int, shared: int
) -> None:
    by_shared = SHARED_BYTES // max(1, shared + card.functions[function].shared_bytes)
    put(at, c_int, min(attribute(card.machine, 39) // n_threads, by_shared, 16))


@call(ADDRESS, ADDRESS)
def cuGetExportTable(card: Card, at: int, number: int) -> None:
    """Refuse the undocumented tables; NVRTC asks for one but does not need it."""
    put(at, c_void_p, None)
    raise CudaError(Status.NOT_FOUND)
