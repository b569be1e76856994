"""Orbit of a scan: its rotation axis, and angle and position of each view."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering.redundancy import coverage

ALIKE = 1e-6
"""Maximum difference between equal views, relative to the source's distance."""
BETTER = 0.5
"""A fitted axis must have at most this share of the misfit of the z axis."""
FITTED_ARC_RAD, FITTED_VIEWS = np.radians(60.0), 6
"""Minimum arc and number of views for a fit."""
UPRIGHT = 1e-9
NOTED_CLIMB = 0.01
"""Axial movement of the source, in radii, above which an orbit is a helix."""
_Z = np.array([0.0, 0.0, 1.0])
_SKEW = 0.9


@dataclass(frozen=True)
class Orbit:
    """Rotation axis of the views, and the position of each view on its circle.

    Attributes
    ----------
    geometry : the views
    axis : (3,) unit direction
    point_mm : (3,) a point on the axis
    angles_rad : (n_views,) counter-clockwise angle of the source, or origin of parallel rays
    radius_mm : (n_views,) distance of the source from the axis; about 1 for parallel rays
    misfit_mm, climb_mm : deviation of the sources from their circle, across and along the axis
    """

    geometry: XrayGeometry
    axis: Array
    point_mm: Array
    angles_rad: Array
    radius_mm: Array
    misfit_mm: float
    climb_mm: float

    @cached_property
    def tangent(self) -> Array:
        """Unit direction of the source's movement, counter-clockwise, (n_views, 3)."""
        first, second = _perpendiculars(self.axis)
        beta = self.angles_rad[:, None]
        return np.asarray(np.cos(beta) * second - np.sin(beta) * first)

    @cached_property
    def is_upright(self) -> bool:
        """True if detector rows are perpendicular to the axis, one above the other."""
        v = self.geometry.v_mm
        return bool((_length(np.cross(v, self.axis)) <= UPRIGHT * _length(v)).all())

    @property
    def climbs(self) -> bool:
        """True if the source moves along the axis, so that not all views see each voxel."""
        return bool(self.climb_mm > NOTED_CLIMB * self.radius_mm.max())

    @cached_property
    def all_alike(self) -> bool:
        """True if every view is the first one rotated about the axis."""
        geometry = self.geometry
        radial = np.cross(self.tangent, self.axis)
        frame = np.stack([radial, self.tangent, np.broadcast_to(self.axis, radial.shape)], axis=1)
        seen = [geometry.corner_mm - self.point_mm, geometry.u_mm, geometry.v_mm]
        if geometry.beam == "cone":
            seen.append(geometry.source_mm - self.point_mm)
        # each view in its own frame (radial, tangential, axial): equal views have the same
        # numbers
        local = np.einsum("nij,knj->nki", frame, np.stack(seen))
        return bool(np.ptp(local, axis=0).max() <= ALIKE * np.abs(local).max())

    def fan(self, view: int) -> Array:
        """Return where the rays of a view pass the axis.

        Parameters
        ----------
        view
            number of the view

        Returns
        -------
        (n_rows or 1, n_columns). Cone: fan angle from the ray through the axis, counter-clockwise
        [rad]. Parallel: distance from the axis, positive on the same side [mm]. One row if all rows
        are equal
        """
        geometry = self.geometry
        pixels = geometry.pixel_mm(view, 1 if self.is_upright else None)
        if geometry.beam == "parallel":
            return np.asarray((self.point_mm - pixels) @ self.tangent[view])
        ray = pixels - geometry.source_mm[view]
        radial = np.cross(self.tangent[view], self.axis)
        return np.asarray(np.arctan2(-(ray @ self.tangent[view]), -(ray @ radial)))


def orbit_of(geometry: XrayGeometry) -> Orbit:
    """Return the orbit of a scan: about z, or about a fitted axis if that is clearly better.

    Parameters
    ----------
    geometry
        source and detector of each view

    Raises
    ------
    GeometryError
        if a source is on the axis, or rays run along it
    """
    orbit = _nearest(geometry)
    if not (orbit.radius_mm > ALIKE * orbit.radius_mm.max()).all():
        where = f"view {int(np.argmin(orbit.radius_mm))}"
        raise GeometryError(
            f"{where}: the source is on the axis of rotation, which filtered back projection does "
            "not support; use an iterative algorithm."
            if geometry.beam == "cone"
            else f"{where}: the rays are parallel to the axis of rotation, which filtered back "
            "projection does not support; use an iterative algorithm."
        )
    return orbit


