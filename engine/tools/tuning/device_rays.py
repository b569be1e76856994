"""List mode on a GPU: threads per event, memory order of the image, thread blocks.

The reference is the CPU: equal bits in reproducible mode, otherwise equal except for rounding of
sums in another order.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from time import perf_counter

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend, cpu
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.stored_variants import ray_slot
from engine.kernels.tuning import shipped_rays
from engine.kernels.variants import BLOCKS, KEPT, Mapping, Order, RayVariant
from engine.operators.rays import RayProjector, Rays
from engine.tools.benchmark.crossing import cube, sorted_events
from engine.tools.tuning.problem import TuningProblem, Values, worst

EVENTS = 1 << 22
SIZE = 128
ROUNDING = 5e-5
"""Largest relative difference; a voxel may be one that rays only touch."""
SEED = 5


class DeviceUpdate(TuningProblem):
    """The EM update: line integrals, comparison and back projection in one kernel."""

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
        self._rays = rays or sorted_events(EVENTS, np.random.default_rng(SEED))
        n_voxels = self._grid.n_voxels
        is_timed = tof is not None and self._rays.tof_bins is not None
        self._base = shipped_rays(on, n_voxels, is_timed, reproducible, "float32")
        # Stored by size class, timing and kind of sums
        self.slot = ray_slot(n_voxels, is_timed=is_timed, reproducible=reproducible)
        z, y, x = self._grid.shape
        self.work = f"{len(self._rays.ends):,} events through {x} × {y} × {z} voxels"
        self.parameters = {
            "mapping": ("warp", "thread", "block"),
            "order": ("linear", "tiles"),
            "block": BLOCKS,
            "kept": KEPT,
        }
        # Other mappings do not use this parameter: its values would be the same variant
        self.restrictions = (f"mapping == 'warp' or kept == {KEPT[0]}",)
        base = asdict(self._base)
        self.shipped = {name: base[name] for name in self.parameters}

    def prepare(self) -> None:
        # Positive everywhere, so that no event is skipped
        self._x = (0.1 + np.random.default_rng(SEED).random(self._grid.shape)).astype(np.float32)
        self._projectors: dict[RayVariant, RayProjector] = {}
        twin = RayProjector(
            self._rays, self._grid, on=cpu(), tof=self._tof, reproducible=self._exact
        )
        self._twin = twin.em_numerator(self._x)

    def form(self, values: Values) -> Plain:
        return asdict(self._variant(values))

    def result(self, values: Values) -> Array:
        numerator, expected = self._projector(values).em_numerator(self._on_device)
        return np.concatenate([self.on.to_host(part).ravel() for part in (numerator, expected)])

    def seconds(self, values: Values) -> float:
        A, x = self._projector(values), self._on_device
        self._wait()
        begin = perf_counter()
        A.em_numerator(x)
        self._wait()
        return perf_counter() - begin

    def fault_of(self, result: Array) -> str:
        start = 0
        for wanted in self._twin:
            part = result[start : start + wanted.size]
            start += wanted.size
            # Integer sums have the same bits in any order
            rounding = 0.0 if self._exact else ROUNDING * float(np.abs(wanted).max())
            if fault := worst(part, wanted.ravel(), rounding):
                return fault
        return ""

    @property
    def _on_device(self) -> Array:
        return self.on.to_device(self._x)

    def _wait(self) -> None:
        if self.on.gpu is not None:
            self.on.gpu.wait()

    def _variant(self, values: Values) -> RayVariant:
        mapping: Mapping = values["mapping"]  # type: ignore[assignment]
        order: Order = values["order"]  # type: ignore[assignment]
        block, in_registers = int(values["block"]), int(values["kept"])
        return replace(self._base, mapping=mapping, order=order, block=block, kept=in_registers)

    def _projector(self, values: Values) -> RayProjector:
        """Return the projector of a variant; the default's and the current one are cached."""
        variant = self._variant(values)
        if variant not in self._projectors:
            self._projectors = {v: A for v, A in self._projectors.items() if v == self._base}
            self._projectors[variant] = RayProjector(
                self._rays, self._grid, on=self.on, tof=self._tof, variant=variant,
                reproducible=self._exact,
            )  # fmt: skip
        return self._projectors[variant]
