"""Distinguish emission from transmission images, by their units and protocol."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.text.json_text import object_of

TRANSMISSION = "ct"
"""Kind of protocol for images without a tracer."""


def is_emission(volume: Volume, provenance: Plain) -> bool:
    """Return True for a PET image.

    Parameters
    ----------
    volume
        image, whose unit decides if there is no protocol
    provenance
        origin of the image as JSON values
    """
    modality = str(object_of(provenance.get("protocol")).get("modality", ""))
    # The protocol first: an image in another unit, such as a ratio, can come from either scan.
    if modality:
        return modality != TRANSMISSION
    from engine.io.dicom.emission import LEAN, UNITS  # images of a run state their protocol

    return volume.unit in (*UNITS, LEAN, "counts/mm")