def _nearest(geometry: XrayGeometry) -> Orbit:
    orbit = _orbit_about(geometry, _Z, np.zeros(3))
    if orbit.misfit_mm + orbit.climb_mm <= ALIKE * orbit.radius_mm.max():
        return orbit
    if geometry.n_views < FITTED_VIEWS or coverage(orbit.angles_rad).range_rad < FITTED_ARC_RAD:
        return orbit  # the arc is too short to determine its centre
    find = _circle if geometry.beam == "cone" else _middle
    found = _orbit_about(geometry, *find(geometry))
    # z unless another axis is clearly better: a fit is always slightly better, and would tilt
    # the image by the noise of the stated geometry
    is_better = found.misfit_mm + found.climb_mm < BETTER * (orbit.misfit_mm + orbit.climb_mm)
    return found if is_better else orbit


def _orbit_about(geometry: XrayGeometry, axis: Array, point_mm: Array) -> Orbit:
    """Return the orbit about a given axis."""
    first, second = _perpendiculars(axis)
    is_cone = geometry.beam == "cone"
    origin = geometry.source_mm - point_mm if is_cone else -geometry.source_mm
    x, y = origin @ first, origin @ second
    radius, angles = np.hypot(x, y), np.arctan2(y, x)
    if is_cone:
        misfit, climb = np.ptp(radius), np.ptp(origin @ axis)
    else:
        tangent = np.outer(np.cos(angles), second) - np.outer(np.sin(angles), first)
        seen = np.sum((geometry.detector_mm - point_mm) * tangent, axis=1)
        misfit, climb = np.ptp(seen), np.ptp(origin @ axis) * _length(geometry.detector_mm).max()
    return Orbit(geometry, axis, point_mm, angles, radius, float(misfit), float(climb))


def _circle(geometry: XrayGeometry) -> tuple[Array, Array]:
    """Return axis and centre of the circle nearest to the sources."""
    sources = geometry.source_mm
    middle = sources.mean(axis=0)
    # direction of the smallest variance of the sources; its sign is free, so up is chosen
    axis = _upwards(np.linalg.svd(sources - middle)[2][2])
    first, second = _perpendiculars(axis)
    x, y = (sources - middle) @ first, (sources - middle) @ second
    # |s − c|² = r² is linear in c and in r² − |c|²: least squares without an iteration (Kåsa)
    rows = np.stack([2 * x, 2 * y, np.ones_like(x)], axis=1)
    centre = np.linalg.lstsq(rows, x**2 + y**2)[0]
    return axis, middle + centre[0] * first + centre[1] * second


def _middle(geometry: XrayGeometry) -> tuple[Array, Array]:
    """Return the axis across all parallel rays, through the point that is fixed on the detector."""
    axis = _upwards(np.linalg.svd(geometry.source_mm)[2][2])
    tangent = np.cross(axis, -geometry.source_mm)
    tangent /= _length(tangent)[:, None]
    first, second = _perpendiculars(axis)
    rows = np.stack([tangent @ first, tangent @ second, np.ones(len(tangent))], axis=1)
    found = np.linalg.lstsq(rows, np.sum(geometry.detector_mm * tangent, axis=1))[0]
    return axis, found[0] * first + found[1] * second


def _perpendiculars(axis: Array) -> tuple[Array, Array]:
    """Return two unit vectors perpendicular to an axis; for z, they are x and y."""
    second = np.cross(axis, np.eye(3)[0 if abs(axis[0]) < _SKEW else 2])
    second /= np.linalg.norm(second)
    return np.cross(second, axis), second


def _upwards(axis: Array) -> Array:
    """Return the direction, or its opposite, that points up z, or along its largest component."""
    lead = axis[2] if abs(axis[2]) > ALIKE else axis[np.argmax(np.abs(axis))]
    return np.asarray(axis * np.sign(lead))


def _length(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
