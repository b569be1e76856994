"""Compare errors from bootstrap replicates with the spread of independent measurements.

    python -m tests.physics.error_coverage [SCANNER] [--draws N] [--algorithm KIND] [--no-tof]
        [--voxel MM]

The judge's photons are one long measurement, which is divided at random into `draws` short ones.
They are independent, and their counts are Poisson counts. The program reconstructs each of them,
and some also with an error map. Two comparisons are made:

- the standard deviation from replicates with that over all draws, voxel by voxel and for regions,
- the share of 95 % intervals that contain the mean of all draws, over voxels and regions.

Voxels are those of the object where the mean image exceeds a tenth of the background. Regions are
blocks of the object with at least 1 mL, or of 0.03 mL in the small animal, and the rods.

Both standard deviations have a statistical error: that of D draws is known to 1 / √(2 (D − 1)),
that of M maps with n replicates to 1 / √(2 M (n − 1)). If all errors were exact, the square of
their ratio would be a ratio of chi-squares, which follows the F distribution with M (n − 1) and
D − 1 degrees of freedom. The program prints the figures of this distribution in brackets.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import polygamma
from scipy.stats import f, t

from engine.data.error_map import ErrorMap
from engine.geometry.grid import ImageGrid
from engine.modalities.error_maps.images import NearOptimum, hessian_images, replicate_images
from engine.operators.event_weights import draws_of
from engine.recon.algorithms import Algorithm
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.map_algorithms import Svrg
from engine.recon.algorithms.osem import Osem
from engine.recon.model import ListModeModel, MapModel, SystemModel
from engine.recon.postprocess import Gaussian
from tests.physics.map_scan import CASES, MapScan, Masks, RingCase

CONFIDENCE = 0.95
MIN_BACKGROUND_SHARE = 0.1
VOXEL_LIMIT, REGION_LIMIT = 0.35, 0.2
"""Largest difference of a ratio of standard deviations from 1."""
Image = NDArray[np.float32]


@dataclass(frozen=True)
class Exact:
    """Statistical figures if all errors were exact.

    Attributes
    ----------
    voxel_ratio : median ratio of the standard deviations of voxels, for one error map
    within : share of voxels with a ratio within 35 %, for the mean variance of all error maps
    regions_within : share of regions within 20 %, likewise
    region_spread : standard deviation of the logarithm of their ratios
    """

    voxel_ratio: float
    within: float
    regions_within: float
    region_spread: float

    @classmethod
    def of(cls, *, n_draws: int, n_maps: int, n_replicates: int) -> Exact:
        """Return the figures for a comparison.

        Parameters
        ----------
        n_draws : measurements of the true standard deviation
        n_maps : error maps
        n_replicates : replicates of each error map
        """
        one, mean = (f(maps * (n_replicates - 1), n_draws - 1) for maps in (1, n_maps))
        shares = (
            float(mean.cdf((1 + limit) ** 2) - mean.cdf((1 - limit) ** 2))
            for limit in (VOXEL_LIMIT, REGION_LIMIT)
        )
        variance = polygamma(1, n_maps * (n_replicates - 1) / 2) + polygamma(1, (n_draws - 1) / 2)
        return cls(math.sqrt(one.median()), *shares, math.sqrt(variance) / 2)


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
    exact : the same figures for exact errors
    """

    noise: float
    voxel_ratio: float
    within: float
    region_ratios: tuple[float, ...]
    voxels_covered: float
    regions_covered: float
    bias: float
    exact: Exact

    @property
    def regions_within(self) -> float:
        """Share of regions with a ratio within 20 %."""
        return float(np.mean(abs(np.array(self.region_ratios) - 1) < REGION_LIMIT))

    @property
    def region_spread(self) -> float:
        """Standard deviation of the logarithm of the ratios of regions."""
        return float(np.log(self.region_ratios).std())

    def __str__(self) -> str:
        low, middle, high = np.quantile(self.region_ratios, (0, 0.5, 1))
        exact = self.exact
        return (
            f"noise of a voxel {self.noise:.1%}\n"
            f"voxels: median ratio {self.voxel_ratio:.3f} ({exact.voxel_ratio:.3f}), within "
            f"{VOXEL_LIMIT:.0%}: {self.within:.1%} ({exact.within:.1%}), covered "
            f"{self.voxels_covered:.1%}\n"
            f"{len(self.region_ratios)} regions: median ratio {middle:.3f}, from {low:.2f} to "
            f"{high:.2f}, spread {self.region_spread:.1%} ({exact.region_spread:.1%}), within "
            f"{REGION_LIMIT:.0%}: {self.regions_within:.1%} "
            f"({exact.regions_within:.1%}), covered {self.regions_covered:.1%}, largest bias "
            f"{self.bias:.1%} of the background\n"
            "(in brackets: if all errors were exact)"
        )


