"""Attributes of a PET series: units, times, tracer and corrections.

An image whose activity is corrected to the start of its frame of length T contains

    A(start) = mean · λT / (1 − exp(−λT)).

The factor is the decay factor. The mean activity is that at the reference time ln(λT / (1 −
exp(−λT))) / λ after the start. If the activity is corrected to the injection, the factor includes
the decay since then. An image of several frames, of length T_f from t_f, has the length Σ T_f and
the factor Σ T_f / Σ (T_f 2^(−t_f / T½) / F_f), where F_f is the factor of each frame. PS3.3 C.8.9.1
(series), C.8.9.2 (isotope) and C.8.9.4 (image). Unit and protocol distinguish emission from
transmission images.
"""

from __future__ import annotations

import math
import re
from datetime import datetime

from engine.core.json_types import Plain
from engine.data.calibration import CONCENTRATION
from engine.data.timing.decay import decayed, frame_factor, seconds_between
from engine.data.timing.timestamps import moment_of
from engine.io.dicom.values import date_of, date_time_of, decimal, time_of, words
from engine.io.text.json_text import object_of, positive_number

OTHER_UNITS = {"CNTS": "counts"}
SUMMED = ("counts", "counts/mm")
"""Units of counts, which add up over time frames."""
CALLED_A_MAP = re.compile(r"umap|mrac|mu.?map|[µμ].?map", re.IGNORECASE)
OWN_UNIT = re.compile(r"Unit of the values: (\S+)\.(?:\s|$)")
"""Our own series state units that DICOM does not know in their comments."""
NUMBER = re.compile(r"\d+(\.\d*)?")
CLASS_UID = "1.2.840.10008.5.1.4.1.1.128"
"""Positron Emission Tomography Image Storage."""
UNITS: dict[str, Plain] = {
    CONCENTRATION: {"Units": "BQML"},
    "g/mL": {"Units": "GML", "SUVType": "BW"},
    "cm2/mL": {"Units": "CM2ML", "SUVType": "BSA"},
}
LEAN = "g/mL{SUVlbm}"
LEAN_TYPES = {"lbm-james": "LBMJAMES128", "lbm-janmahasatian": "LBMJANMA"}
PROPORTIONAL: Plain = {"Units": "PROPCNTS"}
"""Attributes of other units: proportional to counts."""
DECAYS = {"start": "START", "injection": "ADMIN"}
CORRECTED = {
    "normalisation": ("NORM",),
    "line_geometry": ("NORM",),
    "attenuation": ("ATTN",),
    "scatter": ("SCAT",),
    "randoms": ("RAN",),
    "units": ("DCAL",),
}
"""Our correction -> terms of Corrected Image (0028,0051)."""
NUCLIDES = {
    "C-11": ("40565003", "^11^Carbon"),
    "N-13": ("21576001", "^13^Nitrogen"),
    "O-15": ("129513004", "^15^Oxygen"),
    "F-18": ("77004003", "^18^Fluorine"),
    "Ga-68": ("129515000", "^68^Gallium"),
}
"""SNOMED CT codes of CID 4020, PET radionuclides."""


def series_attributes(provenance: Plain, unit: str, n_slices: int) -> Plain:
    """Return the attributes that all slices of a PET image share.

    Parameters
    ----------
    provenance
        origin of the image as JSON values
    unit
        unit of the values
    n_slices
        number of slices of one time frame

    Returns
    -------
    attributes
        keyword -> value; unknown facts are empty or left out, never guessed
    """
    scan = object_of(provenance.get("scan"))
    started = moment_of(scan.get("scan_start"))
    rows = [object_of(each) for each in provenance.get("corrections", [])]
    applied = [str(row.get("kind")) for row in rows if row.get("state") == "applied"]
    decay = _decay(scan, unit)
    quantity = words(str(provenance.get("quantity", "")))
    # Viewers divide by the dose to get SUV. The dose is only safe if the decay correction is known.
    is_known = bool(decay) or unit not in (*UNITS, LEAN)
    return {
        "Modality": "PT",
        # SUV values and errors were computed from other images (PS3.3 C.7.6.1.1.2).
        "ImageType": ["DERIVED" if "suv" in provenance or quantity else "ORIGINAL", "PRIMARY"],
        **({"DerivationDescription": quantity} if quantity else {}),
        "SeriesType": ["STATIC", "IMAGE"],
        **_units(provenance, unit),
        "CountsSource": "EMISSION",
        "NumberOfSlices": n_slices,
        "CorrectedImage": _corrected(applied, scan, decay),
        "DecayCorrection": DECAYS.get(decay, "NONE"),
        "CollimatorType": "NONE",
        "AcquisitionDate": date_of(started),
        "AcquisitionTime": time_of(started),
        **_frame(scan, decay, started),
        "RadiopharmaceuticalInformationSequence": [_tracer(scan, started if is_known else None)],
        "PatientOrientationCodeSequence": [],
        "PatientGantryRelationshipCodeSequence": [],
    }


