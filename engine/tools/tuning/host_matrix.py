"""Dual heads on the CPU: division of the projections with a stored response.

All variants have the same bits, because each sum has a fixed order, for any number of threads and
of rows that are decoded at a time.
"""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.data.response import ResponseMatrix
from engine.kernels.host_variants import MatrixForm
from engine.operators.matrix.projector import MatrixProjector, matrix_slot
from engine.tools.benchmark.dual_head.panels import SUBSETS, response_of
from engine.tools.tuning.problem import TuningProblem, Values, worst
from engine.tools.tuning.threads import thread_numbers, values_to_store

STANDARD = "demo"
ROWS = (0, 2, 8, 32)
AT_ONCE = (32, 64, 128, 256)
"""Rows decoded at a time; more would take gigabytes on a full-size scanner."""
SEED = 5


class HostProjection(TuningProblem):
    """Line integrals of a subset and their transpose."""

    title = "projection with a stored response matrix"

    def __init__(
        self, on: Backend, response: ResponseMatrix | None = None, n_subsets: int = 0
    ) -> None:
        self.on = on
        self._response = response or response_of(
            STANDARD, None, threads=on.threads, log=lambda _: None
        )
        self._n_subsets = n_subsets or SUBSETS[STANDARD]
        scanner = self._response.scanner
        self.slot = matrix_slot(scanner.settings)
        self.work = f"{scanner.name}, one subset of {self._n_subsets}"
        self.parameters = {"threads": thread_numbers(on), "rows": ROWS, "at_once": AT_ONCE}
        # 0 rows: the kernel divides the work itself
        self.shipped = {"threads": on.threads, "rows": 0, "at_once": MatrixForm().at_once}
        self._reference: Array | None = None

    def prepare(self) -> None:
        rng = np.random.default_rng(SEED)
        A = self._projector(self.shipped)
        self._x = rng.random(A.in_shape, np.float32)
        self._y = rng.random(A.out_shape, np.float32)

    def form(self, values: Values) -> Plain:
        return asdict(MatrixForm(**values_to_store(values, self.on)))

    def result(self, values: Values) -> Array:
        A = self._projector(values)
        return np.concatenate([A.forward(self._x), A.adjoint(self._y).ravel()])

    def seconds(self, values: Values) -> float:
        A = self._projector(values)
        begin = perf_counter()
        A.forward(self._x)
        A.adjoint(self._y)
        return perf_counter() - begin

    def fault_of(self, result: Array) -> str:
        # The first result is that of the default, which the session runs first
        if self._reference is None:
            self._reference = result.copy()
        return worst(result, self._reference, 0.0)

    def _projector(self, values: Values) -> MatrixProjector:
        form = MatrixForm(**values_to_store(values, self.on))
        whole = MatrixProjector(self._response, on=self.on, form=form)
        return whole.subset(0, self._n_subsets)
