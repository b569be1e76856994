"""Table of region figures with a header, for other programs."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator
from io import StringIO

from engine.analysis.regions.figures import PERCENTILES, VOXEL_RULES
from engine.analysis.regions.measuring import MeasuredRegion

HEAD = (
    *("region", "image", "unit", "mean", "standard deviation", "coefficient of variation"),
    *("minimum", "maximum", "peak (1 mL)", "peak x [mm]", "peak y [mm]", "peak z [mm]"),
    *("volume [mL]", "total", "unit of the total", "voxels"),
    *(f"percentile {p}" for p in PERCENTILES),
    *("rule", "remark"),
)
ERROR_HEAD = (
    *("standard error of the mean", "95 % half width of the mean", "bias of the mean"),
    *("standard error of the maximum", "standard error of the peak", "replicates"),
)
"""Further columns if an image has an error map."""


def csv_of(measured: Iterable[MeasuredRegion], delimiter: str = ",") -> str:
    """Return region figures as CSV text with a header line.

    Parameters
    ----------
    measured
        one row for each
    delimiter
        column separator; spreadsheets of some countries expect ";"
    """
    rows, text = list(measured), StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    # Tables of images without errors have the columns that other programs know.
    with_errors = any(each.errors is not None for each in rows)
    writer.writerow((*HEAD, *ERROR_HEAD) if with_errors else HEAD)
    for each in rows:
        writer.writerow([*_cells(each), *(_error_cells(each) if with_errors else ())])
    return text.getvalue()


def _cells(measured: MeasuredRegion) -> Iterator[str]:
    found = measured.figures
    yield from (measured.region.name, measured.image)
    if found is None:
        yield from [""] * (len(HEAD) - 3)
        yield measured.fault
        return
    peak = found.peak
    places = ("", "", "", "") if peak is None else tuple(map(_number, (peak.value, *peak.at_mm)))
    yield found.unit
    yield from map(_number, (found.mean, found.sd, found.cov, found.minimum, found.maximum))
    yield from places
    yield from (_number(found.volume_ml), _number(found.total), found.total_unit)
    yield str(found.n_voxels)
    yield from map(_number, found.percentiles)
    yield VOXEL_RULES[found.rule]
    yield "a sphere of 1 mL does not fit into the image here" if peak is None else ""


def _error_cells(measured: MeasuredRegion) -> Iterator[str]:
    errors = measured.errors
    if errors is None:
        yield from [""] * len(ERROR_HEAD)
        return
    mean = errors.mean
    yield from map(_number, (mean.sd, mean.half_width, mean.bias, errors.maximum.sd))
    yield "" if errors.peak is None else _number(errors.peak.sd)
    yield str(errors.n)


# Nine digits restore a float32 exactly. An empty cell is a missing value in every spreadsheet.
def _number(value: float) -> str:
    return f"{value:.9g}" if math.isfinite(value) else ""