def _units(provenance: Plain, unit: str) -> Plain:
    # DICOM distinguishes the formulas of lean body mass. Without the formula, the unit is not
    # stated.
    if unit == LEAN:
        kind = str(object_of(provenance.get("suv")).get("kind"))
        return {"Units": "GML", "SUVType": LEAN_TYPES[kind]} if kind in LEAN_TYPES else PROPORTIONAL
    return UNITS.get(unit, PROPORTIONAL)


def _decay(scan: Plain, unit: str) -> str:
    """Return the reference of the decay correction; "" for counts, which are means of a frame."""
    stated = str(object_of(scan.get("concentration")).get("decay", ""))
    is_activity = unit in (*UNITS, LEAN) and stated in DECAYS
    # Without duration and half-life there is no factor, and DECY without a factor is not valid.
    wanted = ["duration_s", "half_life_s"]
    return stated if is_activity and all(positive_number(scan, fact) for fact in wanted) else ""


def _corrected(applied: list[str], scan: Plain, decay: str) -> list[str]:
    terms = [term for kind in applied for term in CORRECTED.get(kind, ())]
    if decay:
        terms.append("DECY")
    # Dead time is corrected together with the calibration to Bq/mL.
    if "units" in applied and ("live_fraction" in scan or "live_blocks" in scan):
        terms.append("DTIM")
    return list(dict.fromkeys(terms))


def _frame(scan: Plain, decay: str, started: datetime | None) -> Plain:
    """Return length and reference time of the frame [ms], and the decay factor."""
    frames, half_life_s = _frames(scan), positive_number(scan, "half_life_s")
    counted_s = sum(length for _, _, length in frames)
    duration = str(round(1000 * counted_s)) if frames else ""
    facts: Plain = {"FrameReferenceTime": "0", "ActualFrameDuration": duration}
    if not decay or not frames or half_life_s is None:
        return facts
    left_s = sum(
        length * decayed(start, half_life_s) / frame_factor(span, half_life_s)
        for start, span, length in frames
    )
    factor = counted_s / left_s
    mean_s = half_life_s * math.log2(factor)  # time at which the activity equals its mean
    injected = moment_of(scan.get("injected_at"))
    # After `mean_s`: the reference time counts from the start, the factor from the injection.
    if decay == "injection" and started is not None and injected is not None:
        factor /= decayed(seconds_between(injected, started) or 0.0, half_life_s)
    return facts | {
        "FrameReferenceTime": decimal(1000 * mean_s),
        "DecayFactor": decimal(factor),
    }


def _frames(scan: Plain) -> list[tuple[float, float, float]]:
    """Return (start, span, length) of each part of the image in s; empty if unknown.

    Only a gate spans more time than its length, because it consists of separate intervals.
    """
    found = scan.get("frames")
    frames = [object_of(each) for each in found] if isinstance(found, list) else []
    if not frames:
        # A static scan has no list of frames. Then the scan itself states start and duration.
        frames = [scan]
    times = []
    for each in frames:
        start, end = positive_number(each, "start_s") or 0.0, positive_number(each, "end_s")
        length = positive_number(each, "duration_s")
        if length:
            times.append((start, end - start if end else length, length))
    return times


def _tracer(scan: Plain, started: datetime | None) -> Plain:
    """Return dose and nuclide.

    The dose is stated only if the start of the scan and the reference of the decay correction are
    known.
    Otherwise a program that computes SUV would have to guess them.
    """
    nuclide, injected = str(scan.get("isotope", "")), moment_of(scan.get("injected_at"))
    facts: Plain = {
        "Radiopharmaceutical": str(scan.get("radiopharmaceutical", "")) or nuclide,
        "RadionuclideCodeSequence": [],
    }
    if nuclide in NUCLIDES:
        code, meaning = NUCLIDES[nuclide]
        facts["RadionuclideCodeSequence"] = [
            {"CodeValue": code, "CodingSchemeDesignator": "SCT", "CodeMeaning": meaning}
        ]
    for keyword, fact in (
        ("RadionuclideHalfLife", "half_life_s"),
        ("RadionuclidePositronFraction", "branching"),
    ):
        value = positive_number(scan, fact)
        if value is not None:
            facts[keyword] = decimal(value)
    dose_bq = positive_number(scan, "injected_bq")
    if dose_bq is None or injected is None or started is None:
        return facts
    if started.tzinfo is not None and injected.tzinfo is not None:
        # DICOM times of one file share one time zone, which the file states once.
        injected = injected.astimezone(started.tzinfo)
    return facts | {
        "RadionuclideTotalDose": decimal(dose_bq),
        "RadiopharmaceuticalStartTime": time_of(injected),
        "RadiopharmaceuticalStartDateTime": date_time_of(injected),
    }
