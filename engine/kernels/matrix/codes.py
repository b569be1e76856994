"""Positions of non-zeros of a stored response, packed into one integer each, and their symmetries.

A voxel at j = D u + φ, k = D v + χ of the box of a line is stored as φ, χ, u and v. D is the number
of voxels per pitch; u and v count pitches from the margin of the image. The exchange and the
mirrors of a symmetry map phases to phases and pitches to pitches:

    exchange    (φ, χ, u, v) -> (χ, φ, v, u)
    of rows     (φ, u) -> (D − 1 − φ, |a| + 2 margin − u)
    of columns  (χ, v) -> (D − 1 − χ, |b| + 2 margin − v)

(a, b) is the orientation. The position that a non-zero reads or adds to, α φ + β u + γ χ + δ v,
therefore has the same form for all symmetries. Mirrors change signs, and add a number that is equal
for all non-zeros of an orientation.
"""

from __future__ import annotations

from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain

BITS, OF_PHASE = 11, 4
"""Bits of u and v each, and of φ and χ each."""
MAX_PITCHES, MAX_VOXELS = 1 << BITS, 1 << OF_PHASE
"""Maximum pitches along an edge of a panel with its margins, and maximum voxels per pitch."""
ROWS, ALL_PITCHES, ALL_VOXELS = MAX_PITCHES, MAX_PITCHES - 1, MAX_VOXELS - 1
"""Increment of a code for u + 1; masks of v, and of χ."""
SWAP, MIRROR_ROWS, MIRROR_COLUMNS = 1, 2, 4
"""Bits of a symmetry: the exchange, then the mirrors of rows and columns."""
ACROSS = MIRROR_ROWS | MIRROR_COLUMNS
"""Mirrors from one panel to the other: the stored first half of planes becomes the second half."""
_U, _CHI, _PHI = BITS, 2 * BITS, 2 * BITS + OF_PHASE
"""First bits of u, χ and φ; v begins at bit 0."""

_STRICT: Plain = {"error_model": "numpy", "_nrt": False}
_INLINE = njit(inline="always", **_STRICT)


@_INLINE
def u_of(code: int) -> int:
    """Return u, the pitches along rows from the margin.

    Parameters
    ----------
    code
        packed position
    """
    return code >> _U & ALL_PITCHES


@_INLINE
def v_of(code: int) -> int:
    """Return v, the pitches along columns from the margin.

    Parameters
    ----------
    code
        packed position
    """
    return code & ALL_PITCHES


@_INLINE
def phase_of(code: int) -> int:
    """Return φ and χ in one number.

    Parameters
    ----------
    code
        packed position
    """
    return code >> _CHI


@_INLINE
def phi_of(code: int) -> int:
    """Return φ, the voxel within its pitch along u.

    Parameters
    ----------
    code
        packed position
    """
    return code >> _PHI


@_INLINE
def chi_of(code: int) -> int:
    """Return χ, the voxel within its pitch along v.

    Parameters
    ----------
    code
        packed position
    """
    return code >> _CHI & ALL_VOXELS


@_INLINE
def write_codes(
    places: Array, window: Array, edge: int, margin: int, is_turned: bool, codes: Array
) -> None:
    """Pack the positions in a window, after the exchange of rows and columns if `is_turned`.

    Parameters
    ----------
    places
        (n,) positions in the window, row by row
    window
        (4,) j0, k0, height, width
    edge
        D, voxels per pitch
    margin
        pitches of zeros around the image
    is_turned
        True if rows and columns are exchanged
    codes
        (n,) int32, which are written
    """
    # Products instead of divisions, which cannot be vectorised. They are exact, because halves are
    # added and numbers are below 1 << 16.
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
    """Write the offset of each non-zero in memory: a linear function of its four numbers.

    Parameters
    ----------
    codes
        (n,) packed positions
    base
        common offset
    of_phi, of_u, of_chi, of_v
        steps in memory for φ, u, χ and v
    offsets
        (n,) int32, which are written
    """
    for e in range(len(codes)):
        code = codes[e]
        rows = phi_of(code) * of_phi + u_of(code) * of_u
        offsets[e] = base + rows + chi_of(code) * of_chi + v_of(code) * of_v
