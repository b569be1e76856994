"""Projection by correlation equals the dense matrix, for every line and voxel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import GeometryError
from engine.geometry.dual_head import DualHead
from engine.kernels.host_variants import MatrixForm
from engine.kernels.matrix import memory as matrix_memory
from engine.operators.matrix.orientation_rows import lattice_step
from engine.operators.matrix.projector import MatrixProjector
from engine.operators.matrix.rows import parts_of
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import dense, random_response
from tests.tolerances import FLOAT64, FLOAT64_SUMS

SHAPES = [(6, 4), (4, 6), (3, 3), (1, 5), (2, 1)]


def scanner(n_rows: int = 6, n_columns: int = 4, **changes: object) -> DualHead:
    return panels(n_rows=n_rows, n_columns=n_columns, **changes)


@pytest.fixture(params=["line by line", "mirror images together"])
def both_layouts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use both memory layouts of image and data; small panels would only use the second."""
    if request.param == "line by line":
        monkeypatch.setattr(matrix_memory, "MAX_PLANE_BYTES", 0)


@pytest.mark.usefixtures("both_layouts")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("beyond", [0, 3])
@pytest.mark.parametrize(("n_planes", "edge"), [(5, 4), (4, 3)])
def test_forward_and_adjoint_equal_those_of_the_dense_matrix(
    shape: tuple[int, int], beyond: int, n_planes: int, edge: int
) -> None:
    panels_ = scanner(*shape, n_planes=n_planes, voxels_per_pitch=edge)
    response = random_response(panels_, beyond=beyond)
    A, matrix = MatrixProjector(response, on=cpu(2), dtype=np.float64), dense(response)
    rng = np.random.default_rng(1)
    x, y = rng.random(A.in_shape), rng.random(A.out_shape)
    # Rows are in single precision.
    assert np.allclose(A(x), matrix @ x.ravel(), rtol=1e-7, atol=1e-15)
    assert np.allclose(A.T(y).ravel(), matrix.T @ y, rtol=1e-7, atol=1e-15)


@pytest.mark.usefixtures("both_layouts")
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_single_precision_is_within_rounding_of_double(dtype: type) -> None:
    response = random_response(scanner(), dtype=dtype)
    single = MatrixProjector(response, on=cpu(2))
    double = MatrixProjector(response, on=cpu(2), dtype=np.float64)
    x = np.random.default_rng(2).random(single.in_shape, np.float32)
    assert single(x).dtype == np.float32
    assert np.allclose(single(x), double(x), rtol=1e-6, atol=FLOAT64_SUMS)
    y = double(x)
    assert np.allclose(single.T(y), double.T(y), rtol=1e-6, atol=FLOAT64_SUMS)


@pytest.mark.usefixtures("both_layouts")
def test_bits_do_not_depend_on_the_threads() -> None:
    response = random_response(scanner(), seed=3)
    x = np.random.default_rng(3).random(response.scanner.grid.shape, np.float32)
    one, three = (MatrixProjector(response, on=cpu(n)) for n in (1, 3))
    y = one(x)
    assert np.array_equal(three(x), y)
    assert np.array_equal(three.T(y), one.T(y))


@pytest.mark.usefixtures("both_layouts")
def test_bits_do_not_depend_on_the_rows_decoded_at_a_time() -> None:
    response = random_response(scanner(), seed=3)
    x = np.random.default_rng(3).random(response.scanner.grid.shape, np.float32)
    all_at_once = MatrixProjector(response, on=cpu(2))
    few = MatrixProjector(response, on=cpu(2), form=MatrixForm(at_once=3))
    y = all_at_once(x)
    assert np.array_equal(few(x), y)
    assert np.array_equal(few.T(y), all_at_once.T(y))


@pytest.mark.parametrize("most", [1, 3, 8, 1000])
def test_parts_preserve_the_order_and_are_as_large_as_their_rows_allow(most: int) -> None:
    offsets = scanner().orientations.offsets
    parts = list(parts_of(offsets, most))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(len(offsets)))
    for part in parts:
        rows = len(np.unique(np.abs(offsets[part]), axis=0))
        # The next orientation would need one more row.
        with_next = np.abs(offsets[part.start : part.stop + 1])
        assert rows <= most
        assert part.stop == len(offsets) or len(np.unique(with_next, axis=0)) == most + 1


def test_mirror_images_are_in_one_part_and_every_orientation_is_used() -> None:
    offsets = np.array([(1, 2), (0, 3), (-1, 2), (1, -2), (2, 1), (0, -3)])
    assert list(parts_of(offsets, 2)) == [slice(0, 4), slice(4, 6)]
    assert list(parts_of(offsets[:0], 2)) == []


@pytest.mark.usefixtures("both_layouts")
def test_subsets_are_disjoint_families_of_orientations_and_sum_to_the_whole() -> None:
    response = random_response(scanner(), seed=4)
    A = MatrixProjector(response, on=cpu(2), dtype=np.float64)
    x = np.random.default_rng(4).random(A.in_shape)
    y, total, used = A(x), np.zeros(A.in_shape), []
    for k in range(5):
        members = A.members(k, 5)
        part = A.subset(k, 5)
        assert np.allclose(part(x), A.lines(y, members), rtol=FLOAT64)
        total += part.T(A.lines(y, members))
        offsets = {tuple(o) for o in response.scanner.orientations.offsets[members].tolist()}
        assert all({(a, b), (-a, b), (a, -b), (-a, -b)} <= offsets for a, b in offsets)
        used.extend(members.tolist())
    assert sorted(used) == list(range(len(A.orientations)))
    assert np.allclose(total, A.T(y), rtol=FLOAT64)