class Measurements(Protocol):
    """Independent measurements of one object, with their images and error maps."""

    @property
    def n(self) -> int:
        """Number of measurements."""

    @property
    def grid(self) -> ImageGrid:
        """Grid of the images."""

    def image(self, k: int) -> Image:
        """Return the image of a measurement."""

    def error(self, k: int, n_replicates: int) -> ErrorMap:
        """Return the error map of a measurement."""


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
    # Unfiltered images: copies with other filters share them.
    _made: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _of_event(self) -> NDArray[np.int64]:
        # a fixed seed makes the result reproducible
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
        if k not in self._made:
            model, start = self.model(k)
            *_, last = solve(self.algorithm, model, start)
            self._made[k] = self.algorithm.completed(model, last.image)[0], last.update
        found: tuple[Image, int] = self._made[k]
        return found

    def error(self, k: int, n_replicates: int) -> ErrorMap:
        """Return the error map of a draw."""
        image = self._finished(self._last(k)[0])
        replicates = self._replicates(k, n_replicates)
        return ErrorMap.of(image, [self._finished(each) for each in replicates], k)

    def _replicates(self, k: int, n: int) -> list[Image]:
        """Return the replicates of a draw without the final filter."""
        if (k, n) not in self._made:
            model, start = self.model(k)
            last, n_updates = self._last(k)
            drawn = draws_of(n, seed=k)
            is_penalised = self.algorithm.is_penalised
            near = NearOptimum.of(self.algorithm, model, last) if is_penalised else None
            if self.is_linear and near is not None:
                found = hessian_images(near, drawn, batch=n)
            else:
                found = replicate_images(
                    self.algorithm, model, start, drawn, n_updates=n_updates, batch=n, near=near
                )
            self._made[k, n] = list(found)
        replicates: list[Image] = self._made[k, n]
        return replicates

    def _finished(self, image: Image) -> Image:
        if not self.fwhm_mm:
            return image
        return Gaussian(fwhm_mm=self.fwhm_mm).apply(image, self.grid.voxel_mm)


def coverage(draws: Measurements, masks: Masks, *, n_maps: int, n_replicates: int) -> Coverage:
    """Compare the error maps of some draws with the spread of all draws.

    Parameters
    ----------
    draws : the measurements
    masks : whole object, background and rods
    n_maps : number of draws with an error map
    n_replicates : replicates of each error map
    """
    images = np.stack([draws.image(k) for k in range(draws.n)])
    mean, spread = images.mean(axis=0, dtype=np.float64), images.std(axis=0, ddof=1)
    whole, background, rods = masks
    level = float(mean[background].mean())
    voxels = whole & (mean > MIN_BACKGROUND_SHARE * level)
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
        float(np.mean(abs(relative - 1) < VOXEL_LIMIT)),
        tuple((np.sqrt(region_variance) / over.std(axis=0, ddof=1)).tolist()),
        float(np.mean(hits["voxels"])),
        float(np.mean(hits["regions"])),
        float(np.mean(shift)),
        Exact.of(n_draws=draws.n, n_maps=n_maps, n_replicates=n_replicates),
    )


def _blocks(whole: NDArray[np.bool_], grid: ImageGrid) -> Iterator[NDArray[np.bool_]]:
    """Yield boxes inside the object of at least 1 mL, or a thirtieth in small grids."""
    volume = float(np.prod(grid.size_mm)) / 1000
    edge_mm = 10.0 if volume > 500 else 3.2
    steps = [math.ceil(edge_mm / edge) for edge in grid.voxel_mm[::-1]]
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
    parser.add_argument("--fwhm", type=float, nargs="+", default=[2.0], help="final filters [mm]")
    parser.add_argument("--no-tof", action="store_true", help="the same photons without timing")
    parser.add_argument("--voxel", type=float, help="edge of a voxel [mm]; else that of the case")
    chosen = parser.parse_args(arguments)
    case = CASES[chosen.scanner]
    assert isinstance(case, RingCase)
    case = replace(case, is_timed=not chosen.no_tof, voxel_mm=chosen.voxel or case.voxel_mm)
    scan = MapScan(case, chosen.pairs * chosen.draws)
    algorithm: Algorithm = Svrg() if chosen.algorithm == "map" else Osem(updates=chosen.updates)
    demand = replace(scan.demand, n_counts=scan.demand.n_counts / chosen.draws)
    draws = Draws(scan, chosen.draws, algorithm.for_counts(demand), 0, chosen.hessian)
    whole = scan.regions()[0]
    # The masks leave out planes at both ends.
    n_voxels = np.count_nonzero(whole) / whole.any(axis=(1, 2)).mean()
    sys.stdout.write(
        f"{chosen.scanner}, {draws.algorithm.describe()}, {chosen.draws} draws of "
        f"{demand.n_counts:,.0f} counts, {demand.n_counts / n_voxels:.1f} for each voxel of the "
        f"object, {chosen.maps} error maps of {chosen.replicates}\n"
    )
    for fwhm_mm in chosen.fwhm:
        filtered = replace(draws, fwhm_mm=fwhm_mm)
        found = coverage(
            filtered, scan.regions(), n_maps=chosen.maps, n_replicates=chosen.replicates
        )
        sys.stdout.write(f"final filter {fwhm_mm:g} mm: {found}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
