"""Measure the axial uniformity of a uniform cylinder with simulated photons.

    python -m tests.physics.axial_uniformity [short] [long] [safir] [--pairs N] [--measured]

The object is a water cylinder as long as the scanner. The scan has trues only, attenuation is
corrected with the exact µ-map, and the protocol is the default one. The value is the mean of the
image within 0.8 of the cylinder's radius at positions along half the length, relative to the
middle; 1 is correct. The standard error comes from the spread between slices. The filter makes
neighbours similar, so the true error is somewhat larger.

With `--measured`, a measured normalisation corrects the lines, as in practice. It comes from as
many photons of another cylinder, which is wider by a third and has other random numbers.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import engine
from engine.io.hdf5.normalisation import write_components
from engine.tools.normalisation_scan.fixed_point import likeliest
from engine.tools.normalisation_scan.line_tally import LineTally
from engine.tools.normalisation_scan.source import CylinderSource
from tests.judge.interactions import ELECTRON_KEV
from tests.judge.materials import WATER
from tests.judge.studies import (
    JudgeStudy,
    long_ring_cylinder,
    safir_cylinder,
    short_ring_cylinder,
    uniform_cylinder,
)
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, ring_of

log = logging.getLogger(__name__)
PLACES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
"""Positions relative to half the length, as in the table of the report."""
WIDER = 4 / 3
"""Radius of the cylinder for the normalisation, relative to the other one."""
MIDDLE = 0.1
"""Extent of the reference region in the middle, relative to half the length."""


@dataclass(frozen=True)
class Case:
    """A cylinder and the grid of its image."""

    study: Callable[[], JudgeStudy]
    radius_mm: float
    diameter_mm: float
    voxel_mm: tuple[float, float, float]
    protocol: str | None = None


CASES = {
    "short": Case(short_ring_cylinder, 100.0, 240.0, (4.0, 4.0, 5.0)),
    "long": Case(long_ring_cylinder, 100.0, 240.0, (4.0, 4.0, 5.0)),
    "safir": Case(safir_cylinder, 15.0, 40.0, (1.0, 1.0, 1.1)),
}


def reconstructed(
    case: Case, n_pairs: int, folder: Path, normalisation: Path | None = None
) -> engine.Volume:
    """Write the pairs of a case as a scan and reconstruct it as a user would."""
    study = case.study()
    pairs = cached_pairs(study, n_pairs)
    ring = ring_of(study.scanner, diameter_mm=case.diameter_mm, voxel_mm=case.voxel_mm)
    protocol = engine.ListModeProtocol()
    grid = protocol.grid.grid_for(ring)
    scan = listmode_of(pairs, ring, pairs.crystals, mu_map=mu_map_of(study.phantom, grid))
    path = folder / f"{study.name}.h5"
    engine.save(scan, path)
    log.info("%s: %d events of %d pairs", study.name, scan.n_events, len(pairs))
    inputs = {} if normalisation is None else {"normalisation": normalisation}
    chosen = engine.Study(data=path, protocol=protocol, **inputs)
    return engine.reconstruct(chosen, on=engine.cpu())


def measured(case: Case, n_pairs: int, folder: Path) -> Path:
    """Measure a normalisation with photons of a wider cylinder."""
    scanner, radius_mm = case.study().scanner, WIDER * case.radius_mm
    study = replace(uniform_cylinder(scanner, radius_mm), name="normalisation", seed=7)
    pairs = cached_pairs(study, n_pairs)
    ring = ring_of(scanner, diameter_mm=case.diameter_mm, voxel_mm=case.voxel_mm)
    source = CylinderSource(
        radius_mm, length_mm=scanner.size_mm[1], mu_per_mm=WATER.total(ELECTRON_KEV)
    )
    tally = LineTally(ring, source)
    tally.add(listmode_of(pairs, ring, pairs.crystals))
    found = likeliest(tally, on=engine.cpu())
    log.info("%.0f counts, %d steps; %s", found.counts, found.steps, found.components.describe())
    write_components(found.components, ring, folder / "norm.h5", {}, found.errors)
    return folder / "norm.h5"


def axial_profile(volume: engine.Volume, radius_mm: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of each slice within 0.8 of the radius, and its position (relative)."""
    x, y = volume.grid.centres_mm(axis=0), volume.grid.centres_mm(axis=1)
    inside = np.hypot(x[None, :], y[:, None]) < 0.8 * radius_mm
    z = volume.grid.centres_mm(axis=2) / (volume.grid.size_mm[2] / 2)
    return volume.values[:, inside].mean(axis=1, dtype=float), z


def relative(profile: np.ndarray, z: np.ndarray) -> list[tuple[float, float]]:
    """Return value and standard error at `PLACES` for both ends, relative to the middle."""
    middle = profile[np.abs(z) < MIDDLE].mean()
    found = []
    for place in PLACES:
        near = np.abs(np.abs(z) - place) < max(0.025, 1.01 * abs(z[1] - z[0]) / 2)
        values = profile[near] / middle
        found.append((float(values.mean()), float(values.std() / np.sqrt(len(values)))))
    return found


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", nargs="*", default=[*CASES], choices=[*CASES])
    parser.add_argument("--pairs", type=int, default=2_000_000)
    parser.add_argument("--measured", action="store_true")
    chosen = parser.parse_args(arguments)
    out = sys.stdout.write
    out("| z / half length | " + " | ".join(f"{place:g}" for place in PLACES) + " |\n")
    out("|---" * (len(PLACES) + 1) + "|\n")
    for name in chosen.case:
        with tempfile.TemporaryDirectory() as folder:
            case, n_pairs, place = CASES[name], chosen.pairs, Path(folder)
            lines = measured(case, n_pairs, place) if chosen.measured else None
            volume = reconstructed(case, n_pairs, place, lines)
        cells = relative(*axial_profile(volume, CASES[name].radius_mm))
        out(f"| {name} | " + " | ".join(f"{v:.2f} ± {e:.2f}" for v, e in cells) + " |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main(sys.argv[1:])
