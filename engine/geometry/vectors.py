"""Vectors of many views, (n, 3): lengths, rotations and checks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.errors import GeometryError

Array = NDArray[np.float64]

FLAT = 1e-9
"""Directions count as parallel below this sine of their angle."""


def about_z(angle_rad: ArrayLike) -> Array:
    """Return rotations about z, from +x towards +y.

    Parameters
    ----------
    angle_rad
        angles of any shape (...)

    Returns
    -------
    (..., 3, 3)
    """
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    zero, one = np.zeros_like(cos), np.ones_like(cos)
    rows = [[cos, -sin, zero], [sin, cos, zero], [zero, zero, one]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def turned_about(vectors: Array, axis: Array, angle: Array) -> Array:
    """Rotate vectors about axes (Rodrigues).

    Parameters
    ----------
    vectors
        (n, 3)
    axis
        (n, 3) unit vectors
    angle
        (n, 1) or (1, 1), in rad
    """
    along = np.sum(vectors * axis, axis=1, keepdims=True) * axis
    across = vectors - along
    return np.asarray(along + np.cos(angle) * across + np.sin(angle) * np.cross(axis, across))


def each(values: ArrayLike) -> Array:
    """Return one value per view, or one for all, as a column (n_views, 1) or (1, 1)."""
    return np.atleast_1d(np.asarray(values, float))[:, None]


def length(vectors: Array) -> Array:
    """Return the lengths of vectors, (n,)."""
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def unit(vectors: Array) -> Array:
    """Return unit vectors with the same directions; unit vectors are returned unchanged."""
    size = length(vectors)[:, None]
    # Normalising twice would change the last bit, and with it cache keys.
    return np.where(np.abs(size - 1) < 1e-14, vectors, vectors / size)


def checked_vectors(name: str, given: ArrayLike) -> Array:
    """Check the vectors of all views and return a read-only copy.

    Parameters
    ----------
    name
        name in error messages
    given
        (n_views, 3) numbers

    Raises
    ------
    GeometryError
        if the shape is wrong or a number is not finite
    """
    try:
        # A copy that cannot be written to: the geometry is frozen and its values are cached.
        vectors = np.array(given, np.float64, order="C")
    except (TypeError, ValueError) as e:
        raise GeometryError(f"{name} must contain three numbers (x, y, z) for each view.") from e
    if vectors.ndim != 2 or vectors.shape[1] != 3 or not len(vectors):
        raise GeometryError(
            f"{name} has shape {vectors.shape}, expected (n_views, 3): one (x, y, z) for each view."
        )
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise GeometryError(
            f"{name} of view {int(bad.argmax())} is {vectors[bad.argmax()].tolist()}, expected "
            "three finite numbers; correct or leave out this view."
        )
    vectors.flags.writeable = False
    return vectors


def check_detectors(u_mm: Array, v_mm: Array, normals: Array) -> None:
    """Refuse detectors without width, height or area.

    Parameters
    ----------
    u_mm
        (n, 3) step between columns
    v_mm
        (n, 3) step between rows
    normals
        (n, 3) u × v

    Raises
    ------
    GeometryError
        names the first invalid view
    """
    across, down = length(u_mm), length(v_mm)
    refuse(across == 0, "the step between columns has length 0; give a pixel size.")
    refuse(down == 0, "the step between rows has length 0; give a pixel size.")
    # Relative to the lengths of u and v, so that the test does not depend on the pixel size.
    flat = length(normals) <= FLAT * across * down
    refuse(flat, "rows and columns of the detector are parallel; correct u or v.")


def check_rays(rays: Array, normals: Array, fault: str) -> None:
    """Refuse rays that are parallel to their detector.

    Parameters
    ----------
    rays
        (n, 3) central rays
    normals
        (n, 3) u × v
    fault
        text of the error

    Raises
    ------
    GeometryError
        names the first invalid view
    """
    depth = np.abs(np.sum(rays * normals, axis=1))
    refuse(depth <= FLAT * length(rays) * length(normals), fault)


def refuse(bad: NDArray[np.bool_], fault: str) -> None:
    """Raise an error for the first bad view, if any.

    Parameters
    ----------
    bad
        (n_views,) mask
    fault
        text of the error

    Raises
    ------
    GeometryError
        if a view is bad
    """
    if bad.any():
        raise GeometryError(f"view {int(bad.argmax())}: {fault}")


def range_of(part: slice, n: int, what: str) -> tuple[int, int]:
    """Return the first and one past the last of a range of rows or columns.

    Parameters
    ----------
    part
        slice with step 1
    n
        number of rows or columns
    what
        "rows" or "columns", for the error

    Raises
    ------
    GeometryError
        if the range is empty or has gaps
    """
    # `indices` resolves negative and missing bounds as Python does.
    first, last, step = part.indices(n)
    if step != 1 or last <= first:
        raise GeometryError(
            f"{what}: the range {part.start} to {part.stop} is empty or has gaps; give a "
            f"contiguous range from 0 to {n}."
        )
    return first, last
