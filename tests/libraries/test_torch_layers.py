"""Operators as layers of PyTorch: values, derivatives, batches, dtypes and patches."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, GeometryError
from engine.operators.algebra import Diagonal
from tests.engine.operators import small_operators
from tests.libraries import kinds
from tests.libraries.environment import NOT_INSTALLED

torch = pytest.importorskip("torch", reason=NOT_INSTALLED)


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(3)


@pytest.mark.parametrize("kind", small_operators.KINDS)
def test_values_are_products_and_derivatives_are_adjoints(kind: str) -> None:
    A = small_operators.KINDS[kind](cpu(1))
    x = torch.rand(2, *A.in_shape, requires_grad=True)

    y = A.as_torch()(x)
    weights = torch.rand_like(y)
    (gradient,) = torch.autograd.grad((y * weights).sum(), x)

    assert (y.dtype, gradient.dtype) == (torch.float32, torch.float32)
    for i in range(2):
        expected = A @ x[i].detach().numpy(), A.T @ weights[i].numpy()
        np.testing.assert_array_equal(y[i].detach(), expected[0].astype(np.float32))
        np.testing.assert_array_equal(gradient[i], expected[1].astype(np.float32))


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.slow) if kind in kinds.SLOW else kind
        for kind in kinds.KINDS
    ],
)
def test_derivatives_agree_with_finite_differences(kind: str) -> None:
    A = kinds.KINDS[kind]()
    for layer, shape in ((A.as_torch(), A.in_shape), (A.as_torch().T, A.out_shape)):
        x = torch.rand(shape, dtype=torch.float64, requires_grad=True)
        assert layer(x).dtype == torch.float64
        assert torch.autograd.gradcheck(layer, (x,))


@pytest.mark.parametrize("kind", ["rays with time of flight", "cone beam", "stored response"])
def test_second_derivatives_agree_with_finite_differences(kind: str) -> None:
    layer = kinds.KINDS[kind]().as_torch()
    x = torch.rand(layer.operator.in_shape, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: layer(x) ** 2, (x,), fast_mode=True)


def test_second_derivative_of_a_squared_misfit_is_twice_the_normal_operator() -> None:
    A = kinds.cone()
    x, v = (torch.rand(A.in_shape, dtype=torch.float64) for _ in range(2))
    _, found = torch.autograd.functional.hvp(lambda x: (A.as_torch()(x) ** 2).sum(), x, v)
    np.testing.assert_allclose(found, 2 * (A.T @ (A @ v.numpy())), rtol=1e-12)  # float64 sums


@pytest.mark.parametrize("lead", [(), (1,), (3,), (2, 3), (0,)])
def test_leading_axes_are_batches(lead: tuple[int, ...]) -> None:
    A = kinds.parallel_beam()
    x = torch.rand(*lead, *A.in_shape, dtype=torch.float64, requires_grad=True)

    y = A.as_torch()(x)
    y.sum().backward()

    assert tuple(y.shape) == (*lead, *A.out_shape)
    assert x.grad is not None
    alone = [A @ each for each in x.detach().numpy().reshape(-1, *A.in_shape)]
    flat = y.detach().numpy().reshape(-1, *A.out_shape)
    np.testing.assert_array_equal(flat, np.reshape(alone, flat.shape))


def test_arguments_need_not_be_contiguous() -> None:
    A = kinds.cone()
    x = torch.rand(*A.in_shape[::-1], dtype=torch.float64).permute(2, 1, 0)
    np.testing.assert_array_equal(A.as_torch()(x), A @ np.ascontiguousarray(x))


@pytest.mark.parametrize("name", ["float64", "float32", "float16", "bfloat16"])
def test_results_have_the_dtype_of_the_argument(name: str) -> None:
    A, dtype = small_operators.cone(cpu(1)), getattr(torch, name)
    x = torch.rand(A.in_shape).to(dtype).requires_grad_()

    y = A.as_torch()(x)
    y.float().sum().backward()

    assert (y.dtype, x.grad.dtype) == (dtype, dtype)
    # relative to the largest: two roundings of the dtype, at least those of float32
    most = 2 * max(torch.finfo(dtype).eps, torch.finfo(torch.float32).eps)
    expected = A @ x.detach().float().numpy()
    np.testing.assert_allclose(y.detach().float(), expected, rtol=0, atol=most * expected.max())


def test_products_with_tensors_are_differentiable() -> None:
    A = kinds.cone()
    x = torch.rand(A.in_shape, dtype=torch.float64, requires_grad=True)
    y = torch.rand(A.out_shape, dtype=torch.float64, requires_grad=True)
    ((A @ x) * y).sum().backward()
    np.testing.assert_array_equal(x.grad, A.T @ y.detach().numpy())
    np.testing.assert_array_equal(y.grad, A @ x.detach().numpy())
    for found in (A.T @ y, A.adjoint(y), A.forward(x), (A.T @ A) @ x, 2 * A @ x):
        assert found.requires_grad


def test_gradient_descent_reduces_the_misfit() -> None:
    A = kinds.cone()
    truth = torch.rand(A.in_shape, dtype=torch.float64)
    data = A.as_torch()(truth)
    x = torch.zeros_like(truth, requires_grad=True)
    step = 1 / A.norm() ** 2

    losses = []
    for _ in range(30):
        loss = ((A.as_torch()(x) - data) ** 2).sum()
        (gradient,) = torch.autograd.grad(loss, x)
        # a step of gradient descent; its misfit cannot rise
        x = (x - step * gradient / 2).detach().requires_grad_()
        losses.append(loss.item())

    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.01 * losses[0]


# PyTorch warns at its first forward differentiation
@pytest.mark.filterwarnings("ignore:.torch.jit.script:FutureWarning")
@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
def test_forward_mode_and_vectorised_calls_work() -> None:
    A = kinds.parallel_beam()
    x, v = (torch.rand(A.in_shape, dtype=torch.float64) for _ in range(2))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, v)
        moved = torch.autograd.forward_ad.unpack_dual(A.as_torch()(dual)).tangent
    np.testing.assert_array_equal(moved, A @ v.numpy())
    batch = torch.stack([x, v], dim=1)
    found = torch.func.vmap(A.as_torch(), in_dims=1, out_dims=1)(batch)
    np.testing.assert_array_equal(found[:, 1], A @ v.numpy())


def test_layers_can_be_copied_and_pickled() -> None:
    layer = torch.nn.Sequential(small_operators.cone(cpu(1)).as_torch(), torch.nn.ReLU())
    x = torch.rand(layer[0].operator.in_shape)
    for other in (deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(other(x), layer(x))
    assert "XrayTransform (5, 7, 6) -> (12, 10, 9)" in repr(layer)
    assert list(layer.parameters()) == []


def test_wrong_shapes_and_types_are_refused() -> None:
    A = small_operators.cone(cpu(1))
    with pytest.raises(GeometryError, match=r"shape \(7, 5, 6\), expected \(..., 5, 7, 6\)"):
        A.as_torch()(torch.ones(7, 5, 6))
    with pytest.raises(GeometryError, match=r"shape .*\(2, 5, 7, 6\), expected \(5, 7, 6\)"):
        A @ torch.ones(2, 5, 7, 6)
    with pytest.raises(DataError, match="complex"):
        A @ torch.ones(5, 7, 6, dtype=torch.complex64)
    with pytest.raises(DataError, match="meta"):
        A @ torch.ones(5, 7, 6, device="meta")


def test_integers_give_float32() -> None:
    A = Diagonal(np.array([2, 3], np.float32))
    assert torch.equal(A @ torch.tensor([1, 2]), torch.tensor([2.0, 6.0]))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch finds no CUDA device")
def test_tensors_stay_on_the_gpu() -> None:
    from engine.core.backend import cuda

    A, B = (small_operators.cone(on) for on in (cuda(), cpu(1)))
    x = torch.rand(2, *A.in_shape, device="cuda", requires_grad=True)
    y = A.as_torch()(x)
    y.sum().backward()
    assert y.is_cuda
    assert x.grad.is_cuda
    ones = np.ones(B.out_shape, np.float32)
    # float32 sums in another order
    np.testing.assert_allclose(x.grad[0].cpu(), B.T @ ones, rtol=1e-4)
    with pytest.raises(DataError, match="works on the CPU"):
        B @ x.detach()[0]
