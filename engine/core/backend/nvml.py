"""A card or a share of one (MIG), as NVML knows it: by its UUID, or its place on the bus.

NVML tells of shares by handles of their own; where it gives none, all it knows is the whole card,
whose memory and load are not ours.
"""

from __future__ import annotations

from contextlib import suppress
from types import ModuleType

SHARE = " MIG "
"""Stands in the name of a share of a card."""
ONLY_THE_CARD = "the driver tells of the whole card only, not of this share of it (MIG)"


class OnlyTheCardError(Exception):
    """NVML tells of the whole card alone."""


def handle_of(nvml: ModuleType, name: str, uuid: str, bus_id: str) -> object:
    """Return NVML's handle; NVML must be initialised.

    Raises
    ------
    OnlyTheCardError
        if this is a share of a card, and NVML does not tell of it
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
    """Whether a card's name is that of a share: "NVIDIA A100-SXM4-40GB MIG 1g.5gb"."""
    return SHARE in name


def free_bytes(name: str, uuid: str, bus_id: str, memory_bytes: int) -> int:
    """Memory of the card nobody uses now; all of it where NVML does not tell."""
    try:
        import pynvml as nvml
    except ImportError:
        return memory_bytes
    try:
        nvml.nvmlInit()
        try:
            handle = handle_of(nvml, name, uuid, bus_id)
            return min(memory_bytes, int(nvml.nvmlDeviceGetMemoryInfo(handle).free))
        finally:
            nvml.nvmlShutdown()
    except (nvml.NVMLError, OnlyTheCardError, OSError, ValueError):
        return memory_bytes


def driver_version() -> str:
    """Version of the driver, "580.65.06"; empty where NVML does not tell."""
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
    return version.decode() if isinstance(version, bytes) else str(version)
