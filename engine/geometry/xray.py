"""Source and detector in every view of an X-ray scan, as vectors: the general form.

centre of pixel (row r, column c) = corner + (c + 1/2) u + (r + 1/2) v
corner = detector centre − n_columns / 2 u − n_rows / 2 v

Points are (x, y, z) in mm, LPS. Turning scanners turn about z. `matrices` takes points to pixels:
with the ray from the source s to the corner p = corner − s, n = u × v and κ = 1 / (p · n),

cone      numU = κ (v × p) · (x − s)       numV = κ (p × u) · (x − s)       den = κ n · (x − s)
parallel  numU = κ (v × r) · (x − corner)  numV = κ (r × u) · (x − corner)  den = 1

(r the rays, κ = 1 / (r · n) of parallel beams), so that numU / den = column + 1/2 and
numV / den = row + 1/2 at the centre of a pixel; den is the depth of x over that of the detector,
both along n.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.vectors import (
    FLAT,
    about_z,
    check_detectors,
    check_rays,
    checked_vectors,
    each,
    length,
    range_of,
    turned_about,
    unit,
)

Array = NDArray[np.float64]
Beam = Literal["cone", "parallel"]

_VECTORS = ("source_mm", "detector_mm", "u_mm", "v_mm")
_UNTURNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_SAME = 1e-6
"""Deviation from a circle, relative to the distances of the scan, that is rounding."""


@dataclass(frozen=True, eq=False)
class XrayGeometry:
    """Source and flat detector of every view.

    Attributes
    ----------
    beam : "cone" or "parallel"
    source_mm : (n_views, 3) source; in parallel beams the unit direction in which the rays travel
    detector_mm : (n_views, 3) centre of the detector
    u_mm : (n_views, 3) step from one column to the next
    v_mm : (n_views, 3) step from one row to the next
    shape : (n_rows, n_columns)

    Examples
    --------
    >>> import engine
    >>> orbit = engine.circular_cone(
    ...     [0.0, 1.0], source_axis_mm=500, source_detector_mm=800, shape=(8, 24), pixel_mm=4
    ... )
    >>> orbit.shape, orbit.magnification.round(3).tolist()
    ((8, 24), [1.6, 1.6])
    """

    beam: Beam
    source_mm: Array
    detector_mm: Array
    u_mm: Array
    v_mm: Array
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        for name in _VECTORS:
            vectors = checked_vectors(name, getattr(self, name))
            object.__setattr__(self, name, vectors)
        _check(self)
        object.__setattr__(self, "shape", (int(self.shape[0]), int(self.shape[1])))
        if self.beam == "parallel":
            object.__setattr__(self, "source_mm", unit(self.source_mm))

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.source_mm)

    @cached_property
    def corner_mm(self) -> Array:
        """(n_views, 3) outer corner of the pixel (0, 0) [mm]."""
        n_rows, n_columns = self.shape
        return np.asarray(self.detector_mm - n_columns / 2 * self.u_mm - n_rows / 2 * self.v_mm)

    @cached_property
    def normal(self) -> Array:
        """(n_views, 3) unit vector along u × v."""
        return unit(np.cross(self.u_mm, self.v_mm))

    @property
    def pixel_size_mm(self) -> tuple[float, float]:
        """Mean width and height of a pixel [mm]."""
        width, height = (float(length(step).mean()) for step in (self.u_mm, self.v_mm))
        return width, height

    def pixel_mm(self, view: int, first_rows: int | None = None) -> Array:
        """(n_rows, n_columns, 3) centres of the pixels of a view, or of its first rows [mm]."""
        rows, columns = np.arange(self.shape[0])[:first_rows] + 0.5, np.arange(self.shape[1]) + 0.5
        across = self.corner_mm[view] + columns[:, None] * self.u_mm[view]
        return np.asarray(across + (rows[:, None] * self.v_mm[view])[:, None])

    def matrices(self) -> Array:
        """(n_views, 3, 4) rows numU, numV, den for points (x, y, z, 1) in mm."""
        u, v, n = self.u_mm, self.v_mm, np.cross(self.u_mm, self.v_mm)
        if self.beam == "cone":
            origin, ray = self.source_mm, self.corner_mm - self.source_mm
        else:
            origin, ray = self.corner_mm, self.source_mm
        rows = np.stack([np.cross(v, ray), np.cross(ray, u), n], axis=1)
        rows /= np.einsum("vi,vi->v", ray, n)[:, None, None]
        constant = -np.einsum("vki,vi->vk", rows, origin)
        if self.beam == "parallel":
            rows[:, 2], constant[:, 2] = 0, 1
        return np.concatenate([rows, constant[:, :, None]], axis=2)

    def in_voxels(self, grid: ImageGrid) -> Array:
        """(n_views, 3, 4) `matrices` for points in voxels from the lower corner of a grid.

        The middle of voxel i is i + 1/2, along x, y and z.
        """
        to_mm = np.eye(4)
        to_mm[:3, :3] = np.diag(grid.voxel_mm)
        to_mm[:3, 3] = grid.lower_mm
        return np.asarray(self.matrices() @ to_mm)

    def project(self, points_mm: ArrayLike) -> Array:
        """(n_views, ..., 2) column and row at which points (..., 3) [mm] are seen, from 0.

        Centres of pixels have whole numbers.
        """
        points = np.asarray(points_mm, float)
        m = self.matrices()
        flat = m[:, :, :3].reshape(-1, 3) @ points.reshape(-1, 3).T  # one product for all views
        flat = flat.reshape(self.n_views, 3, -1) + m[:, :, 3:]
        seen = (flat[:, :2] / flat[:, 2:] - 0.5).reshape(self.n_views, 2, *points.shape[:-1])
        return np.moveaxis(seen, 1, -1)

    # what the z axis has to do with it

    @cached_property
    def angles_rad(self) -> Array:
        """(n_views,) where the source is, seen along z: from +x towards +y, in [0, 2π) [rad]."""
        towards = self.source_mm if self.beam == "cone" else -self.source_mm
        angles = np.mod(np.arctan2(towards[:, 1], towards[:, 0]), 2 * np.pi)
        return np.where(angles > 2 * np.pi - 1e-12, 0, angles)

    @cached_property
    def source_axis_mm(self) -> Array:
        """(n_views,) distance from source to z axis, along the detector's normal [mm]; or ∞."""
        if self.beam == "parallel":
            return np.full(self.n_views, np.inf)
        return np.abs(np.sum(self.source_mm[:, :2] * self.normal[:, :2], axis=1))

    @cached_property
    def source_detector_mm(self) -> Array:
        """(n_views,) distance from source to detector, along the detector's normal [mm]; or ∞."""
        if self.beam == "parallel":
            return np.full(self.n_views, np.inf)
        return np.abs(np.sum((self.detector_mm - self.source_mm) * self.normal, axis=1))

    @cached_property
    def magnification(self) -> Array:
        """(n_views,) how much larger than itself the detector shows what is at the z axis."""
        if self.beam == "parallel":
            return np.ones(self.n_views)
        return np.asarray(self.source_detector_mm / self.source_axis_mm)

    @cached_property
    def axis_seen(self) -> Array:
        """(n_views, 2) column and row, from 0, of the z axis, level with the source (or z = 0)."""
        on_axis = np.zeros_like(self.source_mm)
        if self.beam == "cone":
            on_axis[:, 2] = self.source_mm[:, 2]
        m = self.matrices()
        seen = np.einsum("vki,vi->vk", m[:, :, :3], on_axis) + m[:, :, 3]
        return np.asarray(seen[:, :2] / seen[:, 2:] - 0.5)

    @property
    def axis_column(self) -> Array:
        """(n_views,) column, from 0, at which the z axis is seen."""
        return self.axis_seen[:, 0]

    @property
    def is_upright(self) -> bool:
        """Whether the columns of every view run along z."""
        across = np.abs(self.v_mm[:, :2]).max(axis=1)
        return bool((across <= FLAT * np.abs(self.v_mm[:, 2])).all())

    @cached_property
    def is_circular(self) -> bool:
        """Whether source and detector turn about z as one, on one level."""
        still = self.moved(about_z(-self.angles_rad))
        scale = {name: length(getattr(still, name)).max() for name in _VECTORS}
        scale["source_mm"] = scale["detector_mm"] = max(scale["source_mm"], scale["detector_mm"])
        spread = {name: float(np.ptp(getattr(still, name), axis=0).max()) for name in _VECTORS}
        return all(spread[name] <= _SAME * scale[name] for name in _VECTORS)

    # other geometries from this one

    def select(self, views: Any) -> Self:
        """Return some of the views: a slice, mask or indices."""
        return replace(self, **{name: getattr(self, name)[views] for name in _VECTORS})

    def moved(self, rotation: ArrayLike = _UNTURNED, shift_mm: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """Return the scanner after x → rotation x + shift; one for all views, or one for each."""
        turned = {
            name: np.einsum("...ij,...j->...i", np.asarray(rotation, float), getattr(self, name))
            for name in _VECTORS
        }
        for name in ("source_mm", "detector_mm") if self.beam == "cone" else ("detector_mm",):
            turned[name] = turned[name] + np.asarray(shift_mm, float)
        return replace(self, **turned)

    def rotated(self, angle_rad: ArrayLike) -> Self:
        """Return the scanner turned about z, from +x towards +y."""
        return self.moved(about_z(angle_rad))

    def shifted(self, *, columns: ArrayLike = 0.0, rows: ArrayLike = 0.0) -> Self:
        """Return the detector moved along itself by so many pixels; the source stays."""
        step = each(columns) * self.u_mm + each(rows) * self.v_mm
        return replace(self, detector_mm=self.detector_mm + step)

    def rolled(self, angle_rad: ArrayLike) -> Self:
        """Return the detector turned in its plane about its centre, from u towards v."""
        return self._detector_turned(self.normal, angle_rad)

    def tilted(self, *, about_u_rad: ArrayLike = 0.0, about_v_rad: ArrayLike = 0.0) -> Self:
        """Return the detector turned out of its plane about its centre: first about u, then v."""
        once = self._detector_turned(unit(self.u_mm), about_u_rad)
        return once._detector_turned(unit(once.v_mm), about_v_rad)

    def flipped(self, *, columns: bool = False, rows: bool = False) -> Self:
        """Return the detector with its columns or rows counted from the other side."""
        u, v = -self.u_mm if columns else self.u_mm, -self.v_mm if rows else self.v_mm
        return replace(self, u_mm=u, v_mm=v)

    def cropped(self, rows: slice, columns: slice) -> Self:
        """Return the detector with some neighbouring rows and columns only."""
        n_rows, n_columns = self.shape
        first, last = range_of(rows, n_rows, "rows")
        left, right = range_of(columns, n_columns, "columns")
        step = (left + right - n_columns) / 2 * self.u_mm + (first + last - n_rows) / 2 * self.v_mm
        kept = (last - first, right - left)
        return replace(self, detector_mm=self.detector_mm + step, shape=kept)

    def binned(self, k: int | tuple[int, int]) -> Self:
        """Return the detector with k pixels, or (rows, columns), in one; a rest is left off."""
        by_rows, by_columns = (k, k) if isinstance(k, int) else k
        n_rows, n_columns = self.shape
        if not (1 <= by_rows <= n_rows and 1 <= by_columns <= n_columns):
            raise GeometryError(
                f"cannot bin {by_rows} rows and {by_columns} columns of a detector of {n_rows} × "
                f"{n_columns} (rows × columns) into one pixel; choose at most so many, at least 1."
            )
        rows, columns = n_rows // by_rows, n_columns // by_columns
        whole = self.cropped(slice(0, rows * by_rows), slice(0, columns * by_columns))
        u, v = by_columns * self.u_mm, by_rows * self.v_mm
        return replace(whole, u_mm=u, v_mm=v, shape=(rows, columns))

    def _detector_turned(self, axis: Array, angle_rad: ArrayLike) -> Self:
        u, v = (turned_about(step, axis, each(angle_rad)) for step in (self.u_mm, self.v_mm))
        return replace(self, u_mm=u, v_mm=v)


def _check(geometry: XrayGeometry) -> None:
    if geometry.beam not in ("cone", "parallel"):
        raise GeometryError(f'beam is "{geometry.beam}"; choose "cone" or "parallel".')
    counts = {name: len(getattr(geometry, name)) for name in _VECTORS}
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{name} {n}" for name, n in counts.items())
        raise GeometryError(f"numbers of views differ: {found}; give every vector for every view.")
    if len(geometry.shape) != 2 or any(n != int(n) or n < 1 for n in geometry.shape):
        raise GeometryError(
            f"detector of shape {tuple(geometry.shape)}, want (n_rows, n_columns), at least 1 each."
        )
    across = np.cross(geometry.u_mm, geometry.v_mm)
    check_detectors(geometry.u_mm, geometry.v_mm, across)
    if geometry.beam == "cone":
        rays = geometry.detector_mm - geometry.source_mm
        fault = "the source lies in the plane of the detector; correct their positions."
    else:
        rays = geometry.source_mm
        fault = "the rays run along the detector or nowhere; correct their direction."
    check_rays(rays, across, fault)
