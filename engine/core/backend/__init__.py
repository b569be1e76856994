"""Selection of the device that a run uses, and the copies to and from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend.gpu import Array, Gpu
from engine.core.backend.processor import cpu_label, processor_name
from engine.core.backend.processor import usable_cores as usable_cores
from engine.core.backend.used_variants import UsedVariants
from engine.core.checked import checked
from engine.core.errors import DeviceError, ResourceError
from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.core.backend.devices import DeviceInfo as DeviceInfo
    from engine.core.backend.devices import choose as choose
    from engine.core.backend.devices import find_devices as find_devices
    from engine.core.backend.driver import NvidiaCard

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(__name__, {"devices": ("DeviceInfo", "choose", "find_devices")})

# Weak references: a GPU that no backend uses any more releases its streams and pinned memory.
_GPUS: WeakValueDictionary[tuple[int, int], Gpu] = WeakValueDictionary()
"""GPUs in use, by the id of their array module and their number."""
DEVICES = ("auto", "cpu", "cuda")
"""Names for `named`; "cuda:1" is the second GPU, "cuda:GPU-1b0c" is a GPU by its UUID."""
Check = Callable[["Backend", "NvidiaCard"], str]
"""Check of a GPU before use: returns the reason against it, or an empty text."""
_CARD = re.compile(r"cuda(:(\d{1,3}|(GPU|MIG)-[0-9a-fA-F-]{1,40}))?")


@dataclass(frozen=True)
class Backend:
    """A device: the CPU with some threads, or a GPU.

    A pickle stores the kind of device. Loading a GPU selects the first one that starts, otherwise
    the CPU.
    """

    name: str
    """"cpu" or "cuda"."""
    xp: ModuleType
    """numpy or cupy: the module of arrays on the device."""
    threads: int = 1
    """Worker threads of CPU kernels."""
    gpu: Gpu | None = None
    """The GPU, None on the CPU."""
    used_variants: UsedVariants = field(default_factory=UsedVariants, compare=False, repr=False)
    """Tuned variants that kernels used."""
    note: str = field(default="", compare=False)
    """Reason for this device if another one could be expected; usually empty."""

    @property
    def is_cuda(self) -> bool:
        """True if arrays are on a GPU."""
        return self.gpu is not None

    @property
    def label(self) -> str:
        """Name of the device for the window and the command line."""
        if self.gpu is not None:
            return self.gpu.facts.name
        return cpu_label(self.threads)

    @property
    def machine(self) -> str:
        """Identity for speed measurements: GPU and driver, or processor and number of threads."""
        if self.gpu is not None:
            return f"{self.gpu.facts.name}, driver {self.gpu.facts.driver}"
        name, n = processor_name(), self.threads
        return f"{name}, 1 thread" if n == 1 else f"{name}, {n} threads"

    def __reduce__(self) -> tuple[Callable[..., Backend], tuple[Any, ...]]:
        # a pickle can be loaded on a machine with other devices
        return (best, ()) if self.is_cuda else (cpu, (self.threads,))

    def __deepcopy__(self, _: dict[int, Any]) -> Backend:
        # arrays of a copied operator must stay on the same device
        return self

    def of_a_run(self) -> Backend:
        """Return the same device for a new run, with an empty record of kernel variants."""
        # Compiled kernels stay loaded; only the record of variants is new.
        return replace(self, used_variants=UsedVariants())

    def faults(self, doing: str) -> AbstractContextManager[None]:
        """Convert errors of the device into `DeviceError`.

        Parameters
        ----------
        doing
            the step in progress, which begins the error message ("running a kernel")

        Returns
        -------
        context manager; on the CPU it does nothing
        """
        return nullcontext() if self.gpu is None else self.gpu.faults(doing)

    def to_device(self, values: Array) -> Array:
        """Return the values as an array on the device.

        Parameters
        ----------
        values
            array; NumPy arrays are copied to a GPU, GPU arrays are returned unchanged
        """
        if self.gpu is not None and type(values) is numpy.ndarray:
            return self.gpu.upload(values)
        return values

    def to_host(self, values: Array) -> NDArray[Any]:
        """Return the values as a NumPy array.

        Parameters
        ----------
        values
            array; GPU arrays are copied and the copy is awaited, NumPy arrays are returned
            unchanged
        """
        if self.gpu is not None and type(values) is not numpy.ndarray:
            return self.gpu.download(values)
        host: NDArray[Any] = values
        return host


def is_device_name(text: str) -> bool:
    """Return True if a text has the form of a device name; `named` checks if the device exists."""
    return text in DEVICES or _CARD.fullmatch(text) is not None


@checked(positive=("threads",))
def cpu(threads: int | None = None) -> Backend:
    """Return the CPU as a device.

    Parameters
    ----------
    threads
        worker threads of the kernels; None: all usable cores

    Returns
    -------
    on
        argument for `run`, `reconstruct` and every operator

    Examples
    --------
    >>> import engine
    >>> engine.cpu(threads=2).label
    'CPU, 2 threads'
    """
    return Backend("cpu", numpy, threads or usable_cores())


def cuda(gpu: Gpu | None = None) -> Backend:
    """Return the first GPU as a backend.

    Parameters
    ----------
    gpu
        GPU to use; None starts the first one through CuPy

    Raises
    ------
    ResourceError
        if CuPy or a GPU is missing
    """
    if gpu is None:
        from engine.core.backend.cupy_gpu import CupyGpu

        gpu = CupyGpu()
    _GPUS[id(gpu.xp), gpu.facts.number] = gpu
    return Backend("cuda", gpu.xp, usable_cores(), gpu)


def gpu_of(array: Array) -> Gpu:
    """Return the GPU that stores an array.

    Parameters
    ----------
    array
        GPU array; one of a GPU that is not in use yet starts it

    Raises
    ------
    ResourceError
        if CuPy or a GPU is missing
    """
    number = getattr(getattr(array, "device", None), "id", 0)  # arrays of CuPy name theirs
    found = _GPUS.get((id(module_of(array)), number))
    return found or required_gpu(cuda_of(number))


def required_gpu(on: Backend) -> Gpu:
    """Return the GPU of a backend.

    Raises
    ------
    TypeError
        if the backend is the CPU
    """
    if on.gpu is None:
        raise TypeError(f"{on.label} is not a GPU.")
    return on.gpu


def cuda_of(number: int) -> Backend:
    """Return the GPU with this number, without the self-test.

    Parameters
    ----------
    number
        number of the GPU in CuPy

    Raises
    ------
    ResourceError
        if CuPy is missing or incomplete, or no GPU responds
    """
    from engine.core.backend.cupy_gpu import CupyGpu

    return cuda(CupyGpu(number))


def best(check: Check | None = None) -> Backend:
    """Return the fastest device of this machine: a GPU if one responds and computes correctly.

    Parameters
    ----------
    check
        checks a GPU before it is used; None: a GPU only has to respond

    Returns
    -------
    on
        a GPU; otherwise the CPU with all cores. If there is a driver for GPUs, `note` states why
        no GPU is used
    """
    from engine.core.backend.devices import gpu_devices

    reasons = []
    # The first GPU that starts is used. The reasons against the others become the note on the
    # CPU.
    for device in gpu_devices():
        try:
            return _checked(device, check)
        except (ResourceError, DeviceError) as e:
            # Without an NVIDIA driver the user expects the CPU; a reason would only be noise.
            if device.has_driver:
                reasons.append(str(e))
    note = f"Computing on the CPU: {' '.join(reasons)}" if reasons else ""
    return replace(cpu(), note=note)


def named(name: str, threads: int | None = None, *, check: Check | None = None) -> Backend:
    """Return the backend called "auto", "cpu", "cuda" or "cuda:1".

    Parameters
    ----------
    name
        name of the device
    threads
        threads of the CPU; a number makes "auto" select the CPU
    check
        checks a GPU before it is used; returns the reason against it, or an empty text

    Raises
    ------
    ResourceError
        if there is no such device, or it cannot be used
    DeviceError
        if the GPU does not respond
    """
    # A number of threads only makes sense on the CPU, so it decides "auto".
    if name == "cpu" or (name == "auto" and threads):
        return cpu(threads)
    # "auto" never fails: at worst it is the CPU with a note.
    if name == "auto":
        return best(check)
    if name.partition(":")[0] == "cuda":
        # Imported here, because the window must start without loading driver libraries.
        from engine.core.backend.devices import gpu_device

        return _checked(gpu_device(name), check, name)
    raise ResourceError(f"device {name!r} is not valid; expected one of {', '.join(DEVICES)}.")


def _checked(device: DeviceInfo, check: Check | None, name: str = "") -> Backend:
    """Return a GPU that can be used; `name` is the name that the user gave."""
    if device.card is None or device.obstacle:
        raise _cannot_use(device.obstacle, name)
    on = cuda_of(device.card.number)
    # The check comes after the start: the self-test runs kernels on the card.
    fault = check(on, device.card) if check is not None else ""
    if fault:
        raise _cannot_use(fault, name)
    return on


def _cannot_use(why: str, name: str) -> ResourceError:
    return ResourceError(f"device {name!r}: {why} Or use --device cpu." if name else why)
