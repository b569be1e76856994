"""Compare bias and noise of MAP and OSEM with simulated photons, to choose the default.

    python -m tests.physics.map_table FOLDER [--counts 1.6 6.6 20] [--seeds 1 2 ...]
        [--tof yes no] [--arms osem smooth standard sharp] [--table]

The body of NEMA NU 2 (`tests.physics.edge_objects`) is in a ring of 40 mm. Scans have trues only
and use the phantom's own µ-map. "1.6 million counts" means as many per millimetre of the axis as
1.6 million trues of the whole body in a ring of 24 cm (`tests.physics.nema_body`).

OSEM has the resolution model and the automatic number of updates of *Whole body*. Its image is
stored without a filter; the table filters it with Gaussians of several widths, including the
automatic one. MAP has the resolution model, with and without the Gaussian of 1.5 voxels that the
program applies.

Images are stored in FOLDER, so an interrupted run continues where it was. Seeds are fixed. The
table shows means and standard errors over the seeds.
"""

from __future__ import annotations

import argparse
import logging
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import engine
from engine.analysis.quality.nema import SLICES_MM, disc, residual_error, sphere_quality
from engine.analysis.regions.figures import mean_of
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.listmode_pet.auto_settings import auto_settings_of
from engine.modalities.studies import shipped_protocols
from engine.recon.postprocess import Gaussian
from tests.judge.studies import NEMA_RADII_MM, nema_places_mm
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, ring_of
from tests.physics.edge_objects import CASES, TOF, VOXEL_MM
from tests.physics.edge_profile import profile
from tests.physics.nema_body import COLD, HOT_RATIO, LUNG_MM, background_centres, joined

log = logging.getLogger(__name__)
BODY = CASES["body"]
PAIRS_OF_MILLION = 200_000
"""Pairs in the ring of 40 mm that correspond to a million trues in a ring of 24 cm."""
MIDDLE_MM = (-10.0, -5.0, 0.0, 5.0, 10.0)
"""Slices with enough lines in a ring of 40 mm."""
WIDTHS_MM = (2.5, 3.5, 4.5, 5.5, 6.5, 8.0, 10.0, 13.0, 17.0)
"""Widths of Gaussians after OSEM, in addition to the automatic one."""
ARMS = ("osem", "smooth", "standard", "sharp")
COLUMNS = (
    *("variability", "10", "13", "17", "22", "28 cold", "37 cold", "hot", "cold", "lung"),
    *("2-5 mm", "5-8", "8-12", "12-16", "16-20", "20-30"),
)


@dataclass(frozen=True)
class Scan:
    """Photons of one seed.

    Attributes
    ----------
    millions : counts, see above
    seed : from 1; seeds of the same counts share no photons
    tof : True with time of flight
    """

    millions: float
    seed: int
    tof: bool

    @property
    def case(self) -> str:
        """Name of counts and timing."""
        return f"{self.millions:g}M-{'tof' if self.tof else 'no'}"

    def listmode(self) -> engine.ListMode:
        """Return the events with the mu-map."""
        n_pairs = round(self.millions * PAIRS_OF_MILLION)
        n_files = math.ceil(n_pairs / BODY.n_pairs)
        seeds = [n_files * (self.seed - 1) + 1 + k for k in range(n_files)]
        share = math.ceil(n_pairs / n_files)
        files = [cached_pairs(BODY.study(seed), BODY.n_pairs) for seed in seeds]
        pairs = joined([each.take(np.arange(len(each)) < share) for each in files])
        tof, scanner = TOF if self.tof else None, BODY.study(1).scanner
        ring = ring_of(scanner, diameter_mm=BODY.diameter_mm, voxel_mm=VOXEL_MM, tof=tof)
        mu_map = mu_map_of(BODY.phantom, engine.ListModeProtocol().grid.grid_for(ring))
        return listmode_of(pairs, ring, pairs.crystals, mu_map=mu_map)


@dataclass(frozen=True)
class Stored:
    """Image of an arm of a scan, in a file.

    Attributes
    ----------
    folder : folder of the images
    scan : photons
    arm : one of `ARMS`
    """

    folder: Path
    scan: Scan
    arm: str

    @property
    def path(self) -> Path:
        return self.folder / f"{self.scan.case}-{self.scan.seed}-{self.arm}.npz"

    def make(self, file: Path, automatic_mm: float) -> None:
        """Reconstruct the list mode of a file and store the image."""
        clock, processor = time.perf_counter(), time.process_time()
        study = engine.Study(data=file, protocol=protocol_of(self.arm))
        volume = engine.reconstruct(study, on=engine.cpu())
        seconds = time.process_time() - processor
        unfinished = self.path.with_suffix(".part")
        with unfinished.open("wb") as out:
            voxel_mm = volume.grid.voxel_mm
            np.savez(out, values=volume.values, voxel_mm=voxel_mm, automatic_mm=automatic_mm)
        unfinished.replace(self.path)
        wall = time.perf_counter() - clock
        log.info("%s: %.0f s, %.0f of processor", self.path.stem, wall, seconds)

    def images(self) -> Iterator[tuple[str, Volume]]:
        """Return the image, or the images after each filter, with names."""
        with np.load(self.path) as file:
            values, automatic_mm = file["values"], float(file["automatic_mm"])
            x, y, z = (float(each) for each in file["voxel_mm"])
        grid = ImageGrid(values.shape, (x, y, z))
        widths: dict[str, float | None] = {"1.5 voxels": None}
        if self.arm == "osem":
            widths = {"automatic": automatic_mm} | {f"{width:g} mm": width for width in WIDTHS_MM}
        else:
            yield f"MAP, {self.arm}, no filter", Volume(values, grid, "")
        title = "OSEM" if self.arm == "osem" else f"MAP, {self.arm}"
        for name, width in widths.items():
            filtered = Gaussian(fwhm_mm=width).apply(values, grid.voxel_mm)
            yield f"{title}, {name}", Volume(np.asarray(filtered), grid, "")


