"""List mode on the CPU: distribution of the events of an EM update.

The images of the threads are added in the order of the threads. Variants therefore differ by
rounding in floating-point sums; integer sums have the same bits.
"""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.host_variants import Sharing
from engine.kernels.stored_variants import ray_slot
from engine.operators.rays import RayProjector, Rays
from engine.tools.benchmark.crossing import cube, sorted_events
from engine.tools.tuning.problem import TuningProblem, Values, worst
from engine.tools.tuning.threads import thread_numbers, values_to_store

EVENTS = 1 << 17
"""Events of one run per thread."""
SIZE = 128
"""Edge of the standard image [voxels]."""
ROWS = (0, 1024, 2048, 4096, 16384)
ROUNDING = 1e-5
"""Largest relative difference of float32 sums in another order, as stated by `RayProjector`."""
SEED = 5


class HostUpdate(TuningProblem):
    """The EM update: line integrals, comparison and back projection in one pass."""

    title = "list-mode update"

    def __init__(
        self,
        on: Backend,
        rays: Rays | None = None,
        grid: ImageGrid | None = None,
        tof: TofBins | None = None,
        *,
        reproducible: bool = False,
    ) -> None:
        self.on, self._grid, self._tof = on, grid or cube(SIZE), tof
        self._exact = reproducible
        # More threads get more events, so that a run does not become too short to time
        self._rays = rays or sorted_events(EVENTS * on.threads, np.random.default_rng(SEED))
        is_timed = tof is not None and self._rays.tof_bins is not None
        self.slot = ray_slot(self._grid.n_voxels, is_timed=is_timed, reproducible=reproducible)
        z, y, x = self._grid.shape
        self.work = f"{len(self._rays.ends):,} events through {x} × {y} × {z} voxels"
        self.parameters = {"threads": thread_numbers(on), "rows": ROWS}
        self.shipped = {"threads": on.threads, "rows": 0}
        self._reference: Array | None = None

    def prepare(self) -> None:
        # Positive everywhere, so that no event is skipped
        self._x = (0.1 + np.random.default_rng(SEED).random(self._grid.shape)).astype(np.float32)
        self._projectors: dict[Sharing, RayProjector] = {}

    def form(self, values: Values) -> Plain:
        return asdict(Sharing(**values_to_store(values, self.on)))

    def result(self, values: Values) -> Array:
        numerator, expected = self._projector(values).em_numerator(self._x)
        return np.concatenate([numerator.ravel(), expected])

    def seconds(self, values: Values) -> float:
        A = self._projector(values)
        begin = perf_counter()
        A.em_numerator(self._x)
        return perf_counter() - begin

    def fault_of(self, result: Array) -> str:
        # The first result is that of the default, which the session runs first
        if self._reference is None:
            self._reference = result.copy()
        n, reference = self._grid.n_voxels, self._reference
        faults = (
            worst(mine, wanted, 0.0 if self._exact else ROUNDING * float(np.abs(wanted).max()))
            for mine, wanted in ((result[:n], reference[:n]), (result[n:], reference[n:]))
        )
        return next((fault for fault in faults if fault), "")

    def _projector(self, values: Values) -> RayProjector:
        """Return the projector of a variant; the default's and the current one are cached."""
        form = Sharing(**values_to_store(values, self.on))
        if form not in self._projectors:
            shipped = Sharing(**values_to_store(self.shipped, self.on))
            self._projectors = {f: A for f, A in self._projectors.items() if f == shipped}
            self._projectors[form] = RayProjector(
                self._rays, self._grid, on=self.on, tof=self._tof,
                reproducible=self._exact, form=form,
            )  # fmt: skip
        return self._projectors[form]
