"""NVML handles of a card or a share of one (MIG), by UUID or PCI bus id.

NVML has separate handles for MIG instances. Without one, it only reports the
whole card, with a different memory and load.
"""

from __future__ import annotations

from contextlib import suppress
from types import ModuleType

SHARE = " MIG "
"""Part of the name of a MIG instance."""
ONLY_THE_CARD = "the driver reports only the whole card, not this instance of it (MIG)"


class OnlyTheCardError(Exception):
    """NVML reports only the whole card, not our share of it."""


def handle_of(nvml: ModuleType, name: str, uuid: str, bus_id: str) -> object:
    """Return NVML's handle of a card; NVML must be initialised.

    Parameters
    ----------
    nvml
        the module pynvml
    name
        product name, which contains " MIG " for a share
    uuid
        without its prefix; empty if unknown
    bus_id
        PCI bus id, used if the UUID does not help

    Raises
    ------
    OnlyTheCardError
        if this is a share of a card and NVML has no handle for it
    nvml.NVMLError
        if there is no such card
    """
    is_share = is_share_of_card(name)
    if uuid:
        with suppress(nvml.NVMLError):
            return nvml.nvmlDeviceGetHandleByUUID(f"{'MIG' if is_share else 'GPU'}-{uuid}")
    if is_share:
        raise OnlyTheCardError(ONLY_THE_CARD)
    return nvml.nvmlDeviceGetHandleByPciBusId(bus_id)


def is_share_of_card(name: str) -> bool:
    """Return True for the name of a share: "NVIDIA A100-SXM4-40GB MIG 1g.5gb"."""
    return SHARE in name


def free_bytes(name: str, uuid: str, bus_id: str, memory_bytes: int) -> int:
    """Return the free memory of a card in bytes.

    Parameters
    ----------
    name
        see `handle_of`
    uuid
        see `handle_of`
    bus_id
        see `handle_of`
    memory_bytes
        total memory, returned if NVML is missing or does not answer
    """
    try:
        import pynvml as nvml
    except ImportError:
        return memory_bytes
    try:
        nvml.nvmlInit()
        try:
            handle = handle_of(nvml, name, uuid, bus_id)
            # The handle can belong to a whole card that has more memory than this share.
            return min(memory_bytes, int(nvml.nvmlDeviceGetMemoryInfo(handle).free))
        finally:
            nvml.nvmlShutdown()
    # The free memory is only advice for the user; any error means "not known".
    except (nvml.NVMLError, OnlyTheCardError, OSError, ValueError):
        return memory_bytes


def driver_version() -> str:
    """Return the version of the driver, "580.65.06"; empty if NVML does not report it."""
    try:
        import pynvml as nvml
    except ImportError:
        return ""
    try:
        nvml.nvmlInit()
        try:
            version = nvml.nvmlSystemGetDriverVersion()
        finally:
            nvml.nvmlShutdown()
    except (nvml.NVMLError, OSError):
        return ""
    # Old versions of the package return bytes.
    return version.decode() if isinstance(version, bytes) else str(version)
