"""Fields shared by all protocols, and their grids."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

from pydantic import AfterValidator

from engine.core.errors import SettingsError
from engine.core.settings import setting
from engine.geometry.grid import Point
from engine.protocols.study.choices import AnyFilter

if TYPE_CHECKING:
    from engine.recon.algorithms import Algorithm

LARGEST_VOXEL_MM = 100
MIN_REPLICATES, MAX_REPLICATES = 8, 200
"""Limits for bootstrap replicates: the standard deviation is known to 27 % and to 5 %."""
_SLACK = 1e-3
"""Part of a voxel by which a size may exceed its voxels, because of rounding."""


class _HasErrors(Protocol):
    """Settings of an error map, and the algorithm that it is for."""

    error_method: Literal["bootstrap", "hessian"]
    algorithm: Algorithm


_Errors = TypeVar("_Errors", bound=_HasErrors)
Table = Mapping[str, Any]
"""Settings by name, as a constructor and a file give them."""
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

Replicates = Annotated[
    int | None,
    setting(
        description="Compute the error of the image from this number of bootstrap replicates. "
        "Each is reconstructed from the counts with new Poisson noise. With 20, the standard "
        "deviation of a voxel is known to 16 %",
        label="Error map",
        empty="none",
        ge=MIN_REPLICATES,
        le=MAX_REPLICATES,
    ),
]
ErrorMethod = Annotated[
    Literal["bootstrap", "hessian"],
    setting(
        description="Method of the error map. bootstrap: reconstruct each replicate. hessian: "
        "calculate the replicates from the curvature of the penalised likelihood at the image. "
        "This needs MAP, is many times faster, and holds if voxels vary by less than about 30 %",
        label="Method of the error map",
    ),
]
ReplicateSeed = Annotated[
    int | None,
    setting(
        description="Seed for the random numbers of the replicates; 1 if empty",
        label="Seed for the error map",
        empty="1",
        expert=True,
        ge=0,
        le=2**31,
    ),
]


def hessian_needs_map(protocol: _Errors) -> _Errors:
    """Check that the algorithm has the Hessian that an error map requests.

    Parameters
    ----------
    protocol
        protocol with an algorithm and the settings of an error map

    Raises
    ------
    ValueError
        if the algorithm is not penalised
    """
    if protocol.error_method == "hessian" and not protocol.algorithm.is_penalised:
        raise ValueError(
            f"error_method is 'hessian', but {protocol.algorithm.title} has no penalised "
            "likelihood; set error_method to 'bootstrap', or choose MAP"
        )
    return protocol


def edges_from(min_mm: float) -> AfterValidator:
    """Return a validator for the edges of a voxel.

    Parameters
    ----------
    min_mm
        shortest edge that is allowed [mm]

    Returns
    -------
    edges_from
        for use in `Annotated`; the longest edge is 100 mm
    """

    def check(voxel_mm: Point) -> Point:
        if not all(min_mm <= edge <= LARGEST_VOXEL_MM for edge in voxel_mm):
            # Without trailing zeros, because the limit ranges from 0.05 to 0.00001 mm.
            least = f"{min_mm:.5f}".rstrip("0")
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
