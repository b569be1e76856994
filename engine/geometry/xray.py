"""Source and detector of each view of an X-ray scan, as vectors.

    centre of pixel (row r, column c) = corner + (c + 1/2) u + (r + 1/2) v
    corner = detector centre − n_columns / 2 u − n_rows / 2 v

Points are (x, y, z) in mm, LPS. Scanners rotate about z. `matrices` maps points to pixels. With the
ray from the source s to the corner p = corner − s, n = u × v and κ = 1 / (p · n),

    cone      numU = κ (v × p) · (x − s)       numV = κ (p × u) · (x − s)       den = κ n · (x − s)
    parallel  numU = κ (v × r) · (x − corner)  numV = κ (r × u) · (x − corner)  den = 1

where r are the rays and κ = 1 / (r · n) in parallel beams. At the centre of a pixel numU / den =
column + 1/2 and numV / den = row + 1/2. den is the depth of x relative to that of the detector,
both along n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.errors import GeometryError
from engine.core.interactive import Described
from engine.geometry.grid import ImageGrid, Point
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

if TYPE_CHECKING:
    from engine.geometry.rigid_motion import RigidMotion

Array = NDArray[np.float64]
Beam = Literal["cone", "parallel"]

_VECTORS = ("source_mm", "detector_mm", "u_mm", "v_mm")
_ORIGIN = (0.0, 0.0, 0.0)
_UNTURNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_SAME = 1e-6
"""Maximum deviation from a circle by rounding, relative to the distances of the scan."""


@dataclass(frozen=True, eq=False, repr=False)
class XrayGeometry(Described):
    """Source and flat detector of each view.

    Attributes
    ----------
    beam : "cone" or "parallel"
    source_mm : (n_views, 3) source; in parallel beams the unit direction of the rays
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
            # The dataclass is frozen; this is the documented way to convert fields on construction.
            object.__setattr__(self, name, vectors)
        _check(self)
        object.__setattr__(self, "shape", (int(self.shape[0]), int(self.shape[1])))
        if self.beam == "parallel":
            object.__setattr__(self, "source_mm", unit(self.source_mm))

    def __getstate__(self) -> dict[str, object]:
        # Derived values are computed again, so that pickles contain the definition only.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def facts(self) -> Mapping[str, str]:
        rows, columns = self.shape
        return {
            "beam": f"{self.beam} beam",
            "angles": f"{self.n_views} positions",
            "detector": f"{rows} × {columns} pixels",
        }

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.source_mm)

    @cached_property
    def corner_mm(self) -> Array:
        """Outer corner of the pixel (0, 0), (n_views, 3) [mm]."""
        n_rows, n_columns = self.shape
        return np.asarray(self.detector_mm - n_columns / 2 * self.u_mm - n_rows / 2 * self.v_mm)

    @cached_property
    def normal(self) -> Array:
        """Unit vector along u × v, (n_views, 3)."""
        return unit(np.cross(self.u_mm, self.v_mm))

    @property
    def pixel_size_mm(self) -> tuple[float, float]:
        """Mean width and height of a pixel [mm]."""
        width, height = (float(length(step).mean()) for step in (self.u_mm, self.v_mm))
        return width, height

    def pixel_mm(self, view: int, first_rows: int | None = None) -> Array:
        """Return the pixel centres of a view.

        Parameters
        ----------
        view
            number of the view
        first_rows
            number of rows; None: all

        Returns
        -------
        (n_rows, n_columns, 3) in mm
        """
        rows, columns = np.arange(self.shape[0])[:first_rows] + 0.5, np.arange(self.shape[1]) + 0.5
        across = self.corner_mm[view] + columns[:, None] * self.u_mm[view]
        return np.asarray(across + (rows[:, None] * self.v_mm[view])[:, None])

    def matrices(self) -> Array:
        """Return the projection matrices of all views.

        Returns
        -------
        (n_views, 3, 4), rows numU, numV, den for points (x, y, z, 1) in mm
        """
        return self._matrices.copy()

    @cached_property
    def _matrices(self) -> Array:
        u, v, n = self.u_mm, self.v_mm, np.cross(self.u_mm, self.v_mm)
        if self.beam == "cone":
            origin, ray = self.source_mm, self.corner_mm - self.source_mm
        else:
            origin, ray = self.corner_mm, self.source_mm
        rows = np.stack([np.cross(v, ray), np.cross(ray, u), n], axis=1)
        # Dividing by p · n scales numU, numV and den to pixels, and den to 1 on the detector.
        rows /= np.einsum("vi,vi->v", ray, n)[:, None, None]
        constant = -np.einsum("vki,vi->vk", rows, origin)
        if self.beam == "parallel":
            rows[:, 2], constant[:, 2] = 0, 1
        return np.concatenate([rows, constant[:, :, None]], axis=2)

    def in_voxels(self, grid: ImageGrid) -> Array:
        """Return the projection matrices for points in voxels.

        Parameters
        ----------
        grid
            the points are counted from its lower corner; the centre of voxel i is i + 1/2

        Returns
        -------
        (n_views, 3, 4)
        """
        to_mm = np.eye(4)
        to_mm[:3, :3] = np.diag(grid.voxel_mm)
        to_mm[:3, 3] = grid.lower_mm
        return np.asarray(self._matrices @ to_mm)

    def project(self, points_mm: ArrayLike) -> Array:
        """Return the detector coordinates of points in all views.

        Parameters
        ----------
        points_mm
            (..., 3) x, y, z

        Returns
        -------
        (n_views, ..., 2) column and row, from 0, whole numbers at pixel centres
        """
        points = np.asarray(points_mm, float)
        m = self._matrices
        flat = m[:, :, :3].reshape(-1, 3) @ points.reshape(-1, 3).T  # one product for all views
        # The constant column is added afterwards: homogeneous points would copy all coordinates.
        flat = flat.reshape(self.n_views, 3, -1) + m[:, :, 3:]
        seen = (flat[:, :2] / flat[:, 2:] - 0.5).reshape(self.n_views, 2, *points.shape[:-1])
        return np.moveaxis(seen, 1, -1)

    # properties that refer to the z axis

    @cached_property
    def angles_rad(self) -> Array:
        """Angle β of the source in each view, (n_views,), in [0, 2π) [rad]."""
        # In parallel beams the stored vector points away from the virtual source.
        towards = self.source_mm if self.beam == "cone" else -self.source_mm
        angles = np.mod(np.arctan2(towards[:, 1], towards[:, 0]), 2 * np.pi)
        # Rounding can turn −0 into almost 2π, which would sort the first view last.
        return np.where(angles > 2 * np.pi - 1e-12, 0, angles)

    @cached_property
    def source_axis_mm(self) -> Array:
        """Distance from source to z axis along the detector's normal, (n_views,) [mm], or ∞."""
        if self.beam == "parallel":
            return np.full(self.n_views, np.inf)
        return np.abs(np.sum(self.source_mm[:, :2] * self.normal[:, :2], axis=1))

    @cached_property
    def source_detector_mm(self) -> Array:
        """Distance from source to detector along its normal, (n_views,) [mm]; ∞ if parallel."""
        if self.beam == "parallel":
            return np.full(self.n_views, np.inf)
        return np.abs(np.sum((self.detector_mm - self.source_mm) * self.normal, axis=1))

    @cached_property
    def magnification(self) -> Array:
        """Magnification of objects at the z axis, (n_views,)."""
        if self.beam == "parallel":
            return np.ones(self.n_views)
        return np.asarray(self.source_detector_mm / self.source_axis_mm)

    @cached_property
    def axis_seen(self) -> Array:
        """Column and row of the z axis, from 0, at the height of the source (or z = 0).

        Shape (n_views, 2).
        """
        on_axis = np.zeros_like(self.source_mm)
        if self.beam == "cone":
            on_axis[:, 2] = self.source_mm[:, 2]
        m = self.matrices()
        seen = np.einsum("vki,vi->vk", m[:, :, :3], on_axis) + m[:, :, 3]
        return np.asarray(seen[:, :2] / seen[:, 2:] - 0.5)

    @property
    def axis_column(self) -> Array:
        """Column of the z axis, from 0, (n_views,)."""
        return self.axis_seen[:, 0]

    @property
    def is_upright(self) -> bool:
        """True if the columns of all views are parallel to z."""
        across = np.abs(self.v_mm[:, :2]).max(axis=1)
        return bool((across <= FLAT * np.abs(self.v_mm[:, 2])).all())

    @cached_property
    def is_circular(self) -> bool:
        """True if source and detector rotate rigidly about z in one plane."""
        # Rotated back to β = 0, all views of a circular scan coincide.
        still = self.moved(about_z(-self.angles_rad))
        scale = {name: length(getattr(still, name)).max() for name in _VECTORS}
        # A source near the axis would otherwise have a scale near 0.
        scale["source_mm"] = scale["detector_mm"] = max(scale["source_mm"], scale["detector_mm"])
        spread = {name: float(np.ptp(getattr(still, name), axis=0).max()) for name in _VECTORS}
        return all(spread[name] <= _SAME * scale[name] for name in _VECTORS)

    # derived geometries

    def select(self, views: Any) -> Self:
        """Return some of the views.

        Parameters
        ----------
        views
            slice, mask or indices
        """
        return replace(self, **{name: getattr(self, name)[views] for name in _VECTORS})

    def joined(self, *others: XrayGeometry) -> Self:
        """Return the views of several scans as one, for example of several sources and detectors.

        Parameters
        ----------
        others
            scans with the same beam and detector shape; their views follow in this order

        Raises
        ------
        GeometryError
            if a beam or shape differs; `stack` combines operators of such scans

        Examples
        --------
        >>> import engine
        >>> first, second = (
        ...     engine.circular_cone(
        ...         [angle], source_axis_mm=500, source_detector_mm=800, shape=(8, 24), pixel_mm=4
        ...     )
        ...     for angle in (0.0, 2.0)
        ... )
        >>> first.joined(second).n_views
        2
        """
        for other in others:
            if (other.beam, other.shape) != (self.beam, self.shape):
                raise GeometryError(
                    f'the beam "{other.beam}" with {other.shape} pixels (rows, columns) cannot '
                    f'join the beam "{self.beam}" with {self.shape} pixels; stack their operators '
                    "instead."
                )
        parts = (self, *others)
        vectors: dict[str, Any] = {
            name: np.concatenate([getattr(each, name) for each in parts]) for name in _VECTORS
        }
        return replace(self, **vectors)

    def following(self, motions: Sequence[RigidMotion], middle_mm: Point = _ORIGIN) -> Self:
        """Return the scanner in the axes of an object that moves rigidly from view to view.

        Parameters
        ----------
        motions
            motion of the object in each view, from its position in the volume
        middle_mm
            centre of the rotations, usually that of the grid

        Raises
        ------
        GeometryError
            if there is not one motion for each view
        """
        if len(motions) != self.n_views:
            raise GeometryError(
                f"{len(motions)} motions for {self.n_views} views; give one motion for each view."
            )
        # The scanner moves in the opposite way: p = Rᵀ (q − c − t) + c.
        back = np.stack([motion.matrix.T for motion in motions])
        middle = np.array(middle_mm)
        shifts = middle + np.stack([motion.shift_mm for motion in motions])
        return self.moved(back, middle - np.einsum("vij,vj->vi", back, shifts))

    def moved(self, rotation: ArrayLike = _UNTURNED, shift_mm: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """Return the scanner after x → rotation x + shift.

        Parameters
        ----------
        rotation
            (3, 3) for all views, or (n_views, 3, 3)
        shift_mm
            (3,) for all views, or (n_views, 3)
        """
        turned = {
            name: np.einsum("...ij,...j->...i", np.asarray(rotation, float), getattr(self, name))
            for name in _VECTORS
        }
        # In parallel beams source_mm is a direction, which a shift does not change.
        for name in ("source_mm", "detector_mm") if self.beam == "cone" else ("detector_mm",):
            turned[name] = turned[name] + np.asarray(shift_mm, float)
        return replace(self, **turned)

    def rotated(self, angle_rad: ArrayLike) -> Self:
        """Return the scanner rotated about z, from +x towards +y.

        Parameters
        ----------
        angle_rad
            one angle for all views, or one for each
        """
        return self.moved(about_z(angle_rad))

    def shifted(self, *, columns: ArrayLike = 0.0, rows: ArrayLike = 0.0) -> Self:
        """Return the geometry with the detector moved in its plane; the source stays.

        Parameters
        ----------
        columns
            shift in pixels along u, one for all views or one for each
        rows
            shift in pixels along v, likewise
        """
        step = each(columns) * self.u_mm + each(rows) * self.v_mm
        return replace(self, detector_mm=self.detector_mm + step)

    def rolled(self, angle_rad: ArrayLike) -> Self:
        """Return the geometry with the detector rotated in its plane about its centre.

        Parameters
        ----------
        angle_rad
            from u towards v, one for all views or one for each
        """
        return self._detector_turned(self.normal, angle_rad)

    def tilted(self, *, about_u_rad: ArrayLike = 0.0, about_v_rad: ArrayLike = 0.0) -> Self:
        """Return the geometry with the detector tilted about its centre: first about u, then v.

        Parameters
        ----------
        about_u_rad
            one angle for all views, or one for each
        about_v_rad
            likewise
        """
        # The second tilt uses the axis v after the first one.
        once = self._detector_turned(unit(self.u_mm), about_u_rad)
        return once._detector_turned(unit(once.v_mm), about_v_rad)

    def flipped(self, *, columns: bool = False, rows: bool = False) -> Self:
        """Return the geometry with the detector's columns or rows counted from the other side."""
        u, v = -self.u_mm if columns else self.u_mm, -self.v_mm if rows else self.v_mm
        return replace(self, u_mm=u, v_mm=v)

    def cropped(self, rows: slice, columns: slice) -> Self:
        """Return the geometry with some of the detector's rows and columns.

        Parameters
        ----------
        rows
            range of neighbouring rows
        columns
            range of neighbouring columns

        Raises
        ------
        GeometryError
            if a range is empty or has gaps
        """
        n_rows, n_columns = self.shape
        first, last = range_of(rows, n_rows, "rows")
        left, right = range_of(columns, n_columns, "columns")
        # Cropping moves the centre of the detector; the remaining pixels stay in place.
        step = (left + right - n_columns) / 2 * self.u_mm + (first + last - n_rows) / 2 * self.v_mm
        size = (last - first, right - left)
        return replace(self, detector_mm=self.detector_mm + step, shape=size)

    def binned(self, k: int | tuple[int, int]) -> Self:
        """Return the geometry with combined pixels.

        Parameters
        ----------
        k
            pixels per side, or (rows, columns); remaining pixels at the end are omitted

        Raises
        ------
        GeometryError
            if the detector has fewer pixels
        """
        by_rows, by_columns = (index(n) for n in np.broadcast_to(k, 2).tolist())
        n_rows, n_columns = self.shape
        if not (1 <= by_rows <= n_rows and 1 <= by_columns <= n_columns):
            raise GeometryError(
                f"binning by {by_rows} × {by_columns} does not fit a detector of {n_rows} × "
                f"{n_columns} pixels (rows × columns); choose numbers from 1 to the detector "
                "size."
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
        raise GeometryError(
            f"the vectors have different numbers of views ({found}); give all vectors for all "
            "views."
        )
    if len(geometry.shape) != 2 or any(n != int(n) or n < 1 for n in geometry.shape):
        raise GeometryError(
            f"detector shape is {tuple(geometry.shape)}, expected (n_rows, n_columns) with "
            "whole numbers above 0."
        )
    across = np.cross(geometry.u_mm, geometry.v_mm)
    check_detectors(geometry.u_mm, geometry.v_mm, across)
    if geometry.beam == "cone":
        rays = geometry.detector_mm - geometry.source_mm
        fault = "the source lies in the plane of the detector; correct their positions."
    else:
        rays = geometry.source_mm
        fault = (
            "the rays are parallel to the detector or have no direction; correct their direction."
        )
    check_rays(rays, across, fault)