def test_balanced_subsets_are_lattices_of_families_and_complete() -> None:
    panels_ = scanner(24, 16, n_planes=2, voxels_per_pitch=1)
    A = MatrixProjector(random_response(panels_), on=cpu(1))
    offsets, used = np.abs(panels_.orientations.offsets), []
    for k in range(24):
        members = A.balanced_members(k, 24)
        a, b = (each.astype(int) for each in np.unique(offsets[members], axis=0).T)
        assert len(a) == 16 and set((a + lattice_step(24) * b) % 24) == {k}
        between = (a[:, None] - a) ** 2 + (b[:, None] - b) ** 2
        # for comparison, the square lattice of 24 cells has 24
        assert between[between > 0].min() >= 26
        used.extend(members.tolist())
    assert sorted(used) == list(range(len(A.orientations)))
    for of in (5, 50, 500):  # numbers of subsets that do not fit the panels
        parts = [A.balanced_members(k, of) for k in range(of)]
        assert sorted(np.concatenate(parts)) == list(range(len(A.orientations)))
        families = [len(np.unique(offsets[part], axis=0)) for part in parts]
        assert max(families) - min(families) <= 1


@pytest.mark.usefixtures("both_layouts")
def test_response_of_ones_counts_the_voxels_of_a_line() -> None:
    panels_ = scanner(3, 2, n_planes=2)
    response = random_response(panels_, beyond=0)
    response.values[:] = 1
    response.scales[:] = 1
    A = MatrixProjector(response, on=cpu(1))
    table = panels_.orientations
    counts = A(np.ones(A.in_shape, np.float32))
    for a, b in table.offsets.tolist():
        lines, _ = table.block(a, b)
        assert (counts[lines] == len(response.row(a, b).values)).all()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    ("before", "after", "margin"), [(1, 0, 1), (0, 5, 2), (9, 4, 3), (0, 0, 0)]
)
def test_margin_covers_voxels_beyond_either_edge(
    axis: int, before: int, after: int, margin: int
) -> None:
    response = random_response(scanner(), beyond=0)
    windows = response.windows.copy()
    windows[4, 1, axis] -= before
    windows[4, 1, axis + 2] += before + after
    assert replace(response, windows=windows).margin == margin


def test_progress_is_reported_and_can_stop_the_work() -> None:
    response = random_response(scanner())
    message: list[tuple[int, int]] = []
    A = MatrixProjector(
        response, on=cpu(1), on_progress=lambda done, total: message.append((done, total))
    )
    A(np.ones(A.in_shape, np.float32))
    assert message[-1] == (len(A.orientations),) * 2

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        MatrixProjector(response, on=cpu(1), on_progress=stop)(np.ones(A.in_shape, np.float32))


def test_crystal_layers_are_refused() -> None:
    response = random_response(scanner(n_layers=2))
    with pytest.raises(GeometryError, match="one crystal layer"):
        MatrixProjector(response, on=cpu(1))


def test_response_that_extends_too_far_is_refused() -> None:
    response = random_response(scanner(), beyond=0)
    windows = response.windows.copy()
    windows[0, 0, 0] = -4100
    with pytest.raises(
        GeometryError, match="2056 pitches along one edge, including a margin of 1025"
    ):
        MatrixProjector(replace(response, windows=windows), on=cpu(1))


def test_data_of_another_size_are_refused() -> None:
    A = MatrixProjector(random_response(scanner()), on=cpu(1))
    with pytest.raises(GeometryError, match="shape"):
        A(np.ones((3, 3, 3), np.float32))
    with pytest.raises(GeometryError, match="shape"):
        A.T(np.ones(A.out_shape[0] + 1, np.float32))


@pytest.mark.usefixtures("both_layouts")
def test_orientations_without_all_mirror_images_are_projected_separately() -> None:
    response = random_response(scanner(), seed=6)
    A = MatrixProjector(response, on=cpu(2), dtype=np.float64)
    rng = np.random.default_rng(6)
    x, some = rng.random(A.in_shape), np.array([1, 2, 17, 40, 63])
    part = A.among(some)
    y = rng.random(part.out_shape)
    np.testing.assert_allclose(part(x), A.lines(A(x), some), rtol=FLOAT64)
    assert np.vdot(part(x), y) == pytest.approx(np.vdot(x, part.T(y)), rel=FLOAT64)
    none = A.among(np.zeros(0, np.int64))
    assert none(x).shape == (0,)
    assert not none.T(np.zeros(0)).any()


@pytest.mark.parametrize("max_bytes", [0, 1 << 20])
def test_cached_rows_equal_newly_decoded_ones(
    max_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_memory, "MAX_CACHED_BYTES", max_bytes)
    response = random_response(scanner(), seed=7)
    A = MatrixProjector(response, on=cpu(2))
    x = np.random.default_rng(7).random(A.in_shape, np.float32)
    first, y = A(x), np.ones(A.out_shape, np.float32)
    back = A.T(y)
    np.testing.assert_array_equal(A(x), first)
    np.testing.assert_array_equal(A.T(y), back)
    retained = A._decoded.of(A._layout.offsets, A._layout.back, 1)
    assert (A._decoded.of(A._layout.offsets, A._layout.back, 1) is retained) == (max_bytes > 0)
