"""MAP on photons of the judge: how soon SVRG reaches the optimum of a mouse in list mode.

python -m tests.physics.map_scan [--pairs N] [--strength S]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import engine
from engine.modalities.count_demand import ring_demand
from engine.modalities.listmode_pet.model import prepare, uniform_start
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import compute_sensitivity
from engine.recon.algorithms import Svrg
from engine.recon.algorithms.subsets import CountDemand
from engine.recon.algorithms.svrg_cycle import run_cycle
from engine.recon.model import ListModeModel, MapModel
from tests.judge.materials import LYSO, PMMA, WATER
from tests.judge.phantoms import Phantom, Region
from tests.judge.solids import cylinder
from tests.judge.studies import TRUES, JudgeStudy, round_ring
from tests.judge_scans import kept_pairs, listmode_of, mu_map_of, ring_of

VOXEL_MM, LENGTH_MM = 1.1, 22.0
RING = replace(
    round_ring(57.6, LENGTH_MM, n_crystals=180, row_mm=2.2, crystal_mm=2.0, depth_mm=13.0),
    material=LYSO,
)
DISCS = {"hot 8 mm": (7.5, 0.0, 4.0), "hot 4 mm": (-7.5, 0.0, 2.0), "cold 8 mm": (0.0, 8.0, 4.0)}
"""x, y and radius of rods along the axis, in a body with a radius of 14 mm."""


@dataclass(frozen=True)
class MouseScan:
    """Events of a body of water with two hot rods and a cold one, trues alone."""

    n_pairs: int = 100_000
    seed: int = 1

    def phantom(self) -> Phantom:
        """Return the body; the cold rod is of plastic."""
        rods = [
            Region(cylinder(r, 40, at=(x, y, 0)), PMMA if "cold" in name else WATER, activity)
            for (name, (x, y, r)), activity in zip(DISCS.items(), (4.0, 4.0, 0.0), strict=True)
        ]
        return Phantom("rods", (Region(cylinder(14, 40), WATER, 1.0), *rods))

    @cached_property
    def model(self) -> MapModel:
        """The events as list mode, with attenuation."""
        return self.in_type("float32")

    @cached_property
    def reference_model(self) -> MapModel:
        """The same events in float64."""
        return self.in_type("float64")

    def in_type(self, dtype: str) -> MapModel:
        """Return the model of a type."""
        study = JudgeStudy("map-rods", self.phantom(), RING, TRUES, self.seed)
        pairs, voxel = kept_pairs(study, self.n_pairs), (VOXEL_MM,) * 3
        ring = ring_of(RING, diameter_mm=34.0, voxel_mm=voxel)
        grid = engine.ListModeProtocol().grid.grid_for(ring)
        scan = listmode_of(pairs, ring, pairs.crystals, mu_map=mu_map_of(study.phantom, grid))
        on = engine.cpu()
        protocol = engine.ListModeProtocol()
        for step in protocol.corrections.steps():
            if step.use != "off" and step.obstacle(scan) is None:
                scan = step.apply(scan, on=on)
        prompts = prepare(scan, on=on).data
        sensitivity = compute_sensitivity(prompts, grid, SensitivitySettings(), on=on)
        rays = engine.Rays(prompts.scanner.positions_mm, prompts.crystals)
        A = engine.RayProjector(rays, grid, on=on, dtype=dtype)
        background = np.zeros(prompts.n_events, dtype)
        events = ListModeModel(A, background, sensitivity.image.astype(dtype))
        start = uniform_start(events).astype(dtype)
        return MapModel.of(events, grid.voxel_mm[::-1], start, on.threads)

    @property
    def demand(self) -> CountDemand:
        """What the counts offer to subsets."""
        A = self.model.A
        return ring_demand(float(A.out_shape[0]), A.grid, None)

    def regions(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], list[NDArray[np.bool_]]]:
        """Return masks of the whole object, of its background and of the rods."""
        A = self.model.A
        at = [A.grid.centres_mm(axis=k) for k in (2, 1, 0)]
        z, y, x = np.meshgrid(*at, indexing="ij")
        middle = np.abs(z) < LENGTH_MM / 2 - 2
        far = [np.hypot(x - cx, y - cy) - r for cx, cy, r in DISCS.values()]
        rods = [(d < 0) & middle for d in far]
        whole = (np.hypot(x, y) < 14) & middle
        background = (np.hypot(x, y) < 12) & middle & np.all([d > 2 for d in far], axis=0)
        return whole, background, rods


Figures = tuple[float, float, float]


def passes_and_errors(
    scan: MouseScan, strength: float, n_cycles: int, n_reference: int
) -> tuple[float, float, Iterator[tuple[float, Figures]]]:
    """Return the reference's KKT residual, its last change, and the errors by passes."""
    whole, background, rods = scan.regions()
    algorithm = Svrg(strength=strength).for_counts(scan.demand)
    ready = algorithm.prepared(scan.reference_model, algorithm.n_parts)
    anchor, halfway = ready.likelihood.anchor(ready.x), ready.x
    for number in range(n_reference):
        halfway = anchor.x if number == n_reference // 2 else halfway
        anchor = run_cycle(ready.likelihood, anchor, number).after
    reference, level = anchor.x, anchor.x[background].mean()
    change = float(np.sqrt(((reference - halfway)[whole] ** 2).mean()) / level)

    def errors(x: NDArray[np.floating]) -> Figures:
        apart = (x - reference) / level
        rms = [float(np.sqrt((apart[mask] ** 2).mean())) for mask in (whole, background)]
        return rms[0], rms[1], max(abs(float(apart[mask].mean())) for mask in rods)

    def found() -> Iterator[tuple[float, Figures]]:
        iterates = algorithm.run(scan.model, scan.model.start)
        for number in range(1, n_cycles + 1):
            yield 2.5 + 3 * number, errors(next(iterates).image)

    return ready.likelihood.kkt(anchor), change, found()


def main(arguments: list[str]) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--strength", type=float, default=0.03)
    parser.add_argument("--cycles", type=int, default=5)
    parser.add_argument("--reference", type=int, default=16)
    chosen = parser.parse_args(arguments)
    out, scan = sys.stdout.write, MouseScan(chosen.pairs)
    kkt, change, rows = passes_and_errors(scan, chosen.strength, chosen.cycles, chosen.reference)
    out(f"reference: KKT residual {kkt:.1e}, change in the second half {change:.1e}\n")
    out("| passes | whole | background | regions |\n|---|---|---|---|\n")
    for passes, figures in rows:
        out(f"| {passes:g} | {' | '.join(f'{figure:.4f}' for figure in figures)} |\n")


if __name__ == "__main__":
    main(sys.argv[1:])
