"""Distinguish emission from transmission images, by their units and protocol."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.dicom.emission import LEAN, UNITS

TRANSMISSION = "ct"
"""Kind of protocol for images without a tracer."""
PET_UNITS = (*UNITS, LEAN, "counts/mm")


def is_emission(volume: Volume, provenance: Plain) -> bool:
    """Return True for a PET image.

    Parameters
    ----------
    volume
        image, whose unit decides if there is no protocol
    provenance
        origin of the image as JSON values
    """
    protocol = provenance.get("protocol")
    modality = str(protocol.get("modality", "")) if isinstance(protocol, dict) else ""
    # The protocol first: an image in another unit, such as a ratio, can come from either scan.
    return modality != TRANSMISSION if modality else volume.unit in PET_UNITS
