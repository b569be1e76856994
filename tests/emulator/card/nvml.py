"""NVML calls: free memory and load of the card."""

from __future__ import annotations

import ctypes
import uuid
from ctypes import c_uint, c_ulonglong, c_void_p

from tests.emulator.card.card import ADDRESS, TEXT, UINT, Card, call, put
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.machine import BUS_ID, MEMORY_CLOCK_KHZ, UUID

POWER_MW, POWER_LIMIT_MW, TEMPERATURE_C, CLOCK_MHZ = 120_000, 350_000, 54, 1500
MEMORY_CLOCK = 2
"""Number of the memory clock in `nvmlClockType_t`."""


@call()
def nvmlInit_v2(card: Card) -> None:
    """Accept the call."""


@call(UINT)
def nvmlInitWithFlags(card: Card, flags: int) -> None:
    """Accept the newer form of the call."""


@call()
def nvmlShutdown(card: Card) -> None:
    """Accept the call; the card remains usable."""


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
    used = card.machine.used_bytes + card.memory.used
    total = card.machine.memory_bytes
    values = (c_ulonglong * 3)(total, total - used, used)
    ctypes.memmove(at, values, ctypes.sizeof(values))


@call(ADDRESS, ADDRESS)
def nvmlDeviceGetUtilizationRates(card: Card, device: int, at: int) -> None:
    values = (c_uint * 2)(50, 25)
    ctypes.memmove(at, values, ctypes.sizeof(values))


@call(ADDRESS, ADDRESS)
def nvmlDeviceGetPowerUsage(card: Card, device: int, at: int) -> None:
    put(at, c_uint, POWER_MW)


@call(ADDRESS, ADDRESS)
def nvmlDeviceGetEnforcedPowerLimit(card: Card, device: int, at: int) -> None:
    put(at, c_uint, POWER_LIMIT_MW)


@call(ADDRESS, UINT, ADDRESS)
def nvmlDeviceGetTemperature(card: Card, device: int, sensor: int, at: int) -> None:
    put(at, c_uint, TEMPERATURE_C)


@call(ADDRESS, UINT, ADDRESS)
def nvmlDeviceGetClockInfo(card: Card, device: int, clock: int, at: int) -> None:
    put(at, c_uint, MEMORY_CLOCK_KHZ // 1000 if clock == MEMORY_CLOCK else CLOCK_MHZ)
