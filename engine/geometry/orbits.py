"""Common X-ray scans as vectors: circle, helix, fan, parallel beam; and the vectors of ASTRA.

β is the angle of the source from +x towards +y, D the distance from source to axis, L the distance
from source to detector:

    source = D (cos β, sin β, 0)   detector = (D − L) (cos β, sin β, 0)
    u = (−sin β, cos β, 0)         v = (0, 0, 1)

In parallel beams the rays come from there: r = −(cos β, sin β, 0). A scanner with reversed rotation
has −β. A detector with reversed columns or rows is `flipped`. Sizes and shifts on a detector are
given as (along u, along v).
"""

from __future__ import annotations

from math import isfinite, tau

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.checked import checked
from engine.core.errors import GeometryError
from engine.geometry.xray import Beam, XrayGeometry

Pair = tuple[float, float]
Array = NDArray[np.float64]


def circle(n_views: int, *, first_rad: float = 0.0, range_rad: float = tau) -> Array:
    """Return evenly spaced angles.

    Parameters
    ----------
    n_views
        number of angles
    first_rad
        first angle
    range_rad
        total range; the angle after the last would be first + range

    Returns
    -------
    (n_views,) in rad
    """
    return np.asarray(first_rad + np.arange(n_views) * (range_rad / n_views))


@checked()
def circular_cone(
    angles_rad: ArrayLike,
    *,
    source_axis_mm: float,
    source_detector_mm: float,
    shape: tuple[int, int],
    pixel_mm: float | Pair,
    axis_column: float | None = None,
    axis_row: float | None = None,
    source_shift_mm: Pair = (0.0, 0.0),
    detector_shift_mm: Pair = (0.0, 0.0),
    roll_rad: float = 0.0,
    tilt_rad: Pair = (0.0, 0.0),
) -> XrayGeometry:
    """Return a source and a flat detector that turn about z.

    Parameters
    ----------
    angles_rad
        (n_views,) angles β of the source [rad]
    source_axis_mm, source_detector_mm
        distances along the central ray [mm]
    shape
        (n_rows, n_columns)
    pixel_mm
        width and height of a pixel on the detector, or both in one [mm]
    axis_column, axis_row
        column and row, from 0, of the point of the axis at the height of the source;
        each replaces the component of `detector_shift_mm`
    source_shift_mm, detector_shift_mm
        shifts along u and v from the central ray through the axis; the two differ [mm]
    roll_rad
        turn of the detector in its plane, from u towards v [rad]
    tilt_rad
        turns of the detector about u, then about v [rad]

    Returns
    -------
    geometry
        source and detector of every view

    Examples
    --------
    >>> import engine
    >>> orbit = engine.circular_cone(
    ...     [0.0, 1.0], source_axis_mm=500, source_detector_mm=800, shape=(8, 24), pixel_mm=4
    ... )
    >>> orbit.source_mm[0].round(3).tolist()
    [500.0, 0.0, 0.0]
    """
    _check_distances(source_axis_mm, source_detector_mm)
    detector = (source_axis_mm - source_detector_mm, *detector_shift_mm)
    still = _one_view("cone", (source_axis_mm, *source_shift_mm), detector, pixel_mm, shape)
    # Roll first: tilts are defined about the rows and columns of the rolled detector.
    still = still.rolled(roll_rad).tilted(about_u_rad=tilt_rad[0], about_v_rad=tilt_rad[1])
    return _turned(_seeing_axis(still, axis_column, axis_row), angles_rad)


