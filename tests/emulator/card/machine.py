"""Properties that the software card reports."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass

from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.structures import Properties

ENVIRONMENT = "ISOCENTER_CARD"
"""Environment variable that describes the machine for a process, in JSON."""


@dataclass(frozen=True)
class Machine:
    """A machine with one card or none.

    Attributes
    ----------
    arch : architecture of the card, such as 90
    driver : newest CUDA version that the driver supports, 1000 major + 10 minor
    memory_bytes, used_bytes : memory of the card, and the part that other processes use
    order, seed : order of queued work, see `work.Work`
    reverse : run blocks, warps and lanes in descending order
    host_tables : the card reads pageable host memory itself, when the copy runs
    init : status of the driver's first call; 0 if it works
    name : of the card
    """

    arch: int = 90
    driver: int = 13000
    memory_bytes: int = 1 << 30
    used_bytes: int = 0
    order: str = "early"
    seed: int = 1
    reverse: bool = False
    host_tables: bool = False
    init: int = 0
    name: str = "Software card"

    def environment(self) -> dict[str, str]:
        """Return environment variables that give a process this machine."""
        return {ENVIRONMENT: json.dumps(asdict(self))}

    @staticmethod
    def requested() -> Machine | None:
        """Return the machine from the environment."""
        text = os.environ.get(ENVIRONMENT)
        return Machine(**json.loads(text)) if text else None


N_MULTIPROCESSORS = 2
BUS_ID = "0000:01:00.0"
UUID = bytes(range(1, 17))
MEMORY_CLOCK_KHZ, MEMORY_BITS = 1_000_000, 256
PITCH_ALIGNMENT = 32
_NONE_OF_IT = {69}
"""Attributes that are 0 on this card."""
THREADS, SHARED_BYTES, REGISTERS, CONSTANT_BYTES = 1024, 49152, 65536, 65536


def attribute(machine: Machine, number: int) -> int:
    """Return an attribute of `cudaDeviceAttr`; `CUdevice_attribute` has the same numbers."""
    max_threads = 2048 if machine.arch in (80, 90, 100) else 1536 if machine.arch > 80 else 1024
    known = {
        1: THREADS, 2: 1024, 3: 1024, 4: 64, 5: 2**31 - 1, 6: 65535, 7: 65535,
        8: SHARED_BYTES, 9: CONSTANT_BYTES, 10: 32, 11: 2**31 - 1, 12: REGISTERS,
        13: 1_500_000, 14: 512, 15: 1, 16: N_MULTIPROCESSORS, 17: 0, 18: 0, 19: 1, 20: 0, 31: 1,
        33: 1, 34: 0, 35: 0, 36: MEMORY_CLOCK_KHZ, 37: MEMORY_BITS, 38: 1 << 22,
        39: max_threads, 40: 2, 41: 1, 50: 0, 51: PITCH_ALIGNMENT,
        75: machine.arch // 10, 76: machine.arch % 10, 78: 1, 81: 102400, 82: REGISTERS, 83: 1,
        87: 32, 88: int(machine.host_tables), 95: 1, 96: 0, 97: 101376,
        100: int(machine.host_tables), 115: 1,
    }  # fmt: skip
    if number not in known and number not in _NONE_OF_IT:
        raise CudaError(Status.INVALID_VALUE, f"attribute {number} is not of this card")
    return known.get(number, 0)


def properties(machine: Machine) -> Properties:
    """Return the result of `cudaGetDeviceProperties`."""
    return Properties(
        name=machine.name.encode(),
        uuid=UUID,
        totalGlobalMem=machine.memory_bytes,
        sharedMemPerBlock=SHARED_BYTES,
        regsPerBlock=REGISTERS,
        warpSize=32,
        memPitch=2**31 - 1,
        maxThreadsPerBlock=THREADS,
        maxThreadsDim=(1024, 1024, 64),
        maxGridSize=(2**31 - 1, 65535, 65535),
        totalConstMem=CONSTANT_BYTES,
        major=machine.arch // 10,
        minor=machine.arch % 10,
        textureAlignment=512,
        texturePitchAlignment=PITCH_ALIGNMENT,
        multiProcessorCount=N_MULTIPROCESSORS,
        surfaceAlignment=512,
        pciBusID=1,
        unifiedAddressing=1,
        memoryBusWidth=MEMORY_BITS,
        l2CacheSize=1 << 22,
        maxThreadsPerMultiProcessor=attribute(machine, 39),
        sharedMemPerMultiprocessor=102400,
        regsPerMultiprocessor=REGISTERS,
    )
