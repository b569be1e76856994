import numpy as np
import pytest
from scipy.sparse.linalg import lsqr

from engine.errors import GeometryError
from engine.operators.base import Diagonal, LinearOperator


class Matrix(LinearOperator):
    def __init__(self, elements):
        self.elements = elements
        self.out_shape, self.in_shape = (elements.shape[0],), (elements.shape[1],)

    def forward(self, x):
        return self.elements @ x

    def adjoint(self, y):
        return self.elements.T @ y


def dense(A: LinearOperator) -> np.ndarray:
    return np.stack([A(column) for column in np.eye(A.in_shape[0])], axis=1)


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
        "product": (A @ B, a @ b),
        "sum": (A + 2 * A, 3 * a),
        "diagonal": (Diagonal(d) @ A, d[:, None] * a),
        "rows": (A.subset(1, 2), a[1::2]),
        "rows of a product": ((A @ B).subset(1, 2), (a @ b)[1::2]),
        "rows of a sum": ((A + 2 * A).subset(0, 3), 3 * a[::3]),
        "rows of a diagonal": ((Diagonal(d) @ A).subset(1, 2), (d[:, None] * a)[1::2]),
    }


@pytest.mark.parametrize("name", combinations(np.zeros((5, 4)), np.zeros((4, 3))))
def test_combinations_equal_their_matrices(a, b, name):
    A, truth = combinations(a, b)[name]

    np.testing.assert_allclose(dense(A), truth, atol=1e-14)
    np.testing.assert_allclose(dense(A.T), truth.T, atol=1e-14)


def test_transpose_of_the_transpose_is_the_operator(a):
    A = Matrix(a)

    assert A.T.T is A


def test_scipy_solves_with_it(a, rng):
    truth = rng.standard_normal(4)

    solution = lsqr(Matrix(a).as_scipy("float64"), a @ truth, atol=1e-12, btol=1e-12)[0]

    np.testing.assert_allclose(solution, truth, rtol=1e-8)


def test_a_wrong_shape_is_refused(a, b):
    A = Matrix(a)

    with pytest.raises(GeometryError, match=r"\(5,\), needs \(4,\)"):
        A(np.zeros(5))
    with pytest.raises(GeometryError, match="needs"):
        A.T(np.zeros(4))
    with pytest.raises(GeometryError, match="same grid"):
        A @ A
    with pytest.raises(GeometryError, match="same shape"):
        A + Matrix(b)
