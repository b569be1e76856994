"""What CuPy and the driver raise, in our words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import DeviceError, DeviceMemoryError

_MEMORY_USED_UP = ("OutOfMemory", "OUT_OF_MEMORY", "cudaErrorMemoryAllocation")


@contextmanager
def faults_in_words(doing: str) -> Iterator[None]:
    """Turn what CuPy and the driver raise into a `DeviceError`."""
    import cupy
    from cupy.cuda import compiler, driver, nvrtc, runtime

    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as e:
        raise DeviceMemoryError(f"{doing}: the GPU's memory is used up ({e}).") from e
    except (compiler.CompileException, nvrtc.NVRTCError) as e:
        raise DeviceError(f"{doing}: the kernel does not compile ({_first_line(e)}).") from e
    except (runtime.CUDARuntimeError, driver.CUDADriverError) as e:
        if any(name in str(e) for name in _MEMORY_USED_UP):
            raise DeviceMemoryError(f"{doing}: the GPU's memory is used up ({e}).") from e
        raise DeviceError(f"{doing}: the GPU reports {e}.") from e


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
