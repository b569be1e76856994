"""SUV of DICOM PET series from other programs, from their attributes.

Values in Bq/mL follow `engine.analysis.quality.suv`. The decay correction refers to the start of
the series, or to its first acquisition if that was earlier. Counts of Philips scanners have an SUV
factor (7053,1000) or a factor to Bq/mL (7053,1009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from engine.analysis.quality.suv import DecayCorrection, SuvFacts, SuvKind, suv_factor
from engine.core.errors import DataError
from engine.core.json_types import Plain

DECAY: dict[str, DecayCorrection] = {"START": "start", "ADMIN": "injection", "NONE": "none"}
PRIVATE = "PhilipsPETPrivateGroup"


def series_factor(slices: Sequence[Plain], *, kind: SuvKind = "bw") -> float:
    """Return the factor from the values of a series to SUV.

    Parameters
    ----------
    slices
        attributes of each slice by DICOM keyword; those of the radiopharmaceutical are at the same
        level, the private ones of Philips in a table "PhilipsPETPrivateGroup"
    kind
        normalisation: body weight, lean mass or surface

    Raises
    ------
    DataError
        if the unit is not supported, or facts are missing or impossible

    References
    ----------
    DICOM PS3.3, C.8.9.1 (PET Series Module) and C.8.9.2 (PET Isotope Module).
    """
    if not slices:
        raise DataError(
            "SUV cannot be calculated: the series has no slices; choose another series."
        )
    first = slices[0]
    unit = str(first.get("Units", "")).strip().upper()
    # GML is g/mL: the scanner has already converted to SUV by body weight.
    if unit == "GML" and kind == "bw":
        return 1.0
    if unit == "BQML":
        return suv_factor(_facts(slices, kind))
    private = first.get(PRIVATE)
    private = private if isinstance(private, Mapping) else {}
    # The factor of Philips is for body weight only. Other kinds need the factor to Bq/mL below.
    if unit == "CNTS" and kind == "bw" and _number(private.get("SUVScaleFactor")):
        return _number(private["SUVScaleFactor"]) or 0.0
    to_bq_ml = _number(private.get("ActivityConcentrationScaleFactor"))
    if unit == "CNTS" and to_bq_ml:
        return to_bq_ml * suv_factor(_facts(slices, kind))
    raise DataError(
        "SUV cannot be calculated. The series has no factor to convert its values to Bq/mL "
        f"(unit: {unit or 'unknown'}). Export it in Bq/mL."
    )


def _facts(slices: Sequence[Plain], kind: SuvKind) -> SuvFacts:
    first = slices[0]
    starts = [_moment(first, "Series"), *(_moment(each, "Acquisition") for each in slices)]
    known = [moment for moment in starts if moment is not None]
    height_m, frame_ms = (
        _number(first.get("PatientSize")),
        _number(first.get("ActualFrameDuration")),
    )
    facts = SuvFacts(
        weight_kg=_number(first.get("PatientWeight")),
        dose_bq=_number(first.get("RadionuclideTotalDose")),
        half_life_s=_number(first.get("RadionuclideHalfLife")),
        # Some programs write the time of processing as Series Time. The earliest acquisition is
        # then the real start, to which "START" refers.
        injected=_injected(first),
        started=min(known) if known else None,
        decay=DECAY.get(str(first.get("DecayCorrection", "")).strip().upper()),
        frame_s=None if frame_ms is None else frame_ms / 1000,
    )
    height_cm = None if height_m is None else 100 * height_m
    return replace(facts, kind=kind, height_cm=height_cm, sex=first.get("PatientSex"))


def _injected(first: Plain) -> datetime | None:
    """Return the injection time, from its own date and time or on the day of the series."""
    whole = _parsed(str(first.get("RadiopharmaceuticalStartDateTime", "")).strip())
    if whole is not None:
        # DICOM states Actual Frame Duration in ms and Patient's Size in m.
        return whole
    # Older files have only the time (0018,1072). An injection before midnight is then a day too
    # late, and the check of the times reports it.
    day, time = first.get("SeriesDate", ""), first.get("RadiopharmaceuticalStartTime", "")
    return _parsed(f"{day}{time}".strip())


def _moment(each: Plain, name: str) -> datetime | None:
    """Return the time from a pair of attributes, such as SeriesDate and SeriesTime."""
    return _parsed(f"{each.get(f'{name}Date', '')}{each.get(f'{name}Time', '')}".strip())


def _parsed(text: str) -> datetime | None:
    """Parse a DICOM date and time, with a time zone as an offset at its end."""
    # A date without a time of day would parse as midnight and give a wrong decay.
    if len(text) < len("20260101120000"):
        return None
    pattern = "%Y%m%d%H%M%S" + (".%f" if "." in text else "") + ("%z" if "+" in text else "")
    try:
        return datetime.strptime(text, pattern)
    except ValueError:
        return None


def _number(value: object) -> float | None:
    if not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except ValueError:
        return None