def protocol_of(arm: str) -> engine.ListModeProtocol:
    """Return OSEM as in *Whole body*, or MAP with a smoothness; both without a filter."""
    values = shipped_protocols()["whole-body"].model_dump() | {"finishing": []}
    if arm != "osem":
        values["algorithm"] = {"kind": "map", "smoothness": arm}
    return engine.ListModeProtocol.model_validate(values)


def reconstruct_missing(images: Sequence[Stored]) -> None:
    """Store the images of a scan that are not stored yet."""
    missing = [each for each in images if not each.path.exists()]
    if not missing:
        return
    data = missing[0].scan.listmode()
    automatic_mm = auto_settings_of(data, sharpened=True).fwhm_mm
    if automatic_mm is None:
        raise ValueError("the mu-map shows no object.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scan.h5"
        engine.save(data, file)
        for each in missing:
            each.make(file, automatic_mm)


def centres() -> tuple[Point, ...]:
    """Return the centres of discs in the background of `MIDDLE_MM`."""
    every = background_centres()
    return tuple((x, y, z) for z in MIDDLE_MM for x, y, _ in every[: len(every) // len(SLICES_MM)])


def measured(volume: Volume) -> NDArray[np.float64]:
    """Return the `COLUMNS` of an image [%]."""
    spheres = enumerate(zip(NEMA_RADII_MM, nema_places_mm(), strict=True))
    found = [
        sphere_quality(
            volume,
            place,
            2 * radius,
            true_contrast=0.0 if k in COLD else HOT_RATIO,
            background_mm=centres(),
        )
        for k, (radius, place) in spheres
    ]
    recovery = [each.recovery_percent for each in found]
    hot, cold = np.mean(recovery[: COLD[0]]), np.mean(recovery[COLD[0] :])
    layers = 100 * profile(volume, BODY)
    return np.array(
        [found[0].variability_percent, *recovery, hot, cold, lung_error(volume), *layers]
    )


def lung_error(volume: Volume) -> float:
    """Return the residual in the lung, relative to the background [%]."""
    widest = 2 * NEMA_RADII_MM[-1]
    level = np.mean([mean_of(volume, disc(volume, place, widest)) for place in centres()])
    lung = np.mean([mean_of(volume, disc(volume, (0.0, 0.0, z), LUNG_MM)) for z in MIDDLE_MM])
    return residual_error(float(lung), float(level))


def table(images: Sequence[Stored]) -> str:
    """Return means and standard errors over the seeds, by increasing variability."""
    rows: dict[str, dict[int, NDArray[np.float64]]] = {}
    for each in images:
        if each.path.exists():
            for name, volume in each.images():
                rows.setdefault(name, {})[each.scan.seed] = measured(volume)
    rows |= equal_noise(rows)
    head = ("image", "seeds", *COLUMNS)
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    found = {name: np.array([*of_seed.values()]) for name, of_seed in rows.items()}
    by_noise = sorted(found, key=lambda name: float(found[name][:, 0].mean()))
    return "\n".join([*lines, *(line(name, found[name]) for name in by_noise)])


def equal_noise(
    rows: dict[str, dict[int, NDArray[np.float64]]],
) -> dict[str, dict[int, NDArray[np.float64]]]:
    """Return OSEM at the variability of each MAP image, interpolated between its filters."""
    osem = [of_seed for name, of_seed in rows.items() if name.startswith("OSEM")]
    found: dict[str, dict[int, NDArray[np.float64]]] = {}
    for name, of_seed in rows.items():
        for seed, expected in of_seed.items() if name.startswith("MAP") else ():
            curve = np.array([each[seed] for each in osem if seed in each])
            curve = curve[np.argsort(curve[:, 0])] if len(curve) else curve
            # no filter gives this variability, so there is no comparison
            if not len(curve) or not curve[0, 0] <= expected[0] <= curve[-1, 0]:
                continue
            values = [np.interp(expected[0], curve[:, 0], column) for column in curve.T]
            found.setdefault(f"OSEM, as noisy as {name}", {})[seed] = np.array(values)
    return found


def line(name: str, found: NDArray[np.float64]) -> str:
    """Return a row of the table from the figures of each seed, (seeds, columns)."""
    n, means = len(found), found.mean(axis=0)
    cells = [f"{mean:.1f}" for mean in means]
    if n > 1:
        errors = found.std(axis=0, ddof=1) / math.sqrt(n)
        cells = [f"{cell} ± {error:.1f}" for cell, error in zip(cells, errors, strict=True)]
    return f"| {' | '.join([name, str(n), *cells])} |"


def main(arguments: list[str]) -> None:
    """Reconstruct the missing images, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--counts", type=float, nargs="+", default=[1.6])
    parser.add_argument("--seeds", type=int, nargs="+", default=[*range(1, 11)])
    parser.add_argument("--tof", choices=("yes", "no"), nargs="+", default=["no", "yes"])
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS)
    parser.add_argument("--table", action="store_true", help="only print what is stored")
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    for millions in chosen.counts:
        for tof in chosen.tof:
            scans = [Scan(millions, seed, tof == "yes") for seed in chosen.seeds]
            images = [Stored(chosen.folder, scan, arm) for scan in scans for arm in chosen.arms]
            for scan in [] if chosen.table else scans:
                reconstruct_missing([each for each in images if each.scan == scan])
            sys.stdout.write(f"\n{scans[0].case}\n\n{table(images)}\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main(sys.argv[1:])