@checked()
def helical(
    angles_rad: ArrayLike,
    *,
    pitch_mm: float,
    source_axis_mm: float,
    source_detector_mm: float,
    shape: tuple[int, int],
    pixel_mm: float | Pair,
    axis_column: float | None = None,
    z_mm: float = 0.0,
) -> XrayGeometry:
    """Return a circle that climbs by `pitch_mm` in a turn and passes `z_mm` at β = 0.

    Parameters
    ----------
    angles_rad
        (n_views,) angles β of the source, of any number of turns [rad]
    pitch_mm
        climb of source and detector along z in a turn; negative downwards [mm]
    source_axis_mm, source_detector_mm, shape, pixel_mm, axis_column
        as for `circular_cone`
    z_mm
        height at β = 0 [mm]

    Returns
    -------
    geometry
        source and detector of every view

    Examples
    --------
    >>> import engine
    >>> orbit = engine.helical(
    ...     [0.0, 6.283185307179586], pitch_mm=10, source_axis_mm=500, source_detector_mm=800,
    ...     shape=(8, 24), pixel_mm=4,
    ... )
    >>> orbit.source_mm[:, 2].round(3).tolist()
    [0.0, 10.0]
    """
    angles = _angles(angles_rad)
    circle = circular_cone(
        angles,
        source_axis_mm=source_axis_mm,
        source_detector_mm=source_detector_mm,
        shape=shape,
        pixel_mm=pixel_mm,
        axis_column=axis_column,
    )
    # The height follows the angle, not the view number, so uneven angles are also correct.
    height = z_mm + pitch_mm * angles / tau
    return circle.moved(shift_mm=height[:, None] * (0, 0, 1))


@checked()
def fan(
    angles_rad: ArrayLike,
    *,
    source_axis_mm: float,
    source_detector_mm: float,
    n_columns: int,
    pixel_mm: float | Pair,
    axis_column: float | None = None,
    source_shift_mm: float = 0.0,
    detector_shift_mm: float = 0.0,
) -> XrayGeometry:
    """Return one row of a cone beam, in the plane z = 0.

    Parameters
    ----------
    angles_rad
        (n_views,) angles β of the source [rad]
    source_axis_mm, source_detector_mm, pixel_mm, axis_column
        as for `circular_cone`
    n_columns
        pixels of the row
    source_shift_mm, detector_shift_mm
        shifts along the row from the central ray through the axis [mm]

    Returns
    -------
    geometry
        source and detector of every view

    Examples
    --------
    >>> import engine
    >>> engine.fan(
    ...     [0.0, 1.0], source_axis_mm=500, source_detector_mm=800, n_columns=64, pixel_mm=0.5
    ... ).shape
    (1, 64)
    """
    return circular_cone(
        angles_rad,
        source_axis_mm=source_axis_mm,
        source_detector_mm=source_detector_mm,
        shape=(1, n_columns),
        pixel_mm=pixel_mm,
        axis_column=axis_column,
        source_shift_mm=(source_shift_mm, 0.0),
        detector_shift_mm=(detector_shift_mm, 0.0),
    )


@checked()
def parallel(
    angles_rad: ArrayLike,
    *,
    shape: tuple[int, int],
    pixel_mm: float | Pair,
    axis_column: float | None = None,
    axis_row: float | None = None,
    detector_shift_mm: Pair = (0.0, 0.0),
    roll_rad: float = 0.0,
) -> XrayGeometry:
    """Return parallel rays and a flat detector that turn about z.

    Parameters
    ----------
    angles_rad
        (n_views,) angles β from which the rays come [rad]
    shape
        (n_rows, n_columns)
    pixel_mm
        width and height of a pixel, or both in one [mm]
    axis_column, axis_row
        column and row, from 0, at which the detector sees the origin; each replaces the value of
        `detector_shift_mm` along its axis
    detector_shift_mm
        shift along u and v [mm]
    roll_rad
        turn of the detector in its plane, from u towards v [rad]

    Returns
    -------
    geometry
        source and detector of every view

    Examples
    --------
    >>> import numpy as np, engine
    >>> angles_rad = np.linspace(0, np.pi, 180, endpoint=False)
    >>> engine.parallel(angles_rad, shape=(1, 128), pixel_mm=0.5).beam
    'parallel'
    """
    still = _one_view("parallel", (-1.0, 0.0, 0.0), (0.0, *detector_shift_mm), pixel_mm, shape)
    return _turned(_seeing_axis(still.rolled(roll_rad), axis_column, axis_row), angles_rad)


