"""The devices this machine offers, found without CuPy and without a context on the card.

The driver's library says which card comes first, as CuPy takes it; NVML says how much of its
memory is free. A window may ask from a thread: a slow driver takes a second to answer.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import os
from dataclasses import dataclass

from engine import backend
from engine.backend import Backend

DRIVERS = ("nvcuda.dll",) if os.name == "nt" else ("libcuda.so.1",)
"""Names of the NVIDIA driver's library."""
BOOTSTRAP = "`python3 packaging/bootstrap.py run`"
_CUPY_FOR = (12, 13)
"""CUDA versions there are CuPy packages for."""


@dataclass(frozen=True)
class DeviceInfo:
    """A device a run may take.

    Attributes
    ----------
    key : "cpu" or "cuda", as `engine.backend.named` knows it
    label : plain words
    memory_bytes, free_bytes : of the device; a GPU that does not tell what is free counts as empty
    threads : workers of CPU kernels
    why_not : why it cannot be used and what to do about it, empty if it can
    """

    key: str
    label: str
    memory_bytes: int
    free_bytes: int
    threads: int
    why_not: str = ""

    @property
    def usable(self) -> bool:
        """Whether a run can take it."""
        return not self.why_not

    @property
    def is_gpu(self) -> bool:
        """Whether it has a memory of its own."""
        return self.key == "cuda"


def find_devices() -> tuple[DeviceInfo, ...]:
    """Return the CPU and the GPU, the latter even where it cannot be used."""
    return cpu_device(), gpu_device()


def cpu_device(threads: int | None = None) -> DeviceInfo:
    """Return the CPU with `threads` workers, all usable cores if None."""
    import psutil

    on, memory = backend.cpu(threads), psutil.virtual_memory()
    return DeviceInfo("cpu", on.label, int(memory.total), int(memory.available), on.threads)


def gpu_device() -> DeviceInfo:
    """Return the first GPU as the driver counts, or why there is none to use."""
    try:
        card = _first_card()
    except _NoCardError as e:
        return DeviceInfo("cuda", "GPU", 0, 0, backend.usable_cores(), str(e))
    free = _free_bytes(card.bus_id, card.memory_bytes)
    reason = _why_no_cupy(card)
    return DeviceInfo("cuda", card.name, card.memory_bytes, free, backend.usable_cores(), reason)


def device_of(on: Backend) -> DeviceInfo:
    """Return the device of a backend, with what is free on it now."""
    if on.gpu is None:
        return cpu_device(on.threads)
    memory, free = on.gpu.facts.memory_bytes, on.gpu.free_bytes()
    return DeviceInfo("cuda", on.label, memory, free, on.threads)


def choose(devices: tuple[DeviceInfo, ...], wanted: str) -> DeviceInfo:
    """Return the device called "cpu" or "cuda"; "auto": the GPU if it can be used."""
    if wanted == "auto":
        return max(devices, key=lambda device: (device.usable, device.is_gpu))
    return next(device for device in devices if device.key == wanted)


@dataclass(frozen=True)
class _Card:
    name: str
    memory_bytes: int
    bus_id: str
    cuda: tuple[int, int]
    """Newest CUDA the driver serves."""


class _NoCardError(Exception):
    """No card answers, and why."""


def _first_card() -> _Card:
    """Ask the driver; nothing is allocated on the card."""
    driver = _driver()
    number, version, size = ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t()
    name, bus_id = (ctypes.create_string_buffer(256) for _ in range(2))
    try:
        code = (
            driver.cuInit(0)
            or driver.cuDriverGetVersion(ctypes.byref(version))
            or driver.cuDeviceGet(ctypes.byref(number), 0)
            or driver.cuDeviceGetName(name, len(name), number)
            or driver.cuDeviceTotalMem_v2(ctypes.byref(size), number)
            or driver.cuDeviceGetPCIBusId(bus_id, len(bus_id), number)
        )
    except AttributeError as e:
        raise _NoCardError(f"The NVIDIA driver is too old ({e}); install a newer one.") from e
    if code:
        raise _NoCardError(
            f"The NVIDIA driver finds no GPU it can use (CUDA error {code}); see what "
            "`nvidia-smi` says, and restart the machine after an update of the driver."
        )
    cuda = version.value // 1000, version.value % 1000 // 10
    return _Card(name.value.decode(), size.value, bus_id.value.decode(), cuda)


def _driver() -> ctypes.CDLL:
    for library in DRIVERS:
        try:
            return ctypes.CDLL(library)
        except OSError:
            continue
    raise _NoCardError(
        "No NVIDIA driver is installed; with an NVIDIA GPU in this machine, install its driver "
        f"and run {BOOTSTRAP} again."
    )


def _why_no_cupy(card: _Card) -> str:
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy, which drives the GPU, is not installed; run {BOOTSTRAP} again."
    built_for = max((n for n in _CUPY_FOR if _is_installed(f"cupy-cuda{n}x")), default=0)
    if card.cuda[0] < built_for:
        return (
            f"The NVIDIA driver serves CUDA {card.cuda[0]}.{card.cuda[1]}, CuPy is made for "
            f"{built_for}; install a newer driver."
        )
    return ""


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _free_bytes(bus_id: str, memory_bytes: int) -> int:
    """Memory of the card nobody uses now; all of it where NVML does not tell."""
    try:
        import pynvml as nvml
    except ImportError:
        return memory_bytes
    try:
        nvml.nvmlInit()
        try:
            handle = nvml.nvmlDeviceGetHandleByPciBusId(bus_id)
            return min(memory_bytes, int(nvml.nvmlDeviceGetMemoryInfo(handle).free))
        finally:
            nvml.nvmlShutdown()
    except (nvml.NVMLError, OSError, ValueError):
        return memory_bytes
