"""Compute the poses of source, stage and detector of a CTSimU scenario in each view.

v = w × u;  the stage is rotated about its own w by ±(start + k · step);  then deviations in order,
about axes of the world (x, y, z) or of the part in its current pose (u, v, w);  then drifts of the
centre.  x_volume = (u, v, w)ᵀ of the stage · (x_world − centre of the stage)

So the stage axis is the z axis of the volume, and its centre the origin. After format version 1 of
the scenarios of the CTSimU project, "Geometry" and "Acquisition". If the text does not define an
order, that of the project's own toolbox is used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.geometry.vectors import turned_about
from engine.geometry.xray import Beam, XrayGeometry
from engine.io.xray.ctsimu.values import (
    ANGLE_RAD,
    LENGTH_MM,
    MAX_ITEMS,
    PIXELS,
    PURE,
    Quantities,
    known,
)

Array = NDArray[np.float64]
WORLD, LOCAL = "xyz", "uvw"
ORTHOGONAL = 1e-6
"""Largest cosine between the vectors of a part that counts as rounding."""
DIRECTIONS = {"CCW": 1.0, "CW": -1.0}


@dataclass(frozen=True)
class ScannerPart:
    """Source, stage or detector in each view, in world coordinates.

    Attributes
    ----------
    centre_mm : (n_views, 3)
    u, v, w : (n_views, 3) unit vectors
    """

    centre_mm: Array
    u: Array
    v: Array
    w: Array

    def turned(self, axis: Array, angle_rad: Array, pivot_mm: Array) -> ScannerPart:
        """Return the part after a rotation in each view.

        Parameters
        ----------
        axis
            (n_views, 3) unit vectors
        angle_rad
            (n_views,) [rad]
        pivot_mm
            (n_views, 3) points on the axes [mm]
        """
        angle = angle_rad[:, None]
        u, v, w = (turned_about(each, axis, angle) for each in (self.u, self.v, self.w))
        return ScannerPart(pivot_mm + turned_about(self.centre_mm - pivot_mm, axis, angle), u, v, w)

    def moved(self, shift_mm: Array) -> ScannerPart:
        """Return the part with its centre shifted, (n_views, 3) [mm]."""
        return replace(self, centre_mm=self.centre_mm + shift_mm)


def section(content: Plain, *names: str) -> Plain:
    """Return an object in a scenario, {} if it is missing or null.

    Parameters
    ----------
    content
        JSON object
    names
        keys of nested objects, from the outside
    """
    found: object = content
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def geometry_of(content: Plain, q: Quantities) -> XrayGeometry:
    """Return source and detector of each view in the axes of the stage.

    Parameters
    ----------
    content
        JSON of the scenario
    q
        converter with the number of views

    Returns
    -------
    geometry
        with binned pixels

    Raises
    ------
    FileFormatError
        if a quantity is missing, or has a wrong type or unit
    """
    geometry = section(content, "geometry")
    stage = placed(geometry, "stage", q, turn_rad=stage_angles(content, q))
    source, detector = (placed(geometry, name, q) for name in ("source", "detector"))
    # The rows are the axes of the stage, so the matrix rotates world vectors into the volume.
    to_volume = np.stack([stage.u, stage.v, stage.w], axis=1)

    def seen(vectors: Array) -> Array:
        return np.asarray(np.einsum("vij,vj->vi", to_volume, vectors))

    pitch = section(content, "detector", "pixel_pitch")
    steps = [
        q.of_views(pitch.get(name), LENGTH_MM, f"detector.pixel_pitch.{name}")[:, None] * vectors
        for name, vectors in (("u", detector.u), ("v", detector.v))
    ]
    beam = _beam(geometry, q)
    towards = detector.centre_mm - source.centre_mm
    # The scenario may state w of a parallel source in either direction; rays go towards the
    # detector.
    along = np.sign(np.sum(towards * source.w, axis=1, keepdims=True)) * source.w
    origin = source.centre_mm - stage.centre_mm if beam == "cone" else along
    centre = seen(detector.centre_mm - stage.centre_mm)
    u, v = (seen(step) for step in steps)
    return XrayGeometry(beam, seen(origin), centre, u, v, shape_of(content, q)).binned(
        _binning(content, q)
    )


def shape_of(content: Plain, q: Quantities) -> tuple[int, int]:
    """Return (rows, columns) of the detector before binning."""
    detector = section(content, "detector")
    return whole(detector.get("rows"), "detector.rows", q), whole(
        detector.get("columns"), "detector.columns", q
    )


def whole(stated: object, name: str, q: Quantities) -> int:
    """Return a count.

    Parameters
    ----------
    stated
        number, or object with value and unit
    name
        place in the file, for error messages
    q
        converter of the scenario

    Raises
    ------
    FileFormatError
        if it is not an integer of at least 1
    """
    number = q.number(stated, PIXELS, name)
    if number < 1 or not number.is_integer():
        q.refuse(f"{name!r} is {number:g}, expected an integer of at least 1")
    return int(number)


def stage_angles(content: Plain, q: Quantities) -> Array:
    """Return the rotation of the stage in each view, (n_views,) [rad]."""
    acquisition = section(content, "acquisition")
    first, last = (
        q.number(acquisition.get(f"{end}_angle"), ANGLE_RAD, f"acquisition.{end}_angle")
        for end in ("start", "stop")
    )
    if last < first:
        q.refuse("'start_angle' is greater than 'stop_angle'")
    direction = acquisition.get("direction") or "CCW"
    if direction not in DIRECTIONS:
        q.refuse(f"'direction' is {str(direction)[:20]!r}, expected CCW or CW")
    # The last view is at the stop angle, unless the scenario excludes it.
    with_last = acquisition.get("include_final_angle") is not False
    angles = np.linspace(first, last, q.n_views, endpoint=with_last)
    return np.asarray(DIRECTIONS[str(direction)] * angles)


def placed(geometry: Plain, name: str, q: Quantities, turn_rad: Array | None = None) -> ScannerPart:
    """Return a part of the scanner in each view.

    Parameters
    ----------
    geometry
        section `geometry` of the scenario
    name
        "source", "stage" or "detector"
    q
        converter with the number of views
    turn_rad
        (n_views,) rotation about the part's own w [rad]; None: no rotation
    """
    stated = section(geometry, name)
    centre = section(stated, "center")
    # Without drifts: these are added after the deviations, in world axes.
    start = [
        q.number(centre.get(axis), LENGTH_MM, f"geometry.{name}.center.{axis}") for axis in WORLD
    ]
    u, w = (_direction(stated, f"vector_{axis}", name, q) for axis in "uw")
    if abs(u @ w) > ORTHOGONAL:
        q.refuse(f"'vector_u' and 'vector_w' of 'geometry.{name}' are not perpendicular")
    # v is not stated; it completes the right-handed system.
    part = ScannerPart(*(np.tile(each, (q.n_views, 1)) for each in (start, u, np.cross(w, u), w)))
    if turn_rad is not None:
        part = part.turned(part.w, turn_rad, part.centre_mm)
    # Rotations do not commute, so the order of the deviations counts.
    for k, each in enumerate(_deviations(stated, name, q)):
        part = _deviated(part, each, f"geometry.{name}.deviations[{k}]", q)
    drifts = [
        q.drift(centre.get(axis), LENGTH_MM, f"geometry.{name}.center.{axis}") for axis in WORLD
    ]
    return part.moved(np.stack(drifts, axis=1))


def _direction(stated: Plain, key: str, name: str, q: Quantities) -> Array:
    """Return the unit vector of a part; drifts are refused, because their order is undefined."""
    vector, place = section(stated, key), f"geometry.{name}.{key}"
    components = [vector.get(axis) for axis in WORLD]
    if any(q.drift(each, PURE, place).any() for each in components):
        q.refuse(f"{place!r} drifts, which is not supported; state it as a deviation")
    return _unit(np.array([q.number(each, PURE, place) for each in components]), place, q)


def _unit(vectors: Array, place: str, q: Quantities) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not (lengths > 0).all():
        q.refuse(f"{place!r} has the length 0")
    return np.asarray(vectors / lengths)


def _deviations(stated: Plain, name: str, q: Quantities) -> list[Plain]:
    place = f"geometry.{name}.deviations"
    if section(stated, "deviation"):
        q.refuse(
            f"'geometry.{name}.deviation' is from a version before 1.0, which is not supported; "
            f"use {place!r}"
        )
    found = stated.get("deviations") or []
    # Scenarios may state a single deviation without a list.
    found = [found] if isinstance(found, dict) else found
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        q.refuse(f"{place!r} is not a list")
    if len(found) > MAX_ITEMS:
        q.refuse(f"the length of {place!r} is {len(found):,}, expected at most {MAX_ITEMS:,}")
    return found


def _deviated(part: ScannerPart, stated: Plain, place: str, q: Quantities) -> ScannerPart:
    """Return a part after one deviation in each view."""
    kind = stated.get("type")
    if kind not in ("translation", "rotation"):
        q.refuse(f"'{place}.type' is {str(kind)[:20]!r}, expected translation or rotation")
    units = ANGLE_RAD if kind == "rotation" else LENGTH_MM
    amount = q.of_views(stated.get("amount"), units, f"{place}.amount")
    # A deviation of 0 needs no valid axis.
    if not amount.any():
        return part
    # The scenario hides this misalignment on purpose, to test reconstructions.
    if not known(stated):
        q.hidden[place] = None
        return part
    axis = _axis(part, stated.get("axis"), f"{place}.axis", q)
    if kind == "translation":
        return part.moved(amount[:, None] * axis)
    return part.turned(axis, amount, _pivot(part, stated.get("pivot"), f"{place}.pivot", q))


def _axis(part: ScannerPart, stated: object, place: str, q: Quantities) -> Array:
    """Return the unit vectors of an axis."""
    if isinstance(stated, str) and stated in (*WORLD, *LOCAL):
        stated = dict.fromkeys(WORLD if stated in WORLD else LOCAL, 0.0) | {stated: 1.0}
    if not isinstance(stated, dict):
        q.refuse(f"{place!r} is {str(stated)[:20]!r}, expected x, y, z, u, v, w or a vector")
    return _unit(_in_world(part, stated, PURE, place, q), place, q)


def _pivot(part: ScannerPart, stated: object, place: str, q: Quantities) -> Array:
    if stated is None:
        return part.centre_mm
    if not isinstance(stated, dict):
        q.refuse(f"{place!r} is {str(stated)[:20]!r}, expected a point")
    point = _in_world(part, stated, LENGTH_MM, place, q)
    # Components u, v, w count from the centre of the part.
    return point if "x" in stated else part.centre_mm + point


def _in_world(part: ScannerPart, stated: Plain, units: object, place: str, q: Quantities) -> Array:
    """Return a vector with components of the world, or of the part in its current pose."""
    axes = next((axes for axes in (WORLD, LOCAL) if all(axis in stated for axis in axes)), None)
    if axes is None:
        q.refuse(f"{place!r} has no components x, y, z or u, v, w")
    base = LENGTH_MM if units is LENGTH_MM else PURE
    parts = [q.of_views(stated[axis], base, f"{place}.{axis}")[:, None] for axis in axes]
    if axes == WORLD:
        return np.concatenate(parts, axis=1)
    return np.asarray(parts[0] * part.u + parts[1] * part.v + parts[2] * part.w)


def _beam(geometry: Plain, q: Quantities) -> Beam:
    kind = section(geometry, "source").get("type") or "cone"
    if kind not in ("cone", "parallel"):
        q.refuse(f"'geometry.source.type' is {str(kind)[:20]!r}, expected cone or parallel")
    return "parallel" if kind == "parallel" else "cone"


def _binning(content: Plain, q: Quantities) -> tuple[int, int]:
    """Return how many (rows, columns) are binned into one pixel."""
    stated = section(content, "acquisition", "pixel_binning")
    rows, columns = (
        whole(
            1 if stated.get(axis) is None else stated[axis], f"acquisition.pixel_binning.{axis}", q
        )
        for axis in "vu"
    )
    return rows, columns