@checked()
def from_astra_vectors(
    vectors: ArrayLike, *, shape: tuple[int, int], beam: Beam = "cone"
) -> XrayGeometry:
    """Return the geometry of ASTRA's `cone_vec` or `parallel3d_vec`.

    Parameters
    ----------
    vectors
        (n_views, 12) source (or direction of the rays), detector centre, u, v [mm]
    shape
        (n_rows, n_columns)
    beam
        "cone" or "parallel"

    Returns
    -------
    geometry
        source and detector of every view

    Raises
    ------
    GeometryError
        if the vectors have another shape or no detector is possible

    Examples
    --------
    >>> import engine
    >>> row = [0, -500, 0, 0, 300, 0, 4, 0, 0, 0, 0, 4]  # source, detector, u, v
    >>> engine.from_astra_vectors([row], shape=(8, 24)).magnification.tolist()
    [1.6]
    """
    # A row of ASTRA is source (or direction), detector centre, u and v, in the order of our
    # fields.
    rows = np.asarray(vectors, float)
    if rows.ndim != 2 or rows.shape[1] != 12:
        raise GeometryError(
            f"vectors have shape {rows.shape}, expected (n_views, 12): source, detector, u and v."
        )
    source, detector, u, v = np.split(rows, 4, axis=1)
    return XrayGeometry(beam, source, detector, u, v, shape)


@checked()
def to_astra_vectors(geometry: XrayGeometry) -> Array:
    """Return the vectors of ASTRA's `cone_vec` or `parallel3d_vec`.

    Parameters
    ----------
    geometry
        source and detector of each view

    Returns
    -------
    (n_views, 12) source (or direction of the rays), detector centre, u, v [mm]
    """
    g = geometry
    return np.concatenate([g.source_mm, g.detector_mm, g.u_mm, g.v_mm], axis=1)


def _one_view(
    beam: Beam,
    source: tuple[float, ...],
    detector: tuple[float, ...],
    pixel_mm: float | Pair,
    shape: tuple[int, int],
) -> XrayGeometry:
    """Return the view at β = 0, with u along y and v along z."""
    # broadcast_to also accepts NumPy scalars, which are not always instances of int or float.
    width, height = (float(size) for size in np.broadcast_to(pixel_mm, 2))
    # Some programs use negative pixel sizes for reversed detectors; here that is `flipped`.
    if not all(isfinite(size) and size > 0 for size in (width, height)):
        raise GeometryError(
            f"pixels of {width:g} × {height:g} mm are not valid, expected sizes above 0; to "
            "reverse rows or columns, flip the geometry."
        )
    return XrayGeometry(
        beam=beam,
        source_mm=np.array([source]),
        detector_mm=np.array([detector]),
        u_mm=np.array([[0.0, width, 0.0]]),
        v_mm=np.array([[0.0, 0.0, height]]),
        shape=shape,
    )


def _seeing_axis(
    geometry: XrayGeometry, axis_column: float | None, axis_row: float | None
) -> XrayGeometry:
    """Shift the detector so that the axis has the given column and row."""
    # After roll and tilt the axis is seen elsewhere, so the shift must come last.
    column, row = geometry.axis_seen[0]
    return geometry.shifted(
        columns=0.0 if axis_column is None else column - axis_column,
        rows=0.0 if axis_row is None else row - axis_row,
    )


def _turned(geometry: XrayGeometry, angles_rad: ArrayLike) -> XrayGeometry:
    angles = _angles(angles_rad)
    # One view, repeated and rotated: all views then share the same rounding.
    return geometry.select(np.zeros(len(angles), int)).rotated(angles)


def _angles(angles_rad: ArrayLike) -> Array:
    angles = np.asarray(angles_rad, float)
    # NaN angles come from text files with missing lines; they would spread to every voxel.
    bad = angles[~np.isfinite(angles)]
    if bad.size:
        raise GeometryError(
            f"the angles contain {bad.flat[0]:g}; give one finite angle for each view [rad]."
        )
    if angles.ndim != 1 or not len(angles):
        raise GeometryError(
            f"angles of shape {angles.shape} are invalid; give one finite angle for each view "
            "[rad]."
        )
    return angles


def _check_distances(source_axis_mm: float, source_detector_mm: float) -> None:
    if not (0 < source_axis_mm < float("inf") and 0 < source_detector_mm < float("inf")):
        raise GeometryError(
            f"the distances from source to axis ({source_axis_mm:g} mm) and from source to "
            f"detector ({source_detector_mm:g} mm) must both be above 0; correct source_axis_mm or "
            "source_detector_mm."
        )
    if source_detector_mm < source_axis_mm:
        raise GeometryError(
            f"source_detector_mm is {source_detector_mm:g}, expected at least source_axis_mm "
            f"({source_axis_mm:g}): the detector is behind the axis; exchange "
            "the distances."
        )
