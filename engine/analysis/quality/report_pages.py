"""Quality report as printable pages: figures, slices with regions, curves."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import numpy as np

from engine.analysis.quality.quality_report import Mark, QualityCurve, QualityFigure, QualityReport
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.text.json_text import to_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

A4_INCHES = (8.27, 11.69)
INK, FAINT, LINE, MARK = "#22282f", "#8a939c", "#0b6e99", "#d1495b"
LINES_ON_A_PAGE = 46
MAX_SLICES = 3
SLICE_INCHES = 3.6
HEAD = ("group", "figure", "unit", "value", "standard error")
NOISE_HEAD = ("noise", "95 % half width of the noise", "replicates")
"""Further columns of a table if the image has an error map."""
CLAIM = "Research use only. Not for diagnosis or treatment."


def to_pdf(report: QualityReport, volume: Volume) -> bytes:
    """Return the report and slices of the image as PDF pages.

    Parameters
    ----------
    report
        figures, curves and marks
    volume
        image that was measured
    """
    # matplotlib takes longer to import than a report takes to draw, so it is loaded only here.
    from matplotlib.backends.backend_pdf import PdfPages

    out = BytesIO()
    facts = {"Title": f"{report.title}: image quality", "Creator": "Isocenter"}
    with PdfPages(out, metadata=facts) as pages:
        for figure in _pages(report, volume):
            pages.savefig(figure)
    return out.getvalue()


def to_png(report: QualityReport, volume: Volume) -> bytes:
    """Return the slices of a report, one below the other, as a PNG.

    Parameters
    ----------
    report
        its marks select the slices
    volume
        image that was measured
    """
    from matplotlib.figure import Figure

    out, heights = BytesIO(), _slices(report.marks)
    # A `Figure` without pyplot has no global state, so that worker threads can draw.
    figure = Figure(figsize=(SLICE_INCHES, SLICE_INCHES * len(heights)), layout="constrained")
    for k, z in enumerate(heights):
        _slice(figure.add_subplot(len(heights), 1, k + 1), volume, z, report.marks)
    figure.savefig(out, format="png")
    return out.getvalue()


def report_bytes(report: QualityReport, volume: Volume, suffix: str) -> bytes:
    """Return the content of a report file.

    Parameters
    ----------
    report
        report to write
    volume
        image that was measured
    suffix
        ".pdf" for pages, ".csv" for a table of the figures; any other suffix gives JSON
    """
    if suffix == ".pdf":
        return to_pdf(report, volume)
    if suffix == ".csv":
        return to_csv(report).encode()
    record = {**report.as_dict(), "environment": volume.info.get("environment", {})}
    return (to_json(record, indent=2) + "\n").encode()


def to_csv(report: QualityReport) -> str:
    """Return the figures as CSV text with a header line.

    Parameters
    ----------
    report
        its figures become rows; columns of the noise exist only if there are replicates
    """
    text, has_noise = StringIO(), bool(report.replicates)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*HEAD, *NOISE_HEAD) if has_noise else HEAD)
    for each in report.figures:
        row = [each.group, each.name, each.unit, _number(each.value), _number(each.error)]
        if has_noise:
            row += [_number(each.noise), _number(each.noise_half_width)]
            row.append(str(report.replicates["replicates"]))
        writer.writerow(row)
    return text.getvalue()


def _number(value: float | None) -> str:
    # An empty cell is a missing value in every spreadsheet.
    return "" if value is None or not np.isfinite(value) else f"{value:.9g}"


def with_source(report: QualityReport, volume: Volume) -> QualityReport:
    """Return the report with facts that identify its image without a patient's name.

    Parameters
    ----------
    report
        report to complete
    volume
        image that was measured; its provenance supplies digest, protocol and time
    """
    output = volume.info.get("output", {})
    found = {
        "Voxels": volume.grid.describe(),
        "Image SHA-256": output.get("sha256") if isinstance(output, dict) else None,
        "Protocol": _protocol_label(volume.info),
        "Reconstructed": volume.info.get("ended_utc"),
    }
    # Images from other programs have no provenance, and "None" must not be printed.
    known = {key: value for key, value in found.items() if value is not None}
    return replace(report, source=known)


def _protocol_label(info: Plain) -> str | None:
    """Return the label of the protocol; its name if the record has no label."""
    for key, field in (("protocol_identity", "label"), ("protocol", "name")):
        record = info.get(key)
        if isinstance(record, dict) and record.get(field):
            return str(record[field])
    return None


def _pages(report: QualityReport, volume: Volume) -> list[Figure]:
    lines = _lines(report)
    cut = [lines[k : k + LINES_ON_A_PAGE] for k in range(0, len(lines), LINES_ON_A_PAGE)]
    pages = [_text_page(report, part, k == 0) for k, part in enumerate(cut)]
    return [*pages, _image_page(report, volume)]


def _lines(report: QualityReport) -> list[tuple[str, ...]]:
    """Return the lines of the table: a name, a value and the noise, or a heading."""
    found: list[tuple[str, ...]] = []
    for group in dict.fromkeys(f.group for f in report.figures):
        found.append((group, "", ""))
        found += [
            (f"    {f.name}", f.text(), f.noise_text()) for f in report.figures if f.group == group
        ]
    return found


def _text_page(report: QualityReport, lines: list[tuple[str, ...]], is_first: bool) -> Figure:
    figure = _page(report)
    y = 0.925
    if is_first:
        for text in (report.placement, *report.notes, *_sources(report)):
            figure.text(0.08, y, text, fontsize=8, color=FAINT, wrap=True)
            y -= 0.018
        y -= 0.01
    # Without noise, values have the place of two columns.
    at = 0.37 if report.has_noise else 0.62
    for name, value, noise in lines:
        weight = "normal" if value else "bold"
        figure.text(0.08, y, name, fontsize=9, fontweight=weight)
        figure.text(at, y, value, fontsize=9, ha="left")
        figure.text(0.6, y, noise, fontsize=8, ha="left")
        y -= 0.0165
    return figure


def _sources(report: QualityReport) -> list[str]:
    return [f"{key}: {value}" for key, value in report.source.items()]


def _image_page(report: QualityReport, volume: Volume) -> Figure:
    figure = _page(report)
    heights = _slices(report.marks)
    rows = 1 + (len(report.curves) + 1) // 2
    grid = figure.add_gridspec(
        rows, 6, left=0.1, right=0.95, top=0.9, bottom=0.08, hspace=0.35, wspace=0.9
    )
    width = 6 // max(1, len(heights))
    for k, z in enumerate(heights):
        _slice(figure.add_subplot(grid[0, k * width : (k + 1) * width]), volume, z, report.marks)
    for k, curve in enumerate(report.curves):
        row, column = divmod(k, 2)
        _curve(figure.add_subplot(grid[1 + row, 3 * column : 3 * column + 3]), curve)
    return figure


def _page(report: QualityReport) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=A4_INCHES)
    figure.text(0.08, 0.955, report.title, fontsize=14, fontweight="bold")
    figure.text(0.08, 0.03, CLAIM, fontsize=7, color=FAINT)
    return figure


def _slices(marks: Sequence[Mark]) -> list[float]:
    """Return the z positions of the slices to show: those with most marks."""
    # Positions are rounded to 0.1 mm, because marks of one slice differ by rounding.
    heights = sorted({round(m.centre_mm[2], 1) for m in marks})
    counts = {z: sum(abs(m.centre_mm[2] - z) < 0.1 for m in marks) for z in heights}
    return sorted(sorted(heights, key=lambda z: -counts[z])[:MAX_SLICES])


def _slice(axes: Axes, volume: Volume, z_mm: float, marks: Sequence[Mark]) -> None:
    from matplotlib.patches import Circle

    grid = volume.grid
    k = int(np.argmin(np.abs(grid.centres_mm(2) - z_mm)))
    shown = np.nan_to_num(volume.values[k])
    (left, low, _), (right, high, _) = grid.lower_mm, grid.upper_mm
    # A high percentile instead of the maximum: one hot voxel would make all else pale.
    top = float(np.percentile(shown, 99.8))
    axes.imshow(
        shown,
        # y grows downwards (+y is posterior), as on a clinical display.
        extent=(float(left), float(right), float(high), float(low)),
        cmap="gray_r" if volume.unit != "HU" else "gray",
        vmin=min(0.0, float(shown.min())) if volume.unit != "HU" else None,
        vmax=top if top > 0 else None,
        interpolation="nearest",
    )
    for mark in marks:
        if abs(mark.centre_mm[2] - z_mm) < max(grid.voxel_mm[2], 0.1):
            x, y, _ = mark.centre_mm
            axes.add_patch(Circle((x, y), mark.radius_mm, fill=False, color=MARK, lw=0.6))
    axes.set_title(f"z = {z_mm:.1f} mm", fontsize=8)
    axes.tick_params(labelsize=6)


def _curve(axes: Axes, curve: QualityCurve) -> None:
    errors = curve.error or None
    axes.errorbar(
        curve.x, curve.y, yerr=errors, color=LINE, lw=1.2, elinewidth=0.5, ms=3, marker="."
    )
    axes.set_xlabel(curve.x_label, fontsize=8)
    axes.set_ylabel(curve.y_label, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.set_ylim(bottom=min(0.0, *curve.y))
    axes.set_title(curve.title, fontsize=9, loc="left", fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)


def text_of(figures: Sequence[QualityFigure]) -> list[tuple[str, str, str]]:
    """Return group, name and value of each figure as displayed texts.

    Parameters
    ----------
    figures
        figures of one report, in its order
    """
    return [(f.group, f.name, f.text()) for f in figures]
