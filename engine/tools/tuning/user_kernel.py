"""Tune a kernel of a user: every variant is compared with its twin before its time counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.core.backend.gpu import Gpu
from engine.core.checked import checked
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.kernels.stored_variants import Slot
from engine.operators.xray.user_kernel import MAX_THREADS
from engine.operators.xray.user_transform import Direction, UserTransform
from engine.tools.tuning.choices import STRATEGIES
from engine.tools.tuning.outcome import Outcome
from engine.tools.tuning.problem import TuningProblem, Values, worst
from engine.tools.tuning.session import TuningSession

TWIN_RTOL = 1e-4
"""Tolerance relative to the largest value of the twin."""
SEED = 7


class UserKernelProblem(TuningProblem):
    """A kernel of a user in one direction.

    Parameters
    ----------
    operator : operator on a GPU
    direction : direction with the kernel
    """

    def __init__(self, operator: UserTransform, direction: Direction) -> None:
        kernel = operator.kernel(direction)
        self._operator, self._direction, self.on = operator, direction, operator.on
        self._gpu = _gpu_of(operator)
        self.title, self.slot = f"kernel {kernel.name}", Slot("user_kernel", kernel.name)
        self.work = f"{operator.in_shape} to {operator.out_shape}"
        self.parameters = dict(kernel.all_choices)
        self.shipped = {name: kernel.all_constants[name] for name in self.parameters}
        threads = [each for each in ("BLOCK_X", "BLOCK_Y", "BLOCK_Z") if each in self.parameters]
        self.restrictions = (f"{' * '.join(threads)} <= {MAX_THREADS}",)

    def prepare(self) -> None:
        is_forward = self._direction == "forward"
        shape = self._operator.in_shape if is_forward else self._operator.out_shape
        values = np.random.default_rng(SEED).random(shape, np.float32)
        twin = self._operator.twin()
        self._reference = (twin if is_forward else twin.T)(values)
        self._values = self._gpu.upload(values)

    def form(self, values: Values) -> Plain:
        return dict(values)

    def result(self, values: Values) -> Array:
        return self.on.to_host(self._run(values))

    def seconds(self, values: Values) -> float:
        begin = self._gpu.stamp()
        self._run(values)
        return self._gpu.stamp().seconds_since(begin)

    def fault_of(self, result: Array) -> str:
        return worst(result, self._reference, TWIN_RTOL * float(np.abs(self._reference).max()))

    def with_values(self, values: Values) -> UserTransform:
        """Return the operator with the constants of a variant.

        Parameters
        ----------
        values
            value of each parameter
        """
        constants = {name: int(value) for name, value in values.items()}
        return self._operator.with_constants(self._direction, **constants)

    def _run(self, values: Values) -> Array:
        operator = self.with_values(values)
        found: Array = (operator if self._direction == "forward" else operator.T)(self._values)
        return found


@dataclass(frozen=True)
class TunedKernel:
    """Result of `tune_kernel`.

    Attributes
    ----------
    operator : operator with the fastest constants
    constants : their values
    gain : its speed relative to that of the given constants; 1 if none is faster
    tried : number of variants that ran
    faults : faults of variants by their constants; they are never used

    Examples
    --------
    >>> import engine
    >>> engine.TunedKernel.__name__
    'TunedKernel'
    """

    operator: UserTransform
    constants: Values
    gain: float
    tried: int
    faults: dict[str, str]


@checked(positive=("budget_s",))
def tune_kernel(
    A: UserTransform,
    direction: Direction = "back",
    *,
    budget_s: float = 60.0,
    strategy: str = STRATEGIES[0],
) -> TunedKernel:
    """Search for the fastest constants of your kernel on a GPU, with Kernel Tuner.

    Each variant is compared with the twin first. A variant is used only if it is significantly
    faster than the given constants.

    Parameters
    ----------
    A
        operator from `XrayTransform.with_kernels`
    direction
        "forward" or "back"
    budget_s
        search time [s]
    strategy
        strategy of Kernel Tuner, such as "brute_force"

    Returns
    -------
    the operator with the fastest constants, and faults of other variants

    Raises
    ------
    ResourceError
        if the operator is not on a GPU, or Kernel Tuner is not installed

    Examples
    --------
    >>> import engine
    >>> engine.tune_kernel(A, budget_s=30).constants        # doctest: +SKIP
    {'BLOCK_X': 16, 'BLOCK_Y': 4, 'PER_THREAD': 2}
    """
    problem = UserKernelProblem(A, direction)
    outcome: Outcome = TuningSession(problem, budget_s=budget_s, strategy=strategy).run()
    best = outcome.best or problem.shipped
    faults = {
        ", ".join(f"{name} = {value}" for name, value in each.values.items()): each.fault
        for each in outcome.tried
        if each.fault
    }
    tuned = problem.with_values(best)
    return TunedKernel(tuned, dict(best), outcome.gain, len(outcome.tried), faults)


def _gpu_of(operator: UserTransform) -> Gpu:
    if operator.on.gpu is None:
        raise ResourceError(
            f"{operator.name} works on the CPU, and its twin has no variants; tune it on a GPU."
        )
    return operator.on.gpu
