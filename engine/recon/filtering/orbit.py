"""Orbit of a scan: its axis, and angle and position of each view."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering.redundancy import coverage

ALIKE = 1e-6
"""Difference between views, in parts of the source's distance, that counts as none."""
BETTER = 0.5
"""A fitted axis must leave at most this part of the misfit of the z axis."""
FITTED_ARC_RAD, FITTED_VIEWS = np.radians(60.0), 6
"""Arc and number of views a fit can be trusted from."""
UPRIGHT = 1e-9
NOTED_CLIMB = 0.01
"""Movement of the source along the axis, in radii, from which a circle counts as climbing."""
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
    angles_rad : (n_views,) counter-clockwise angle of the source; where from parallel rays come
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
        """(n_views, 3) unit direction in which the source moves, counter-clockwise."""
        first, second = _across(self.axis)
        beta = self.angles_rad[:, None]
        return np.asarray(np.cos(beta) * second - np.sin(beta) * first)

    @cached_property
    def is_upright(self) -> bool:
        """True if detector rows lie across the axis, one above the other."""
        v = self.geometry.v_mm
        return bool((_length(np.cross(v, self.axis)) <= UPRIGHT * _length(v)).all())

    @property
    def climbs(self) -> bool:
        """True if the source moves along the axis, so that not all views see a voxel."""
        return bool(self.climb_mm > NOTED_CLIMB * self.radius_mm.max())

    @cached_property
    def all_alike(self) -> bool:
        """True if every view is the first one, turned about the axis."""
        geometry = self.geometry
        radial = np.cross(self.tangent, self.axis)
        frame = np.stack([radial, self.tangent, np.broadcast_to(self.axis, radial.shape)], axis=1)
        seen = [geometry.corner_mm - self.point_mm, geometry.u_mm, geometry.v_mm]
        if geometry.beam == "cone":
            seen.append(geometry.source_mm - self.point_mm)
        # each view in its own frame, radial, tangential, along the axis: alike ones have the same
        # numbers
        local = np.einsum("nij,knj->nki", frame, np.stack(seen))
        return bool(np.ptp(local, axis=0).max() <= ALIKE * np.abs(local).max())

    def fan(self, view: int) -> Array:
        """(n_rows or 1, n_columns) where the ray to each pixel passes the axis.

        Cone: the fan angle from the ray through the axis, counter-clockwise [rad]. Parallel: the
        distance from the axis, positive on the same side [mm]. One row where all are the same.
        """
        geometry = self.geometry
        pixels = geometry.pixel_mm(view, 1 if self.is_upright else None)
        if geometry.beam == "parallel":
            return np.asarray((self.point_mm - pixels) @ self.tangent[view])
        ray = pixels - geometry.source_mm[view]
        radial = np.cross(self.tangent[view], self.axis)
        return np.asarray(np.arctan2(-(ray @ self.tangent[view]), -(ray @ radial)))


def orbit_of(geometry: XrayGeometry) -> Orbit:
    """Return the axis the views turn about: z, or another one found from them if it fits better."""
    orbit = _nearest(geometry)
    if not (orbit.radius_mm > ALIKE * orbit.radius_mm.max()).all():
        what = "the source lies on" if geometry.beam == "cone" else "the rays run along"
        raise GeometryError(
            f"view {int(np.argmin(orbit.radius_mm))}: {what} the axis of rotation, but "
            "filtered back projection needs views from around the axis; use an "
            "iterative algorithm."
        )
    return orbit


def _nearest(geometry: XrayGeometry) -> Orbit:
    orbit = _about(geometry, _Z, np.zeros(3))
    if orbit.misfit_mm + orbit.climb_mm <= ALIKE * orbit.radius_mm.max():
        return orbit
    if geometry.n_views < FITTED_VIEWS or coverage(orbit.angles_rad).range_rad < FITTED_ARC_RAD:
        return orbit  # too short an arc to tell its centre
    find = _circle if geometry.beam == "cone" else _middle
    found = _about(geometry, *find(geometry))
    # z is kept unless another axis is clearly better: a fit always wins by a little, and would tilt
    # the picture by the noise of the stated geometry
    is_better = found.misfit_mm + found.climb_mm < BETTER * (orbit.misfit_mm + orbit.climb_mm)
    return found if is_better else orbit


def _about(geometry: XrayGeometry, axis: Array, point_mm: Array) -> Orbit:
    """Return the orbit about a given axis."""
    first, second = _across(axis)
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
    """Axis and centre of the circle nearest to the sources."""
    sources = geometry.source_mm
    middle = sources.mean(axis=0)
    # the direction in which sources differ least; its sign is free, so that up is chosen
    axis = _upwards(np.linalg.svd(sources - middle)[2][2])
    first, second = _across(axis)
    x, y = (sources - middle) @ first, (sources - middle) @ second
    # |s − c|² = r² is linear in c and in r² − |c|²: least squares without an iteration (Kåsa)
    rows = np.stack([2 * x, 2 * y, np.ones_like(x)], axis=1)
    centre = np.linalg.lstsq(rows, x**2 + y**2)[0]
    return axis, middle + centre[0] * first + centre[1] * second


def _middle(geometry: XrayGeometry) -> tuple[Array, Array]:
    """Axis across all parallel rays, through the point that keeps its place on the detector."""
    axis = _upwards(np.linalg.svd(geometry.source_mm)[2][2])
    tangent = np.cross(axis, -geometry.source_mm)
    tangent /= _length(tangent)[:, None]
    first, second = _across(axis)
    rows = np.stack([tangent @ first, tangent @ second, np.ones(len(tangent))], axis=1)
    found = np.linalg.lstsq(rows, np.sum(geometry.detector_mm * tangent, axis=1))[0]
    return axis, found[0] * first + found[1] * second


def _across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors across the axis; for z, they are x and y."""
    second = np.cross(axis, np.eye(3)[0 if abs(axis[0]) < _SKEW else 2])
    second /= np.linalg.norm(second)
    return np.cross(second, axis), second


def _upwards(axis: Array) -> Array:
    """Return the direction, or its opposite, that points up z, or up its largest part."""
    lead = axis[2] if abs(axis[2]) > ALIKE else axis[np.argmax(np.abs(axis))]
    return np.asarray(axis * np.sign(lead))


def _length(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
