"""Vectors of many views, (n, 3): lengths, rotations, and what may not be one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.errors import GeometryError

Array = NDArray[np.float64]

FLAT = 1e-9
"""Sine of an angle below which two directions count as parallel."""


def about_z(angle_rad: ArrayLike) -> Array:
    """(..., 3, 3) rotations from +x towards +y."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    zero, one = np.zeros_like(cos), np.ones_like(cos)
    rows = [[cos, -sin, zero], [sin, cos, zero], [zero, zero, one]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def turned_about(vectors: Array, axis: Array, angle: Array) -> Array:
    """Rodrigues' rotation of (n, 3) about the unit vectors `axis`."""
    along = np.sum(vectors * axis, axis=1, keepdims=True) * axis
    across = vectors - along
    return np.asarray(along + np.cos(angle) * across + np.sin(angle) * np.cross(axis, across))


def each(values: ArrayLike) -> Array:
    """(n_views, 1) or (1, 1) column of one value for each view, or for all."""
    return np.atleast_1d(np.asarray(values, float))[:, None]


def length(vectors: Array) -> Array:
    """(n,) lengths."""
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def unit(vectors: Array) -> Array:
    """(n, 3) the same directions, of length 1; those that have it stay as they are."""
    size = length(vectors)[:, None]
    return np.where(np.abs(size - 1) < 1e-14, vectors, vectors / size)


def checked_vectors(name: str, given: ArrayLike) -> Array:
    """Check one kind of vectors and keep a copy that nobody changes."""
    try:
        vectors = np.array(given, np.float64, order="C")
    except (TypeError, ValueError) as e:
        raise GeometryError(f"{name}: want numbers, one (x, y, z) for each view.") from e
    if vectors.ndim != 2 or vectors.shape[1] != 3 or not len(vectors):
        raise GeometryError(
            f"{name} has shape {vectors.shape}, want (n_views, 3): one (x, y, z) for each view."
        )
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise GeometryError(
            f"{name} of view {int(bad.argmax())} is {vectors[bad.argmax()].tolist()}, not three "
            "finite numbers; correct or leave out this view."
        )
    vectors.flags.writeable = False
    return vectors


def check_detectors(u_mm: Array, v_mm: Array, normals: Array) -> None:
    """Refuse detectors without width, height or area; normals : u × v."""
    across, down = length(u_mm), length(v_mm)
    refuse(across == 0, "the step from column to column has no length; give a pixel size.")
    refuse(down == 0, "the step from row to row has no length; give a pixel size.")
    flat = length(normals) <= FLAT * across * down
    refuse(flat, "rows and columns of the detector run in parallel; correct u or v.")


def check_rays(rays: Array, normals: Array, fault: str) -> None:
    """Refuse rays that do not cross the planes of their detectors."""
    depth = np.abs(np.sum(rays * normals, axis=1))
    refuse(depth <= FLAT * length(rays) * length(normals), fault)


def refuse(bad: NDArray[np.bool_], fault: str) -> None:
    """Name the first bad view, if any, and what is wrong with it."""
    if bad.any():
        raise GeometryError(f"view {int(bad.argmax())}: {fault}")


def range_of(part: slice, n: int, what: str) -> tuple[int, int]:
    """Return the first and one past the last of some neighbouring rows or columns out of n."""
    first, last, step = part.indices(n)
    if step != 1 or last <= first:
        raise GeometryError(
            f"{what} {part.start} to {part.stop} of a detector with {n} {what}: no neighbouring "
            f"{what} are left; give a range within it."
        )
    return first, last
