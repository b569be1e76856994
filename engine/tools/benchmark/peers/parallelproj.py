"""The same events with parallelproj 1.x, if installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np

from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid
from engine.operators.rays import Rays


def build() -> str | None:
    """Return the version of parallelproj 1.x, None without it."""
    try:
        found = import_module("parallelproj")
    except ImportError:
        return None
    version = str(getattr(found, "__version__", ""))
    # Version 2 has another interface, see `parallelproj_2`
    return f"parallelproj {version}, as installed" if version.startswith("1.") else None


def passes(rays: Rays, grid: ImageGrid) -> tuple[Callable[[], Array], Callable[[], Array]]:
    """Return its forward and back projection of ones along rays (Joseph's method).

    Parameters
    ----------
    rays
        rays with end points
    grid
        grid of the image

    Returns
    -------
    forward, back
        functions that return the sums of rays, and the image
    """
    parallelproj = import_module("parallelproj")
    start, end = (rays.points_mm[rays.ends[:, i]].astype(np.float32) for i in (0, 1))
    voxel = np.array(grid.voxel_mm, np.float32)
    # Its origin is the centre of the first voxel, ours the lower corner
    where = (grid.lower_mm.astype(np.float32) + voxel / 2, voxel)
    image, values = np.ones(grid.shape[::-1], np.float32), np.ones(len(start), np.float32)
    return (
        lambda: parallelproj.joseph3d_fwd(start, end, image, *where),
        lambda: parallelproj.joseph3d_back(start, end, image.shape, *where, values),
    )
