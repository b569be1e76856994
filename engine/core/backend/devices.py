"""The devices this machine offers, found without CuPy and without a context on a card.

The driver's library says which cards there are, in the order in which CuPy takes them; NVML says
how much of their memory is free. A window may ask from a thread: a slow driver takes a second.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.core.backend import nvml
from engine.core.backend.driver import (
    BOOTSTRAP,
    OLDEST_CUDA,
    NoCardError,
    NoDriverError,
    NvidiaCard,
    cards,
)
from engine.core.backend.generations import OLDEST_OF_CUPY, generation
from engine.core.backend.processor import cpu_label, usable_cores
from engine.core.backend.selftest_results import verdict_of

if TYPE_CHECKING:
    from engine.core.backend import Backend

LEAST_FREE = 2**28
"""Memory of a card without which nothing starts there: CUDA itself takes more."""


@dataclass(frozen=True)
class DeviceInfo:
    """A device a run may take.

    Attributes
    ----------
    key : "cpu", "cuda" or "cuda:1", as `engine.core.backend.named` knows it
    label : plain words
    memory_bytes, free_bytes : of the device; a GPU that does not tell what is free counts as empty
    threads : workers of CPU kernels
    why_not : why it cannot be used and what to do about it, empty if it can
    card : what the driver says of a GPU; None where it says nothing
    has_driver : whether there is an NVIDIA driver at all, of a GPU
    """

    key: str
    label: str
    memory_bytes: int
    free_bytes: int
    threads: int
    why_not: str = ""
    card: NvidiaCard | None = None
    has_driver: bool = True

    @property
    def usable(self) -> bool:
        """Whether a run can take it."""
        return not self.why_not

    @property
    def is_gpu(self) -> bool:
        """Whether it has a memory of its own."""
        return self.key.partition(":")[0] == "cuda"


def find_devices() -> tuple[DeviceInfo, ...]:
    """Return the CPU and the GPUs, also those that cannot be used; one of them if there is none."""
    return cpu_device(), *gpu_devices()


def cpu_device(threads: int | None = None) -> DeviceInfo:
    """Return the CPU with `threads` workers, all usable cores if None."""
    import psutil

    threads, memory = threads or usable_cores(), psutil.virtual_memory()
    return DeviceInfo("cpu", cpu_label(threads), int(memory.total), int(memory.available), threads)


def gpu_devices(*, judged: bool = True) -> tuple[DeviceInfo, ...]:
    """Return the GPUs as the driver counts them, or why there is none to use.

    judged : whether a card that failed its self-test counts as one that cannot be used
    """
    try:
        found = cards()
    except NoCardError as e:
        threads, has_driver = usable_cores(), not isinstance(e, NoDriverError)
        return (DeviceInfo("cuda", "GPU", 0, 0, threads, str(e), has_driver=has_driver),)
    return tuple(_device(card, len(found), judged) for card in found)


def gpu_device(key: str = "cuda") -> DeviceInfo:
    """Return the GPU of this key, or why there is none to use."""
    return choose(gpu_devices(), key)


def device_of(on: Backend) -> DeviceInfo:
    """Return the device of a backend, with what is free on it now."""
    if on.gpu is None:
        return cpu_device(on.threads)
    memory, free = on.gpu.facts.memory_bytes, on.gpu.free_bytes()
    return DeviceInfo(key_of(on.gpu.facts.number), on.label, memory, free, on.threads)


def choose(devices: tuple[DeviceInfo, ...], wanted: str) -> DeviceInfo:
    """Return the device called "cpu", "cuda" or "cuda:1"; "auto": a GPU if one can be used.

    A GPU may also be called by its UUID or the beginning of it, as `nvidia-smi -L` lists them:
    "cuda:GPU-1b0c". Of one that is not here, what is returned says so.
    """
    if wanted == "auto":
        return max(devices, key=lambda device: (device.usable, device.is_gpu))
    found = next((device for device in devices if _is_called(device, wanted)), None)
    if found is not None:
        return found
    here = ", ".join(device.key for device in devices if device.is_gpu and device.card)
    why = f"There is no GPU {wanted!r} in this machine; it has {here or 'none'}."
    return DeviceInfo(wanted, "GPU", 0, 0, usable_cores(), why)


def key_of(number: int) -> str:
    """Return the key of a card: "cuda" for the first one, "cuda:1" for the next."""
    return f"cuda:{number}" if number else "cuda"


def _is_called(device: DeviceInfo, wanted: str) -> bool:
    if wanted in (device.key, f"{device.key}:0"):
        return True
    kind, _, name = wanted.partition(":")
    uuid = name.removeprefix("GPU-").removeprefix("MIG-").lower()
    is_uuid = name != uuid and len(uuid) > 1
    return kind == "cuda" and is_uuid and bool(device.card) and _begins(device.card, uuid)


def _begins(card: NvidiaCard | None, uuid: str) -> bool:
    return card is not None and card.uuid.startswith(uuid)


def _device(card: NvidiaCard, among: int, judged: bool) -> DeviceInfo:
    key = key_of(card.number)
    label = f"{card.name} (cuda:{card.number})" if among > 1 else card.name
    free = nvml.free_bytes(card.name, card.uuid, card.bus_id, card.memory_bytes)
    wrong = _why_wrong(card) if judged else ""
    reason = _why_closed(card) or _why_no_cupy(card) or wrong or _why_full(label, free)
    return DeviceInfo(key, label, card.memory_bytes, free, usable_cores(), reason, card)


def _why_closed(card: NvidiaCard) -> str:
    if card.is_closed:
        return (
            f"{card.name} is set to do no computing; ask for `nvidia-smi -i {card.number} "
            "-c DEFAULT`."
        )
    return ""


def _why_no_cupy(card: NvidiaCard) -> str:
    serves = f"{card.cuda[0]}.{card.cuda[1]}"
    if card.cuda[0] < OLDEST_CUDA:
        return (
            f"The NVIDIA driver serves CUDA {serves}, and kernels need {OLDEST_CUDA} or newer; "
            "install a newer driver."
        )
    if card.compute_capability < min(OLDEST_OF_CUPY.values()):
        return (
            f"{card.name} ({generation(card.compute_capability)}) is older than CuPy serves; "
            "it takes Maxwell cards and newer."
        )
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy, which drives the GPU, is not installed; run {BOOTSTRAP} again."
    built_for = max((n for n in OLDEST_OF_CUPY if _is_installed(f"cupy-cuda{n}x")), default=0)
    if card.cuda[0] < built_for:
        return (
            f"The NVIDIA driver serves CUDA {serves}, CuPy is made for {built_for}; install a "
            f"newer driver, or run {BOOTSTRAP} again, which takes the CuPy that fits."
        )
    if card.compute_capability < OLDEST_OF_CUPY.get(built_for, 0):
        return (
            f"CuPy for CUDA {built_for} cannot compile for {card.name} "
            f"({generation(card.compute_capability)}); run {BOOTSTRAP} again, which takes the "
            "CuPy that fits."
        )
    return ""


def _why_wrong(card: NvidiaCard) -> str:
    verdict = verdict_of(card)
    return "" if verdict is None else verdict.words


def _why_full(label: str, free: int) -> str:
    if free < LEAST_FREE:
        return (
            f"{label} has {free / 2**20:.0f} MiB of its memory free, which no program can start "
            "with; close others that use it."
        )
    return ""


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
