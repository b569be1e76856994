"""Cards of this machine as the NVIDIA driver reports them, without CuPy and without a context.

CUDA Driver API, "Device Management", "Version Management" and `CUresult`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from engine.core.paths import cupy_command

LIBRARIES = (
    ("nvcuda.dll",) if os.name == "nt" else ("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")
)
"""Names of the driver's library; WSL stores it in a folder outside the search path."""
OLDEST_CUDA = 12
_MULTIPROCESSORS, _MAJOR, _MINOR, _COMPUTE_MODE = 16, 75, 76, 20  # CUdevice_attribute
_PROHIBITED = 2  # CUcomputemode
_SEE = "Check the output of `nvidia-smi`."
FAULTS = {
    2: "The GPU's memory is full; close other programs that are using it.",
    34: "The library found is the stub of a CUDA toolkit; remove it from the library path.",
    46: "Another program is using the GPU exclusively; end it, or run `nvidia-smi -c DEFAULT`.",
    100: f"No GPU was found. {_SEE} Give a container access to the GPUs.",
    304: "The system denies access to the GPU; get permission to use /dev/nvidia*.",
    802: "The GPU is not initialized yet; wait for its service (nvidia-fabricmanager).",
    803: "The versions of driver and library differ, as after an update; restart the machine.",
    804: "The library belongs to another driver; remove the compatibility package.",
    805: "The sharing service of the GPU (MPS) does not respond; restart or stop it.",
    806: "The sharing service of the GPU (MPS) failed; restart or stop it.",
    807: "The sharing service of the GPU (MPS) is not ready; try again later.",
    999: f"The cause is unknown. {_SEE} Restart the machine.",
}
"""`CUresult` codes at start, with cause and remedy; `cudaError` uses the same numbers."""
_OTHERWISE = f"{_SEE} Restart the machine after an update of the driver."
_IN_WSL = " Update the driver in Windows, then run `wsl --update`."


@dataclass(frozen=True)
class NvidiaCard:
    """A card, or a MIG instance of one.

    Attributes
    ----------
    number : number of the card in CuPy
    name : product name
    memory_bytes : total memory
    bus_id : PCI bus id
    uuid : of the card or MIG instance, "1b0c...-..." as `nvidia-smi -L` lists it
    compute_capability : 75, 80, ...
    cuda : newest CUDA version that the driver supports
    is_closed : True if compute mode is "prohibited"
    n_multiprocessors : number of multiprocessors; 0 if the driver does not report it
    """

    number: int
    name: str
    memory_bytes: int
    bus_id: str
    uuid: str
    compute_capability: int
    cuda: tuple[int, int]
    is_closed: bool = False
    n_multiprocessors: int = 0


class NoCardError(Exception):
    """No card responds; the message states the reason."""


class NoDriverError(NoCardError):
    """No NVIDIA driver is installed."""


def load_driver() -> ctypes.CDLL:
    """Load the driver's library; CuPy then finds it by its name.

    Returns
    -------
    the library, as ctypes loads it

    Raises
    ------
    NoDriverError
        if the library is in none of its usual folders
    """
    for library in LIBRARIES:
        try:
            return ctypes.CDLL(library)
        except OSError:
            continue
    raise NoDriverError(
        "No NVIDIA driver is installed; if this machine has an NVIDIA GPU, install its driver "
        f"and run {cupy_command()}."
    )


def cards() -> tuple[NvidiaCard, ...]:
    """Return the cards in the driver's order; allocates nothing on them.

    Raises
    ------
    NoCardError
        if there is no card, or the driver is too old or reports an error
    """
    driver = load_driver()
    try:
        # A driver without one of the functions raises AttributeError, because ctypes looks them up
        # by name.
        return _cards(driver)
    except AttributeError as e:
        raise NoCardError(f"The NVIDIA driver is too old ({e}); install a newer one.") from e


def _cards(driver: ctypes.CDLL) -> tuple[NvidiaCard, ...]:
    _check(driver.cuInit(0))
    version = _number(driver.cuDriverGetVersion)
    # The driver encodes 13.0 as 13000.
    cuda = version // 1000, version % 1000 // 10
    found = tuple(_card(driver, n, cuda) for n in range(_number(driver.cuDeviceGetCount)))
    # The driver succeeds with zero cards, for example in a container without devices.
    if not found:
        _check(100)
    return found


def _card(driver: ctypes.CDLL, number: int, cuda: tuple[int, int]) -> NvidiaCard:
    device = _number(driver.cuDeviceGet, number)
    size, uuid = ctypes.c_size_t(), ctypes.create_string_buffer(16)
    # 256 bytes: the driver truncates longer names.
    name, bus_id = (ctypes.create_string_buffer(256) for _ in range(2))
    _check(
        driver.cuDeviceGetName(name, len(name), device)
        or driver.cuDeviceTotalMem_v2(ctypes.byref(size), device)
        or driver.cuDeviceGetPCIBusId(bus_id, len(bus_id), device)
        # version 2 also returns the UUID of a MIG instance
        or getattr(driver, "cuDeviceGetUuid_v2", driver.cuDeviceGetUuid)(uuid, device)
    )
    n_multiprocessors, major, minor, mode = (
        _number(driver.cuDeviceGetAttribute, attribute, device)
        for attribute in (_MULTIPROCESSORS, _MAJOR, _MINOR, _COMPUTE_MODE)
    )
    return NvidiaCard(
        number=number,
        name=name.value.decode(errors="replace"),
        memory_bytes=size.value,
        bus_id=bus_id.value.decode(errors="replace"),
        uuid=str(UUID(bytes=uuid.raw)),
        compute_capability=10 * major + minor,
        cuda=cuda,
        is_closed=mode == _PROHIBITED,
        n_multiprocessors=n_multiprocessors,
    )


def _number(question: Callable[..., int], *words: int) -> int:
    answer = ctypes.c_int()
    _check(question(ctypes.byref(answer), *words))
    return answer.value


def _check(code: int) -> None:
    if code:
        # in WSL the driver of Windows does the work
        more = _IN_WSL if "WSL_DISTRO_NAME" in os.environ else ""
        raise NoCardError(
            f"The NVIDIA driver finds no usable GPU (CUDA error {code}). "
            f"{FAULTS.get(code, _OTHERWISE)}{more}"
        )
