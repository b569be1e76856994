"""Places of non-zeros, each in one number, and what mirrors make of them.

A voxel at j = D u + φ, k = D v + χ of the box of a line is kept as φ, χ, u and v, the last two
counted from the margin of the image. An interchange and mirrors map phases to phases and pitches to
pitches,

interchange (φ, χ, u, v) -> (χ, φ, v, u)
of rows     (φ, u) -> (D − 1 − φ, |a| + 2 margin − u)
of columns  (χ, v) -> (D − 1 − χ, |b| + 2 margin − v)

so that where a non-zero reads or adds, α φ + β u + γ χ + δ v, stays of that form: mirrors change
signs, and add a number that is the same for all of an orientation.
"""

from __future__ import annotations

from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain

BITS, OF_PHASE = 11, 4
"""Bits of u and of v, and of φ and of χ."""
MOST_PITCHES, MOST_VOXELS = 1 << BITS, 1 << OF_PHASE
"""Pitches along an edge of a panel with its margins, and voxels on a pitch, at most."""
ROWS, ALL_PITCHES, ALL_VOXELS = MOST_PITCHES, MOST_PITCHES - 1, MOST_VOXELS - 1
"""What is added to a code where u is one more; bits of v, and of χ."""
SWAP, MIRROR_ROWS, MIRROR_COLUMNS = 1, 2, 4
"""Bits of a turn: the interchange, and the mirrors of rows and of columns after it."""
ACROSS = MIRROR_ROWS | MIRROR_COLUMNS
"""From one panel to the other: seen from there the first half of the planes, which is stored, is
the second."""
_U, _CHI, _PHI = BITS, 2 * BITS, 2 * BITS + OF_PHASE
"""First bits of u, χ and φ; those of v begin at 0."""

_PLAIN: Plain = {"error_model": "numpy", "_nrt": False}
_INLINE = njit(inline="always", **_PLAIN)


@_INLINE
def u_of(code: int) -> int:
    """Pitches along u, from the margin."""
    return code >> _U & ALL_PITCHES


@_INLINE
def v_of(code: int) -> int:
    """Pitches along v, from the margin."""
    return code & ALL_PITCHES


@_INLINE
def phase_of(code: int) -> int:
    """Both φ and χ, in one number."""
    return code >> _CHI


@_INLINE
def phi_of(code: int) -> int:
    """φ, the voxel on its pitch along u."""
    return code >> _PHI


@_INLINE
def chi_of(code: int) -> int:
    """χ, the voxel on its pitch along v."""
    return code >> _CHI & ALL_VOXELS


@_INLINE
def write_codes(
    places: Array, window: Array, edge: int, margin: int, is_turned: bool, codes: Array
) -> None:
    """Say where places of a window lie, after the interchange if `is_turned`.

    window : (4,) j0, k0, height, width
    edge : D, voxels on a pitch; margin : pitches of zeros around the image
    codes : (n,) int32, to be written
    """
    # products in place of divisions, of which there are no vectors: exact, as halves are added and
    # numbers are below 1 << 16
    width, per_width, per_edge = int(window[3]), 1 / float(window[3]), 1 / float(edge)
    j0, k0 = int(window[0]) + margin * edge, int(window[1]) + margin * edge
    to_u, to_phi, to_v, to_chi = (0, _CHI, _U, _PHI) if is_turned else (_U, _PHI, 0, _CHI)
    for e in range(len(places)):
        row = int((places[e] + 0.5) * per_width)
        j, k = j0 + row, k0 + int(places[e]) - row * width
        u, v = int((j + 0.5) * per_edge), int((k + 0.5) * per_edge)
        phases = (j - u * edge << to_phi) + (k - v * edge << to_chi)
        codes[e] = phases + (u << to_u) + (v << to_v)


@_INLINE
def write_offsets(
    codes: Array, base: int, of_phi: int, of_u: int, of_chi: int, of_v: int, offsets: Array
) -> None:
    """Say where non-zeros read: a sum of so much for each of their four numbers."""
    for e in range(len(codes)):
        code = codes[e]
        rows = phi_of(code) * of_phi + u_of(code) * of_u
        offsets[e] = base + rows + chi_of(code) * of_chi + v_of(code) * of_v
