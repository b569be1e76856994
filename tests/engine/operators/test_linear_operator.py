"""Laws of operators and their combinations, and expressions that users write with them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse.linalg import lsqr

from engine.core.backend import cpu
from engine.core.errors import GeometryError, NumericalError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.tof import TofBins
from engine.operators.algebra import Diagonal, Identity, side_by_side, stack
from engine.operators.base import LinearOperator
from engine.operators.matrix.projector import MatrixProjector
from engine.operators.rays import RayProjector, Rays
from engine.operators.xray.transform import XrayTransform
from engine.recon.priors.gradient import Gradient
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import random_response
from tests.engine.operators.ray_oracles import GRID, octant_rays
from tests.tolerances import FLOAT64


class Matrix(LinearOperator):
    def __init__(self, elements):
        self.elements = elements
        self.out_shape, self.in_shape = (elements.shape[0],), (elements.shape[1],)

    def forward(self, x):
        return self.elements @ x

    def adjoint(self, y):
        return self.elements.T @ y


def rays() -> Rays:
    return octant_rays(np.random.default_rng(7), 60, GRID)


def timed_rays() -> Rays:
    untimed = rays()
    bins = np.random.default_rng(8).integers(0, 5, len(untimed.ends)).astype(np.int16)
    return Rays(untimed.points_mm, untimed.ends, bins)


def cone(**options: str) -> XrayTransform:
    scan = circular_cone(
        circle(12), source_axis_mm=60.0, source_detector_mm=90.0, shape=(6, 9), pixel_mm=2.0
    )
    return XrayTransform(scan, ImageGrid((5, 7, 6), (1.5, 1.4, 1.3)), on=cpu(2), **options)


def response() -> MatrixProjector:
    shape = {"n_rows": 4, "n_columns": 3, "n_planes": 3, "voxels_per_pitch": 2}
    return MatrixProjector(random_response(panels(**shape)), on=cpu(2))


OPERATORS: dict[str, Callable[[], LinearOperator]] = {
    "rays": lambda: RayProjector(rays(), GRID, on=cpu(2)),
    "rays with time of flight": lambda: RayProjector(
        timed_rays(), GRID, on=cpu(2), tof=TofBins(fwhm_ps=60, bin_ps=30, n_bins=5)
    ),
    "reproducible rays": lambda: RayProjector(rays(), GRID, on=cpu(2), reproducible=True),
    "stored response": response,
    "matched cone": cone,
    "gradient": lambda: Gradient((3, 4, 5), (2.0, 1.0, 1.5)),
    "diagonal": lambda: Diagonal(np.linspace(-1, 3, 24, dtype=np.float32).reshape(4, 6)),
    "identity": lambda: Identity((4, 6)),
}
UNMATCHED = {"voxel-driven cone": lambda: cone(adjoint="voxel")}
"""A back projection that is the adjoint only of the continuous integrals."""

COMPOSED: dict[str, Callable[[LinearOperator], LinearOperator]] = {
    "itself": lambda A: A,
    "transposed": lambda A: A.T,
    "normal": lambda A: A.T @ A,
    "negative": lambda A: -A,
    "scaled": lambda A: A * 0.5 - A / 4,
    "rows": lambda A: A.subset(1, 3),
    "weighted rows": lambda A: (Diagonal(np.ones(A.out_shape, np.float32)) @ A).subset(0, 2),
    "stacked": lambda A: stack(A, 2 * Identity(A.in_shape)),
    "side by side": lambda A: side_by_side(A, Identity(A.out_shape)),
}


@pytest.fixture(scope="module", params=OPERATORS)
def A(request) -> LinearOperator:
    return OPERATORS[request.param]()


def drawn(rng, shape) -> np.ndarray:
    return rng.standard_normal(shape, dtype=np.float32)


def inner(a, b) -> float:
    return float(np.sum(a * b, dtype=np.float64))


def length(a) -> float:
    return inner(a, a) ** 0.5


@pytest.mark.parametrize("how", COMPOSED)
def test_operator_is_linear(A, how, rng):
    B = COMPOSED[how](A)
    x, y = drawn(rng, B.in_shape), drawn(rng, B.in_shape)

    combined = B(2 * x - 3 * y)

    # float32 sums of a few hundred terms, which can cancel.
    np.testing.assert_allclose(
        combined, 2 * B(x) - 3 * B(y), atol=5e-6 * np.abs(combined).max(), rtol=0
    )


@pytest.mark.parametrize("how", COMPOSED)
def test_adjoint_satisfies_the_inner_product_identity(A, how, rng):
    B = COMPOSED[how](A)
    x, y = drawn(rng, B.in_shape), drawn(rng, B.out_shape)

    Bx, Bty = B(x), B.T(y)

    scale = max(length(Bx) * length(y), length(x) * length(Bty))
    assert abs(inner(Bx, y) - inner(x, Bty)) < B.adjoint_rtol * scale


@pytest.mark.parametrize("how", COMPOSED)
def test_shape_is_that_of_the_matrix_and_its_arrays(A, how, rng):
    B = COMPOSED[how](A)

    assert B.shape == (B(drawn(rng, B.in_shape)).size, B.T(drawn(rng, B.out_shape)).size)
    assert B.T.shape == B.shape[::-1]
    assert B(drawn(rng, B.in_shape)).shape == B.out_shape


def test_rows_of_a_subset_equal_those_of_the_whole(A, rng):
    x, weights = drawn(rng, A.in_shape), drawn(rng, A.out_shape)

    for k in range(2):
        weighted = (Diagonal(weights) @ (3 * A)).subset(k, 2)
        truth = 3 * A.subset_values(weights, k, 2) * A.subset_values(A(x), k, 2)
        np.testing.assert_allclose(weighted(x), truth, rtol=1e-4, atol=1e-5 * np.abs(truth).max())


@pytest.mark.parametrize("how", COMPOSED)
def test_composed_operator_has_the_device_of_its_parts(A, how):
    B = COMPOSED[how](A)

    assert B.on is A.on
    assert repr(B).endswith(f"{B.in_shape} -> {B.out_shape}{' on cpu' if A.on else ''}>")


def test_composed_operator_is_as_exact_as_its_loosest_part():
    A = UNMATCHED["voxel-driven cone"]()

    assert (2 * A).adjoint_rtol == stack(Identity(A.in_shape), A).adjoint_rtol == A.adjoint_rtol
    assert A.adjoint_rtol > Identity(A.in_shape).adjoint_rtol


@pytest.mark.parametrize("how", COMPOSED)
def test_wrong_shape_gives_one_sentence(A, how):
    B = COMPOSED[how](A)
    wrong = np.zeros((*B.in_shape, 2), np.float32)

    for apply in (B, B.__matmul__):
        with pytest.raises(GeometryError) as fault:
            apply(wrong)
        assert str(fault.value) == (
            f"{B.name}: got an array of shape {wrong.shape}, expected {B.in_shape}; use data, "
            "scanner and image grid that belong together."
        )


def dense(A: LinearOperator) -> np.ndarray:
    return np.stack([A @ column for column in np.eye(A.in_shape[0])], axis=1)


@pytest.fixture
def a(rng):
    return rng.standard_normal((5, 4))


@pytest.fixture
def b(rng):
    return rng.standard_normal((4, 3))


def combinations(a, b):
    A, B, d = Matrix(a), Matrix(b), np.arange(1.0, 6.0)
    return {
        "transpose": (A.T, a.T),
        "adjoint": (A.H, a.T),
        "product": (A @ B, a @ b),
        "sum": (A + 2 * A, 3 * a),
        "difference": (3 * A - A, 2 * a),
        "negative": (-A, -a),
        "number on the right": (A * 2, 2 * a),
        "number of numpy": (np.float64(2) * A, 2 * a),
        "array without axes": (np.array(2.0, np.float32) * A, 2 * a),
        "quotient": (A / 4, a / 4),
        "identity": (Identity((5,)) @ A, a),
        "diagonal": (Diagonal(d) @ A, d[:, None] * a),
        "stack": (stack(A, A @ B @ B.T), np.concatenate([a, a @ b @ b.T])),
        "side by side": (side_by_side(A, A @ B), np.concatenate([a, a @ b], axis=1)),
        "rows": (A.subset(1, 2), a[1::2]),
        "rows of a product": ((A @ B).subset(1, 2), (a @ b)[1::2]),
        "rows of a sum": ((A + 2 * A).subset(0, 3), 3 * a[::3]),
        "rows of a diagonal": ((Diagonal(d) @ A).subset(1, 2), (d[:, None] * a)[1::2]),
        "rows of an identity": ((Identity((5,)) @ A).subset(1, 2), a[1::2]),
        "rows of a stack": (stack(A, 2 * A).subset(1, 3), np.concatenate([a, 2 * a])[1::3]),
    }


@pytest.mark.parametrize("name", combinations(np.zeros((5, 4)), np.zeros((4, 3))))
def test_combinations_equal_their_matrices(a, b, name):
    A, truth = combinations(a, b)[name]

    np.testing.assert_allclose(dense(A), truth, atol=1e-14)
    np.testing.assert_allclose(dense(A.T), truth.T, atol=1e-14)
    assert A.shape == truth.shape


def test_transpose_of_the_transpose_is_the_operator(a):
    A = Matrix(a)

    assert A.T.T is A


def test_single_precision_is_preserved(rng):
    A = Identity((3,))
    x = drawn(rng, (3,))

    combined = 2 * A - A / np.float64(4) + Diagonal(x) @ A
    assert (combined @ x).dtype == stack(combined, A)(x).dtype == np.float32


def test_identity_returns_a_copy(rng):
    x = drawn(rng, (3,))
    A = Identity((3,))

    for result in (A(x), A.T(x)):
        result += 1
        assert not np.array_equal(result, x)


def test_stack_splits_its_results_into_the_shapes_of_its_parts(rng):
    A = stack(Gradient((4, 5), (1.0, 2.0)), Identity((4, 5)))
    x = drawn(rng, (4, 5))

    gradient, same = A.split(A(x))

    np.testing.assert_array_equal(gradient, A.parts[0](x))
    np.testing.assert_array_equal(same, x)


def test_repr_shows_the_parts(a, b):
    A, B = Matrix(a), Matrix(b)

    assert repr(A) == "<Matrix (4,) -> (5,)>"
    assert repr(cone()) == "<XrayTransform (5, 7, 6) -> (12, 6, 9) on cpu>"
    names = {
        "Matrix.T": A.T,
        "-Matrix": -A,
        "2 * Matrix - (Matrix @ Identity)": 2 * A - A @ Identity((4,)),
        "(Matrix + Matrix) @ Matrix": (A + A) @ B,
        "(Matrix @ Matrix).T": (A @ B).T,
        "Matrix[1::2]": A.subset(1, 2),
        "stack(Matrix, 3 * Matrix)": stack(A, 3 * A),
        "stack(Matrix.T, Matrix.T).T": side_by_side(A, A),
    }
    assert {name: A.name for name, A in names.items()} == {name: name for name in names}


def test_scipy_solves_with_an_operator(a, rng):
    truth = rng.standard_normal(4)

    solution = lsqr(Matrix(a).as_scipy("float64"), a @ truth, atol=FLOAT64, btol=1e-12)[0]

    np.testing.assert_allclose(solution, truth, rtol=1e-8)


def test_scipy_solves_with_a_penalty_stacked_below_the_data(a, rng):
    """‖A x − y‖² + τ ‖x‖² has its minimum at (AᵀA + τ)⁻¹ Aᵀ y."""
    y, tau = rng.standard_normal(5), 0.3
    rows = stack(Matrix(a), tau**0.5 * Identity((4,)))

    solution = lsqr(rows.as_scipy("float64"), np.append(y, np.zeros(4)), atol=FLOAT64, btol=1e-12)[
        0
    ]

    np.testing.assert_allclose(solution, np.linalg.solve(a.T @ a + tau * np.eye(4), a.T @ y))


def test_incompatible_operators_are_refused(a, b):
    A, B = Matrix(a), Matrix(b)

    with pytest.raises(GeometryError, match="same grid"):
        A @ A
    with pytest.raises(GeometryError, match="same shape"):
        A + B
    with pytest.raises(GeometryError, match="same shape"):
        A - B
    with pytest.raises(GeometryError, match="same input shape"):
        stack(A, B)
    with pytest.raises(GeometryError, match="same input shape"):
        side_by_side(A, B)
    with pytest.raises(GeometryError, match="at least one"):
        stack()


def test_meaningless_products_are_refused_with_the_remedy(a):
    A = Matrix(a)

    with pytest.raises(TypeError, match=r"ndarray @ Matrix.*write A\.T @ y"):
        np.ones(5) @ A
    for factor in (np.ones(5), A, 2j, np.complex64(1), "2"):
        with pytest.raises(TypeError, match=r"real number.*Diagonal\(factors\) @ A"):
            factor * A
    for wrong in (1.0, np.ones(4)):
        with pytest.raises(TypeError, match="only another operator can be added"):
            A + wrong
        with pytest.raises(TypeError, match="only another operator can be added"):
            wrong - A


def strips(n: int, width_mm: float) -> RayProjector:
    """Return rays along x through the centre of each row of n square voxels of one slice."""
    y = (np.arange(n) + 0.5) * width_mm - n * width_mm / 2
    first = np.stack([np.full(n, -100.0), y, np.zeros(n)], axis=1)
    points = np.concatenate([first, first * [-1, 1, 1]])
    ends = np.arange(2 * n, dtype=np.int32).reshape(2, n).T.copy()
    return RayProjector(Rays(points, ends), ImageGrid((1, n, n), (width_mm,) * 3), on=cpu(1))


def gradient_norm(shape, spacing_mm) -> float:
    """Return ‖∇‖ from the second difference: ‖∇‖² = Σ 4 / h² sin²(π (n − 1) / 2n)."""
    steps = zip(shape, spacing_mm, strict=True)
    return sum(4 / h**2 * np.sin(np.pi * (n - 1) / (2 * n)) ** 2 for n, h in steps) ** 0.5


NORMS: dict[str, Callable[[], tuple[LinearOperator, float]]] = {
    "identity": lambda: (Identity((3, 4)), 1.0),
    "multiple": lambda: (-2.5 * Identity((3, 4)), 2.5),
    "diagonal": lambda: (Diagonal(np.array([1.0, -7.0, 3.0])), 7.0),
    "zero": lambda: (Diagonal(np.zeros(5)), 0.0),
    "stack": lambda: (stack(3 * Identity((4,)), 4 * Identity((4,))), 5.0),
    "gradient": lambda: (
        Gradient((3, 4, 5), (2.0, 1.0, 1.5)),
        gradient_norm((3, 4, 5), (2.0, 1.0, 1.5)),
    ),
    # Each ray sees n voxels over the length w, and no other ray sees them.
    "rays": lambda: (strips(9, 2.0), 2.0 * 9**0.5),
    "transposed rays": lambda: (strips(9, 2.0).T, 2.0 * 9**0.5),
}


@pytest.mark.parametrize("name", NORMS)
def test_norm_equals_its_closed_form(name):
    A, truth = NORMS[name]()

    assert A.norm() == pytest.approx(truth, rel=1e-3)
    assert A.norm() <= truth * (1 + 1e-6)  # values are float32


def test_norm_is_the_largest_singular_value(a, b):
    for matrix in (a, b, a @ b):
        truth = np.linalg.norm(matrix, 2)
        assert Matrix(matrix).norm(rtol=1e-7) == pytest.approx(truth, rel=1e-6)


def test_norm_is_reproducible_for_a_seed(a):
    A = Matrix(a)

    assert A.norm(rtol=0.1) == A.norm(rtol=0.1)
    assert A.norm(rtol=0.1) != A.norm(rtol=0.1, seed=1)


def test_unconverged_norm_is_an_error(a):
    with pytest.raises(NumericalError, match="after 2 iterations; increase"):
        Matrix(a).norm(rtol=FLOAT64, max_iterations=2)


def test_norm_is_computed_on_the_device(on_gpu):
    on_host, on_device = (RayProjector(rays(), GRID, on=on) for on in (cpu(2), on_gpu))

    assert on_device.norm() == pytest.approx(on_host.norm(), rel=1e-4)
    assert repr(on_device).endswith("on cuda>")


def test_composed_operators_work_on_the_device(on_gpu, rng):
    def composed(on):
        A = RayProjector(rays(), GRID, on=on)
        return stack(2 * A - A / 2, Identity(A.in_shape))

    host, device = composed(cpu(2)), composed(on_gpu)
    x = drawn(rng, host.in_shape)
    on_device = on_gpu.to_device(x)

    back = device.T @ (device @ on_device)

    np.testing.assert_allclose(on_gpu.to_host(back), host.T @ (host @ x), rtol=2e-4, atol=1e-3)
