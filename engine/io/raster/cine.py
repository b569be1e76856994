"""Write a movie of a volume (GIF): slice after slice, next to a projection that shows the position.

The axial slices run from the feet to the head if the patient position is known. Frames have the
same
grey levels, letters and warning as the snapshot. Of very many slices, evenly spaced ones are shown;
their titles state which.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.geometry.patient_planes import orientation
from engine.io.base import VolumeWriter
from engine.io.raster.png import (
    FOOTER_PX,
    INK,
    MARGIN_PX,
    PANEL_PX,
    draw_footer,
    frontal_projection,
    greys,
    place_panel,
    shades,
    slice_panel,
)
from engine.io.safety.atomic_write import write_atomically

if TYPE_CHECKING:
    from PIL.Image import Image

FRAME_MS = 80
MAX_FRAMES = 240


class CineWriter(VolumeWriter):
    """Movie of the slices."""

    detail: ClassVar[str] = "a movie through the slices, for presentations"

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_atomically(cine(volume), path)


def cine(volume: Volume) -> bytes:
    """Return the bytes of a GIF with the slices of a volume; equal volumes give equal bytes."""
    frames = _frames(volume)
    first, buffer = next(frames), BytesIO()
    first.save(
        buffer,
        "GIF",
        save_all=True,
        append_images=frames,
        duration=FRAME_MS,
        loop=0,
        optimize=False,
    )
    return buffer.getvalue()


def shown_slices(n: int) -> list[int]:
    """Return the numbers of the shown slices, in order.

    Parameters
    ----------
    n
        number of slices; up to `MAX_FRAMES` all of them are shown
    """
    return np.unique(np.linspace(0, n - 1, min(n, MAX_FRAMES)).round().astype(int)).tolist()


def _frames(volume: Volume) -> Iterator[Image]:
    from PIL import Image, ImageDraw

    axis = orientation("axial", axes=volume.sides).normal
    # One window for all slices, from the projection, so that brightness does not change in the
    # movie.
    projection = frontal_projection(volume)
    window = shades(volume, projection)
    step = PANEL_PX + 2 * MARGIN_PX
    sizes = (slice_panel(volume, axis, 0).size_mm, projection.size_mm)
    px_per_mm = PANEL_PX / max(max(size) for size in sizes)
    # Projection and footer are drawn once. Each frame copies them and adds its slice.
    blank = Image.new("L", (2 * step, step + FOOTER_PX), 255)
    draw, corner = ImageDraw.Draw(blank), (step + MARGIN_PX, MARGIN_PX)
    grey = greys(volume, projection.pixels, window)
    place_panel(blank, draw, projection, grey, px_per_mm=px_per_mm, corner=corner)
    draw_footer(draw, volume, window, px_per_mm, width=2 * step, top=step)
    n_slices, height_mm = volume.grid.shape[2 - axis], projection.size_mm[0]
    for n_below in shown_slices(n_slices):
        page = blank.copy()
        draw = ImageDraw.Draw(page)
        panel = slice_panel(volume, axis, _from_below(volume, axis, n_below))
        grey = greys(volume, panel.pixels, window)
        place_panel(page, draw, panel, grey, px_per_mm=px_per_mm, corner=(MARGIN_PX, MARGIN_PX))
        # Centre of the slice, measured from the top of the projection.
        above_mm = height_mm * (n_slices - n_below - 0.5) / n_slices
        y = MARGIN_PX + (PANEL_PX - round(height_mm * px_per_mm)) // 2 + above_mm * px_per_mm
        # Two short lines at the edges of the projection mark the height without covering it.
        for left in (step + 4, 2 * step - 16):
            draw.line((left, round(y), left + 12, round(y)), fill=INK, width=3)
        yield page


def _from_below(volume: Volume, axis: int, n_below: int) -> int:
    """Return the number of the slice `n_below` slices above the lowest one of the projection."""
    grows_down = orientation("coronal", axes=volume.sides).down.sign > 0
    return volume.grid.shape[2 - axis] - 1 - n_below if grows_down else n_below
