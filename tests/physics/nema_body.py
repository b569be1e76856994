"""Measure the image quality of NEMA NU 2's body with simulated photons and its own corrections.

    python -m tests.physics.nema_body [--pairs N] [--seeds N] [--no-tof] [--kept trues|all]
        [--protocol FILE] ...

The body has six spheres of 4:1 (the two largest cold) and a lung insert, in a ring of 24 cm with
300 ps. The scan has trues, scatter, 25 % randoms and as many delayeds. Randoms pair photons of
different pairs. The µ-map is the phantom's own. Contrast recovery and background variability are
those of the standard, with its discs in five slices. The bias compares the mean of the background
with the activity that gives the counted trues on the lines of the scanner.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import engine
from engine.analysis.quality.nema import SLICES_MM, disc, residual_error, sphere_quality
from engine.analysis.regions.figures import mean_of
from engine.data.volume import Volume
from engine.geometry.energy import EnergySettings
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.sampling import lattice
from engine.geometry.tof import TofSettings
from engine.modalities.studies import read_protocol
from tests.judge.pairs import RANDOM, TRUE, Coincidences
from tests.judge.phantoms import Phantom
from tests.judge.readout import Physics
from tests.judge.studies import NEMA_RADII_MM, JudgeStudy, nema_body, nema_places_mm, ring_300
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, ring_of

log = logging.getLogger(__name__)
TOF = TofSettings(fwhm_ps=300.0, bin_ps=100.0, n_bins=33)
ENERGY = EnergySettings(window_kev=(425.0, 650.0), resolution=0.11)
"""Readout of the judge's crystals."""
COLD = (4, 5)
HOT_RATIO = 4.0
RANDOMS = 0.25
DIAMETER_MM, VOXEL_MM = 360.0, (3.0, 3.0, 2.5)
LUNG_MM = 30.0
TRUTH_SHAPE = (120, 180, 180)
"""Number of voxels for the projection of the truth."""
N_LINES = 400_000


def body(seed: int = 1) -> JudgeStudy:
    """Return the phantom in its ring."""
    phantom = nema_body(hot=HOT_RATIO, cold=COLD)
    physics = Physics(tof_fwhm_ps=TOF.fwhm_ps)
    return JudgeStudy("nema-body", phantom, ring_300(240.0), physics, seed)


def background_centres() -> tuple[Point, ...]:
    """Return centres of discs of up to 37 mm in the background, twelve in each of five slices.

    They do not touch the spheres and the lung, and are at least 8 mm from the edge.
    """
    around = [
        (115.0, -15.0), (108.0, 20.0), (88.0, 45.0), (-115.0, -15.0), (-108.0, 20.0), (-88.0, 45.0),
        (50.0, -105.0), (0.0, -112.0), (-50.0, -105.0), (90.0, -75.0), (-90.0, -75.0), (0.0, 50.0),
    ]  # fmt: skip
    return tuple((x, y, z) for z in SLICES_MM for x, y in around)


def random_pairs(pairs: Coincidences, n: int, seed: int) -> Coincidences:
    """Pair photons of different decays, with any time difference in the range of the bins."""
    rng = np.random.default_rng(seed)
    one, other = rng.integers(len(pairs), size=(2, n))
    crystals = np.stack([pairs.crystals[one, 0], pairs.crystals[other, 1]], axis=1)
    reach = TOF.bin_ps * TOF.n_bins / 2
    return replace(
        pairs.take(one),
        crystals=crystals.astype(np.int32),
        tof_ps=rng.uniform(-reach, reach, n).astype(np.float32),
        kind=np.full(n, RANDOM, np.uint8),
    )


def joined(parts: list[Coincidences]) -> Coincidences:
    """Return coincidences one after the other."""
    first = parts[0]
    names = ("crystals", "tof_ps", "kev", "decay_mm", "scatters", "kind")
    rows = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return Coincidences(**rows, n_decays=first.n_decays)


def written(
    n_pairs: int, n_seeds: int, folder: Path, *, tof: bool, kept: str
) -> tuple[Path, float]:
    """Write the scan with `n_pairs` of each seed; return it and the true background."""
    study = body()
    pairs = joined([cached_pairs(body(seed), n_pairs) for seed in range(1, n_seeds + 1)])
    trues = pairs.crystals[pairs.kind == TRUE]
    if kept == "trues":
        pairs = pairs.take(pairs.kind == TRUE)
        delayeds = None
    else:
        n = round(RANDOMS * len(pairs))
        delayeds = random_pairs(pairs, n, seed=3)
        pairs = joined([pairs, random_pairs(pairs, n, seed=2)])
    ring = ring_of(
        study.scanner,
        diameter_mm=DIAMETER_MM,
        voxel_mm=VOXEL_MM,
        tof=TOF if tof else None,
        energy=ENERGY,
    )
    crystals = pairs.crystals
    if delayeds is not None:
        crystals = np.concatenate([pairs.crystals, delayeds.crystals])
    grid = engine.ListModeProtocol().grid.grid_for(ring)
    mu_map = mu_map_of(study.phantom, grid)
    scan = listmode_of(pairs, ring, crystals, mu_map=mu_map, delayeds=delayeds)
    log.info("%d events, of them %.1f %% scatter", scan.n_events, 100 * pairs.scatter_fraction)
    path = folder / "body.h5"
    engine.save(scan, path)
    n_trues = int(np.count_nonzero(ring.in_coincidence(trues)))
    return path, n_trues / trues_of_one(study.phantom, ring, mu_map)


