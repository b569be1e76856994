"""Start of CuPy on a card of this machine: whether CuPy is whole, which card, and what it is."""

from __future__ import annotations

import os
from contextlib import suppress
from types import ModuleType
from uuid import UUID

from engine.core.backend.cupy_faults import faults_in_words
from engine.core.backend.driver import BOOTSTRAP, NoCardError, load_driver
from engine.core.backend.gpu import GpuFacts
from engine.core.errors import ResourceError
from engine.core.paths import cache_dir

_UUID_BYTES = 16


def whole_cupy() -> ModuleType:
    """Return CuPy with a compiler and a card; what is missing is said."""
    os.environ.setdefault("CUPY_CACHE_DIR", str(cache_dir() / "kernels"))
    with suppress(NoCardError):
        load_driver()  # from wherever it is, so that CuPy finds it by its name
    try:
        import cupy

        with faults_in_words("starting the GPU"):
            is_available = cupy.cuda.is_available()
            cupy.cuda.nvrtc.getVersion()
    except ModuleNotFoundError as e:
        if e.name != "cupy":
            raise _not_whole(e) from e
        raise ResourceError(
            f"CuPy, which drives the GPU, is not installed; run {BOOTSTRAP} on a machine with an "
            "NVIDIA driver."
        ) from e
    # half installed: its own parts not found, or an empty folder that bears its name
    except (ImportError, AttributeError, OSError) as e:
        raise _not_whole(e) from e
    if not is_available:
        raise ResourceError("No NVIDIA GPU answers; check the driver with `nvidia-smi`.")
    module: ModuleType = cupy
    return module


def _not_whole(error: Exception) -> ResourceError:
    said = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    return ResourceError(
        f"CuPy, which drives the GPU, is installed in part only ({said}); run {BOOTSTRAP} again."
    )


def use(number: int) -> None:
    """Make a card that of this thread, whose first card else is the first of the machine."""
    from cupy.cuda import runtime

    if runtime.getDevice() != number:
        runtime.setDevice(number)


def facts(number: int) -> GpuFacts:
    """Return what a card is, as the runtime says."""
    from cupy.cuda import runtime

    properties = runtime.getDeviceProperties(number)
    clock_khz = runtime.deviceGetAttribute(runtime.cudaDevAttrMemoryClockRate, number)
    width_bits = runtime.deviceGetAttribute(runtime.cudaDevAttrGlobalMemoryBusWidth, number)
    version = runtime.driverGetVersion()
    bus_id = runtime.deviceGetPCIBusId(number)
    uuid = properties.get("uuid", b"")
    return GpuFacts(
        name=properties["name"].decode(),
        compute_capability=10 * properties["major"] + properties["minor"],
        n_multiprocessors=properties["multiProcessorCount"],
        memory_bytes=properties["totalGlobalMem"],
        peak_bytes_per_s=2e3 * clock_khz * width_bits / 8,  # two transfers in each clock
        driver=f"{version // 1000}.{version % 1000 // 10}",
        bus_id=bus_id,
        number=number,
        uuid=str(UUID(bytes=uuid)) if len(uuid) == _UUID_BYTES else "",
    )
