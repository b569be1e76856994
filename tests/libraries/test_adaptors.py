"""Operators in CIL, SIRF and deepinv.

deepinv is installed from PyPI. Neither CIL nor SIRF can be: their containers, geometries and the
base class of CIL's operators are written here as documented, unless they are installed.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import GeometryError, ResourceError
from engine.operators.base import LinearOperator
from tests.engine.operators.small_operators import KINDS, cone, fan_beam, inputs
from tests.libraries.environment import NOT_INSTALLED


class Container:
    """DataContainer of CIL and SIRF: `as_array`, `fill`, `clone`."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = np.array(values, np.float32)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    def as_array(self) -> np.ndarray:
        return self._values

    def fill(self, values: np.ndarray) -> None:
        # both refuse values of another shape
        assert values.shape == self.shape
        self._values[...] = values

    def clone(self) -> Container:
        return Container(self._values)


class Geometry:
    """Geometry of CIL: `shape`, and `allocate` of a container with one value."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def allocate(self, value: float = 0) -> Container:
        return Container(np.full(self.shape, value))


class CilLinearOperator:
    """Base class of CIL 24: geometries, the norm that is computed once, and `is_linear`."""

    def __init__(self, domain_geometry: Any, **kwargs: Any) -> None:
        self._norm = None
        self._domain_geometry = domain_geometry
        self._range_geometry = kwargs.get("range_geometry")

    def is_linear(self) -> bool:
        return True

    def domain_geometry(self) -> Any:
        return self._domain_geometry

    def range_geometry(self) -> Any:
        return self._range_geometry

    def norm(self, **kwargs: Any) -> float:
        if self._norm is None:
            self._norm = self.calculate_norm(**kwargs)
        return self._norm


@pytest.fixture
def cil(monkeypatch: pytest.MonkeyPatch) -> None:
    """Return CIL, or its stub if it is not installed."""
    if "cil" in sys.modules:
        return
    operators = ModuleType("cil.optimisation.operators")
    operators.LinearOperator = CilLinearOperator
    for name in ("cil", "cil.optimisation"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, operators.__name__, operators)
    # import again with this base class
    monkeypatch.delitem(sys.modules, "engine.operators.adaptors.cil", raising=False)


@pytest.mark.parametrize("kind", ["rays", "cone beam", "fan beam", "stored response"])
def test_cil_operator_projects_and_back_projects(kind: str, cil: None) -> None:
    A = KINDS[kind](cpu(1))
    ((x, y),) = inputs(A, 1)
    # CIL drops axes of length 1
    image, data = Geometry(np.squeeze(x).shape), Geometry(np.squeeze(y).shape)
    B = A.as_cil(image, data)

    given, seen = Container(np.squeeze(x)), Container(np.squeeze(y))
    np.testing.assert_array_equal(B.direct(given).as_array(), np.squeeze(A @ x))
    np.testing.assert_array_equal(B.adjoint(seen).as_array(), np.squeeze(A.T @ y))
    out = data.allocate(3)
    assert B.direct(given, out=out) is out
    np.testing.assert_array_equal(out.as_array(), np.squeeze(A @ x))
    assert B.norm() == A.norm()
    assert (B.domain_geometry(), B.range_geometry()) == (image, data)
    with pytest.raises(GeometryError, match="got a container of shape"):
        B.direct(Container(np.ones(3)))


def test_cil_iterates_with_our_operator(cil: None) -> None:
    """Landweber iteration as in CIL, with reused containers."""
    A = cone(cpu(1))
    ((x, _),) = inputs(A, 1)
    B = A.as_cil(Geometry(A.in_shape), Geometry(A.out_shape))
    data, found = B.direct(Container(x)), B.domain_geometry().allocate(0)
    difference, step = B.range_geometry().allocate(), B.domain_geometry().allocate()
    misfits = []
    for _ in range(20):
        B.direct(found, out=difference)
        difference.fill(difference.as_array() - data.as_array())
        misfits.append(float(np.linalg.norm(difference.as_array())))
        B.adjoint(difference, out=step)
        found.fill(found.as_array() - step.as_array() / np.float32(B.norm() ** 2))
    assert misfits == sorted(misfits, reverse=True)
    assert misfits[-1] < 0.1 * misfits[0]


@pytest.mark.parametrize("kind", ["rays with time of flight", "ring sinogram", "cone beam"])
def test_sirf_acquisition_model_projects_and_back_projects(kind: str) -> None:
    A = KINDS[kind](cpu(1))
    ((x, y),) = inputs(A, 1)
    # SIRF's data have four axes
    image, data = Container(x), Container(y.reshape(1, 1, *y.shape[:1], -1))
    model = A.as_sirf(image, data)

    assert model.forward(image).shape == data.shape
    np.testing.assert_array_equal(model.direct(image).as_array().ravel(), (A @ x).ravel())
    np.testing.assert_array_equal(model.backward(data).as_array(), A.T @ y)
    np.testing.assert_array_equal(model.adjoint(data).as_array(), A.T @ y)
    np.testing.assert_array_equal(data.as_array().ravel(), y.ravel())
    assert model.get_linear_acquisition_model().is_linear()
    assert (model.domain_geometry(), model.range_geometry()) == (image, data)
    assert model.norm() == A.norm()
    with pytest.raises(GeometryError, match="got a container of shape"):
        A.as_sirf(data, image)


@pytest.mark.slow  # deepinv takes ten seconds to import
def test_deepinv_physics_equals_our_operator() -> None:
    torch = pytest.importorskip("torch", reason=NOT_INSTALLED)
    pytest.importorskip("deepinv", reason="deepinv is not installed")
    A = fan_beam(cpu(1))
    x = torch.rand(2, 1, *A.in_shape)
    physics = (A * (1 / A.norm())).as_deepinv(max_iter=60)

    assert float(physics.adjointness_test(x[0])) < 1e-4  # float32
    # rtol of LinearOperator.norm
    assert float(physics.compute_sqnorm(x, tol=1e-4, verbose=False)) == pytest.approx(1, rel=1e-2)
    y = physics(x)
    assert tuple(y.shape) == (2, 1, *A.out_shape)
    found = physics.A_dagger(y)
    assert float(torch.norm(physics(found) - y) / torch.norm(y)) < 1e-2


@pytest.mark.parametrize(
    ("adapt", "message"),
    [
        (LinearOperator.as_torch, r"install isocenter\[torch\]"),
        (LinearOperator.as_deepinv, "pip install deepinv"),
        (lambda A: A.as_cil(None, None), "conda install"),
    ],
    ids=["torch", "deepinv", "cil"],
)
def test_missing_library_is_named(
    adapt: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "deepinv", "cil"):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, f"engine.operators.adaptors.{name}", raising=False)
    with pytest.raises(ResourceError, match=message):
        adapt(cone(cpu(1)))
