"""The pictures of a report with the borders of its regions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.analysis.regions.base import middle_of
from engine.analysis.regions.coverage import HALF, RegionCoverage
from engine.analysis.regions.measuring import coverage_of
from engine.analysis.regions.region_set import Region
from engine.analysis.regions.slice_contours import borders_of
from engine.core.errors import EngineError
from engine.data.volume import Volume
from engine.io.raster.png import TEXT_PX, PlacedPanel, font, layout_across, snapshot
from engine.results.reports.subject import ReportSubject

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

HALO = (255, 255, 255)
LINE_PX, HALO_PX = 3, 7
GAP_PX = 6
"""Distance of a name from its border."""


def snapshot_with_regions(subject: ReportSubject, *, n_columns: int) -> bytes:
    """Return three slices and a projection as PNG, with the borders and names of the regions.

    The slices go through the centre of the first region. Without regions they go through the centre
    of the positive values.

    Parameters
    ----------
    subject
        result with its regions
    n_columns
        columns of the four pictures: 2, or 4 for one row
    """
    volume, found = subject.volume, subject.regions
    regions = [each for each in found.regions if each.shown] if found is not None else []
    if not regions:
        return snapshot(volume, n_columns=n_columns)

    def mark(draw: ImageDraw, panel: PlacedPanel) -> None:
        for region in regions:
            _draw(draw, region, panel, volume)

    point = middle_of(regions[0].shape.bounds_mm)
    return snapshot(volume, point_mm=point, n_columns=n_columns, mark=mark)


def _draw(draw: ImageDraw, region: Region, panel: PlacedPanel, volume: Volume) -> None:
    try:
        coverage = coverage_of(region.shape, volume)
    except EngineError:
        # The table of the report states why a region cannot be measured.
        return
    rings = _borders(coverage, panel, volume)
    if not rings:
        return
    for width, ink in ((HALO_PX, HALO), (LINE_PX, region.colour)):
        for ring in rings:
            draw.line([*ring, ring[0], ring[1]], fill=ink, width=width, joint="curve")
    x, y = max((point for ring in rings for point in ring), key=lambda point: point[0] - point[1])
    draw.text(
        (x + GAP_PX, y), region.name, fill=region.colour, font=font(TEXT_PX), anchor="ls",
        stroke_width=2, stroke_fill=HALO,
    )  # fmt: skip


def _borders(
    coverage: RegionCoverage, panel: PlacedPanel, volume: Volume
) -> list[list[tuple[float, float]]]:
    """Return the borders of a region in a picture [pixels of the page]."""
    axis, grid = panel.axis, volume.grid
    if panel.index is None:
        inside = coverage.share.max(axis=2 - axis, initial=0.0) >= HALF
    else:
        k = panel.index - coverage.start[2 - axis]
        if not 0 <= k < coverage.share.shape[2 - axis]:
            return []
        inside = coverage.share.take(k, axis=2 - axis) >= HALF
    across, down = (each for each in range(3) if each != axis)
    layout = layout_across(volume, axis)
    corner, found = layout.rect(grid), []
    for ring in borders_of(inside):
        points = np.zeros((len(ring), 3))
        for column, each in enumerate((across, down)):
            edges = coverage.start[2 - each] + ring[:, column]
            points[:, each] = grid.lower_mm[each] + edges * grid.voxel_mm[each]
        places = [layout.to_screen((float(x), float(y), float(z))) for x, y, z in points]
        scale = panel.px_per_mm
        found.append(
            [
                (panel.left + (u - corner.u) * scale, panel.top + (v - corner.v) * scale)
                for u, v in places
            ]
        )
    return found
