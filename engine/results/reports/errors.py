"""Error of the image in a report: method, picture, errors of regions and their differences.

All values come from the error map that the run has stored with the image.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.analysis.regions.errors import FigureError
from engine.analysis.regions.measuring import MeasuredRegion
from engine.analysis.regions.pairs import compared, limit_of
from engine.data.error_map import ErrorMap
from engine.data.error_volume import deviations_of
from engine.data.formatting import (
    interval_text,
    number_text,
    scale_of,
    scaled_number,
    with_error,
)
from engine.data.volume import Volume
from engine.io.raster.png import centroid_mm, snapshot
from engine.results.reports.blocks import Grid, Illustration, ReportRow, Section
from engine.results.reports.subject import ReportSubject

MAX_PERCENT = 30
"""Relative error above which errors of voxels are too small (docs/physics/errors.md)."""
WIDTH, WIDTH_IN_BRIEF = 1.0, 0.6
"""Width of the picture; fraction of the page width."""
TITLE = "Error of the image"
CONTENT = (
    "counting noise of the prompts, including its correlation by algorithm, prior and filters; no "
    "noise of corrections and calibration, and no motion"
)
BIAS = "Bias is the mean over the replicates minus the value of the image, with its error."
MULTIPLE = (
    "Each pair is tested alone. Of 20 pairs without a true difference, about one is significant by "
    "chance."
)


def error_of_image(subject: ReportSubject) -> Section | None:
    """Return method, content and picture of the error map.

    Parameters
    ----------
    subject
        result of the report

    Returns
    -------
    Section or None
        None if the image has no error map
    """
    error = subject.volume.error
    if error is None:
        return None
    method, size = _rows(subject.volume, error)
    rows = (method, ReportRow("Contains", CONTENT), size)
    return Section(TITLE, rows, illustrations=(_image_of(subject.volume, WIDTH),))


def error_summary(subject: ReportSubject) -> Section | None:
    """Return method and a small picture of the error map; None if the image has none.

    Parameters
    ----------
    subject
        result of the report
    """
    error = subject.volume.error
    if error is None:
        return None
    shown = _image_of(subject.volume, WIDTH_IN_BRIEF)
    return Section(TITLE, _rows(subject.volume, error), illustrations=(shown,))


def grid_with_errors(measured: Sequence[MeasuredRegion], largest: float) -> Grid:
    """Return the figures of regions with their errors.

    Parameters
    ----------
    measured
        regions of one image with an error map
    largest
        value that selects the prefix or power of ten of all numbers
    """
    power, unit = _scale_of(measured, largest)
    head = (
        *(f"Region ({unit})", "Mean ± error", "95 % interval", "SD"),
        *("Largest ± error", "Peak 1 mL ± error", "Volume"),
    )
    return Grid(head, tuple(_cells(each, power) for each in measured if each.figures is not None))


def grid_of_pairs(measured: Sequence[MeasuredRegion], largest: float) -> tuple[Grid, ...]:
    """Return the differences of pairs of regions; empty if there are no pairs.

    Parameters
    ----------
    measured
        regions of one image
    largest
        value that selects the prefix or power of ten of all numbers
    """
    power, unit = _scale_of(measured, largest)
    rows = tuple(
        (
            f"{each.one} − {each.other}",
            with_error(each.difference.value, each.difference.error.sd, power),
            interval_text(each.difference.value, each.difference.error.half_width, power),
            each.verdict(),
        )
        for each in compared(measured)
    )
    head = (f"Means ({unit})", "Difference ± error", "95 % interval", "Verdict")
    return (Grid(head, rows),) if rows else ()


def grid_of_bias(measured: Sequence[MeasuredRegion], largest: float) -> Grid:
    """Return the bias of the mean of regions, from the replicates.

    Parameters
    ----------
    measured
        regions of one image with an error map
    largest
        value that selects the prefix or power of ten of all numbers
    """
    power, unit = _scale_of(measured, largest)
    rows = tuple(
        # The mean over n replicates has an error, too.
        (each.region.name, with_error(errors.mean.bias, errors.mean.sd / errors.n**0.5, power))
        for each in measured
        if (errors := each.errors) is not None
    )
    return Grid((f"Region ({unit})", "Bias ± error"), rows)


def notes_of_errors(measured: Sequence[MeasuredRegion], *, full: bool) -> Iterator[ReportRow]:
    """Yield notes about the errors and comparisons of regions.

    Parameters
    ----------
    measured
        regions of one image with an error map
    full
        True for the full report, which has the bias
    """
    if full:
        yield ReportRow("", BIAS, "muted")
    if len(compared(measured)) > 1:
        yield ReportRow("", MULTIPLE, "muted")
    if limit := limit_of(measured):
        yield ReportRow("", limit, "warning")


def _rows(volume: Volume, error: ErrorMap) -> tuple[ReportRow, ReportRow]:
    """Return the method, and the median relative error of bright voxels."""
    method = ReportRow("Method", error.source)
    bright = volume.values > volume.values.max() / 2
    if not bright.any():
        return method, ReportRow("Size", "no voxel is above 0")
    percent = float(np.median(100 * error.standard_deviation[bright] / volume.values[bright]))
    text = f"{number_text(percent, 2)} % of the value, median of the voxels above half the maximum"
    if percent <= MAX_PERCENT:
        return method, ReportRow("Size", text)
    return method, ReportRow(
        "Size", f"{text}; above {MAX_PERCENT} %, errors are too small", "warning"
    )


def _image_of(volume: Volume, width: float) -> Illustration:
    # The same slices as those of the image.
    png = snapshot(deviations_of(volume), point_mm=centroid_mm(volume), n_columns=4)
    unit = volume.unit or "no unit"
    caption = f"Standard deviation of each voxel over the replicates, {unit}"
    return Illustration(png, caption, width)


def _scale_of(measured: Sequence[MeasuredRegion], largest: float) -> tuple[int, str]:
    units = [each.figures.unit for each in measured if each.figures is not None]
    power, unit = scale_of(units[0] if units else "", largest)
    return power, unit or "no unit"


def _cells(measured: MeasuredRegion, power: int) -> tuple[str, ...]:
    found, errors = measured.figures, measured.errors
    if found is None or errors is None:
        return (measured.region.name, *("",) * 6)

    def text(value: float, error: FigureError) -> str:
        return with_error(value, error.sd, power)

    return (
        measured.region.name,
        text(found.mean, errors.mean),
        interval_text(found.mean, errors.mean.half_width, power),
        scaled_number(found.sd / 10.0**power),
        text(found.maximum, errors.maximum),
        "" if found.peak is None or errors.peak is None else text(found.peak.value, errors.peak),
        f"{number_text(found.volume_ml)} mL",
    )
