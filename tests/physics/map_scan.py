"""Measure the convergence of MAP on the judge's photons for six scanners.

python -m tests.physics.map_scan [SCANNER ...] [--pairs N] [--strength S] [--seeds K]
    [--cycles N] [--reference N]

The reference is the optimum in float64 (`tests.physics.references.map_optimum`). Errors are those
of PETRIC: rms over the whole object and over its background, and the largest error of a region, all
relative to the background.
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
from engine.data.histogram import histogrammed
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofSettings
from engine.modalities.count_demand import panel_demand, ring_demand
from engine.modalities.dual_head_pet.model import uniform_start as panel_start
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.listmode_pet.model import prepare, uniform_start, without_tof
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import compute_sensitivity
from engine.recon.algorithms import Svrg
from engine.recon.algorithms.penalised import PenalisedLikelihood
from engine.recon.algorithms.subsets import CountDemand
from engine.recon.algorithms.svrg_cycle import run_cycle
from engine.recon.model import HistogramModel, ListModeModel, MapModel, SubsetObjective
from engine.recon.priors.relative import RelativeDifference
from tests.judge.materials import LYSO, PMMA, WATER
from tests.judge.phantoms import Phantom, Region
from tests.judge.scanners import Scanner
from tests.judge.solids import cylinder
from tests.judge.studies import PANELS, TRUES, JudgeStudy, panel_balls, round_ring
from tests.judge_scans import (
    cached_pairs,
    listmode_of,
    mu_map_of,
    panel_crystals,
    panels_of,
    ring_of,
)
from tests.physics.references.map_optimum import optimum_of

PASSES_BEFORE = 3.625
"""OSEM, an update, 1.5 for the row sums and 0.125 for the strength. A cycle ends with the full
gradient of the next image: the first cycle needs one more, the last image one less."""
BODY_MM = 14.0
RODS = {"hot 8 mm": (7.5, 0.0, 4.0), "hot 4 mm": (-7.5, 0.0, 2.0), "cold 8 mm": (0.0, 8.0, 4.0)}
"""x, y and radius of rods along the axis of the mouse, in a body with a radius of 14 mm."""
BALLS = (((6, 0, 10), 2.4), ((-6, 8, -10), 4.0), ((4, -8, -4), 5.0))
"""Centres and radii of the balls between the panels."""
Masks = tuple[NDArray[np.bool_], NDArray[np.bool_], list[NDArray[np.bool_]]]


@dataclass(frozen=True)
class RingCase:
    """A water body with two hot rods and a cold one in a ring; all sizes scale with the body.

    Attributes
    ----------
    scanner : scanner of the judge
    voxel_mm : edge of a voxel
    body : radius of the body relative to that of the mouse
    n_pairs : photon pairs
    tof : timing; None for none
    is_timed : False to drop the timing from the events
    """

    scanner: Scanner
    voxel_mm: float
    body: float
    n_pairs: int
    tof: TofSettings | None = None
    is_timed: bool = True

    @property
    def length_mm(self) -> float:
        """Length of the scanner."""
        return self.scanner.size_mm[1]

    def phantom(self) -> Phantom:
        """Return the body; the cold rod is of plastic."""
        k, length = self.body, self.length_mm + 18
        rods = [
            Region(
                cylinder(k * r, length, at=(k * x, k * y, 0)),
                PMMA if "cold" in name else WATER,
                activity,
            )
            for (name, (x, y, r)), activity in zip(RODS.items(), (4.0, 4.0, 0.0), strict=True)
        ]
        body = Region(cylinder(k * BODY_MM, length), WATER, 1.0)
        return Phantom("rods", (body, *rods))

    def recorded(self, n_pairs: int, seed: int) -> engine.ListMode:
        """Return the events as list mode with their attenuation map."""
        physics = TRUES if self.tof is None else replace(TRUES, tof_fwhm_ps=self.tof.fwhm_ps)
        study = JudgeStudy("map-rods", self.phantom(), self.scanner, physics, seed)
        pairs, voxel = cached_pairs(study, n_pairs), (self.voxel_mm,) * 3
        diameter = 2.43 * BODY_MM * self.body
        ring = ring_of(self.scanner, diameter_mm=diameter, voxel_mm=voxel, tof=self.tof)
        mu_map = mu_map_of(study.phantom, engine.ListModeProtocol().grid.grid_for(ring))
        scan = listmode_of(pairs, ring, pairs.crystals, mu_map=mu_map)
        return scan if self.is_timed else without_tof(scan)

    def model(self, dtype: str, n_pairs: int, seed: int) -> tuple[MapModel, ImageGrid, CountDemand]:
        """Return the corrected events as a model, their grid, and the data for choosing subsets."""
        scan, protocol, on = self.recorded(n_pairs, seed), engine.ListModeProtocol(), engine.cpu()
        grid = protocol.grid.grid_for(scan.scanner)
        for step in protocol.corrections.steps():
            if step.kind != "resolution" and step.use != "off" and step.obstacle(scan) is None:
                scan = step.apply(scan, on=on)
        prompts = prepare(scan, on=on).data
        sensitivity = compute_sensitivity(prompts, grid, SensitivitySettings(), on=on)
        tof = None if prompts.tof_bins is None else prompts.scanner.tof
        rays = engine.Rays(prompts.scanner.positions_mm, prompts.crystals, prompts.tof_bins)
        A = engine.RayProjector(rays, grid, on=on, dtype=dtype, tof=tof)
        background = np.zeros(prompts.n_events, dtype)
        events = ListModeModel(A, background, sensitivity.image.astype(dtype))
        start = uniform_start(events).astype(dtype)
        demand = ring_demand(float(prompts.n_events), grid, tof)
        return MapModel.of(events, grid.voxel_mm[::-1], start, on.threads), grid, demand

    def regions(self, grid: ImageGrid) -> Masks:
        """Return masks of the whole object, of its background and of the rods."""
        k, (z, y, x) = self.body, _centres_mm(grid)
        middle = np.abs(z) < self.length_mm / 2 - 2 * self.voxel_mm
        far = [np.hypot(x - k * cx, y - k * cy) - k * r for cx, cy, r in RODS.values()]
        rods = [(d < 0) & middle for d in far]
        whole = (np.hypot(x, y) < k * BODY_MM) & middle
        inside = np.hypot(x, y) < k * (BODY_MM - 2)
        return whole, inside & middle & np.all([d > 2 * k for d in far], axis=0), rods


@dataclass(frozen=True)
class PanelCase:
    """A box with two hot balls and a cold one between two panels."""

    n_pairs: int

    def model(self, dtype: str, n_pairs: int, seed: int) -> tuple[MapModel, ImageGrid, CountDemand]:
        """Return the counts of the lines, with the analytic response."""
        study, panels, on = replace(panel_balls(), seed=seed), panels_of(PANELS), engine.cpu()
        pairs = cached_pairs(study, n_pairs)
        scan = listmode_of(pairs, panels, panel_crystals(PANELS, pairs.crystals))
        counted = histogrammed(scan)
        response = build_analytic(counted.scanner, AnalyticResponse(n_points=1 << 12))
        A = engine.MatrixProjector(response, on=on, dtype=dtype)
        counts = np.asarray(counted.prompts, dtype)
        lines = HistogramModel.of(A, np.zeros((), dtype), counts)
        start = panel_start(counted, response).astype(dtype)
        grid, demand = panels.grid, panel_demand(counted.n_prompts, panels)
        return MapModel.of(lines, grid.voxel_mm[::-1], start, on.threads), grid, demand

    def regions(self, grid: ImageGrid) -> Masks:
        """Return masks of the whole object, of its background and of the balls."""
        z, y, x = _centres_mm(grid)
        far = [
            np.sqrt((x - cx) ** 2 + (y - cy) ** 2 + (z - cz) ** 2) - r for (cx, cy, cz), r in BALLS
        ]
        whole = (np.abs(x) < 15) & (np.abs(y) < 20) & (np.abs(z) < 24)
        inside = (np.abs(x) < 12) & (np.abs(y) < 15) & (np.abs(z) < 20)
        return whole, inside & np.all([d > 3 for d in far], axis=0), [d < 0 for d in far]


RING = replace(
    round_ring(57.6, 22.0, n_crystals=180, row_mm=2.2, crystal_mm=2.0, depth_mm=13.0),
    material=LYSO,
)
MOUSE = RingCase(RING, 1.1, 1.0, 100_000)
CASES: dict[str, RingCase | PanelCase] = {
    "small-animal": MOUSE,
    "demo-ring": RingCase(
        round_ring(150.0, 140.0, n_crystals=288, row_mm=5.0), 3.0, 5.0, 800_000,
        TofSettings(fwhm_ps=250.0, bin_ps=100.0, n_bins=15),
    ),
    "dual-head": PanelCase(1_000_000),
    "mmr": RingCase(round_ring(328.0, 256.0, n_crystals=504, row_mm=4.0), 4.0, 7.0, 2_000_000),
    "d690": RingCase(
        round_ring(405.0, 157.2, n_crystals=576, row_mm=6.55), 5.0, 7.0, 1_500_000,
        TofSettings(fwhm_ps=544.0, bin_ps=89.0, n_bins=21),
    ),
    "vision": RingCase(
        round_ring(410.0, 261.0, n_crystals=760, row_mm=3.3), 4.0, 7.0, 2_000_000,
        TofSettings(fwhm_ps=214.0, bin_ps=143.0, n_bins=13),
    ),
}  # fmt: skip
"""mMR-like, D690-like and Vision-like rings have the sizes and timing of these scanners."""


@dataclass(frozen=True)
class MapScan:
    """Events of a scanner, trues only.

    Attributes
    ----------
    case : scanner and object
    n_pairs : photon pairs; None for those of the case
    seed : of the photons
    """

    case: RingCase | PanelCase = MOUSE
    n_pairs: int | None = None
    seed: int = 1

    @cached_property
    def _made(self) -> tuple[MapModel, ImageGrid, CountDemand]:
        return self.case.model("float32", self.n_pairs or self.case.n_pairs, self.seed)

    @property
    def model(self) -> MapModel:
        """The model in float32."""
        return self._made[0]

    @cached_property
    def reference_model(self) -> MapModel:
        """The same events in float64."""
        return self.case.model("float64", self.n_pairs or self.case.n_pairs, self.seed)[0]

    @property
    def grid(self) -> ImageGrid:
        """Grid of the image."""
        return self._made[1]

    @property
    def demand(self) -> CountDemand:
        """Return the counts for the choice of subsets."""
        return self._made[2]

    def regions(self) -> Masks:
        """Return masks of the whole object, of its background and of its regions."""
        return self.case.regions(self._made[1])


Figures = tuple[float, float, float]


@dataclass(frozen=True)
class Convergence:
    """How a run converges to the reference.

    Attributes
    ----------
    strength : of the prior
    kkt : KKT residual of the reference
    change : rms of the last change of the reference, from a residual of 10⁻⁶ on, when its passes
        were doubled or its residual fell to 10⁻⁸
    n_passes : passes of the reference, after those of SVRG
    errors : passes, and errors after them
    """

    strength: float
    kkt: float
    change: float
    n_passes: int
    errors: Iterator[tuple[float, Figures]]


def convergence(
    scan: MapScan, strength: float | None, n_cycles: int, n_reference: int
) -> Convergence:
    """Return the convergence of SVRG to the optimum of a scan.

    Parameters
    ----------
    scan : the events
    strength : of the prior; None for the one that the program chooses
    n_cycles : cycles of the run
    n_reference : cycles of SVRG before the Newton steps of the reference
    """
    whole, background, rods = scan.regions()
    algorithm = Svrg(strength=strength).for_counts(scan.demand)
    ready = algorithm.prepared(scan.reference_model, algorithm.n_parts)
    of = ready.likelihood
    fast = in_float32(of, scan.model.objective(algorithm.n_parts))
    anchor = fast.anchor(ready.x.astype(np.float32))
    for number in range(n_reference):
        anchor = run_cycle(fast, anchor, number).after
    best = optimum_of(of, fast, anchor.x)
    reference, level = best.x, best.x[background].mean()
    change = float(np.sqrt(((reference - best.earlier)[whole] ** 2).mean()) / level)

    def errors(x: NDArray[np.floating]) -> Figures:
        apart = (x - reference) / level
        rms = [float(np.sqrt((apart[mask] ** 2).mean())) for mask in (whole, background)]
        return rms[0], rms[1], max(abs(float(apart[mask].mean())) for mask in rods)

    def found() -> Iterator[tuple[float, Figures]]:
        start = algorithm.prepared(scan.model, algorithm.n_parts)
        at, passes = start.likelihood.anchor(start.x), PASSES_BEFORE
        for number in range(n_cycles):
            cycle = run_cycle(start.likelihood, at, number)
            at, passes = cycle.after, passes + cycle.n_passes
            yield passes, errors(at.x)

    return Convergence(of.strength, best.kkt, change, best.n_passes, found())


def in_float32(of: PenalisedLikelihood, objective: SubsetObjective) -> PenalisedLikelihood:
    """Return a penalised likelihood with its prior in float32.

    Parameters
    ----------
    of : in float64, with the relative difference prior
    objective : the same data in float32
    """
    assert isinstance(of.prior, RelativeDifference) and of.prior.kappa is not None
    prior = replace(of.prior, kappa=of.prior.kappa.astype(np.float32))
    return replace(of, objective=objective, prior=prior)


def _centres_mm(grid: ImageGrid) -> list[NDArray[np.float64]]:
    at = [grid.centres_mm(axis=k) for k in (2, 1, 0)]
    return np.meshgrid(*at, indexing="ij")


def main(arguments: list[str]) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scanners", nargs="*", choices=[*CASES, []], metavar="SCANNER")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--strength", type=float, help="by default as the program chooses")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=6)
    parser.add_argument("--reference", type=int, default=8)
    chosen = parser.parse_args(arguments)
    out = sys.stdout.write
    for name in chosen.scanners or CASES:
        for seed in range(1, chosen.seeds + 1):
            scan = MapScan(CASES[name], chosen.pairs, seed)
            found = convergence(scan, chosen.strength, chosen.cycles, chosen.reference)
            out(f"{name}, seed {seed}, strength {found.strength:.4f}: ")
            out(f"reference KKT {found.kkt:.1e}, change {found.change:.1e}")
            out(f" after {found.n_passes} passes\n")
            for passes, figures in found.errors:
                row = "  ".join(f"{100 * figure:7.3f}" for figure in figures)
                out(f"  {passes:4.1f} passes  {row}  % (whole, background, regions)\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
