"""NVML's calls: what is free on the card and how busy it is."""

from __future__ import annotations

import ctypes
import uuid
from ctypes import c_uint, c_ulonglong, c_void_p

from tests.emulator.card.card import ADDRESS, TEXT, UINT, Card, call, put
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.machine import BUS_ID, UUID


@call()
def nvmlInit_v2(card: Card) -> None:
    """The card is there."""


@call()
def nvmlShutdown(card: Card) -> None:
    """The card stays."""


@call(TEXT, ADDRESS)
def nvmlDeviceGetHandleByPciBusId_v2(card: Card, text: bytes, at: int) -> None:
    if not text.decode().upper().endswith(BUS_ID.upper()):
        raise CudaError(Status.INVALID_VALUE, text.decode())
    put(at, c_void_p, 1)


@call(TEXT, ADDRESS)
def nvmlDeviceGetHandleByUUID(card: Card, text: bytes, at: int) -> None:
    if text.decode() != f"GPU-{uuid.UUID(bytes=UUID)}":
        raise CudaError(Status.INVALID_VALUE, text.decode())
    put(at, c_void_p, 1)


@call(ADDRESS, UINT)
def nvmlSystemGetDriverVersion(card: Card, text: int, n_bytes: int) -> None:
    version = b"580.0\0"
    ctypes.memmove(text, version, min(n_bytes, len(version)))


@call(ADDRESS, ADDRESS)
def nvmlDeviceGetMemoryInfo(card: Card, device: int, at: int) -> None:
    taken = card.machine.used_bytes + card.memory.used
    total = card.machine.memory_bytes
    values = (c_ulonglong * 3)(total, total - taken, taken)
    ctypes.memmove(at, values, ctypes.sizeof(values))


@call(ADDRESS, ADDRESS)
def nvmlDeviceGetUtilizationRates(card: Card, device: int, at: int) -> None:
    values = (c_uint * 2)(50, 25)
    ctypes.memmove(at, values, ctypes.sizeof(values))
