"""Slices of an image with the user's annotations, as drawings and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import pairwise
from math import atan2, cos, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.quality import curve_through
from engine.analysis.regions.annotation import Annotation
from engine.data.volume import Volume
from engine.io.raster.png import (
    MARGIN_PX,
    PANEL_PX,
    TEXT_PX,
    font,
    frontal_projection,
    greys,
    layout_across,
    length_unit,
    place_panel,
    shades,
    slice_panel,
)
from engine.results.reports.blocks import Grid, Illustration, Section
from engine.results.reports.subject import ReportSubject

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Pixel = tuple[float, float]
Points = NDArray[np.floating[Any]]
Slice = tuple[int, int]
"""Axis across a slice, and index of the slice."""
MAX_SLICES, IN_ROW = 6, 2
WIDTH = 0.45
INK, HALO = (200, 40, 20), (255, 255, 255)
LINE_PX, TIP_PX, TIP_RAD = 2, 11, 0.45
KINDS = {
    "arrow": "Arrow",
    "text": "Text",
    "distance": "Distance",
    "angle": "Angle",
    "curve": "Curve",
}


def annotated_slices(subject: ReportSubject) -> Section | None:
    """Return the table of annotations and the first slices that contain them.

    Parameters
    ----------
    subject
        result with its regions

    Returns
    -------
    Section or None
        None without annotations
    """
    found = _words(subject)
    if found is None:
        return None
    drawn = subject.regions.annotations if subject.regions is not None else ()
    slices: dict[Slice, list[Annotation]] = {}
    for each in drawn:
        slices.setdefault(_slice_of(each, subject.volume), []).append(each)
    shown = list(slices.items())[:MAX_SLICES]
    images = tuple(_images(subject.volume, shown))
    return Section(found.title, grids=found.grids, illustrations=images)


def annotation_table(subject: ReportSubject) -> Section | None:
    """Return the table of annotations without images; None if there are none."""
    return _words(subject)


def _words(subject: ReportSubject) -> Section | None:
    drawn = subject.regions.annotations if subject.regions is not None else ()
    if not drawn:
        return None
    unit = length_unit(subject.volume)
    rows = tuple(
        (KINDS[each.kind], each.text, _measured(each, unit), _place(each, unit)) for each in drawn
    )
    return Section("Annotations", grids=(Grid(("Kind", "Text", "Value", "Position"), rows),))


def _measured(drawn: Annotation, unit: str) -> str:
    if drawn.kind == "angle":
        return f"{drawn.angle_deg:.1f}°"
    if drawn.kind not in ("distance", "curve"):
        return ""
    steps = np.diff(_line_of(drawn), axis=0)
    return f"{np.linalg.norm(steps, axis=1).sum():.1f} {unit}"


def _line_of(drawn: Annotation) -> Points:
    """Return the points of an annotation; those of a curve are interpolated, as on the screen."""
    points = np.array(drawn.points_mm, float)
    return curve_through(drawn.points_mm) if drawn.kind == "curve" else points


def _place(drawn: Annotation, unit: str) -> str:
    x, y, z = np.mean(drawn.points_mm, axis=0)
    return f"{x:.1f}, {y:.1f}, {z:.1f} {unit}"


def _slice_of(drawn: Annotation, volume: Volume) -> Slice:
    # All points are in one slice up to rounding; their mean selects it.
    at = float(np.mean([point[drawn.axis] for point in drawn.points_mm]))
    centres = volume.grid.centres_mm(drawn.axis)
    return drawn.axis, int(np.abs(centres - at).argmin())


def _images(
    volume: Volume, slices: Sequence[tuple[Slice, Sequence[Annotation]]]
) -> Iterator[Illustration]:
    """Draw slices with their annotations, side by side."""
    from PIL import Image

    # One window for all slices, so that their grey values can be compared.
    window = shades(volume, frontal_projection(volume))
    for first in range(0, len(slices), IN_ROW):
        made = [_drawn(volume, at, some, window) for at, some in slices[first : first + IN_ROW]]
        side = made[0][0].width
        row = Image.new("RGB", (side * len(made), side), HALO)
        for k, (slice_image, _) in enumerate(made):
            row.paste(slice_image, (k * side, 0))
        buffer = BytesIO()
        row.save(buffer, "PNG")
        yield Illustration(buffer.getvalue(), "; ".join(t for _, t in made), WIDTH * len(made))


def _drawn(
    volume: Volume, at: Slice, drawn: Sequence[Annotation], window: tuple[float, float]
) -> tuple[Image, str]:
    """Return a slice with its annotations, and its title."""
    from PIL import Image, ImageDraw

    panel = slice_panel(volume, *at)
    side, px_per_mm = PANEL_PX + 2 * MARGIN_PX, PANEL_PX / max(panel.size_mm)
    page = Image.new("L", (side, side), 255)
    corner = place_panel(
        page, ImageDraw.Draw(page), panel, greys(volume, panel.pixels, window),
        px_per_mm=px_per_mm, corner=(MARGIN_PX, MARGIN_PX),
    )  # fmt: skip
    # Annotations are coloured, the panel is grey: the conversion happens once, after the panel.
    coloured = page.convert("RGB")
    draw = ImageDraw.Draw(coloured)
    for each in drawn:
        places = _in_slice(_line_of(each), volume, at[0])
        spots = [(corner[0] + r * px_per_mm, corner[1] + d * px_per_mm) for r, d in places]
        _draw(draw, each, spots, length_unit(volume))
    return coloured, panel.title


def _in_slice(points_mm: Points, volume: Volume, axis: int) -> Points:
    """Return the positions of points in a slice, to the right and down from its corner [mm]."""
    layout = layout_across(volume, axis)
    corner = layout.rect(volume.grid)
    places = [layout.to_screen((float(x), float(y), float(z))) for x, y, z in points_mm]
    return np.array([(u - corner.u, v - corner.v) for u, v in places])


def _draw(draw: ImageDraw, drawn: Annotation, spots: Sequence[Pixel], unit: str) -> None:
    for one, other in pairwise(spots):
        draw.line((*one, *other), fill=INK, width=LINE_PX)
    if drawn.kind == "arrow":
        _tip(draw, spots[0], spots[1])
    words = ", ".join(part for part in (drawn.text, _measured(drawn, unit)) if part)
    # The text of an arrow is at its tail, because the tip marks the finding.
    x, y = spots[0] if drawn.kind == "arrow" else spots[-1]
    if words:
        draw.text(
            (x + 5, y), words, fill=INK, font=font(TEXT_PX), anchor="lm", stroke_width=2,
            stroke_fill=HALO,
        )  # fmt: skip


def _tip(draw: ImageDraw, tail: Pixel, tip: Pixel) -> None:
    """Draw the two barbs of an arrow."""
    back = atan2(tip[1] - tail[1], tip[0] - tail[0]) + pi
    for turn in (-TIP_RAD, TIP_RAD):
        end = tip[0] + TIP_PX * cos(back + turn), tip[1] + TIP_PX * sin(back + turn)
        draw.line((*tip, *end), fill=INK, width=LINE_PX)
