"""Tell emission from transmission images, from their units and the protocol of their run."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.dicom.emission import LEAN, UNITS

TRANSMISSION = "ct"
"""Kind of protocol of images without a tracer."""
PET_UNITS = (*UNITS, LEAN, "counts/mm")


def is_emission(volume: Volume, provenance: Plain) -> bool:
    """Return True if a volume is of a PET scan."""
    protocol = provenance.get("protocol")
    modality = str(protocol.get("modality", "")) if isinstance(protocol, dict) else ""
    return modality != TRANSMISSION if modality else volume.unit in PET_UNITS
