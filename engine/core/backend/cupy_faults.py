"""Convert errors of CuPy, the CUDA libraries and the driver into `DeviceError`.

CuPy has no common base class of its errors. Errors of cuFFT, cuBLAS, cuSOLVER and others are
recognised by their module. A missing library shows at its first call, as `RuntimeError`,
`ImportError` or, if it lacks a function, `AssertionError`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.core.backend.driver import FAULTS
from engine.core.errors import DeviceError, DeviceMemoryError, EngineError
from engine.core.paths import cupy_command

_MEMORY_USED_UP = ("OutOfMemory", "OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "ALLOC_FAILED")
_LIBRARIES = ("cupy_backends.", "cupy.", "cupy_cuda.")
_NOT_LOADED = "CuPy failed to load"


@contextmanager
def faults_in_words(doing: str) -> Iterator[None]:
    """Convert exceptions of CuPy and the driver into `DeviceError`.

    Our own exceptions (`EngineError`) and those of other modules pass unchanged.

    Parameters
    ----------
    doing
        the step in progress, which begins the error message

    Raises
    ------
    DeviceMemoryError
        if the memory of the GPU is exhausted
    DeviceError
        for any other error of the device
    """
    try:
        yield
    except EngineError:
        raise
    except Exception as e:
        found = _in_words(e, doing)
        if found is None:
            raise
        raise found from e


def _in_words(error: Exception, doing: str) -> DeviceError | None:
    """Return the device error for an exception, or None if the device did not cause it."""
    message, kind = _first_line(error), type(error)
    of_cupy = kind.__module__.startswith(_LIBRARIES)
    # Memory first: out-of-memory errors come from several CuPy modules under several names.
    if of_cupy and _means_memory(error):
        return DeviceMemoryError(f"{doing}: the GPU is out of memory ({message}).")
    if of_cupy and kind.__name__ in ("CompileException", "NVRTCError"):
        return DeviceError(f"{doing}: the kernel cannot be compiled ({message}).")
    if of_cupy:
        remedy = FAULTS.get(getattr(error, "status", 0), "")
        return DeviceError(f"{doing}: the GPU reports {message}. {remedy}".rstrip())
    if _NOT_LOADED in message or isinstance(error, ImportError | AssertionError):
        # no import and no assertion of the engine itself can fail here
        return DeviceError(
            f"{doing}: a CUDA library is missing ({message}). Run {cupy_command()}, or use the CPU."
        )
    return None


def _means_memory(error: Exception) -> bool:
    text = f"{type(error).__name__} {error}"
    return any(name in text for name in _MEMORY_USED_UP)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
