"""Fields shared by all protocols, and their grids."""

from __future__ import annotations

from math import ceil
from typing import Annotated

from pydantic import AfterValidator

from engine.core.errors import SettingsError
from engine.core.settings import setting
from engine.geometry.grid import Point
from engine.protocols.study.choices import AnyFilter

LARGEST_VOXEL_MM = 100
_SLACK = 1e-3
"""Part of a voxel by which a size may exceed its voxels, because of rounding."""

Name = Annotated[
    str, setting(description="Protocol name shown in the window", label="Name", max_length=80)
]
Between = Annotated[
    tuple[AnyFilter, ...],
    setting(
        description="Filters applied after each iteration", label="Between iterations", max_length=4
    ),
]
Finishing = Annotated[
    tuple[AnyFilter, ...],
    setting(description="Filters applied to the final image", label="Finishing", max_length=4),
]


def edges_from(least_mm: float) -> AfterValidator:
    """Return a validator for the edges of a voxel.

    Parameters
    ----------
    least_mm
        shortest edge that is allowed [mm]

    Returns
    -------
    edges_from
        for use in `Annotated`; the longest edge is 100 mm
    """

    def check(voxel_mm: Point) -> Point:
        if not all(least_mm <= edge <= LARGEST_VOXEL_MM for edge in voxel_mm):
            # Without trailing zeros, because the limit ranges from 0.05 to 0.00001 mm.
            least = f"{least_mm:.5f}".rstrip("0")
            raise ValueError(f"voxel edges must be between {least} and {LARGEST_VOXEL_MM} mm")
        return voxel_mm

    return AfterValidator(check)


Voxel = Annotated[Point, edges_from(0.05)]
FineVoxel = Annotated[Point, edges_from(1e-5)]


def shape_for(size_mm: Point, voxel_mm: Point, *, most: int) -> tuple[int, int, int]:
    """Return the number of voxels that fill a size.

    Parameters
    ----------
    size_mm
        size of the volume (x, y, z)
    voxel_mm
        edges of a voxel (x, y, z)
    most
        largest number of voxels along an axis

    Returns
    -------
    nz, ny, nx
        (n_z, n_y, n_x), at least 1 each

    Raises
    ------
    SettingsError
        if an axis would need more than `most` voxels
    """
    # Without the slack, rounding of size / edge could add a voxel.
    nx, ny, nz = (
        max(1, ceil(size / edge - _SLACK)) for size, edge in zip(size_mm, voxel_mm, strict=True)
    )
    if max(nx, ny, nz) > most:
        raise SettingsError(
            f"grid: the volume has {nx} × {ny} × {nz} voxels, but at most {most} are allowed "
            "along each axis; choose larger voxels or a smaller volume."
        )
    return nz, ny, nx
