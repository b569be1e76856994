"""Draw an overview of a volume: three slices through a point, and a projection.

The head is at the top and the patient's right at the left, whatever the axes of the volume. The
planes are those of `engine.geometry.patient_planes`, as in the window.
"""

from __future__ import annotations

from collections.abc import Callable
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

    Mark = Callable[[ImageDraw, "PlacedPanel"], None]
    """Draws on an image of a page."""

PANEL_PX = 420
MARGIN_PX = 28
FOOTER_PX, FOOTER_LINE_PX = 56, 22
TEXT_PX, TITLE_PX = 17, 14
INK, PALE, FRAME = 20, 110, 205
WINDOW_PERCENTILE = 99.9
"""Percentile of the projection that is black, so that a few hot voxels do not make the rest white.
"""
AIR_HU = -1000.0
BARS_MM = (5, 10, 20, 50, 100, 200, 500)
MARK = "Not for clinical use"
ASSUMED = "Patient position not stated (head first, supine assumed)"
BY_USER = "Patient position stated by the user"


@dataclass(frozen=True)
class Panel:
    """An image on a page: pixels [row, column] from top left, their size, and letters at the edges.

    Attributes
    ----------
    pixels : (n_rows, n_columns) values
    pixel_mm : (row, column) size [mm]
    title : text above the image
    letters : patient directions, or axes, at the left, right, top and bottom
    axis : axis across the image: 0, 1, 2 for x, y, z
    index : number of the slice along this axis; None for a projection
    """

    pixels: Array
    pixel_mm: tuple[float, float]
    title: str
    letters: tuple[str, ...]
    axis: int
    index: int | None = None

    @property
    def size_mm(self) -> tuple[float, float]:
        """(height, width) [mm]."""
        n_rows, n_columns = self.pixels.shape
        return n_rows * self.pixel_mm[0], n_columns * self.pixel_mm[1]


@dataclass(frozen=True)
class PlacedPanel:
    """Position of an image on a page.

    Attributes
    ----------
    axis : axis across the image: 0, 1, 2 for x, y, z
    index : number of the slice along this axis; None for a projection
    left, top : pixel of the page at the upper left corner of the image
    px_per_mm : scale
    """

    axis: int
    index: int | None
    left: int
    top: int
    px_per_mm: float


class PngWriter(VolumeWriter):
    """Snapshot of three slices and a projection."""

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
    mark: Mark | None = None,
) -> bytes:
    """Return the bytes of a PNG of a volume; equal volumes give equal bytes.

    Parameters
    ----------
    volume
        image to show
    point_mm
        point (x, y, z) in all three slices [mm]; None: centre of the positive values
    upper
        value at the end of the grey scale; None: nearly the largest of the projection
    n_columns
        columns of the four images: 2, or 4 for one row
    mark
        draws on each image in colours; None for a grey page
    """
    buffer = BytesIO()
    page = page_of(volume, point_mm=point_mm, upper=upper, n_columns=n_columns, mark=mark)
    page.save(buffer, "PNG", optimize=False)
    return buffer.getvalue()