def trues_of_one(phantom: Phantom, ring: engine.RingScanner, mu_map: engine.Volume) -> float:
    """Return the trues of the phantom on the lines of a scanner, for a background of 1 count/mm."""
    lines = ring.lors(lattice(ring.n_lors, N_LINES, shift=0.25))
    lines = np.ascontiguousarray(lines[ring.in_coincidence(lines)])
    grid = ImageGrid(TRUTH_SHAPE, tuple(np.divide(mu_map.grid.size_mm, TRUTH_SHAPE[::-1])))
    truth = phantom.at(grid_points(grid))[0].reshape(grid.shape).astype(np.float32)
    ways, attenuation = (
        engine.RayProjector(engine.Rays(ring.positions_mm, lines), volume.grid, on=engine.cpu())(
            volume.values
        )
        for volume in (engine.Volume(truth, grid, ""), mu_map)
    )
    counts = ring.geometric_factor(lines) * np.exp(-attenuation) * ways
    return float(counts.sum(dtype=float)) * ring.n_lors / N_LINES


def grid_points(grid: ImageGrid) -> np.ndarray:
    """Return the centres of voxels, (n, 3) [mm]."""
    z, y, x = np.meshgrid(*(grid.centres_mm(k) for k in (2, 1, 0)), indexing="ij")
    return np.stack([x, y, z], axis=-1).reshape(-1, 3)


@dataclass(frozen=True)
class BodyQuality:
    """Figures of the standard for an image of the body.

    Attributes
    ----------
    recovery, variability : (6,) percent, from the smallest sphere
    lung : residual in the lung insert [%]
    background : mean of the background, in the unit of the image
    """

    recovery: tuple[float, ...]
    variability: tuple[float, ...]
    lung: float
    background: float


def measured(volume: Volume) -> BodyQuality:
    """Measure an image as in the standard."""
    centres = background_centres()
    spheres = [
        sphere_quality(
            volume,
            place,
            2 * radius,
            true_contrast=0.0 if k in COLD else HOT_RATIO,
            background_mm=centres,
        )
        for k, (radius, place) in enumerate(zip(NEMA_RADII_MM, nema_places_mm(), strict=True))
    ]
    widest = 2 * NEMA_RADII_MM[-1]
    background = float(np.mean([mean_of(volume, disc(volume, p, widest)) for p in centres]))
    lung = np.mean(
        [mean_of(volume, disc(volume, (0.0, 0.0, z), LUNG_MM)) for z in SLICES_MM], dtype=float
    )
    return BodyQuality(
        tuple(s.recovery_percent for s in spheres),
        tuple(s.variability_percent for s in spheres),
        residual_error(float(lung), background),
        background,
    )


def line(name: str, found: BodyQuality, truth: float) -> str:
    """Return a row of the table; `truth` is the true background."""
    cells = [name, " ".join(f"{v:.0f}" for v in found.recovery)]
    cells += [" ".join(f"{v:.1f}" for v in found.variability), f"{found.lung:.1f}"]
    cells += [f"{100 * (found.background / truth - 1):.1f}"]
    return "| " + " | ".join(cells) + " |\n"


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=2_400_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--no-tof", action="store_true")
    parser.add_argument("--kept", choices=("trues", "all"), default="all")
    parser.add_argument("--protocol", type=Path, action="append", default=[])
    chosen = parser.parse_args(arguments)
    out = sys.stdout.write
    out("| protocol | recovery % 10 13 17 22 28c 37c | variability % | lung % | bias % |\n")
    out("|---|---|---|---|---|\n")
    protocols = [read_protocol(path) for path in chosen.protocol] or [engine.ListModeProtocol()]
    with tempfile.TemporaryDirectory() as folder:
        place, tof = Path(folder), not chosen.no_tof
        scan, truth = written(chosen.pairs, chosen.seeds, place, tof=tof, kept=chosen.kept)
        for protocol in protocols:
            clock = time.perf_counter()
            volume = engine.reconstruct(engine.Study(data=scan, protocol=protocol), on=engine.cpu())
            log.info("%s: %.0f s", protocol.name, time.perf_counter() - clock)
            for each in volume.info.get("corrections", ()):
                log.info("%s", each)
            out(line(protocol.name, measured(volume), truth))
            sys.stdout.flush()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main(sys.argv[1:])
