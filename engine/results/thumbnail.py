"""A small picture of a volume for lists: a projection of activity, an axial slice of X-rays."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.raster.png import centroid_mm, greys, is_inverted, panels, shades

EDGE_PX = 192
MOST_VOXELS = 256
"""Along an edge; of larger volumes some voxels are left out, which saves their memory twice."""


def thumbnail(volume: Volume) -> bytes:
    """Return a square PNG, the same bytes every time."""
    from PIL import Image

    small = _thinned(volume)
    axial, _, _, projection = panels(small, centroid_mm(small))
    shown = projection if is_inverted(volume) else axial
    scale = EDGE_PX / max(shown.size_mm)
    height, width = (max(1, round(mm * scale)) for mm in shown.size_mm)
    grey = greys(small, shown.pixels, shades(small, projection))
    image = Image.fromarray(np.ascontiguousarray(grey, np.float32))
    image = image.resize((width, height), Image.Resampling.BILINEAR)
    pixels = np.rint(np.asarray(image)).clip(0, 255).astype(np.uint8)
    page = Image.new("L", (EDGE_PX, EDGE_PX), 255 if is_inverted(volume) else 0)
    page.paste(Image.fromarray(pixels), ((EDGE_PX - width) // 2, (EDGE_PX - height) // 2))
    buffer = BytesIO()
    page.save(buffer, "PNG", optimize=False)
    return buffer.getvalue()


def _thinned(volume: Volume) -> Volume:
    steps = [-(-n // MOST_VOXELS) for n in volume.grid.shape]
    z, y, x = (slice(step // 2, None, step) for step in steps)
    values = np.ascontiguousarray(volume.values[z, y, x])
    d_x, d_y, d_z = volume.grid.voxel_mm
    voxel_mm = (d_x * steps[2], d_y * steps[1], d_z * steps[0])
    grid = ImageGrid(values.shape, voxel_mm, volume.grid.centre_mm)
    return Volume(values, grid, volume.unit, volume.info)
