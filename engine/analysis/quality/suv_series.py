"""SUV of DICOM PET series from other programs, from their attributes.

Values in Bq/mL follow `engine.analysis.quality.suv`; decay is corrected to the start of the series,
or to that of its first acquisition where that was earlier. Counts of Philips carry a factor of
their own (7053,1000), or one that makes Bq/mL of them (7053,1009).
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
    """Return what turns the values of a series into SUV.

    Parameters
    ----------
    slices
        attributes of each slice by their DICOM keywords; those of the radiopharmaceutical stand
        beside the others, Philips' private ones in a table "PhilipsPETPrivateGroup"
    kind
        normalisation: body weight, lean mass or surface

    Raises
    ------
    DataError
        names all that is missing or cannot be
    """
    if not slices:
        raise DataError("there is no SUV: the series has no slices.")
    first = slices[0]
    unit = str(first.get("Units", "")).strip().upper()
    if unit == "GML" and kind == "bw":
        return 1.0
    if unit == "BQML":
        return suv_factor(_facts(slices, kind))
    private = first.get(PRIVATE)
    private = private if isinstance(private, Mapping) else {}
    if unit == "CNTS" and kind == "bw" and _number(private.get("SUVScaleFactor")):
        return _number(private["SUVScaleFactor"]) or 0.0
    to_bq_ml = _number(private.get("ActivityConcentrationScaleFactor"))
    if unit == "CNTS" and to_bq_ml:
        return to_bq_ml * suv_factor(_facts(slices, kind))
    raise DataError(
        f"there is no SUV: the values are in {unit or 'no unit'} and no factor to "
        "Bq/mL is said; export the series in Bq/mL."
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
        injected=_injected(first),
        started=min(known) if known else None,
        decay=DECAY.get(str(first.get("DecayCorrection", "")).strip().upper()),
        frame_s=None if frame_ms is None else frame_ms / 1000,
    )
    height_cm = None if height_m is None else 100 * height_m
    return replace(facts, kind=kind, height_cm=height_cm, sex=first.get("PatientSex"))


def _injected(first: Plain) -> datetime | None:
    """Return when it was injected: with its date, else on the day of the series."""
    whole = _parsed(str(first.get("RadiopharmaceuticalStartDateTime", "")).strip())
    if whole is not None:
        return whole
    day, time = first.get("SeriesDate", ""), first.get("RadiopharmaceuticalStartTime", "")
    return _parsed(f"{day}{time}".strip())


def _moment(each: Plain, name: str) -> datetime | None:
    return _parsed(f"{each.get(f'{name}Date', '')}{each.get(f'{name}Time', '')}".strip())


def _parsed(text: str) -> datetime | None:
    """Return a moment as DICOM writes it, a zone as an offset at its end."""
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
