"""Describe the geometry of an X-ray scan for people who set it up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.language.translation import tr
from app.views.text import number
from engine.geometry import ImageGrid, XrayGeometry

Facts = list[tuple[str, str]]
LEVEL = 1e-3
"""Cosine below which a direction counts as horizontal."""


def facts(
    geometry: XrayGeometry,
    grid: ImageGrid | None,
    *,
    pixel_mm_known: bool,
    needs_axis_search: bool = False,
) -> Facts:
    """Describe beam, path, distances, detector and volume.

    Parameters
    ----------
    geometry
        geometry of the scan
    grid
        the volume; None if it is not known
    pixel_mm_known
        False if the pixel size is unknown, so that lengths are in pixels
    needs_axis_search
        True if a run will first search for the rotation axis

    Returns
    -------
    pairs of label and text
    """
    unit = "mm" if pixel_mm_known else "pixels"
    found = [
        (tr("Beam"), _beam(geometry)),
        (tr("Path"), path_text(geometry)),
        (tr("Turn"), turn_text(geometry)),
    ]
    if geometry.beam == "cone":
        to_axis = np.hypot(geometry.source_mm[:, 0], geometry.source_mm[:, 1])
        found += [
            (tr("Source to axis"), f"{_range_text(to_axis)} {unit}"),
            (
                tr("Source to detector"),
                tr(
                    "{spread} {unit}, perpendicular to the detector",
                    spread=_range_text(geometry.source_detector_mm),
                    unit=unit,
                ),
            ),
            (tr("Magnification"), f"{_range_text(geometry.magnification)}"),
        ]
    found += _detector(geometry, unit, needs_axis_search)
    if grid is not None:
        x, y, z = (number(float(edge), 4) for edge in grid.size_mm)
        found.append((tr("Volume"), f"{x} × {y} × {z} {unit} (x, y, z)"))
    return found


def view_facts(geometry: XrayGeometry, view: int, *, pixel_mm_known: bool) -> Facts:
    """Describe one view.

    Parameters
    ----------
    geometry
        geometry of the scan
    view
        index of the view
    pixel_mm_known
        False if the pixel size is unknown

    Returns
    -------
    pairs of label and text
    """
    unit = "mm" if pixel_mm_known else "pixels"
    first = tr("Source") if geometry.beam == "cone" else tr("Ray direction")
    place = _point(geometry.source_mm[view]) + (f" {unit}" if geometry.beam == "cone" else "")
    return [
        (first, place),
        (tr("Detector centre"), f"{_point(geometry.detector_mm[view])} {unit}"),
        (tr("Column step (u)"), f"{_point(geometry.u_mm[view])} {unit}"),
        (tr("Row step (v)"), f"{_point(geometry.v_mm[view])} {unit}"),
    ]


def path_text(geometry: XrayGeometry) -> str:
    """Describe the path: a circle, a helix with its pitch, or free positions.

    Parameters
    ----------
    geometry
        geometry of the scan
    """
    if geometry.is_circular:
        return tr("a circle about z") if geometry.beam == "cone" else tr("rotation about z")
    level = geometry.source_mm if geometry.beam == "cone" else geometry.detector_mm
    height, turned = level[:, 2], np.unwrap(geometry.angles_rad)
    if geometry.n_views > 2 and abs(turned[-1] - turned[0]) > 0:
        # A helix climbs linearly with the angle; a line fit separates it from other paths.
        slope, start = np.polyfit(turned, height, 1)
        rest = np.abs(height - (slope * turned + start)).max()
        pitch = 2 * np.pi * float(slope)
        # Without its climb a helix must be a circle.
        flat = geometry.moved(shift_mm=np.outer(-slope * turned, (0, 0, 1)))
        if abs(pitch) > 0 and rest < 1e-3 * abs(np.ptp(height)) and flat.is_circular:
            return tr("a helix, {pitch} mm along z per rotation", pitch=number(abs(pitch), 4))
    return tr("free: every view has its own position")


def turn_text(geometry: XrayGeometry) -> str:
    """Describe the number of views, the angle and the direction of rotation.

    Parameters
    ----------
    geometry
        geometry of the scan
    """
    if geometry.n_views < 2:
        return tr("1 view")
    turned = np.rad2deg(np.unwrap(geometry.angles_rad))
    span = float(turned[-1] - turned[0])
    step = abs(span) / (geometry.n_views - 1)
    steps = np.diff(turned)
    even = np.abs(steps - steps.mean()).max() < 0.01 * max(abs(steps.mean()), 1e-9)
    direction = tr("counter-clockwise seen from +z") if span > 0 else tr("clockwise seen from +z")
    message = tr("steps of {step}°", step=number(step, 4)) if even else tr("uneven steps")
    # One step more than the span: the last view also covers a step.
    whole = number(round(abs(span) + step, 2), 4)
    views = tr("{n_views:,} views over {whole}°", n_views=geometry.n_views, whole=whole)
    return ", ".join((views, message, direction))


def _beam(geometry: XrayGeometry) -> str:
    if geometry.beam == "parallel":
        return tr("parallel; the detector distance has no effect")
    return tr("fan") if geometry.shape[0] == 1 else tr("cone")


def _detector(geometry: XrayGeometry, unit: str, needs_axis_search: bool) -> Facts:
    n_rows, n_columns = geometry.shape
    width, height = geometry.pixel_size_mm
    sides = f"{number(n_columns * width, 4)} × {number(n_rows * height, 4)} {unit}"
    middle = (n_columns - 1) / 2
    axis = geometry.axis_column
    off = axis - middle
    position = (
        tr(
            "{column}, {distance} columns from the centre",
            column=_range_text(axis),
            distance=_range_text(np.abs(off)),
        )
        # A shift below a hundredth of a column has no effect on the image.
        if np.abs(off).max() > 5e-3
        else tr("{column}, at the centre", column=_range_text(axis))
    )
    if needs_axis_search:
        position = "; ".join((position, tr("determined from the scan in each run")))
    pixels = (
        tr("{n:,} columns × 1 row, {sides}", n=n_columns, sides=sides)
        if n_rows == 1
        else tr("{n:,} columns × {n_rows:,} rows, {sides}", n=n_columns, n_rows=n_rows, sides=sides)
    )
    return [
        (tr("Detector"), pixels),
        (tr("Axis column"), position),
        (tr("Detector tilt"), tilt_text(geometry)),
        (tr("Columns (u)"), _u_text(geometry)),
        (tr("Rows (v)"), _v_text(geometry)),
    ]


def tilt_text(geometry: XrayGeometry) -> str:
    """Describe the tilt of the detector against the plane perpendicular to the central ray.

    Parameters
    ----------
    geometry
        geometry of the scan
    """
    towards = geometry.source_mm.copy() if geometry.beam == "parallel" else -geometry.source_mm
    # Only the horizontal part of the ray matters, since the source may be above the detector
    # centre.
    towards[:, 2] = 0 if geometry.beam == "cone" else towards[:, 2]
    towards /= np.maximum(np.linalg.norm(towards, axis=1, keepdims=True), 1e-12)
    lean = np.rad2deg(np.arccos(np.clip(np.abs(np.sum(towards * geometry.normal, axis=1)), 0, 1)))
    u = geometry.u_mm / np.linalg.norm(geometry.u_mm, axis=1, keepdims=True)
    roll = np.rad2deg(np.arcsin(np.clip(u[:, 2], -1, 1)))
    # Rounding errors of the vectors must not be reported as a tilt.
    lean, roll = np.round(lean, 3), np.round(roll, 3)
    if not lean.any() and not roll.any():
        return tr("none, perpendicular to the central ray")
    return tr(
        "{spread}° out of plane, {spread_2}° in plane",
        spread=_range_text(lean),
        spread_2=_range_text(roll),
    )


def _u_text(geometry: XrayGeometry) -> str:
    angle = geometry.angles_rad
    # The horizontal direction perpendicular to the ray, as defined in CONVENTIONS.md.
    right = np.stack([-np.sin(angle), np.cos(angle), np.zeros_like(angle)], axis=1)
    along = np.sum(geometry.u_mm * right, axis=1) / np.linalg.norm(geometry.u_mm, axis=1)
    if (along > LEVEL).all():
        return tr("to the right, seen from the source with +z up")
    if (along < -LEVEL).all():
        return tr("to the left, seen from the source with +z up")
    return tr("different in each view")


def _v_text(geometry: XrayGeometry) -> str:
    up = geometry.v_mm[:, 2] / np.linalg.norm(geometry.v_mm, axis=1)
    if (up > LEVEL).all():
        return tr("upwards, row 0 at the lowest z")
    if (up < -LEVEL).all():
        return tr("downwards, row 0 at the highest z")
    return tr("horizontal")


def _range_text(values: NDArray[np.float64]) -> str:
    low, high = float(values.min()), float(values.max())
    texts = [number(round(value, 4), 6) for value in (low, high)]
    # Calibrated geometries vary slightly from view to view. One number is enough then.
    if high - low <= 1e-4 * max(abs(low), abs(high), 1e-2):
        return texts[0]
    return f"{number(low, 4)} to {number(high, 4)}"


def _point(vector: NDArray[np.float64]) -> str:
    return "(" + ", ".join(number(round(float(v), 3), 5) for v in vector) + ")"
