"""The same events by parallelproj 1.x, where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np

from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid
from engine.operators.rays import Rays


def build() -> str | None:
    """Say which parallelproj of the first kind there is, None if none."""
    try:
        found = import_module("parallelproj")
    except ImportError:
        return None
    version = str(getattr(found, "__version__", ""))
    return f"parallelproj {version}, as installed" if version.startswith("1.") else None


def passes(rays: Rays, grid: ImageGrid) -> tuple[Callable[[], Array], Callable[[], Array]]:
    """Return its projection and back projection of ones along rays, by Joseph's method."""
    parallelproj = import_module("parallelproj")
    start, end = (rays.points_mm[rays.ends[:, i]].astype(np.float32) for i in (0, 1))
    voxel = np.array(grid.voxel_mm, np.float32)
    where = (grid.lower_mm.astype(np.float32) + voxel / 2, voxel)
    image, values = np.ones(grid.shape[::-1], np.float32), np.ones(len(start), np.float32)
    return (
        lambda: parallelproj.joseph3d_fwd(start, end, image, *where),
        lambda: parallelproj.joseph3d_back(start, end, image.shape, *where, values),
    )
