"""Measure the time of a MAP pass relative to an OSEM pass in list mode, in one process.

python -m tests.physics.map_passes [--events N] [--size small|large] [--threads N] [--blur MM]
    [--repeats N]

A pass of MAP is a third of a cycle, including its stopping rule. OSEM runs with its own number of
subsets and with that of MAP. CPU time depends less on other programs than wall time.
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

import engine
from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import uniform_spread
from engine.modalities.count_demand import ring_demand
from engine.operators.point_spread import PointSpreadBlur
from engine.recon.algorithms import Osem, Svrg
from engine.recon.algorithms.optimality import optimality_of
from engine.recon.algorithms.svrg_cycle import run_cycle
from engine.recon.model import BlurredModel, ListModeModel, MapModel, SystemModel
from engine.tools.benchmark.crossing import sorted_crystals, timing

GRIDS = {
    "small": ImageGrid((51, 51, 51), (5.0, 5.0, 5.0)),
    "large": ImageGrid((109, 200, 200), (2.0, 2.0, 2.0)),
}
Times = NDArray[np.float64]
"""Wall time and CPU time [s]."""


def model_of(
    n_events: int, grid: ImageGrid, on: Backend, blur_mm: float = 0.0, seed: int = 1
) -> MapModel:
    """Return events between the crystals of a ring, with constant sensitivity and a resolution."""
    rays, _ = sorted_crystals(n_events, timing(385), np.random.default_rng(seed))
    A = engine.RayProjector(rays, grid, on=on)
    sensitivity = np.full(grid.shape, 10 * n_events / grid.n_voxels, np.float32)
    events: SystemModel = ListModeModel(A, np.full(n_events, 0.05, np.float32), sensitivity)
    if blur_mm:
        events = BlurredModel.of(events, PointSpreadBlur(uniform_spread(blur_mm), grid))
    return MapModel.of(
        events, grid.voxel_mm[::-1], np.full(grid.shape, 0.1, np.float32), on.threads
    )


def clock() -> Times:
    """Return the wall clock and the CPU clock."""
    return np.array([perf_counter(), process_time()])


def times_of_passes(model: MapModel, grid: ImageGrid, repeats: int) -> dict[tuple[str, int], Times]:
    """Return the median times of a pass, by algorithm and number of subsets."""
    demand = ring_demand(model.n_counts, grid, None)
    osem, algorithm = Osem().for_counts(demand), Svrg().for_counts(demand)
    ready = algorithm.prepared(model, algorithm.n_parts)
    of, anchor = ready.likelihood, ready.likelihood.anchor(ready.x)
    loops = {n: model.em_loop(ready.x, n) for n in (osem.n_subsets, algorithm.n_parts)}
    found: dict[tuple[str, int], list[Times]] = {}
    for number in range(repeats):
        for n, loop in loops.items():
            begin = clock()
            for k in range(n):
                loop.update(k)
            found.setdefault(("OSEM", n), []).append(clock() - begin)
        begin = clock()
        cycle = run_cycle(of, anchor, number)
        optimality_of(of, cycle, ready.activity)
        found.setdefault(("MAP", algorithm.n_parts), []).append((clock() - begin) / cycle.n_passes)
        anchor = cycle.after
    return {name: np.median(times, axis=0) for name, times in found.items()}


def main(arguments: list[str]) -> None:
    """Print a row of the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--size", choices=GRIDS, default="small")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--blur", type=float, default=0.0, help="FWHM of the resolution [mm]")
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args(arguments)
    grid = GRIDS[chosen.size]
    model = model_of(chosen.events, grid, engine.cpu(chosen.threads), chosen.blur)
    found = times_of_passes(model, grid, chosen.repeats)
    ours = next(times for (name, _), times in found.items() if name == "MAP")
    for (name, n), (wall, processor) in found.items():
        sys.stdout.write(
            f"{name}, {n} subsets: wall {wall:.3f} s, processor {processor:.3f} s; MAP over it: "
            f"wall {ours[0] / wall:.2f}, processor {ours[1] / processor:.2f}\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
