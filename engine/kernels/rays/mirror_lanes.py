"""Images with interleaved mirror images, as in `engine.operators.matrix.mirror_lanes`.

Lane 4 s + 2 i + j is the image as panel s sees it. Its rows are mirrored if i = 1, and its columns
are mirrored if j = 1.
"""

from __future__ import annotations

from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix.memory import LANES

_WITHOUT: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_WITHOUT)
_INLINE = njit(inline="always", **_WITHOUT)


@_KERNEL
def interleave(start: int, stop: int, image: Array, lanes: Array) -> None:
    """Write the stored planes start ... stop − 1 and their mirror images.

    Parameters
    ----------
    start, stop
        range of stored planes
    image
        (n_z, n_planes, n_x)
    lanes
        (n_stored, D, D, n_rows, n_columns, LANES), initially 0, which are written
    """
    n_z, n_planes, n_x = image.shape
    edge, n_rows, n_columns = lanes.shape[1], lanes.shape[3], lanes.shape[4]
    for near in range(start, stop):
        far = n_planes - 1 - near
        for r in range(n_rows):
            for phi in range(edge):
                z = r * edge + phi
                for chi in range(edge):
                    to = lanes[near, phi, chi, r]
                    for c in range(n_columns):
                        x = c * edge + chi
                        to[c, 0], to[c, 1] = image[z, near, x], image[z, near, n_x - 1 - x]
                        to[c, 2] = image[n_z - 1 - z, near, x]
                        to[c, 3] = image[n_z - 1 - z, near, n_x - 1 - x]
                        # The middle plane of an odd number of planes is its own mirror image and
                        # counts once.
                        if far != near:
                            to[c, 4], to[c, 5] = image[z, far, x], image[z, far, n_x - 1 - x]
                            to[c, 6] = image[n_z - 1 - z, far, x]
                            to[c, 7] = image[n_z - 1 - z, far, n_x - 1 - x]


@_KERNEL
def join(start: int, stop: int, lanes: Array, image: Array) -> None:
    """Add mirror images: the transpose of `interleave`.

    Parameters
    ----------
    start, stop
        range of stored planes
    lanes
        (n_stored, D, D, n_rows, n_columns, LANES)
    image
        (n_z, n_planes, n_x), which is written
    """
    n_planes = image.shape[1]
    edge, n_rows, n_columns = lanes.shape[1], lanes.shape[3], lanes.shape[4]
    for near in range(start, stop):
        far = n_planes - 1 - near
        for r in range(n_rows):
            for phi in range(edge):
                z = r * edge + phi
                for chi in range(edge):
                    own, row_z = lanes[near, phi, chi, r], lanes[near, edge - 1 - phi, chi]
                    mirrored_x = lanes[near, phi, edge - 1 - chi, r]
                    mirrored_xz = lanes[near, edge - 1 - phi, edge - 1 - chi, n_rows - 1 - r]
                    mirrored_z = row_z[n_rows - 1 - r]
                    for c in range(n_columns):
                        x, mirrored_c = c * edge + chi, n_columns - 1 - c
                        image[z, near, x] = (own[c, 0] + mirrored_x[mirrored_c, 1]) + (
                            mirrored_z[c, 2] + mirrored_xz[mirrored_c, 3]
                        )
                        if far != near:
                            image[z, far, x] = (own[c, 4] + mirrored_x[mirrored_c, 5]) + (
                                mirrored_z[c, 6] + mirrored_xz[mirrored_c, 7]
                            )


@_INLINE
def _place(r: int, c: int, shape: Array, rows: int, columns: int, pitch: int) -> int:
    """Return the position of a shift after mirroring."""
    at_r, at_c = (shape[0] - 1 - r if rows else r), (shape[1] - 1 - c if columns else c)
    return at_r * pitch + at_c * LANES + 2 * rows + columns


@_KERNEL
def put_lines(
    members: Array, values: Array, starts: Array, images: Array, begins: Array, pitches: Array,
    shapes: Array,
) -> None:  # fmt: skip
    """Arrange the values of orientations, each in both of its lanes.

    Parameters
    ----------
    members
        (n, 4) orientation, family, and whether its rows and columns are mirrored
    values
        (n_lines,)
    starts
        (n_orientations + 1,) first line of each orientation
    images
        flat data of the families, which are written
    begins, pitches
        first shift of a family, and distance of its rows
    shapes
        (n_families, 2) rows and columns of shifts
    """
    for m in range(len(members)):
        o, f, rows, columns = members[m]
        shape, pitch, k = shapes[f], pitches[f], starts[o]
        for r in range(shape[0]):
            for c in range(shape[1]):
                near = _place(r, c, shape, rows, columns, pitch)
                far = _place(r, c, shape, 1 - rows, 1 - columns, pitch) + LANES // 2
                images[begins[f] + near] = images[begins[f] + far] = values[k]
                k += 1


@_KERNEL
def take_lines(
    members: Array, images: Array, begins: Array, pitches: Array, shapes: Array, values: Array,
    starts: Array,
) -> None:  # fmt: skip
    """Write the values of orientations: the transpose of `put_lines`.

    Parameters
    ----------
    members, begins, pitches, shapes
        as for `put_lines`
    images
        flat data of the families
    values
        (n_lines,), which are written
    starts
        (n_orientations + 1,) first line of each orientation
    """
    for m in range(len(members)):
        o, f, rows, columns = members[m]
        shape, pitch, k = shapes[f], pitches[f], starts[o]
        for r in range(shape[0]):
            for c in range(shape[1]):
                near = _place(r, c, shape, rows, columns, pitch)
                far = _place(r, c, shape, 1 - rows, 1 - columns, pitch) + LANES // 2
                values[k] = images[begins[f] + near] + images[begins[f] + far]
                k += 1
