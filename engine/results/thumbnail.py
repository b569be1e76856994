"""Thumbnail of a volume for lists: a projection of activity, or an axial slice of a CT."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.raster.png import centroid_mm, greys, is_inverted, panels, shades

EDGE_PX = 192
MAX_VOXELS = 256
"""Maximum number along an edge; larger volumes are subsampled, which avoids two full copies."""


def thumbnail(volume: Volume) -> bytes:
    """Return a square PNG, with the same bytes for the same volume.

    Parameters
    ----------
    volume
        image to show
    """
    from PIL import Image

    small = _thinned(volume)
    axial, _, _, projection = panels(small, centroid_mm(small))
    # A projection of CT shows mostly bone; activity is often outside the central slice.
    shown = projection if is_inverted(volume) else axial
    scale = EDGE_PX / max(shown.size_mm)
    height, width = (max(1, round(mm * scale)) for mm in shown.size_mm)
    grey = greys(small, shown.pixels, shades(small, projection))
    # Pillow resizes float images ("F") without rounding to 8 bits first.
    image = Image.fromarray(np.ascontiguousarray(grey, np.float32))
    image = image.resize((width, height), Image.Resampling.BILINEAR)
    pixels = np.rint(np.asarray(image)).clip(0, 255).astype(np.uint8)
    # The margins have the colour of air: white for inverted activity, black for CT.
    page = Image.new("L", (EDGE_PX, EDGE_PX), 255 if is_inverted(volume) else 0)
    page.paste(Image.fromarray(pixels), ((EDGE_PX - width) // 2, (EDGE_PX - height) // 2))
    buffer = BytesIO()
    page.save(buffer, "PNG", optimize=False)
    return buffer.getvalue()


def _thinned(volume: Volume) -> Volume:
    steps = [-(-n // MAX_VOXELS) for n in volume.grid.shape]
    z, y, x = (slice(step // 2, None, step) for step in steps)
    values = np.ascontiguousarray(volume.values[z, y, x])
    d_x, d_y, d_z = volume.grid.voxel_mm
    voxel_mm = (d_x * steps[2], d_y * steps[1], d_z * steps[0])
    grid = ImageGrid(values.shape, voxel_mm, volume.grid.centre_mm)
    return Volume(values, grid, volume.unit, volume.info)
