"""SUV of images of this program, from the record of their scan."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np

from engine.analysis.quality.suv import UNITS, DecayCorrection, SuvFacts, SuvKind, suv_factor
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.calibration import CONCENTRATION
from engine.data.timing.decay import NUCLIDES
from engine.data.timing.timestamps import moment_of
from engine.data.volume import Volume

SUV = "suv"
"""Key of the record of the conversion."""


def scan_of(volume: Volume) -> Plain:
    """Return the facts of the scan in the provenance of an image; empty if there are none."""
    scan = volume.info.get("scan", {})
    return scan if isinstance(scan, dict) else {}


def decay_of(volume: Volume) -> DecayCorrection:
    """Return the reference time of the decay correction of an image from this program.

    Parameters
    ----------
    volume
        image with provenance

    Returns
    -------
    DecayCorrection
        "none" for images in counts/mm, which are never decay corrected
    """
    record = scan_of(volume).get("concentration", {})
    known = record.get("decay") if isinstance(record, dict) else None
    if volume.unit == CONCENTRATION and known in ("start", "injection"):
        return "start" if known == "start" else "injection"
    return "none"


def facts_of(volume: Volume, kind: SuvKind = "bw") -> SuvFacts:
    """Return the SUV facts of an image from this program.

    Parameters
    ----------
    volume
        image with provenance
    kind
        normalisation: body weight, lean mass or surface
    """
    return facts_of_scan(scan_of(volume), decay_of(volume), kind)


def facts_of_scan(scan: Plain, decay: DecayCorrection, kind: SuvKind) -> SuvFacts:
    """Return the SUV facts of a scan.

    Parameters
    ----------
    scan
        facts of the scan, by the keys of the readers
    decay
        reference time of the decay correction of the image
    kind
        normalisation: body weight, lean mass or surface
    """
    # Files often state only the nuclide; calibration to Bq/mL uses the same table.
    nuclide = NUCLIDES.get(str(scan.get("isotope")))
    known_half_life_s = None if nuclide is None else nuclide.half_life_s
    return SuvFacts(
        weight_kg=scan.get("weight_kg"),
        dose_bq=scan.get("injected_bq"),
        half_life_s=scan.get("half_life_s") or known_half_life_s,
        injected=moment_of(scan.get("injected_at")),
        started=moment_of(scan.get("scan_start")),
        decay=decay,
        frame_s=scan.get("duration_s"),
        kind=kind,
        height_cm=scan.get("height_cm"),
        sex=scan.get("sex"),
    )


def in_suv(volume: Volume, kind: SuvKind = "bw") -> Volume:
    """Convert an image of this program from Bq/mL to SUV.

    Parameters
    ----------
    volume
        image in Bq/mL with provenance
    kind
        normalisation: body weight, lean mass or surface

    Returns
    -------
    Volume
        in the unit of `UNITS`; its `info` records facts and factor

    Raises
    ------
    DataError
        if the image is not in Bq/mL, or facts are missing or impossible
    """
    reason = why_no_suv(volume, kind)
    if reason:
        raise DataError(reason)
    facts = facts_of(volume, kind)
    factor = suv_factor(facts)
    # float64 for the product: the factor has many digits, and results are compared bit by bit.
    values = (volume.values * np.float64(factor)).astype(np.float32)
    info = {**volume.info, SUV: described(facts, factor)}
    converted = replace(volume, values=values, unit=UNITS[kind], info=info)
    if volume.error is None:
        return converted
    return replace(converted, error=volume.error.scaled(values, factor))


def why_no_suv(volume: Volume, kind: SuvKind = "bw") -> str:
    """Return the reason why an image cannot be converted to SUV.

    Parameters
    ----------
    volume
        image with provenance
    kind
        normalisation: body weight, lean mass or surface

    Returns
    -------
    str
        one sentence; empty if the conversion is possible
    """
    try:
        if volume.unit != CONCENTRATION:
            raise DataError(
                "SUV cannot be calculated. The values have the wrong unit (unit: "
                f"{volume.unit or 'unknown'}, expected: {CONCENTRATION})."
            )
        suv_factor(facts_of(volume, kind))
    except DataError as e:
        return str(e)
    return ""


def described(facts: SuvFacts, factor: float) -> Plain:
    """Return the record of a conversion, as JSON values.

    Parameters
    ----------
    facts
        facts of the conversion
    factor
        SUV per Bq/mL
    """
    record: Plain = {**vars(facts), "bq_ml_per_unit": 1.0, "suv_per_bq_ml": factor}
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in record.items()}