def page_of(
    volume: Volume,
    *,
    point_mm: Point | None = None,
    upper: float | None = None,
    n_columns: int = 2,
    mark: Mark | None = None,
) -> Image:
    """Return the page of a snapshot, in grey without marks; for the parameters see `snapshot`."""
    from PIL import Image, ImageDraw

    point = point_mm if point_mm is not None else centroid_mm(volume)
    shown = panels(volume, point)
    # The window comes from the projection, which contains the hottest voxel of every line.
    low, top_value = shades(volume, shown[-1])
    upper = top_value if upper is None else upper
    # Square panels, so that a volume of any shape fits after scaling.
    step = PANEL_PX + 2 * MARGIN_PX
    width, height = n_columns * step, -(-len(shown) // n_columns) * step
    page = Image.new("L", (width, height + FOOTER_PX), 255)
    draw = ImageDraw.Draw(page)
    # One scale for all images, so that lengths can be compared and one scale bar is enough.
    px_per_mm = PANEL_PX / max(max(panel.size_mm) for panel in shown)
    placed = list[PlacedPanel]()
    for k, panel in enumerate(shown):
        row, column = divmod(k, n_columns)
        corner = (column * step + MARGIN_PX, row * step + MARGIN_PX)
        grey = greys(volume, panel.pixels, (low, upper))
        at = place_panel(page, draw, panel, grey, px_per_mm=px_per_mm, corner=corner)
        placed.append(PlacedPanel(panel.axis, panel.index, *at, px_per_mm))
    draw_footer(draw, volume, (low, upper), px_per_mm, width=width, top=height)
    if mark is None:
        return page
    coloured = page.convert("RGB")
    draw = ImageDraw.Draw(coloured)
    for each in placed:
        mark(draw, each)
    return coloured


def shades(volume: Volume, projection: Panel) -> tuple[float, float]:
    """Return the values at both ends of the grey scale: none, and nearly the largest.

    Parameters
    ----------
    volume
        image to show
    projection
        its maximum intensity projection, which decides the upper end
    """
    low = AIR_HU if volume.unit == "HU" else 0.0
    upper = float(np.percentile(projection.pixels, WINDOW_PERCENTILE))
    # A small source can be below the percentile. An empty image still needs a scale.
    return low, upper or float(volume.values.max()) or 1.0


def greys(volume: Volume, pixels: Array, window: tuple[float, float]) -> Array:
    """Return the grey level of each pixel, 0 black to 255 white, for the values of a window."""
    low, upper = window
    grey = 255 * np.clip((pixels - low) / max(upper - low, 1e-30), 0, 1)
    return 255 - grey if is_inverted(volume) else grey


def centroid_mm(volume: Volume) -> Point:
    """Return the centre of the positive values [mm]; of the grid if there are none."""
    weight = np.maximum(volume.values, 0)
    total = float(weight.sum(dtype=np.float64))
    if total <= 0:
        return volume.grid.centre_mm
    # Sums along two axes first: three short products instead of three arrays of the volume's size.
    along = [weight.sum(axis=axes, dtype=np.float64) for axes in ((0, 1), (0, 2), (1, 2))]
    x, y, z = (float(along[k] @ volume.grid.centres_mm(k)) / total for k in range(3))
    return x, y, z


def panels(volume: Volume, point_mm: Point) -> tuple[Panel, Panel, Panel, Panel]:
    """Return axial, coronal and sagittal slices through a point, and a frontal projection.

    Parameters
    ----------
    volume
        image to show
    point_mm
        point (x, y, z) [mm]; outside the grid the nearest voxel is used
    """
    # The axes of the volume decide which of the three indices belongs to which plane.

    index = _nearest(volume.grid, point_mm)
    normals = [orientation(plane, axes=volume.sides).normal for plane in PLANES]
    axial, coronal, sagittal = (slice_panel(volume, axis, index[axis]) for axis in normals)
    return axial, coronal, sagittal, frontal_projection(volume)


def slice_panel(volume: Volume, axis: int, index: int) -> Panel:
    """Return one slice in patient orientation.

    Parameters
    ----------
    volume
        image to show
    axis
        normal of the slice: 0, 1, 2 for x, y, z
    index
        number of the slice along this axis
    """
    orientation = layout_across(volume, axis)
    at = f"{'xyz'[axis]} = {volume.grid.centres_mm(axis)[index]:.1f} {length_unit(volume)}"
    title = f"{plane_across(axis, volume.sides)}, {at}"
    pixels = orientation.extract(volume.values, index)
    return _panel(volume, orientation, pixels, title, index)


def layout_across(volume: Volume, axis: int) -> Orientation:
    """Return the orientation on the page of slices normal to x, y or z (0, 1, 2)."""
    return orientation(plane_across(axis, volume.sides), axes=volume.sides)


def frontal_projection(volume: Volume) -> Panel:
    """Return the maximum intensity projection from front to back, with the head at the top."""
    view = orientation("coronal", axes=volume.sides)
    largest = view.place(volume.values.max(axis=2 - view.normal))
    return _panel(volume, view, largest, f"maximum along {'xyz'[view.normal]} (MIP)")


def _panel(
    volume: Volume, orientation: Orientation, pixels: Array, title: str, index: int | None = None
) -> Panel:
    ends = orientation.edges.on(volume.sides)
    letters = (ends.left, ends.right, ends.top, ends.bottom)
    size = orientation.pixel_mm(volume.grid)
    return Panel(pixels, size, title, letters, orientation.normal, index)


def _nearest(grid: ImageGrid, point_mm: Point) -> tuple[int, int, int]:
    """Return the (x, y, z) indices of the voxel nearest to a point."""
    found = np.floor(grid.to_voxels(np.array(point_mm))).astype(int)
    x, y, z = (int(np.clip(found[k], 0, grid.shape[2 - k] - 1)) for k in range(3))
    return x, y, z


def length_unit(volume: Volume) -> str:
    """Return the unit of lengths: "pixels" if their size is unknown."""
    return "pixels" if volume.unit == "1/pixel" else "mm"


def is_inverted(volume: Volume) -> bool:
    """Return True if high values are black, as in nuclear medicine; X-ray images use white."""
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
    """Draw an image with its title and letters in the middle of its square of a page.

    Parameters
    ----------
    page
        image of the page
    draw
        drawing context of the page
    panel
        image with its size, title and letters
    grey
        its grey levels, from `greys`
    px_per_mm
        scale of the page
    corner
        (left, top) pixel of the square

    Returns
    -------
    left, top
        pixel of the page at the upper left corner of the image
    """
    from PIL import Image

    height, width = (max(1, round(mm * px_per_mm)) for mm in panel.size_mm)
    left = corner[0] + (PANEL_PX - width) // 2
    top = corner[1] + (PANEL_PX - height) // 2
    # Scaled as float32 and rounded once, so that the bytes do not depend on Pillow's 8-bit
    # arithmetic.
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
    """Draw a scale bar, the range of values, and the warning about the use of the page.

    Parameters
    ----------
    draw
        drawing context of the page
    volume
        image, for its unit and patient position
    window
        values at both ends of the grey scale
    px_per_mm
        scale of the page
    width
        width of the page [pixels]
    top
        upper edge of the footer [pixels]
    """
    normal, y = font(TEXT_PX), top + FOOTER_LINE_PX
    # The longest round length that fits in half a panel.
    bar_mm = max((mm for mm in BARS_MM if mm * px_per_mm <= PANEL_PX / 2), default=BARS_MM[0])
    end = MARGIN_PX + round(bar_mm * px_per_mm)
    draw.line((MARGIN_PX, y, end, y), fill=INK, width=2)
    for x in (MARGIN_PX, end):
        draw.line((x, y - 5, x, y + 5), fill=INK, width=2)
    draw.text((end + 10, y), f"{bar_mm} {length_unit(volume)}", fill=INK, font=normal, anchor="lm")
    none, much = ("white", "black") if is_inverted(volume) else ("black", "white")
    low, upper = window
    unit = volume.unit or "(unit unknown)"
    # Without these numbers, the grey levels of two pages could not be compared.
    values = f"{none} {number_text(low, 3)}, {much} {quantity(upper, unit, 3)}"
    draw.text((width // 2, y), values, fill=INK, font=normal, anchor="mm")
    # A picture of errors must not be taken for the image.
    if volume.quantity:
        draw.text((width // 2, y - TEXT_PX), volume.quantity, fill=INK, font=normal, anchor="mb")
    draw.text((width - MARGIN_PX, y), MARK, fill=INK, font=normal, anchor="rm")
    is_assumed, by_user = is_position_assumed(volume.info), is_position_by_user(volume.info)
    if is_assumed or by_user:
        low_y, note = top + FOOTER_PX - 2, BY_USER if by_user else ASSUMED
        draw.text((width // 2, low_y), note, fill=PALE, font=font(TITLE_PX), anchor="mb")


def font(size_px: int) -> FreeTypeFont:
    """Return the font for labels."""
    from PIL import ImageFont

    # A packaged font: system fonts differ between computers, and so would the pages.
    data = (files("resources") / "fonts" / "Roboto-Regular.ttf").read_bytes()
    return ImageFont.truetype(BytesIO(data), size_px)
