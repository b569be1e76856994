"""Facts of a static PET series that SUV need: dose, times, decay correction and body.

They get the keys of our own scans, so that images of other programs are converted like our own.
The decay correction refers to the start of the series, or to its first acquisition if that was
earlier (PS3.3 C.8.9.1 and C.8.9.2). Without a known reference there are no facts: a dose that is
decayed to the wrong moment gives a wrong SUV.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from engine.core.json_types import Plain
from engine.io.dicom.headers import Header

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

DECAY = {"START": "start", "ADMIN": "injection", "NONE": ""}
"""Reference of the decay correction as our own scans state it; "" for the mean of the frame."""
SHORTEST = len("20260101120000")


def tracer_facts(headers: Sequence[Header]) -> Plain:
    """Return the facts of a PET series under the keys of our own scans.

    Parameters
    ----------
    headers
        headers of all its slices

    Returns
    -------
    facts
        empty for other modalities, and if the reference of the decay correction is unknown
    """
    first = headers[0]
    decay = DECAY.get(first.text("DecayCorrection").upper())
    if first.text("Modality") != "PT" or decay is None:
        return {}
    tracers = first.dataset.get("RadiopharmaceuticalInformationSequence") or []
    tracer = tracers[0] if len(tracers) == 1 else None  # of two tracers none is the right one
    starts = [_moment(first, "Series"), *(_moment(each, "Acquisition") for each in headers)]
    known = [moment for moment in starts if moment is not None]
    height_m, frame_ms = (
        _positive(first.dataset, keyword) for keyword in ("PatientSize", "ActualFrameDuration")
    )
    sex = first.text("PatientSex").upper()
    facts: Plain = {
        "weight_kg": _positive(first.dataset, "PatientWeight"),
        "height_cm": None if height_m is None else 100 * height_m,
        "sex": sex if sex in ("F", "M") else None,
        "duration_s": None if frame_ms is None else frame_ms / 1000,
        "scan_start": min(known).isoformat() if known else None,
        "concentration": {"decay": decay} if decay else None,
    }
    if tracer is not None:
        injected = _injected(first, tracer)
        facts |= {
            "injected_bq": _positive(tracer, "RadionuclideTotalDose"),
            "half_life_s": _positive(tracer, "RadionuclideHalfLife"),
            "injected_at": None if injected is None else injected.isoformat(),
        }
    return {key: value for key, value in facts.items() if value is not None}


def _injected(first: Header, tracer: Dataset) -> datetime | None:
    """Return the time of injection; a time without a date is on the day of the series."""
    whole = _parsed(str(tracer.get("RadiopharmaceuticalStartDateTime") or ""))
    if whole is not None:
        return whole
    time = str(tracer.get("RadiopharmaceuticalStartTime") or "")
    # An injection before midnight is then a day too late, and the check of SUV refuses it.
    return _parsed(f"{first.text('SeriesDate')}{time}")


def _moment(header: Header, name: str) -> datetime | None:
    return _parsed(f"{header.text(f'{name}Date')}{header.text(f'{name}Time')}")


def _parsed(text: str) -> datetime | None:
    """Parse a DICOM date and time, with a time zone as an offset at its end."""
    text = text.strip()
    # A date without a time of day would parse as midnight and give a wrong decay.
    if len(text) < SHORTEST:
        return None
    has_zone = "+" in text or "-" in text
    pattern = "%Y%m%d%H%M%S" + (".%f" if "." in text else "") + ("%z" if has_zone else "")
    try:
        return datetime.strptime(text, pattern)
    except ValueError:
        return None


def _positive(dataset: Dataset, keyword: str) -> float | None:
    """Return a positive number; None if it is missing. Scanners write 0 for unknown values."""
    try:
        value = float(str(dataset.get(keyword)))
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None
