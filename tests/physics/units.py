"""Measure activity concentration with simulated photons: calibrate on one phantom, read another.

    python -m tests.physics.units [--pairs N] [--scatter]

A cylinder of F-18 that fills the ring calibrates it with the commands of a technician. Another
cylinder is smaller, shorter and off the axis. It contains 10 kBq/mL of Ga-68 at the start of a
longer frame, and the scanner is busy for a fifth of the time. All decays of both are simulated, so
only the number of decays gives the activity. Scans have trues only, or include scatter with the
automatic correction. Attenuation comes from the exact µ-map.
"""

from __future__ import annotations

import argparse
import logging
import math
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import engine
from engine.analysis.quality.cylinder import UprightCylinder, mean_inside
from engine.cli.exit_codes import DONE
from engine.cli.main import main as isocenter
from engine.data.timing.decay import NUCLIDES
from engine.geometry.energy import EnergySettings
from engine.io import read_volume
from engine.io.auxiliary.calibration_file import read_calibration
from tests.judge.materials import WATER
from tests.judge.phantoms import Phantom, Region
from tests.judge.readout import Physics
from tests.judge.solids import cylinder
from tests.judge.studies import TRUES, JudgeStudy, ring_300, short_ring_cylinder
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, ring_of

log = logging.getLogger(__name__)
WANTED_BQ_ML = 10_000.0
LIVE = 0.8
DIAMETER_MM, VOXEL_MM = 240.0, (4.0, 4.0, 5.0)
PLACE_MM, RADIUS_MM, LENGTH_MM = (25.0, -15.0, 30.0), 70.0, 150.0
START = "2026-11-22T11:00:00+01:00"


def off_axis_cylinder() -> JudgeStudy:
    """Return the phantom to measure."""
    solid = cylinder(RADIUS_MM, LENGTH_MM, at=PLACE_MM)
    phantom = Phantom("off axis", (Region(solid, WATER, 1.0),))
    return JudgeStudy("off-axis", phantom, ring_300(320.0), TRUES, seed=2)


@dataclass(frozen=True)
class Reading:
    """Result of the calibrated image.

    Attributes
    ----------
    bq_ml, error : mean well inside, and its standard error
    unit : of the image
    calibration_error_percent : error in the calibration file
    """

    bq_ml: float
    error: float
    unit: str
    calibration_error_percent: float


def mean_decays_factor(frame_s: float, half_life_s: float) -> float:
    """Return the mean activity over a frame relative to its start, by numerical integration."""
    times = (np.arange(200_000) + 0.5) * frame_s / 200_000
    return float(np.mean(np.exp(-times * math.log(2) / half_life_s)))


def written(
    study: JudgeStudy, n_pairs: int, folder: Path, *, frame_s: float, live: float = 1.0
) -> tuple[Path, float]:
    """Write the pairs of a study as a scan; return it and the positrons emitted in its frame.

    A busy scanner loses pairs at random: the fraction `live` remains.
    """
    pairs = cached_pairs(study, n_pairs)
    n_decays = pairs.n_decays
    if live < 1:
        pairs = pairs.take(np.random.default_rng(5).random(len(pairs)) < live)
    energy = EnergySettings(
        window_kev=study.physics.window_kev, resolution=study.physics.energy_fwhm
    )
    ring = ring_of(study.scanner, diameter_mm=DIAMETER_MM, voxel_mm=VOXEL_MM, energy=energy)
    grid = engine.ListModeProtocol().grid.grid_for(ring)
    mu_map = mu_map_of(study.phantom, grid)
    scan = listmode_of(pairs, ring, pairs.crystals, mu_map=mu_map, duration_s=frame_s)
    engine.save(scan, folder / f"{study.name}.h5")
    log.info("%s: %d events, %.4g decays", study.name, scan.n_events, n_decays)
    return folder / f"{study.name}.h5", n_decays


