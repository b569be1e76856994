"""Errors from bootstrap replicates against the spread of independent measurements.

    python -m tests.physics.error_coverage [SCANNER] [--draws N] [--algorithm KIND]

The judge's photons are one long measurement, which is divided at random into `draws` short ones.
They are independent, and their counts are Poisson counts. The program reconstructs each of them,
and some also with an error map. Compared are

- the standard deviation from replicates with that over all draws, voxel by voxel and for regions,
- the share of 95 % intervals that contain the mean of all draws, over voxels and regions.

Voxels are those of the object where the mean image exceeds a tenth of the background. Regions are
blocks of the object with at least 1 mL, or of 0.03 mL in the small animal, and the rods.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from engine.data.error_map import ErrorMap
from engine.geometry.grid import ImageGrid
from engine.modalities.error_maps.images import hessian_images, replicate_images
from engine.operators.event_weights import draws_of
from engine.recon.algorithms import Algorithm
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.map_algorithms import Svrg
from engine.recon.algorithms.osem import Osem
from engine.recon.model import ListModeModel, MapModel, SystemModel
from engine.recon.postprocess import Gaussian
from tests.physics.map_scan import CASES, MapScan, Masks, RingCase

CONFIDENCE = 0.95
LEAST_OF_BACKGROUND = 0.1
Image = NDArray[np.float32]


@dataclass(frozen=True)
class Coverage:
    """Comparison of estimated errors with the spread of independent draws.

    Attributes
    ----------
    noise : median standard deviation of a voxel over the draws, relative to its mean
    voxel_ratio : median ratio of the standard deviations of voxels
    within : share of voxels with a ratio within 35 %, for the mean variance of all error maps
    region_ratios : ratio for each region, for the mean variance of all error maps
    voxels_covered, regions_covered : share of intervals that contain the mean of the draws
    bias : largest difference of a region between the mean of the draws and that of replicates,
        relative to the background
    """

    noise: float
    voxel_ratio: float
    within: float
    region_ratios: tuple[float, ...]
    voxels_covered: float
    regions_covered: float
    bias: float

    def __str__(self) -> str:
        low, high = min(self.region_ratios), max(self.region_ratios)
        return (
            f"noise of a voxel {self.noise:.1%}\n"
            f"voxels: median ratio {self.voxel_ratio:.3f}, within 35 %: {self.within:.1%}, "
            f"covered {self.voxels_covered:.1%}\n"
            f"{len(self.region_ratios)} regions: ratios {low:.2f} to {high:.2f}, covered "
            f"{self.regions_covered:.1%}, largest bias {self.bias:.1%} of the background"
        )


@dataclass(frozen=True)
class Draws:
    """Short measurements of one scan, and the program that reconstructs them.

    Attributes
    ----------
    scan : the long measurement
    n : number of short ones
    algorithm : algorithm of the program
    fwhm_mm : width of its final filter; 0 for none
    is_linear : True for errors from the Hessian
    """

    scan: MapScan
    n: int
    algorithm: Algorithm
    fwhm_mm: float
    is_linear: bool = False

    @cached_property
    def _of_event(self) -> NDArray[np.int64]:
        # A fixed seed, so that the judgement can be repeated.
        return np.random.default_rng(20_261_129).integers(0, self.n, self._events.A.out_shape[0])

    @property
    def _events(self) -> ListModeModel:
        model = self.scan.model.model
        assert isinstance(model, ListModeModel)
        return model

    @property
    def grid(self) -> ImageGrid:
        """Grid of the images."""
        return self.scan.grid

    def model(self, k: int) -> tuple[SystemModel, Image]:
        """Return the model of a draw, and its start image."""
        rows, events = np.flatnonzero(self._of_event == k), self._events
        drawn = ListModeModel(events.A.selected(rows), events.background[rows], events.sensitivity)
        start = self.scan.model.start / self.n
        if not self.algorithm.is_penalised:
            return drawn, start
        return MapModel.of(drawn, self.scan.model.spacing_mm, start, 2), start

    def image(self, k: int) -> Image:
        """Return the image of a draw."""
        return self._finished(self._last(k)[0])

    def _last(self, k: int) -> tuple[Image, int]:
        """Return the image of a draw without the final filter, and its number of updates."""
        model, start = self.model(k)
        *_, last = solve(self.algorithm, model, start)
        return self.algorithm.completed(model, last.image)[0], last.update

    def error(self, k: int, n_replicates: int) -> ErrorMap:
        """Return the error map of a draw."""
        model, start = self.model(k)
        last, n_updates = self._last(k)
        drawn = draws_of(n_replicates, seed=k)
        if self.is_linear:
            found = hessian_images(self.algorithm, model, last, drawn, batch=n_replicates)
        else:
            found = replicate_images(
                self.algorithm,
                model,
                start,
                drawn,
                n_updates=n_updates,
                batch=n_replicates,
                image=last,
            )
        image = self._finished(last)
        return ErrorMap.of(image, [self._finished(each) for each in found], k)

    def _finished(self, image: Image) -> Image:
        if not self.fwhm_mm:
            return image
        return Gaussian(fwhm_mm=self.fwhm_mm).apply(image, self.grid.voxel_mm)


def coverage(draws: Draws, masks: Masks, *, n_maps: int, n_replicates: int) -> Coverage:
    """Return how error maps of some draws compare with the spread of all.

    Parameters
    ----------
    draws : the short measurements
    masks : whole object, background and rods
    n_maps : number of draws with an error map
    n_replicates : replicates of each error map
    """
    images = np.stack([draws.image(k) for k in range(draws.n)])
    mean, spread = images.mean(axis=0, dtype=np.float64), images.std(axis=0, ddof=1)
    whole, background, rods = masks
    level = float(mean[background].mean())
    voxels = whole & (mean > LEAST_OF_BACKGROUND * level)
    regions = [*rods, *_blocks(whole, draws.grid)]
    over = np.array([[image[mask].mean() for mask in regions] for image in images])
    quantile = t.ppf(0.5 + CONFIDENCE / 2, n_replicates - 1)
    variance, ratios = np.zeros(images.shape[1:]), list[float]()
    region_variance = np.zeros(len(regions))
    hits: dict[str, list[Any]] = {"voxels": [], "regions": []}
    shift = list[float]()
    for k in range(n_maps):
        error = draws.error(k, n_replicates)
        sd = error.standard_deviation
        variance += sd.astype(np.float64) ** 2 / n_maps
        ratios.append(float(np.median((sd / spread)[voxels])))
        hits["voxels"].append((abs(images[k] - mean) <= quantile * sd)[voxels])
        replicas = np.array(
            [[each[mask].mean() for mask in regions] for each in error.replicates()]
        )
        region_sd = replicas.std(axis=0, ddof=1)
        region_variance += region_sd**2 / n_maps
        hits["regions"].append(abs(over[k] - over.mean(axis=0)) <= quantile * region_sd)
        shift.append(float(abs(replicas.mean(axis=0) - over[k]).max() / level))
    relative = (np.sqrt(variance) / spread)[voxels]
    return Coverage(
        float(np.median((spread / mean)[voxels])),
        float(np.mean(ratios)),
        float(np.mean(abs(relative - 1) < 0.35)),
        tuple((np.sqrt(region_variance) / over.std(axis=0, ddof=1)).tolist()),
        float(np.mean(hits["voxels"])),
        float(np.mean(hits["regions"])),
        float(np.mean(shift)),
    )


def _blocks(whole: NDArray[np.bool_], grid: ImageGrid) -> Iterator[NDArray[np.bool_]]:
    """Yield cubes inside the object, of 1 mL or of a thirtieth in small grids."""
    volume = float(np.prod(grid.size_mm)) / 1000
    edge_mm = 10.0 if volume > 500 else 3.2
    steps = [max(round(edge_mm / edge), 1) for edge in grid.voxel_mm[::-1]]
    for at in product(*(range(0, n - s + 1, s) for n, s in zip(whole.shape, steps, strict=True))):
        box = tuple(slice(a, a + s) for a, s in zip(at, steps, strict=True))
        if whole[box].all():
            mask = np.zeros_like(whole)
            mask[box] = True
            yield mask


def main(arguments: list[str] | None = None) -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rings = [name for name, case in CASES.items() if isinstance(case, RingCase)]
    parser.add_argument("scanner", nargs="?", choices=rings, default="small-animal")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=40_000, help="of each draw")
    parser.add_argument("--maps", type=int, default=10, help="draws with an error map")
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--algorithm", choices=["osem", "map"], default="osem")
    parser.add_argument("--hessian", action="store_true", help="errors of MAP from the Hessian")
    parser.add_argument("--updates", type=int, default=24)
    parser.add_argument("--fwhm", type=float, default=2.0, help="final filter [mm]")
    chosen = parser.parse_args(arguments)
    scan = MapScan(CASES[chosen.scanner], chosen.pairs * chosen.draws)
    algorithm: Algorithm = Svrg() if chosen.algorithm == "map" else Osem(updates=chosen.updates)
    demand = replace(scan.demand, n_counts=scan.demand.n_counts / chosen.draws)
    draws = Draws(scan, chosen.draws, algorithm.for_counts(demand), chosen.fwhm, chosen.hessian)
    found = coverage(draws, scan.regions(), n_maps=chosen.maps, n_replicates=chosen.replicates)
    sys.stdout.write(f"{chosen.scanner}, {draws.algorithm.describe()}, {chosen.draws} draws\n")
    sys.stdout.write(f"{found}\n")


if __name__ == "__main__":
    main()
