"""Tests of examples with user kernels: they run on every device, and wrong kernels are found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import engine
from engine.core.backend import Backend, cpu, cuda
from engine.core.errors import NumericalError
from engine.geometry.plane import orthogonal
from tests.emulator import EmulatedGpu, nvrtc
from tests.examples.user_kernels import EXAMPLES, STEMS, Run, run_example
from tests.planted_kernels import BOTH_FAULTS, SLICES, TEXT_FAULTS, WEIGHTS, WrongKernel
from tests.programs.lines_of_code import python_lines

__all__ = ["run_example"]
MAX_LINES = 25
DEVICES: dict[str, Callable[[], Backend]] = {
    "cpu": lambda: cpu(1),
    "emulated": lambda: cuda(EmulatedGpu()),
    "reversed": lambda: cuda(EmulatedGpu(reverse=True)),
    "late": lambda: cuda(EmulatedGpu(late=True)),
    "ptx": lambda: cuda(EmulatedGpu(ptx=90)),
}
QUICK = ("slant left out",)
"""Faults that the fast tests plant."""
with_nvrtc = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a card, is not installed",
)


def test_two_examples_have_user_kernels() -> None:
    assert STEMS == (WEIGHTS, SLICES)


@pytest.mark.parametrize("stem", STEMS)
def test_user_kernel_takes_at_most_25_lines_of_python(stem: str) -> None:
    text = (EXAMPLES / f"{stem}.py").read_text("utf-8")
    assert 10 < len(python_lines(text)) <= MAX_LINES


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("stem", STEMS)
def test_example_passes_its_check(stem: str, device: str, run_example: Run) -> None:
    if device == "ptx" and not nvrtc.is_installed():
        pytest.skip("the wheel nvidia-cuda-nvrtc, which compiles for a card, is not installed")
    operator = run_example(stem, DEVICES[device]())
    found = engine.check_operator(operator)
    # the declared tolerance is measured, and not a multiple of it
    assert found.adjoint_error <= operator.adjoint_rtol
    assert found.adjoint_error > operator.adjoint_rtol / 3 or operator.declared == "matched"


@with_nvrtc
@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_example_compiles_for_gpus(stem: str, run_example: Run) -> None:
    operator = run_example(stem, cpu(1))
    for kernel in filter(None, operator.kernels.values()):
        for architecture in (75, 90):
            used = nvrtc.compile_for(kernel.source(), architecture, ("-std=c++17",)).kernels
            assert not used[kernel.name].spills


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(
            each,
            marks=pytest.mark.essential if each.name in QUICK else pytest.mark.slow,
            id=each.name,
        )
        for each in (*TEXT_FAULTS, *BOTH_FAULTS)
    ],
)
def test_wrong_kernel_is_detected(wrong: WrongKernel, run_example: Run) -> None:
    with pytest.raises(NumericalError, match=r"Correct the operator") as fault:
        run_example(wrong.stem, cuda(EmulatedGpu()), wrong.sources())
    if wrong.twin is not None:
        # text and twin agree: only the other direction reveals the fault
        assert "⟨A x, y⟩" in str(fault.value) and "twin" not in str(fault.value)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", BOTH_FAULTS, ids=lambda wrong: wrong.name)
def test_wrong_twin_is_detected_on_the_cpu(wrong: WrongKernel, run_example: Run) -> None:
    with pytest.raises(NumericalError, match="⟨A x, y⟩"):
        run_example(wrong.stem, cpu(1), wrong.sources())


@pytest.mark.slow
def test_user_weights_equal_the_voxel_adjoint(run_example: Run) -> None:
    operator = run_example(WEIGHTS, cpu(1))
    A = operator.transform
    voxel = engine.XrayTransform(A.geometry, A.grid, on=A.on, adjoint="voxel")
    y = A(engine.phantoms.shepp_logan(per_mm=0.02).rasterise(A.grid, "mu").values)
    own, ours = operator.T(y), voxel.T(y)
    # our weights have 1 / cos φ of pixels, those of the example 1 / cos φ of voxels
    np.testing.assert_allclose(own, ours, atol=2e-3 * ours.max())
    assert np.abs(own - ours).max() > 1e-6 * ours.max()


@pytest.mark.slow
def test_three_slices_equal_single_slices(run_example: Run) -> None:
    operator = run_example(SLICES, cpu(1))
    y = np.random.default_rng(1).random(operator.out_shape, np.float32)
    # `Slices` reads rows first; its three planes are those across z, y and x
    slices = engine.Slices(operator.geometry, orthogonal((20, 20), 2.0), on=operator.on)
    slices.update(y)
    expected = np.stack(slices.values())
    np.testing.assert_allclose(operator.T(y), expected, rtol=1e-4, atol=1e-4 * expected.max())


@pytest.mark.slow
@pytest.mark.parametrize(("stem", "direction"), [(WEIGHTS, "back"), (SLICES, "forward")])
def test_tuner_runs_on_an_example(stem: str, direction: str, run_example: Run) -> None:
    pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")
    operator = run_example(stem, cuda(EmulatedGpu()))
    found = engine.tune_kernel(operator, direction, budget_s=8, strategy="random_sample")
    assert found.tried > 2 and found.faults == {}
    values = np.random.default_rng(2).random(operator.in_shape, np.float32)
    np.testing.assert_allclose(
        found.operator(values), operator.twin()(values), rtol=1e-4, atol=1e-3
    )


@pytest.mark.slow
def test_tuner_refuses_wrong_variants(run_example: Run) -> None:
    pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")
    (wrong,) = (each for each in TEXT_FAULTS if each.name == "threads share slices")
    cuda_text, python = wrong.sources()
    # correct for one slice per thread, the default
    python = python.replace("print(iso.check_operator(A))", "")
    operator = run_example(WEIGHTS, cuda(EmulatedGpu()), (cuda_text, python))
    found = engine.tune_kernel(operator, budget_s=20, strategy="random_sample")
    assert found.constants["PER_THREAD"] == 1
