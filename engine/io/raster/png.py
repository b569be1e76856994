"""A picture of a volume to look at and to paste: three slices through a point, and a projection.

The head is on top and the patient's right at the left, whatever the axes of the volume. The planes
are laid out by `engine.geometry.patient_planes`, as in the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.data.formatting import number_text, quantity
from engine.data.patient_position import is_position_assumed, is_position_by_user
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.patient_planes import PLANES, Orientation, orientation, plane_across
from engine.io.base import VolumeWriter
from engine.io.safety.atomic_write import write_atomically

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

PANEL_PX = 420
MARGIN_PX = 28
FOOTER_PX = 44
TEXT_PX, TITLE_PX = 17, 14
INK, PALE, FRAME = 20, 110, 205
WINDOW_PERCENTILE = 99.9
"""Percentile of the projection that is black: a few hot voxels must not leave the rest white."""
AIR_HU = -1000.0
BARS_MM = (5, 10, 20, 50, 100, 200, 500)
MARK = "Not for clinical use"
ASSUMED = "Patient position not stated (head first, supine assumed)"
BY_USER = "Patient position stated by the user"


@dataclass(frozen=True)
class Panel:
    """One picture: pixels [row, column] from top left, their size, and the letters round it.

    Attributes
    ----------
    pixels : (n_rows, n_columns) values
    pixel_mm : (row, column) size [mm]
    title : what is shown
    letters : patient directions, or axes, at the left, right, top and bottom
    """

    pixels: Array
    pixel_mm: tuple[float, float]
    title: str
    letters: tuple[str, ...]

    @property
    def size_mm(self) -> tuple[float, float]:
        """(height, width) [mm]."""
        n_rows, n_columns = self.pixels.shape
        return n_rows * self.pixel_mm[0], n_columns * self.pixel_mm[1]


class PngWriter(VolumeWriter):
    """Snapshot picture."""

    name: ClassVar[str] = "Snapshot picture"
    suffixes: ClassVar[tuple[str, ...]] = (".png",)
    detail: ClassVar[str] = "an image of three slices, for presentations"

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_atomically(snapshot(volume), path)


def snapshot(
    volume: Volume,
    *,
    point_mm: Point | None = None,
    upper: float | None = None,
    n_columns: int = 2,
) -> bytes:
    """Return a PNG of a volume, the same bytes every time.

    Parameters
    ----------
    volume
        what to show
    point_mm
        where the slices cross [mm]; the centre of the positive values if None
    upper
        value shown black; nearly the largest of the projection if None
    n_columns
        of the four pictures: 2, or 4 for a row
    """
    buffer = BytesIO()
    page = page_of(volume, point_mm=point_mm, upper=upper, n_columns=n_columns)
    page.save(buffer, "PNG", optimize=False)
    return buffer.getvalue()


def page_of(
    volume: Volume,
    *,
    point_mm: Point | None = None,
    upper: float | None = None,
    n_columns: int = 2,
) -> Image:
    """Return the page of a snapshot, in shades of grey."""
    from PIL import Image, ImageDraw

    point = point_mm if point_mm is not None else centroid_mm(volume)
    shown = panels(volume, point)
    low, usual = shades(volume, shown[-1])
    upper = usual if upper is None else upper
    step = PANEL_PX + 2 * MARGIN_PX
    width, height = n_columns * step, -(-len(shown) // n_columns) * step
    page = Image.new("L", (width, height + FOOTER_PX), 255)
    draw = ImageDraw.Draw(page)
    px_per_mm = PANEL_PX / max(max(panel.size_mm) for panel in shown)
    for k, panel in enumerate(shown):
        row, column = divmod(k, n_columns)
        corner = (column * step + MARGIN_PX, row * step + MARGIN_PX)
        grey = greys(volume, panel.pixels, (low, upper))
        place_panel(page, draw, panel, grey, px_per_mm=px_per_mm, corner=corner)
    draw_footer(draw, volume, (low, upper), px_per_mm, width=width, top=height)
    return page


def shades(volume: Volume, projection: Panel) -> tuple[float, float]:
    """Return the values at the two ends of the shades: none, and nearly the largest."""
    low = AIR_HU if volume.unit == "HU" else 0.0
    upper = float(np.percentile(projection.pixels, WINDOW_PERCENTILE))
    return low, upper or float(volume.values.max()) or 1.0


def greys(volume: Volume, pixels: Array, window: tuple[float, float]) -> Array:
    """Return the shade of each pixel, 0 black to 255 white."""
    low, upper = window
    grey = 255 * np.clip((pixels - low) / max(upper - low, 1e-30), 0, 1)
    return 255 - grey if is_inverted(volume) else grey


def centroid_mm(volume: Volume) -> Point:
    """Return the centre of the positive values [mm], of the box where there are none."""
    weight = np.maximum(volume.values, 0)
    total = float(weight.sum(dtype=np.float64))
    if total <= 0:
        return volume.grid.centre_mm
    along = [weight.sum(axis=axes, dtype=np.float64) for axes in ((0, 1), (0, 2), (1, 2))]
    x, y, z = (float(along[k] @ volume.grid.centres_mm(k)) / total for k in range(3))
    return x, y, z


def panels(volume: Volume, point_mm: Point) -> tuple[Panel, Panel, Panel, Panel]:
    """Return axial, coronal and sagittal slices through a point, and a frontal projection."""
    index = _nearest(volume.grid, point_mm)
    normals = [orientation(plane, axes=volume.sides).normal for plane in PLANES]
    axial, coronal, sagittal = (slice_panel(volume, axis, index[axis]) for axis in normals)
    return axial, coronal, sagittal, frontal_projection(volume)


def slice_panel(volume: Volume, axis: int, index: int) -> Panel:
    """Return one slice across x, y or z (0, 1, 2), laid out by the axes of the patient."""
    way = layout_across(volume, axis)
    at = f"{'xyz'[axis]} = {volume.grid.centres_mm(axis)[index]:.1f} {length_unit(volume)}"
    title = f"{plane_across(axis, volume.sides)}, {at}"
    return _panel(volume, way, way.extract(volume.values, index), title)


def layout_across(volume: Volume, axis: int) -> Orientation:
    """Return how the slices of a volume across x, y or z (0, 1, 2) lie in a picture."""
    return orientation(plane_across(axis, volume.sides), axes=volume.sides)


def frontal_projection(volume: Volume) -> Panel:
    """Return the largest values along the lines from front to back, the head on top."""
    way = orientation("coronal", axes=volume.sides)
    largest = way.place(volume.values.max(axis=2 - way.normal))
    return _panel(volume, way, largest, f"largest along {'xyz'[way.normal]} (MIP)")


def _panel(volume: Volume, way: Orientation, pixels: Array, title: str) -> Panel:
    ends = way.edges.on(volume.sides)
    letters = (ends.left, ends.right, ends.top, ends.bottom)
    return Panel(pixels, way.pixel_mm(volume.grid), title, letters)


def _nearest(grid: ImageGrid, point_mm: Point) -> tuple[int, int, int]:
    """Return the (x, y, z) numbers of the voxel nearest to a point."""
    found = np.floor(grid.to_voxels(np.array(point_mm))).astype(int)
    x, y, z = (int(np.clip(found[k], 0, grid.shape[2 - k] - 1)) for k in range(3))
    return x, y, z


def length_unit(volume: Volume) -> str:
    """Return in what lengths are told: pixels where their size is not known."""
    return "pixels" if volume.unit == "1/pixel" else "mm"


def is_inverted(volume: Volume) -> bool:
    """Whether much is drawn black, as nuclear medicine does; X-ray pictures are drawn white."""
    return volume.unit not in ("1/mm", "1/pixel", "HU")


def place_panel(
    page: Image,
    draw: ImageDraw,
    panel: Panel,
    grey: Array,
    *,
    px_per_mm: float,
    corner: tuple[int, int],
) -> tuple[int, int]:
    """Draw a picture with its title and letters into the middle of its square of a page.

    Returns the pixel of the page on which its own left upper corner lies.
    """
    from PIL import Image

    height, width = (max(1, round(mm * px_per_mm)) for mm in panel.size_mm)
    left = corner[0] + (PANEL_PX - width) // 2
    top = corner[1] + (PANEL_PX - height) // 2
    image = Image.fromarray(np.ascontiguousarray(grey, np.float32))
    image = image.resize((width, height), Image.Resampling.BILINEAR)
    rounded = np.rint(np.asarray(image)).clip(0, 255).astype(np.uint8)
    page.paste(Image.fromarray(rounded), (left, top))
    draw.rectangle((left - 1, top - 1, left + width, top + height), outline=FRAME)
    middle_x, middle_y = left + width // 2, top + height // 2
    spots = (
        (left - 5, middle_y, "rm"),
        (left + width + 5, middle_y, "lm"),
        (middle_x, top - 3, "mb"),
        (middle_x, top + height + 3, "mt"),
    )
    for letter, (x, y, anchor) in zip(panel.letters, spots, strict=True):
        draw.text((x, y), letter, fill=INK, font=font(TEXT_PX), anchor=anchor)
    draw.text((left, top - 4), panel.title, fill=PALE, font=font(TITLE_PX), anchor="ls")
    return left, top


def draw_footer(
    draw: ImageDraw,
    volume: Volume,
    window: tuple[float, float],
    px_per_mm: float,
    *,
    width: int,
    top: int,
) -> None:
    """Draw a scale of length, what the shades mean, and what a picture is not for."""
    plain, y = font(TEXT_PX), top + FOOTER_PX // 2
    bar_mm = max((mm for mm in BARS_MM if mm * px_per_mm <= PANEL_PX / 2), default=BARS_MM[0])
    end = MARGIN_PX + round(bar_mm * px_per_mm)
    draw.line((MARGIN_PX, y, end, y), fill=INK, width=2)
    for x in (MARGIN_PX, end):
        draw.line((x, y - 5, x, y + 5), fill=INK, width=2)
    draw.text((end + 10, y), f"{bar_mm} {length_unit(volume)}", fill=INK, font=plain, anchor="lm")
    none, much = ("white", "black") if is_inverted(volume) else ("black", "white")
    low, upper = window
    unit = volume.unit or "(unit not known)"
    values = f"{none} {number_text(low, 3)}, {much} {quantity(upper, unit, 3)}"
    draw.text((width // 2, y), values, fill=INK, font=plain, anchor="mm")
    draw.text((width - MARGIN_PX, y), MARK, fill=INK, font=plain, anchor="rm")
    is_assumed, by_user = is_position_assumed(volume.info), is_position_by_user(volume.info)
    if is_assumed or by_user:
        low_y, remark = top + FOOTER_PX - 2, BY_USER if by_user else ASSUMED
        draw.text((width // 2, low_y), remark, fill=PALE, font=font(TITLE_PX), anchor="mb")


def font(size_px: int) -> FreeTypeFont:
    """Return the type that pictures are labelled in."""
    from PIL import ImageFont

    data = (files("font_roboto") / "files" / "Roboto-Regular.ttf").read_bytes()
    return ImageFont.truetype(BytesIO(data), size_px)
