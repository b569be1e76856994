"""Arrays of PyTorch, JAX and array_api_strict come back as the same type, for every operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.operators.algebra import Diagonal
from engine.operators.rays import RayProjector
from engine.recon.algorithms import Cgls, FistaTv, Mlem, Sirt
from engine.recon.algorithms.driver import solve
from engine.recon.model import BinnedModel, LinearModel, ListModeModel
from tests.engine.operators.ray_oracles import GRID
from tests.engine.operators.small_operators import KINDS, TOF, cone, inputs, stored, timed_rays
from tests.libraries.environment import NOT_INSTALLED

Convert = Callable[[np.ndarray], Any]


@pytest.fixture(params=["torch", "jax", "array_api_strict"])
def convert(request: pytest.FixtureRequest) -> Convert:
    """Function from a NumPy array to one of a library."""
    reason = NOT_INSTALLED.replace("PyTorch", request.param)
    library = pytest.importorskip(request.param, reason=reason)
    return library.asarray if request.param != "jax" else library.numpy.asarray


@pytest.mark.parametrize("kind", KINDS)
def test_products_have_the_type_of_the_argument(kind: str, convert: Convert) -> None:
    A = KINDS[kind](cpu(1))
    ((x, y),) = inputs(A, 1)
    for call, values in ((A.__matmul__, x), (A.T.__matmul__, y), (A.forward, x), (A.adjoint, y)):
        given = convert(values)
        found, expected = call(given), call(values)
        assert type(found) is type(given)
        assert found.device == given.device
        # tensors and JAX arrays have their own precision
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


def test_float64_is_preserved(convert: Convert) -> None:
    A = cone(cpu(1), dtype="float64")
    ((x, y),) = inputs(A, 1)
    if type(convert(x.astype(float))).__module__.startswith("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
    try:
        found = A @ convert(x.astype(float)), A.T @ convert(y.astype(float))
        assert {str(each.dtype).split(".")[-1] for each in found} == {"float64"}
        np.testing.assert_array_equal(np.asarray(found[0]), A @ x.astype(float))
    finally:
        if "jax" in type(found[0]).__module__:
            jax.config.update("jax_enable_x64", False)


def test_devices_of_the_array_standard_are_preserved() -> None:
    strict = pytest.importorskip(
        "array_api_strict", reason=NOT_INSTALLED.replace("PyTorch", "array_api_strict")
    )
    A = Diagonal(np.array([2.0, 3.0]))
    for name in ("CPU_DEVICE", "device1"):
        given = strict.ones(2, device=strict.Device(name))
        assert (A @ given).device == given.device


@pytest.mark.parametrize(
    "algorithm",
    [Sirt(iterations=2, subsets=2), Cgls(iterations=2), FistaTv(iterations=2)],
    ids=lambda algorithm: algorithm.kind,
)
def test_line_integrals_are_solved_in_other_libraries(algorithm: Any, convert: Convert) -> None:
    A = cone(cpu(1))
    ((_, y),) = inputs(A, 1)
    start = np.zeros(A.in_shape, np.float32)
    own = [step.image for step in solve(algorithm, LinearModel(A, y), start)]
    # measured values and the first image can be arrays of any library
    steps = solve(algorithm, LinearModel(A, convert(y)), convert(start))
    found = [step.image for step in steps]
    assert {type(each) for each in found} == {type(convert(start))}
    for actual, expected in zip(found, own, strict=True):
        np.testing.assert_array_equal(np.asarray(actual), expected)


@pytest.mark.parametrize("kind", ["list mode", "bins", "stored response"])
def test_counts_are_solved_in_other_libraries(kind: str, convert: Convert) -> None:
    def model(taken: Convert) -> Any:
        if kind == "stored response":
            A = stored(cpu(1))
        else:
            A = RayProjector(timed_rays(), GRID, on=cpu(1), tof=TOF)
        background = taken(np.full(A.out_shape, 0.1, np.float32))
        if kind == "list mode":
            return ListModeModel(A, background, taken(A.T @ np.ones(A.out_shape, np.float32) + 1))
        counts = np.random.default_rng(1).poisson(3, A.out_shape).astype(np.float32)
        factors = np.full(A.out_shape, 0.5, np.float32)
        return BinnedModel.of(A, background, taken(counts), taken(factors))

    ones = np.ones(model(np.asarray).A.in_shape, np.float32)
    *_, expected = (step.image for step in solve(Mlem(iterations=2), model(np.asarray), ones))
    *_, found = (step.image for step in solve(Mlem(iterations=2), model(convert), convert(ones)))
    assert type(found) is type(convert(ones))
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_torch_tensors_share_memory() -> None:
    torch = pytest.importorskip("torch", reason=NOT_INSTALLED)

    class Same(Diagonal):
        def forward(self, x: np.ndarray) -> np.ndarray:
            self.seen = x
            return x

    A = Same(np.ones(3, np.float32))
    given = torch.ones(3)
    found = A @ given
    assert A.seen.ctypes.data == given.data_ptr()
    assert found.data_ptr() == given.data_ptr()


def test_jax_in_jit_is_refused_with_an_explanation() -> None:
    jax = pytest.importorskip("jax", reason=NOT_INSTALLED.replace("PyTorch", "jax"))
    A = Diagonal(np.ones(3))
    with pytest.raises(DataError, match="outside of jit"):
        jax.jit(lambda x: A @ x)(jax.numpy.ones(3))
