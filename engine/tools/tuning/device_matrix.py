"""Dual heads on a GPU: threads per block, values per thread, blocks per multiprocessor.

The reference is the CPU: the same sums in another order.
"""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend, cpu
from engine.core.json_types import Plain
from engine.data.response import ResponseMatrix
from engine.kernels.matrix.variants import MatrixVariant
from engine.operators.matrix.projector import MatrixProjector, matrix_slot
from engine.tools.benchmark.dual_head.panels import SUBSETS, response_of
from engine.tools.tuning.problem import TuningProblem, Values, worst

STANDARD = "demo"
ROUNDING = 1e-5
"""Largest relative rounding error of float32 sums in another order."""
SEED = 5


class DeviceProjection(TuningProblem):
    """Line integrals of a subset and their transpose."""

    title = "projection with a stored response matrix"

    def __init__(
        self, on: Backend, response: ResponseMatrix | None = None, n_subsets: int = 0
    ) -> None:
        self.on = on
        self._response = response or response_of(
            STANDARD, None, threads=cpu().threads, log=lambda _: None
        )
        self._n_subsets = n_subsets or SUBSETS[STANDARD]
        scanner, default = self._response.scanner, MatrixVariant()
        # The variant is stored by scanner, since the matrix decides about the speed
        self.slot = matrix_slot(scanner.settings)
        self.work = f"{scanner.name}, one subset of {self._n_subsets}"
        self.parameters = {
            "threads": (64, 128, 256),
            "run": (4, 8, 16),
            "resident": (512, 1024, 1536),
        }
        # long runs need more registers than are left with many threads
        self.restrictions = ("run < 16 or resident == 512",)
        self.shipped = {
            "threads": default.threads,
            "run": default.run,
            "resident": default.threads * default.blocks,
        }

    # One subset: a projection along all lines would use up the search time
    def prepare(self) -> None:
        twin = MatrixProjector(self._response, on=cpu()).subset(0, self._n_subsets)
        rng = np.random.default_rng(SEED)
        self._x = rng.random(twin.in_shape, np.float32)
        self._y = rng.random(twin.out_shape, np.float32)
        self._twin = twin.forward(self._x), twin.adjoint(self._y).ravel()
        self._projectors: dict[MatrixVariant, MatrixProjector] = {}

    def form(self, values: Values) -> Plain:
        return asdict(_variant(values))

    def result(self, values: Values) -> Array:
        A, on = self._projector(values), self.on
        both = A.forward(self._x), A.adjoint(self._y)
        return np.concatenate([on.to_host(part).ravel() for part in both])

    def seconds(self, values: Values) -> float:
        A = self._projector(values)
        x, y = self.on.to_device(self._x), self.on.to_device(self._y)
        # The upload is not part of the time
        self._wait()
        begin = perf_counter()
        A.forward(x)
        A.adjoint(y)
        self._wait()
        return perf_counter() - begin

    def fault_of(self, result: Array) -> str:
        # Line integrals first, then the image: each has its own largest value
        n = len(self._twin[0])
        for part, wanted in zip((result[:n], result[n:]), self._twin, strict=True):
            if fault := worst(part, wanted, ROUNDING * float(np.abs(wanted).max())):
                return fault
        return ""

    def _wait(self) -> None:
        if self.on.gpu is not None:
            self.on.gpu.wait()

    def _projector(self, values: Values) -> MatrixProjector:
        """Return the projector of a variant; the default's and the current one are cached."""
        variant, shipped = _variant(values), _variant(self.shipped)
        if variant not in self._projectors:
            # Projectors of all variants would fill the memory of the GPU
            self._projectors = {v: A for v, A in self._projectors.items() if v == shipped}
            whole = MatrixProjector(self._response, on=self.on, variant=variant)
            self._projectors[variant] = whole.subset(0, self._n_subsets)
        return self._projectors[variant]


def _variant(values: Values) -> MatrixVariant:
    threads = int(values["threads"])
    # as many strips as threads, as in the default
    return MatrixVariant(
        threads, int(values["run"]), threads, blocks=int(values["resident"]) // threads
    )
