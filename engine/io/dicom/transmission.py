"""Attributes of a CT series, and the distinction between CT and PET images. PS3.3 C.8.2.1."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.data.timing.timestamps import moment_of
from engine.data.volume import Volume
from engine.io.dicom.values import date_of, decimal, time_of
from engine.io.text.json_text import object_of

TRANSMISSION = "ct"
"""Kind of protocol for images without a tracer."""

CLASS_UID = "1.2.840.10008.5.1.4.1.1.2"
"""CT Image Storage."""
HOUNSFIELD = "HU"
UNSPECIFIED = "US"
"""Rescale type of values in other units, such as 1/mm; only derived images may have it (PS3.3
C.8.2.1.1.2).
"""


def series_attributes(provenance: Plain, unit: str) -> Plain:
    """Return the attributes that all slices of a CT image share.

    Parameters
    ----------
    provenance
        origin of the image as JSON values
    unit
        unit of the values; "HU" for CT numbers
    """
    known = object_of(provenance.get("scan"))
    started = moment_of(known.get("scan_start"))
    voltage = known.get("voltage_kv")
    is_hounsfield = unit == HOUNSFIELD
    # Soft-tissue window: without one, many viewers open CT with the full range, which is almost
    # grey.
    window: Plain = {"WindowCenter": "40", "WindowWidth": "400"} if is_hounsfield else {}
    return {
        "Modality": "CT",
        "ImageType": ["ORIGINAL" if is_hounsfield else "DERIVED", "PRIMARY", "AXIAL"],
        "AcquisitionDate": date_of(started),
        "AcquisitionTime": time_of(started),
        "KVP": decimal(float(voltage)) if isinstance(voltage, int | float) else "",
        "RescaleType": HOUNSFIELD if is_hounsfield else UNSPECIFIED,
        "PatientPosition": "",
        **window,
    }


def is_emission(volume: Volume, provenance: Plain) -> bool:
    """Return True for a PET image.

    Parameters
    ----------
    volume
        image; its unit decides if there is no protocol
    provenance
        origin of the image as JSON values
    """
    modality = str(object_of(provenance.get("protocol")).get("modality", ""))
    # The protocol first: an image in another unit, such as a ratio, can come from either scan.
    if modality:
        return modality != TRANSMISSION
    from engine.io.dicom.emission import LEAN, UNITS  # images of a run state their protocol

    return volume.unit in (*UNITS, LEAN, "counts/mm")
