"""Codes state the position of a voxel by division, and mirrors move codes like voxels."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from engine.kernels.matrix import codes

MARGIN, HEIGHT, WIDTH = 2, 40, 31
A, B = 11, 9
"""Distance between the crystals of a line in pitches; its box has A + 1 and B + 1 pitches."""
_write_codes = njit(codes.write_codes.py_func)
_write_offsets = njit(codes.write_offsets.py_func)


def written(edge: int, *, is_turned: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows and columns of all voxels of a window, from the box corner, and their codes."""
    window = np.array([-2 * edge + 1, -edge, HEIGHT, WIDTH], np.int16)
    places = np.arange(HEIGHT * WIDTH).astype(np.uint16)
    found = np.zeros(len(places), np.int32)
    _write_codes(places, window, edge, MARGIN, is_turned, found)
    row, column = np.divmod(places.astype(int), WIDTH)
    return row + int(window[0]), column + int(window[1]), found


def parts(code: np.ndarray) -> list[np.ndarray]:
    """Return φ, χ, u and v of codes; u and v count from the box."""
    of = (codes.phi_of, codes.chi_of, codes.u_of, codes.v_of)
    phi, chi, u, v = (np.array([part(int(c)) for c in code]) for part in of)
    return [phi, chi, u - MARGIN, v - MARGIN]


@pytest.mark.parametrize("edge", [1, 3, 4, 16])
@pytest.mark.parametrize("is_turned", [False, True])
def test_code_is_a_voxel_divided_by_its_pitch(edge: int, is_turned: bool) -> None:
    j, k, found = written(edge, is_turned=is_turned)
    if is_turned:
        j, k = k, j
    expected = [j % edge, k % edge, j // edge, k // edge]
    assert all(np.array_equal(*both) for both in zip(parts(found), expected, strict=True))


def test_largest_numbers_fit() -> None:
    far = codes.MAX_PITCHES - 1
    edge = codes.MAX_VOXELS
    window = np.array([far * edge, far * edge, edge, edge], np.int16).view(np.uint16)
    found = np.zeros(1, np.int32)
    _write_codes(np.array([edge * edge - 1], np.uint16), window, edge, 0, False, found)
    assert found[0] == (1 << 30) - 1, "all bits must be used except the sign"


@pytest.mark.parametrize("mirror_rows", [False, True])
@pytest.mark.parametrize("mirror_columns", [False, True])
def test_mirrors_change_signs_of_the_added_numbers(mirror_rows: bool, mirror_columns: bool) -> None:
    edge, rows, pitch = 3, 20, 18
    j, k, code = written(edge, is_turned=False)
    box = edge * (A + 1), edge * (B + 1)
    new_j = box[0] - 1 - j if mirror_rows else j
    new_k = box[1] - 1 - k if mirror_columns else k
    phase = new_j % edge * edge + new_k % edge
    u, v = new_j // edge + MARGIN, new_k // edge + MARGIN
    expected = (phase * rows + u) * pitch + v

    of_chi, sign_u, sign_v = rows * pitch, 1 - 2 * mirror_rows, 1 - 2 * mirror_columns
    base = mirror_rows * ((A + 2 * MARGIN) * pitch + (edge - 1) * edge * of_chi)
    base += mirror_columns * (B + 2 * MARGIN + (edge - 1) * of_chi)
    found = np.zeros(len(code), np.int32)
    of_u = sign_u * edge * of_chi, sign_u * pitch
    _write_offsets(code, base, *of_u, sign_v * of_chi, sign_v, found)
    assert np.array_equal(found, expected)