def run_command(*words: object) -> None:
    """Run a command of the command line and check that it succeeds."""
    assert isocenter([str(word) for word in words]) == DONE


def options(physics: Physics) -> tuple[str, ...]:
    """Turn scatter correction off for trues: a cylinder that fills the ring does not scale it."""
    return () if physics.follows_scatter else ("--set", 'corrections.scatter.use="off"')


def read(n_pairs: int, folder: Path, physics: Physics = TRUES) -> Reading:
    """Calibrate, reconstruct and measure with the command line."""
    calibrate(replace(short_ring_cylinder(), physics=physics), n_pairs, folder)
    other = replace(off_axis_cylinder(), physics=physics)
    ml = math.pi * RADIUS_MM**2 * LENGTH_MM / 1000
    known = NUCLIDES["Ga-68"]
    # frame length with this many positrons for 10 kBq/mL at its start
    n_decays = cached_pairs(other, n_pairs).n_decays
    at_start = WANTED_BQ_ML * ml * known.branching
    life_s = known.half_life_s / math.log(2)
    frame_s = -life_s * math.log1p(-n_decays / (at_start * life_s))
    scan, _ = written(other, n_pairs, folder, frame_s=frame_s, live=LIVE)
    tracer = folder / "other.toml"
    tracer.write_text(
        f'[tracer]\nnuclide = "Ga-68"\nscan_start = {START}\nlive_fraction = {LIVE}\n'
    )
    image = folder / "other-volume.h5"
    run_command("reconstruct", scan, "-o", image, "--tracer", tracer,
         "--calibration", folder / "calibration.json", "--device", "cpu",
         *options(physics))  # fmt: skip
    volume = read_volume(image)
    inside = UprightCylinder(PLACE_MM, RADIUS_MM, LENGTH_MM).inner(volume.grid)
    found = mean_inside(volume, inside)
    error = read_calibration(folder / "calibration.json").error_percent
    return Reading(found.mean, found.error, volume.unit, error)


def calibrate(study: JudgeStudy, n_pairs: int, folder: Path) -> None:
    """Scan the cylinder for 600 s and write `calibration.json`."""
    frame_s, known = 600.0, NUCLIDES["F-18"]
    scan, n_decays = written(study, n_pairs, folder, frame_s=frame_s)
    mean_bq = n_decays / (known.branching * frame_s)
    at_start = mean_bq / mean_decays_factor(frame_s, known.half_life_s)
    half_an_hour_before = at_start * 2 ** (1800 / known.half_life_s)
    ml = math.pi * 100.0**2 * study.scanner.size_mm[1] / 1000
    tracer = folder / "cylinder.toml"
    tracer.write_text(f'[tracer]\nnuclide = "F-18"\nscan_start = {START}\n')
    image = folder / "cylinder-volume.h5"
    run_command("reconstruct", scan, "-o", image, "--tracer", tracer, "--device", "cpu",
         *options(study.physics))  # fmt: skip
    run_command("calibrate", image, "-o", folder / "calibration.json",
         "--activity-mbq", half_an_hour_before / 1e6, "--at", "2026-11-22T10:30:00+01:00",
         "--volume-ml", ml)  # fmt: skip


def main(arguments: list[str]) -> None:
    """Print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=600_000)
    parser.add_argument("--scatter", action="store_true")
    chosen = parser.parse_args(arguments)
    physics = Physics() if chosen.scatter else TRUES
    with tempfile.TemporaryDirectory() as folder:
        found = read(chosen.pairs, Path(folder), physics)
    out = sys.stdout.write
    out("| true kBq/mL | read | standard error | calibration's |\n|---|---|---|---|\n")
    out(f"| {WANTED_BQ_ML / 1000:g} | {found.bq_ml / 1000:.3f} | {found.error / 1000:.3f} | ")
    out(f"{found.calibration_error_percent:.2f} % |\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main(sys.argv[1:])
