"""Devices of this machine, found without CuPy and without a context on a GPU.

The driver's library lists the cards in the order that CuPy uses. NVML reports their free memory.
The window can call this in a thread, because a slow driver takes a second.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.core.backend import nvml
from engine.core.backend.driver import (
    OLDEST_CUDA,
    NoCardError,
    NoDriverError,
    NvidiaCard,
    cards,
)
from engine.core.backend.processor import cpu_label, usable_cores
from engine.core.backend.selftest_results import stored_result
from engine.core.paths import cupy_command

if TYPE_CHECKING:
    from engine.core.backend import Backend

MIN_FREE = 2**28
"""Minimum free memory of a card: the CUDA context alone uses more."""


@dataclass(frozen=True)
class DeviceInfo:
    """A device that a run can use.

    Attributes
    ----------
    key : "cpu", "cuda" or "cuda:1", as for `engine.core.backend.named`
    label : name for the window
    memory_bytes, free_bytes : of the device; all is free if a GPU does not report it
    threads : workers of CPU kernels
    obstacle : reason why it cannot be used, with the remedy; empty if it can
    card : facts of a GPU from the driver; None if the driver reports none
    has_driver : False for a GPU without an NVIDIA driver
    """

    key: str
    label: str
    memory_bytes: int
    free_bytes: int
    threads: int
    obstacle: str = ""
    card: NvidiaCard | None = None
    has_driver: bool = True

    @property
    def usable(self) -> bool:
        """True if a run can use the device."""
        return not self.obstacle

    @property
    def is_gpu(self) -> bool:
        """True if the device has its own memory."""
        return self.key.partition(":")[0] == "cuda"


def find_devices(free_bytes: int | None = None) -> tuple[DeviceInfo, ...]:
    """Return the CPU and all GPUs, usable or not; a placeholder explains a missing GPU.

    Parameters
    ----------
    free_bytes
        memory that this process can use, see `engine.io.usable_memory`; None reports the free
        memory of the machine, also in a container with a smaller limit
    """
    cpu = cpu_device()
    return cpu if free_bytes is None else replace(cpu, free_bytes=free_bytes), *gpu_devices()


def cpu_device(threads: int | None = None) -> DeviceInfo:
    """Return the CPU as a device.

    Parameters
    ----------
    threads
        workers of CPU kernels; None uses all usable cores
    """
    import psutil

    threads, memory = threads or usable_cores(), psutil.virtual_memory()
    return DeviceInfo("cpu", cpu_label(threads), int(memory.total), int(memory.available), threads)


def gpu_devices(*, judged: bool = True) -> tuple[DeviceInfo, ...]:
    """Return the GPUs in the driver's order.

    Parameters
    ----------
    judged
        count a card that failed its self-test as unusable

    Returns
    -------
    the cards; or one entry without a card, with the reason why there is none
    """
    try:
        found = cards()
    except NoCardError as e:
        # A machine without a driver is normal; a driver without a card is worth a message.
        threads, has_driver = usable_cores(), not isinstance(e, NoDriverError)
        return (DeviceInfo("cuda", "GPU", 0, 0, threads, str(e), has_driver=has_driver),)
    return tuple(_device(card, len(found), judged) for card in found)


def gpu_device(key: str = "cuda") -> DeviceInfo:
    """Return the GPU with this key, or an entry with the reason why there is none.

    Parameters
    ----------
    key
        "cuda", "cuda:1" or "cuda:GPU-1b0c", see `choose`
    """
    return choose(gpu_devices(), key)


def device_of(on: Backend) -> DeviceInfo:
    """Return the device of a backend, with its free memory now.

    Parameters
    ----------
    on
        CPU or GPU
    """
    if on.gpu is None:
        return cpu_device(on.threads)
    memory, free = on.gpu.facts.memory_bytes, on.gpu.free_bytes()
    return DeviceInfo(key_of(on.gpu.facts.number), on.label, memory, free, on.threads)


def choose(devices: tuple[DeviceInfo, ...], wanted: str) -> DeviceInfo:
    """Select a device by its name.

    `nvidia-smi -L` lists the UUIDs of GPUs.

    Parameters
    ----------
    devices
        devices to choose from
    wanted
        "cpu", "cuda", "cuda:1", "cuda:GPU-1b0c" (UUID or the beginning of it), or "auto" for a GPU
        if one can be used

    Returns
    -------
    the device; for an unknown one, an entry with the GPUs of this machine in `obstacle`
    """
    if wanted == "auto":
        # Tuples compare in order: usable first, then GPU before CPU.
        return max(devices, key=lambda device: (device.usable, device.is_gpu))
    found = next((device for device in devices if _is_called(device, wanted)), None)
    if found is not None:
        return found
    here = ", ".join(device.key for device in devices if device.is_gpu and device.card)
    why = f"There is no GPU {wanted!r} in this machine; it has {here or 'none'}."
    return DeviceInfo(wanted, "GPU", 0, 0, usable_cores(), why)


def key_of(number: int) -> str:
    """Return the key of a card: "cuda" for the first one, "cuda:1" for the second."""
    return f"cuda:{number}" if number else "cuda"


def _is_called(device: DeviceInfo, wanted: str) -> bool:
    if wanted in (device.key, f"{device.key}:0"):
        return True
    kind, _, name = wanted.partition(":")
    uuid = name.removeprefix("GPU-").removeprefix("MIG-").lower()
    # A prefix marks a UUID; without it "cuda:1" would also be the beginning of one.
    is_uuid = name != uuid and len(uuid) > 1
    return kind == "cuda" and is_uuid and bool(device.card) and _begins(device.card, uuid)


def _begins(card: NvidiaCard | None, uuid: str) -> bool:
    return card is not None and card.uuid.startswith(uuid)


def _device(card: NvidiaCard, among: int, judged: bool) -> DeviceInfo:
    key = key_of(card.number)
    label = f"{card.name} (cuda:{card.number})" if among > 1 else card.name
    # By UUID, because NVML and CUDA can number the cards differently.
    free = nvml.free_bytes(card.name, card.uuid, card.bus_id, card.memory_bytes)
    wrong = _why_wrong(card) if judged else ""
    # The first reason wins: a missing CuPy explains more than a failed self-test.
    reason = _why_closed(card) or _why_no_cupy(card) or wrong or _why_full(label, free)
    return DeviceInfo(key, label, card.memory_bytes, free, usable_cores(), reason, card)


def _why_closed(card: NvidiaCard) -> str:
    if card.is_closed:
        return (
            f"{card.name} is in prohibited compute mode; run `nvidia-smi -i {card.number} -c "
            "DEFAULT` as administrator."
        )
    return ""


def _why_no_cupy(card: NvidiaCard) -> str:
    from engine.core.backend.generations import OLDEST_OF_CUPY, generation  # only with a card

    serves = f"{card.cuda[0]}.{card.cuda[1]}"
    if card.cuda[0] < OLDEST_CUDA:
        return (
            f"The NVIDIA driver supports CUDA {serves}, but CUDA {OLDEST_CUDA} or newer is "
            "required; install a newer driver."
        )
    if card.compute_capability < min(OLDEST_OF_CUPY.values()):
        return (
            f"{card.name} ({generation(card.compute_capability)}) is too old for CuPy, "
            "which supports Maxwell and newer cards."
        )
    command = cupy_command(_cupy_for(card))
    # find_spec does not import CuPy, which takes a second and creates a context.
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy, which is required for the GPU, is not installed; run {command}."
    # The package name is the only place that states the CUDA version of CuPy without importing it.
    built_for = max((n for n in OLDEST_OF_CUPY if _is_installed(f"cupy-cuda{n}x")), default=0)
    if card.cuda[0] < built_for:
        return (
            f"The NVIDIA driver supports CUDA {serves}, but the installed CuPy needs CUDA "
            f"{built_for}; install a newer driver, or run {command}, which installs the "
            "matching CuPy."
        )
    if card.compute_capability < OLDEST_OF_CUPY.get(built_for, 0):
        return (
            f"CuPy for CUDA {built_for} cannot compile for {card.name} "
            f"({generation(card.compute_capability)}); run {command}, which installs "
            "the matching CuPy."
        )
    return ""


def _cupy_for(card: NvidiaCard) -> int:
    """Return the CUDA version of the CuPy that suits a card and its driver."""
    from engine.core.backend.generations import OLDEST_OF_CUPY

    fits = [n for n, oldest in OLDEST_OF_CUPY.items() if card.compute_capability >= oldest]
    return max((n for n in fits if n <= card.cuda[0]), default=OLDEST_CUDA)


def _why_wrong(card: NvidiaCard) -> str:
    result = stored_result(card)
    return "" if result is None else result.words


def _why_full(label: str, free: int) -> str:
    if free < MIN_FREE:
        return (
            f"{label} has only {free / 2**20:.0f} MiB of free memory, too little to start; close "
            "other programs that are using it."
        )
    return ""


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
