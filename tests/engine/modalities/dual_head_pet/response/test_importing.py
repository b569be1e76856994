"""Tests of imported response matrices: folded by symmetry, refused if they do not fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from engine.core.errors import DataError, FileFormatError, GeometryError, ResourceError
from engine.data.response import ResponseMatrix
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.importing import import_response
from engine.modalities.dual_head_pet.response.tracking import TrackedResponse, build_tracked
from tests.engine.geometry.panels import panels
from tests.engine.modalities.dual_head_pet.response.unfolding import dense


@cache
def integrated() -> ResponseMatrix:
    return build_analytic(panels(), AnalyticResponse(n_points=512, scatter=False))


@cache
def scattered() -> ResponseMatrix:
    """Return rows that extend beyond their boxes, so that the image edge truncates some of them."""
    return build_tracked(panels(), TrackedResponse(n_pairs=2000, margin=1, threshold=0))


def written(whole: np.ndarray, path: Path, kind: str) -> Path:
    flat = whole.reshape(len(whole), -1)
    path = path / f"matrix.{'npy' if kind == 'dense' else 'npz'}"
    if kind == "dense":
        np.save(path, flat)
    else:
        sparse.save_npz(path, sparse.coo_matrix(flat).asformat(kind))
    return path


@pytest.mark.parametrize("kind", ["dense", "coo", "csr"])
def test_unfolded_matrix_is_folded_back(kind: str, tmp_path: Path) -> None:
    matrix = integrated()
    path = written(dense(matrix), tmp_path, kind)
    found = import_response(path, panels(), voxel_mm=(0.5, 1.0, 0.5), threshold=0)
    np.testing.assert_array_equal(found.places, matrix.places)
    np.testing.assert_array_equal(found.windows, matrix.windows)
    # values are stored in half precision
    np.testing.assert_allclose(dense(found), dense(matrix), rtol=1e-3)
    assert found.errors.max() < 1e-5


def test_rows_beyond_their_boxes_are_folded_back(tmp_path: Path) -> None:
    matrix = scattered()
    assert matrix.margin == 1
    found = import_response(written(dense(matrix), tmp_path, "coo"), panels(), threshold=0)
    np.testing.assert_allclose(dense(found), dense(matrix), rtol=1e-3)
    assert found.errors.max() < 1e-4


def test_noise_is_averaged_and_stated(tmp_path: Path, rng: np.random.Generator) -> None:
    matrix = integrated()
    truth = dense(matrix)
    noisy = truth * rng.uniform(0.9, 1.1, truth.shape)
    found = import_response(written(noisy, tmp_path, "coo"), panels(), threshold=0)
    assert np.linalg.norm(dense(found) - truth) < 0.02 * np.linalg.norm(truth)
    assert found.errors.mean() == pytest.approx(0.1 / np.sqrt(3), rel=0.1)


@pytest.mark.parametrize(
    ("voxel_mm", "n_rows", "message"),
    [
        (
            (0.6, 1.0, 0.5),
            5,
            "voxels of 0.6 × 1 × 0.5 mm, but .* needs voxels of 0.5 × 1 × 0.5",
        ),
        (
            None,
            6,
            "225 × 1680 elements, but 'tiny panels' has 324 lines of response and 2016 voxels",
        ),
    ],
)
def test_other_voxels_and_scanners_are_refused(
    voxel_mm: tuple[float, float, float] | None, n_rows: int, message: str, tmp_path: Path
) -> None:
    path = written(dense(integrated()), tmp_path, "coo")
    with pytest.raises(GeometryError, match=message):
        import_response(path, panels(n_rows=n_rows), voxel_mm=voxel_mm)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_impossible_probabilities_are_refused(value: float, tmp_path: Path) -> None:
    whole = dense(integrated()).copy()
    whole[3, 0, 0, 0] = value
    with pytest.raises(DataError, match="negative, infinite or NaN probabilities"):
        import_response(written(whole, tmp_path, "coo"), panels())


def test_duplicate_elements_are_summed(tmp_path: Path) -> None:
    """If counts of several runs were combined, one element can occur several times."""
    flat = sparse.coo_matrix(dense(integrated()).reshape(225, -1))
    rows, columns = (np.concatenate([at, at]) for at in (flat.row, flat.col))
    parts = np.concatenate([0.3 * flat.data, 0.7 * flat.data])
    sparse.save_npz(tmp_path / "parts.npz", sparse.coo_matrix((parts, (rows, columns)), flat.shape))
    found = import_response(tmp_path / "parts.npz", panels(), threshold=0)
    # values are stored in half precision
    np.testing.assert_allclose(dense(found), dense(integrated()), rtol=2e-3)
    assert found.errors.max() < 1e-5
    some = flat.copy()
    some.data[::2] = 0
    halves = np.concatenate([some.data / 2, some.data / 2])
    sparse.save_npz(tmp_path / "h.npz", sparse.coo_matrix((halves, (rows, columns)), flat.shape))
    sparse.save_npz(tmp_path / "one.npz", some)
    one, two = (
        import_response(tmp_path / name, panels(), threshold=0) for name in ("one.npz", "h.npz")
    )
    np.testing.assert_allclose(two.errors, one.errors, rtol=1e-5)
    assert one.errors.min() > 0.1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda whole: 1e6 * whole,
            "the probabilities of one voxel add up to .*, expected at most 1; divide",
        ),
        (lambda whole: 0 * whole, "all probabilities in the matrix are 0"),
        (lambda whole: whole.astype(complex), "type complex128, expected real numbers"),
        (lambda whole: whole.astype("U1"), "type <U1, expected real numbers"),
    ],
)
def test_invalid_probability_matrix_is_refused(
    change: Callable[[np.ndarray], np.ndarray], message: str, tmp_path: Path
) -> None:
    whole = dense(integrated()).reshape(225, -1)
    np.save(tmp_path / "matrix.npy", change(whole))
    with pytest.raises(DataError, match=message):
        import_response(tmp_path / "matrix.npy", panels())


@pytest.mark.parametrize("kind", ["dense", "coo"])
def test_truncated_file_is_refused(kind: str, tmp_path: Path) -> None:
    path = written(dense(integrated()), tmp_path, kind)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(FileFormatError, match="or is incomplete"):
        import_response(path, panels())


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="this file does not exist"):
        import_response(tmp_path / "none.npz", panels())
