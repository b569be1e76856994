"""The one place that knows which device we run on."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from engine.backend.gpu import Array, Gpu
from engine.backend.processor import processor_name
from engine.backend.used_forms import UsedForms
from engine.errors import ResourceError
from engine.faces import face

if TYPE_CHECKING:
    from engine.backend.devices import DeviceInfo as DeviceInfo
    from engine.backend.devices import choose as choose
    from engine.backend.devices import find_devices as find_devices

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__, {"engine.backend.devices": ("DeviceInfo", "choose", "find_devices")}
    )

DEVICES = ("auto", "cpu", "cuda")
"""Names that `named` knows."""


@dataclass(frozen=True)
class Backend:
    """A device: the CPU with some threads, or a GPU."""

    name: str
    """"cpu" or "cuda"."""
    xp: ModuleType
    """numpy or cupy: the module of arrays on the device."""
    threads: int = 1
    """Worker threads of CPU kernels."""
    gpu: Gpu | None = None
    """The GPU, None on the CPU."""
    forms: UsedForms = field(default_factory=UsedForms, compare=False, repr=False)
    """Tuned forms that kernels ran in."""

    @property
    def is_cuda(self) -> bool:
        """Whether arrays live on a GPU."""
        return self.gpu is not None

    @property
    def label(self) -> str:
        """Plain words for the window and the command line."""
        if self.gpu is not None:
            return self.gpu.facts.name
        return f"CPU, {self.threads} thread{'s' if self.threads > 1 else ''}"

    @property
    def machine(self) -> str:
        """What a measurement of speed holds for: the card, or the processor and its workers."""
        if self.gpu is not None:
            return f"{self.gpu.facts.name}, driver {self.gpu.facts.driver}"
        return f"{processor_name()}, {self.threads} thread{'s' if self.threads > 1 else ''}"

    def of_a_run(self) -> Backend:
        """Return the same device, for a run that begins: none of its kernels has run yet."""
        return replace(self, forms=UsedForms())

    def faults(self, doing: str) -> AbstractContextManager[None]:
        """Turn what the device raises inside into a `DeviceError` that says what was done."""
        return nullcontext() if self.gpu is None else self.gpu.faults(doing)

    def to_device(self, values: Array) -> Array:
        """Return the values as an array on the device; those already there are not copied."""
        if self.gpu is not None and type(values) is numpy.ndarray:
            return self.gpu.upload(values)
        return values

    def to_host(self, values: Array) -> NDArray[Any]:
        """Return the values as a numpy array; those of the CPU are not copied."""
        if self.gpu is not None and type(values) is not numpy.ndarray:
            return self.gpu.download(values)
        host: NDArray[Any] = values
        return host


def usable_cores() -> int:
    """CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu(threads: int | None = None) -> Backend:
    """The CPU, with `threads` workers (all usable cores if None).

    Parameters
    ----------
    threads
        worker threads of the kernels

    Returns
    -------
    on
        what `run`, `reconstruct` and every operator take

    Examples
    --------
    >>> import engine
    >>> engine.cpu(threads=2).label
    'CPU, 2 threads'
    """
    return Backend("cpu", numpy, threads or usable_cores())


def cuda(gpu: Gpu | None = None) -> Backend:
    """The GPU, or `ResourceError` that says what is missing."""
    if gpu is None:
        from engine.backend.cupy_gpu import CupyGpu

        gpu = CupyGpu()
    return Backend("cuda", gpu.xp, usable_cores(), gpu)


def best() -> Backend:
    """Return the fastest device of this machine: the GPU if there is one that answers.

    Returns
    -------
    on
        the GPU, or the CPU with all its cores

    Examples
    --------
    >>> import engine
    >>> engine.best().name in ("cuda", "cpu")
    True
    """
    try:
        return cuda()
    except ResourceError:
        return cpu()


def named(name: str, threads: int | None = None) -> Backend:
    """Return the backend called "auto", "cpu" or "cuda"; a number of threads means the CPU."""
    if name == "auto":
        return cpu(threads) if threads else best()
    if name == "cpu":
        return cpu(threads)
    if name == "cuda":
        return cuda()
    raise ResourceError(f"device {name!r}: it must be one of {', '.join(DEVICES)}.")
