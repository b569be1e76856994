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


def csv_of(measured: Iterable[MeasuredRegion], delimiter: str = ",") -> str:
    """Return region figures as CSV text with a header line.

    Parameters
    ----------
    measured
        one row for each
    delimiter
        column separator; spreadsheets of some countries expect ";"
    """
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows([*_cells(each)] for each in measured)
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
    yield from map(_number, (found.mean, found.sd, found.cov, found.least, found.most))
    yield from places
    yield from (_number(found.volume_ml), _number(found.total), found.total_unit)
    yield str(found.n_voxels)
    yield from map(_number, found.percentiles)
    yield VOXEL_RULES[found.rule]
    yield "a sphere of 1 mL does not fit into the image here" if peak is None else ""


# Nine digits restore a float32 exactly. An empty cell is a missing value in every spreadsheet.
def _number(value: float) -> str:
    return f"{value:.9g}" if math.isfinite(value) else ""
