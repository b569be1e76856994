"""Measure the accuracy of decays from two panels with simulated photons.

    python -m tests.physics.panels [--case air water scatter] [--pairs N] [--set a.b=value ...]

A box contains two hot balls of twenty times its activity and a cold one. It is between two panels
with crystal scatter, energy window, energy resolution and blocks (tests/judge). The figures are
decays relative to the true ones: in the whole image, in the box, in its background away from balls
and walls, and in the hot balls of 4.8 and 8 mm. Those of the cold ball are relative to the measured
background. In air, the user enters the size of the box. In water, a μ-map is given, and pairs that
scattered in the box are left out, or included ("scatter") and corrected.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import engine
from engine.data.histogram import histogrammed
from engine.modalities.studies import find_protocol
from engine.protocols.study.assignments import with_settings
from tests.judge.materials import AIR
from tests.judge.phantoms import Phantom
from tests.judge.solids import Solid
from tests.judge.studies import JudgeStudy, panel_balls
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, panel_crystals, panels_of

PROTOCOL = "dual-head"


CLEAR_MM = 4.0
"""Distance of the background region from walls and balls."""


def balls_in_air() -> JudgeStudy:
    """Return the balls in a box of air, to test the panels alone."""
    study = panel_balls()
    regions = tuple(replace(region, material=AIR) for region in study.phantom.regions)
    return replace(study, name="panels-air", phantom=replace(study.phantom, regions=regions))


def centres_of(grid: engine.ImageGrid) -> NDArray[np.float64]:
    """Return the centres of the voxels, (n_z, n_y, n_x, 3) [mm]."""
    z, y, x = np.meshgrid(*(grid.centres_mm(axis=k) for k in (2, 1, 0)), indexing="ij")
    return np.stack([x, y, z], axis=-1)


def truth_on(phantom: Phantom, grid: engine.ImageGrid, n_decays: float) -> NDArray[np.float64]:
    """Return the decays in each voxel, sampled at 3 x 3 x 3 points."""
    values, voxel = np.zeros(grid.shape), np.array(grid.voxel_mm)
    centres = centres_of(grid).reshape(-1, 3)
    for corner in np.ndindex(3, 3, 3):
        activity, _ = phantom.at(centres + (np.array(corner) - 1) / 3 * voxel)
        values += activity.reshape(grid.shape)
    return values * (n_decays / values.sum())


def regions_of(study: JudgeStudy, grid: engine.ImageGrid) -> dict[str, NDArray[np.bool_]]:
    """Return masks of the regions in the table."""
    body, *balls = (region.solid for region in study.phantom.regions)
    at = centres_of(grid)

    def within(ball: Solid, margin_mm: float) -> NDArray[np.bool_]:
        return np.linalg.norm(at - ball.centre_mm, axis=-1) < ball.half_mm[0] + margin_mm

    low, high = body.reach_mm()
    inside = ((at > low) & (at < high)).all(axis=-1)
    core = ((at > low + CLEAR_MM) & (at < high - CLEAR_MM)).all(axis=-1)
    for ball in balls:
        core &= ~within(ball, CLEAR_MM)
    names = ("ball 4.8 mm", "ball 8 mm", "cold ball")
    found = dict(zip(names, (within(ball, 0.0) for ball in balls), strict=True))
    return {"image": np.ones(grid.shape, bool), "box": inside, "background": core} | found


def scan_of(
    study: JudgeStudy, n_pairs: int, *, scattered: bool = False, **keys: object
) -> tuple[engine.Histogram, float]:
    """Return pairs as counts of lines, and the decays; `scattered` includes scatter in the box."""
    pairs = cached_pairs(study, n_pairs)
    pairs = pairs if scattered else pairs.trues
    panels = panels_of(study.scanner, study.physics, **keys)
    crystals = panel_crystals(study.scanner, pairs.crystals)
    return histogrammed(listmode_of(pairs, panels, crystals)), pairs.n_decays


def reconstructed(
    study: JudgeStudy, scan: engine.Histogram, settings: list[str], folder: Path
) -> tuple[engine.Volume, float]:
    """Write counts and the μ-map as files and reconstruct; return the image and the seconds."""
    inputs = {}
    engine.save(scan, folder / "balls.h5")
    mu_map = mu_map_of(study.phantom, scan.scanner.grid)
    if mu_map.values.max() > 0.001:
        inputs["attenuation"] = folder / "balls-mu.h5"
        engine.save(mu_map, inputs["attenuation"])
    protocol = with_settings(find_protocol(PROTOCOL), settings)
    started = time.perf_counter()
    whole = engine.Study(data=folder / "balls.h5", inputs=inputs, protocol=protocol)
    volume = engine.reconstruct(whole, on=engine.cpu())
    return volume, time.perf_counter() - started


def recovered(
    study: JudgeStudy, values: NDArray[np.float64], n_decays: float, grid: engine.ImageGrid
) -> dict[str, float]:
    """Return measured relative to true decays; the cold ball relative to the background found."""
    truth, regions = truth_on(study.phantom, grid, n_decays), regions_of(study, grid)
    cold, background = (values[regions[name]] for name in ("cold ball", "background"))
    del regions["cold ball"]
    found = {name: values[where].sum() / truth[where].sum() for name, where in regions.items()}
    level = background.mean()
    return found | {"cold ball": cold.mean() / level, "spread": background.std() / level}


SCATTER = "scatter"
CASES = {"air": balls_in_air, "water": panel_balls, SCATTER: panel_balls}
BOX = ('support.kind="box"', "support.size_mm=[30, 40, 48]")
"""Input of a user who knows the size of the object and has no μ-map."""


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", nargs="+", default=[*CASES], choices=[*CASES])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--set", nargs="*", default=[], help="settings of the protocol, a.b=value")
    parser.add_argument("--no-box", action="store_true", help="in air, leave the support out")
    chosen = parser.parse_args(arguments)
    out, is_first = sys.stdout.write, True
    for name in chosen.case:
        study = CASES[name]()
        scan, n_decays = scan_of(study, chosen.pairs, scattered=name == SCATTER)
        own = [*BOX] if name == "air" and not chosen.no_box else []
        if name == "water":  # no pair of it is scattered
            own.append('corrections.scatter.use="off"')
        with tempfile.TemporaryDirectory() as folder:
            volume, seconds = reconstructed(study, scan, [*own, *chosen.set], Path(folder))
        found = recovered(study, volume.values.astype(float), n_decays, volume.grid)
        if is_first:
            out("| case | " + " | ".join(found) + " | seconds |\n" + "|---" * (len(found) + 2))
            out("|\n")
        cells = " | ".join(f"{value:.2f}" for value in found.values())
        out(f"| {name} | {cells} | {seconds:.0f} |\n")
        sys.stdout.flush()
        is_first = False


if __name__ == "__main__":
    main(sys.argv[1:])
