"""Calibration factor from the image of a cylinder of known activity.

    K = A(0) Δt · live · b / (F V v),    A(0) = A 2^((t_A − t_0) / T½)

A is the activity measured at t_A, V the volume it fills, v the image well inside [counts/mm], t_0
the start of the frame; Δt, live, b and F are those of `engine.data.calibration`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from engine.analysis.quality.cylinder import RegionMean, UprightCylinder, find_cylinder, mean_inside
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.calibration import LIVE_BLOCKS, TWICE_DEAD, Calibration, CountedFrame
from engine.data.timing.decay import NUCLIDES, decayed, seconds_between
from engine.data.volume import Volume

COUNTS = "counts/mm"
MAX_ERROR_PERCENT = 2.0
"""Standard error [%] above which the calibration carries a warning."""


@dataclass(frozen=True)
class KnownActivity:
    """Activity in the cylinder.

    Attributes
    ----------
    bq : activity [Bq] at the moment `measured`
    volume_ml : volume of the filling [mL]
    measured : time of the measurement; None: start of the scan
    """

    bq: float
    volume_ml: float
    measured: datetime | None = None


def calibrate(
    volume: Volume, known: KnownActivity, *, region: UprightCylinder | None = None
) -> tuple[Calibration, Plain]:
    """Measure the calibration factor in an image from this program.

    Parameters
    ----------
    volume
        image of the cylinder in counts/mm, reconstructed without a calibration; its provenance
        holds the scan and the corrections
    known
        activity and volume of the filling
    region
        region of the mean; None: inner part of the cylinder that is found in the image

    Returns
    -------
    calibration
        valid for scans of the same scanner with the same corrections
    measured
        record of the measurement, as JSON values; with the noise of the mean if the image has an
        error map

    Raises
    ------
    DataError
        if the image states no scanner, is a sum of frames, has another unit or is 0 in the region,
        or if half-life, branching, frame duration or a comparable start time are missing
    """
    scan = _scan_of(volume)
    frame = _frame(scan)
    inside = region or find_cylinder(volume).inner(volume.grid)
    found = mean_inside(volume, inside)
    if not found.mean > 0:
        raise DataError(
            f"the mean inside the cylinder is {found.mean:.4g}, expected more than 0; check the "
            "position of the cylinder."
        )
    # The activity is decayed to the start of the frame, because the frame factors (decay during the
    # frame, dead time, branching) also refer to the start.
    at_start = known.bq * decayed(_waited_s(scan, known), frame.half_life_s) / known.volume_ml
    positrons = at_start / frame.decays_per_positron
    # A calibration holds only for the corrections of its own image: without attenuation, for
    # example, the mean is several times lower. `Calibration` therefore records them.
    applied = [c["kind"] for c in volume.info["corrections"] if c["state"] == "applied"]
    calibration = Calibration(
        positrons_per_ml=positrons / found.mean,
        error_percent=100 * found.error / found.mean,
        scanner=str(scan.get("scanner", "")),
        scanner_sha256=str(scan["scanner_sha256"]),
        corrections=tuple(sorted(applied)),
        efficiencies_sha256=str(scan.get("efficiencies_sha256", ""))
        if "normalisation" in applied
        else "",
        nuclide=str(scan.get("isotope", "")),
        made_utc=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    measured = _measured(volume, found, inside, known, at_start)
    return calibration, {**measured, **_noise(volume, found, inside)}


def _scan_of(volume: Volume) -> Plain:
    scan = volume.info.get("scan")
    if not isinstance(scan, dict) or "scanner_sha256" not in scan:
        raise DataError(
            "the image does not name its scanner; use an image of the cylinder made by "
            "`isocenter reconstruct`, as HDF5 or with its provenance file."
        )
    if scan.get("frames"):
        raise DataError(
            "the image is the sum of time frames, so a part of the scan may be missing; "
            "reconstruct the cylinder without frames."
        )
    if volume.unit != COUNTS:
        raise DataError(
            f"the image has the wrong unit (unit: {volume.unit or 'unknown'}, expected: {COUNTS}); "
            "reconstruct the cylinder without a calibration."
        )
    return scan


def _frame(scan: Plain) -> CountedFrame:
    # A tracer file can state a half-life for a nuclide that the table does not have, so the facts
    # of the scan come first.
    known = NUCLIDES.get(str(scan.get("isotope")))
    half_life_s = scan.get("half_life_s") or (known.half_life_s if known else None)
    branching = scan.get("branching") or (known.branching if known else None)
    duration_s = scan.get("duration_s")
    wanted = {
        "half-life": half_life_s,
        "branching ratio": branching,
        "duration": duration_s,
    }
    missing = [name for name, value in wanted.items() if not value]
    if not half_life_s or not branching or not duration_s:
        raise DataError(
            f"the image lacks data for the calibration (missing: {', '.join(missing)}); "
            "reconstruct the cylinder with a tracer file (--tracer) that contains these data."
        )
    # Block dead times already scale the events of this scan. A live fraction of the whole frame
    # would correct the same loss a second time.
    if LIVE_BLOCKS in scan and scan.get("live_fraction"):
        raise DataError(f"{TWICE_DEAD}.")
    live = scan.get("live_fraction") or 1.0
    return CountedFrame(float(duration_s), float(half_life_s), float(branching), float(live))


def _waited_s(scan: Plain, known: KnownActivity) -> float:
    """Return the time from measuring the activity to the start of the scan [s]."""
    if known.measured is None:
        return 0.0
    text = str(scan.get("scan_start", ""))
    try:
        # A date without a time of day cannot tell hours of decay, so it counts as unknown.
        started = datetime.fromisoformat(text) if ":" in text else None
    except ValueError:
        started = None
    waited = None if started is None else seconds_between(known.measured, started)
    if waited is None:
        raise DataError(
            "the time from the activity measurement to the start of the scan (start: "
            f"{text or 'unknown'}) cannot be calculated; enter the start in a tracer file. Give "
            "a time zone for both times or for neither."
        )
    return waited


def _noise(volume: Volume, found: RegionMean, inside: UprightCylinder) -> Plain:
    """Return the noise of the mean from the replicates; {} without an error map."""
    if volume.error is None:
        return {}
    from engine.analysis.quality.figure_noise import errors_of_figures  # few images have errors

    (error,) = errors_of_figures(
        volume, [found.mean], lambda image: [mean_inside(image, inside).mean]
    )
    if error is None:
        return {}
    percent = 100 / found.mean
    return {
        "noise_percent": percent * error.sd,
        "noise_half_width_percent": percent * error.half_width,
        "replicates": volume.error.source,
    }


def _measured(
    volume: Volume,
    found: RegionMean,
    inside: UprightCylinder,
    known: KnownActivity,
    at_start: float,
) -> Plain:
    return {
        "activity_bq": known.bq,
        "activity_at": None if known.measured is None else known.measured.isoformat(),
        "volume_ml": known.volume_ml,
        "bq_ml_at_start": at_start,
        "mean": found.mean,
        "sd_of_voxels": found.sd,
        "standard_error": found.error,
        "n_voxels": found.n_voxels,
        "centre_mm": inside.centre_mm,
        "radius_mm": inside.radius_mm,
        "length_mm": inside.length_mm,
        "image_sha256": volume.info.get("output", {}).get("sha256"),
        "environment": volume.info.get("environment", {}),
    }
