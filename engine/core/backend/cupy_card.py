"""Start CuPy on a GPU of this machine: check the installation, select the card, read its facts."""

from __future__ import annotations

import os
from contextlib import suppress
from types import ModuleType
from uuid import UUID

from engine.core.backend.cupy_faults import faults_in_words
from engine.core.backend.driver import NoCardError, load_driver
from engine.core.backend.gpu import GpuFacts
from engine.core.errors import ResourceError
from engine.core.paths import cache_dir, cupy_command

_UUID_BYTES = 16


def whole_cupy() -> ModuleType:
    """Return CuPy after checking that the compiler (NVRTC) and a card respond.

    Raises
    ------
    ResourceError
        if CuPy is not installed, is installed in part, or finds no card
    DeviceError
        if the driver fails
    """
    # Must be set before CuPy is imported, which reads it once.
    os.environ.setdefault("CUPY_CACHE_DIR", str(cache_dir() / "kernels"))
    with suppress(NoCardError):
        load_driver()  # CuPy then finds the library by its name
    try:
        import cupy

        with faults_in_words("starting the GPU"):
            # False for a driver without a card; the import alone succeeds on any machine.
            is_available = cupy.cuda.is_available()
            # NVRTC is loaded on first use. Without this call a missing library would fail in the
            # middle of a run.
            cupy.cuda.nvrtc.getVersion()
    except ModuleNotFoundError as e:
        if e.name != "cupy":
            raise _not_whole(e) from e
        raise ResourceError(
            f"CuPy, which is required for the GPU, is not installed; run {cupy_command()} on a "
            "machine with an NVIDIA driver."
        ) from e
    # installed in part: modules are missing, or only an empty folder of that name exists
    except (ImportError, AttributeError, OSError) as e:
        raise _not_whole(e) from e
    if not is_available:
        raise ResourceError("No NVIDIA GPU responds; check the driver with `nvidia-smi`.")
    module: ModuleType = cupy
    return module


def _not_whole(error: Exception) -> ResourceError:
    message = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    return ResourceError(
        f"The installation of CuPy, which is required for the GPU, is incomplete ({message}); "
        f"run {cupy_command()}."
    )


def use(number: int) -> None:
    """Select a card for the calling thread.

    CUDA's current device belongs to the thread and is card 0 in a new one.

    Parameters
    ----------
    number
        place among the cards
    """
    from cupy.cuda import runtime

    # Setting the device costs a driver call, and nearly all calls use the same card.
    if runtime.getDevice() != number:
        runtime.setDevice(number)


def facts(number: int) -> GpuFacts:
    """Return the properties of a card from the CUDA runtime.

    Parameters
    ----------
    number
        place among the cards
    """
    from cupy.cuda import runtime

    properties = runtime.getDeviceProperties(number)
    # Peak bandwidth is not a property in CUDA: it follows from the memory clock and the bus width.
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
