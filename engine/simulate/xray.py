"""X-ray scans of phantoms, exact except for counting statistics.

With the line integral p of a ray, N photons of the open beam and their counts C, a pixel reads

    dark + noise + C / N · gain · Poisson(N · T),    T = mean of ½ e^{−p} (1 + cosh h p)

in whole counts up to full scale. h is the strength of beam hardening: of every four photons two
have the line integral p, one (1 − h) p and one (1 + h) p, so that −ln T ≈ p − h² p² / 4. The mean
is over the `oversample`² rays of a pixel. Flats are taken before the scan. Gain changes of a pixel
after the flats make rings.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import usable_cores
from engine.core.checked import checked
from engine.core.errors import SettingsError
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.kernels.blocks import OnProgress
from engine.simulate.integrals import finer, line_integrals, mean_of_pixels
from engine.simulate.phantom import ShapePhantom
from engine.simulate.voxels import VoxelPhantom

Fields = NDArray[np.float32]

_BLOCK_RAYS = 1 << 22
"""Maximum number of rays in memory."""
_PIXELS, _FLATS, _DARKS, _VIEWS = range(4)
"""Independent streams of random numbers with one seed."""


@dataclass(frozen=True)
class Detector:
    """Detector of an X-ray scan.

    Attributes
    ----------
    photons : photons of the open beam per pixel and view
    open_counts : counts of these photons
    dark_counts, read_noise : mean and standard deviation of the counts without beam
    full_scale : largest count
    gain_spread : relative standard deviation of the pixel gain, which flats correct
    ring_spread : relative standard deviation of gain changes after the flats, which cause rings
    dead_share, hot_share : fractions of pixels that always read 0, or full scale
    """

    photons: float = 20_000.0
    open_counts: float = 40_000.0
    dark_counts: float = 100.0
    read_noise: float = 3.0
    full_scale: float = 65_535.0
    gain_spread: float = 0.02
    ring_spread: float = 0.0
    dead_share: float = 0.0
    hot_share: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (np.isfinite(value) and value >= 0):
                raise SettingsError(
                    f"detector: {name} is {value:g}, expected a finite number of at least 0."
                )
        if self.photons == 0 or self.open_counts == 0:
            raise SettingsError(
                "detector: the open beam has no counts; set photons and open_counts above 0."
            )
        if self.dead_share + self.hot_share > 1:
            raise SettingsError(
                "detector: dead_share and hot_share add up to "
                f"{self.dead_share + self.hot_share:g}, expected at most 1; lower one of them."
            )

    def pixels(self, shape: tuple[int, int], seed: int) -> Pixels:
        """Return the pixel maps of the detector.

        Parameters
        ----------
        shape
            (n_rows, n_columns)
        seed
            seed of gains and defects; independent of the noise of the views
        """
        rng = np.random.default_rng((seed, _PIXELS))
        gain = 1 + self.gain_spread * rng.standard_normal(shape)
        change = 1 + self.ring_spread * rng.standard_normal(shape)
        # One permutation for both kinds, so that no pixel is dead and hot.
        order = rng.permutation(gain.size)
        n_dead, n_hot = (round(s * gain.size) for s in (self.dead_share, self.hot_share))
        dead, hot = np.zeros((2, gain.size), bool)
        dead[order[:n_dead]] = True
        hot[order[n_dead : n_dead + n_hot]] = True
        gain = np.maximum(gain, 0)
        return Pixels(
            self, gain, np.maximum(gain * change, 0), dead.reshape(shape), hot.reshape(shape)
        )


@dataclass(frozen=True, eq=False)
class Pixels:
    """Maps of one detector (n_rows, n_columns): gains in flats and scan, dead and hot pixels."""

    detector: Detector
    gain: Array
    gain_in_scan: Array
    dead: NDArray[np.bool_]
    hot: NDArray[np.bool_]

    def read(self, transmission: Array | float, gain: Array, rng: np.random.Generator) -> Fields:
        """Return the counts of one image.

        Parameters
        ----------
        transmission
            (n_rows, n_columns) transmission, or one number for all pixels
        gain
            (n_rows, n_columns) gain of each pixel
        rng
            source of the random numbers
        """
        d = self.detector
        light = rng.poisson(d.photons * np.broadcast_to(transmission, gain.shape))
        counts = d.dark_counts + d.read_noise * rng.standard_normal(gain.shape)
        counts += light * gain * (d.open_counts / d.photons)
        counts = np.rint(counts).clip(0, d.full_scale)
        # Defects come last: gain and noise do not change them.
        counts[self.dead], counts[self.hot] = 0, d.full_scale
        return counts.astype(np.float32)


@checked()
def simulate_xray(
    phantom: ShapePhantom | VoxelPhantom,
    geometry: XrayGeometry,
    *,
    seed: int,
    detector: Detector | None = None,
    n_flats: int = 10,
    n_darks: int = 10,
    hardening: float = 0.0,
    oversample: int = 1,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> Projections:
    """Simulate a scan.

    Parameters
    ----------
    phantom
        object of the scan
    geometry
        source and detector of each view
    seed
        the same seed gives the same scan, with any number of threads
    detector
        detector of the scan
    n_flats, n_darks
        number of images of the open beam and without beam, taken before the scan
    hardening
        h of the formula in the module docstring, 0 to 1
    oversample
        rays along each side of a pixel
    threads
        None: all cores
    on_progress
        called with the views done and all views; may raise to stop

    Returns
    -------
    projections
        projections of kind "counts"; `info` has the seed and the settings

    Examples
    --------
    >>> import engine
    >>> from engine.simulate import uniform_cylinder
    >>> orbit = engine.circular_cone(
    ...     [0.0, 1.0], source_axis_mm=500, source_detector_mm=800, shape=(8, 24), pixel_mm=4
    ... )
    >>> engine.simulate_xray(uniform_cylinder(diameter_mm=30), orbit, seed=1).kind
    'counts'
    """
    if not 0 <= hardening <= 1:
        raise SettingsError(f"beam hardening is {hardening:g}, expected 0 (none) to 1.")
    if oversample < 1 or n_flats < 0 or n_darks < 0:
        raise SettingsError(
            f"got {oversample} rays per pixel, {n_flats} flats and {n_darks} darks, expected at "
            "least 1 ray per pixel, 0 flats and 0 darks."
        )
    detector = detector or Detector()
    threads = threads or usable_cores()
    pixels = detector.pixels(geometry.shape, seed)
    values = np.empty((geometry.n_views, *geometry.shape), np.float32)
    for views in _blocks(geometry, oversample):
        fine = finer(geometry.select(views), oversample)
        # Blocks of views bound the memory of line integrals, which are float32 for every ray.
        integrals = line_integrals(phantom, fine, threads=threads)

        def count(view: int, integrals: Array = integrals, first: int = views.start) -> None:
            passed = transmission(integrals[view - first : view - first + 1], hardening)
            # A generator for each view: the noise does not depend on threads or block size.
            rng = np.random.default_rng((seed, _VIEWS, view))
            mean = mean_of_pixels(passed, oversample)[0]
            values[view] = pixels.read(mean, pixels.gain_in_scan, rng)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(count, range(views.start, views.stop)))
        if on_progress:
            on_progress(views.stop, geometry.n_views)
    return Projections(
        values=values,
        geometry=geometry,
        kind="counts",
        flats=_fields(pixels, 1.0, n_flats, (seed, _FLATS)),
        darks=_fields(pixels, 0.0, n_darks, (seed, _DARKS)),
        info={
            "source": "simulated",
            "phantom": phantom.name,
            "seed": seed,
            "hardening": hardening,
            "oversample": oversample,
            "simulated_detector": asdict(detector),
        },
        notes=("Simulated projections, not a measurement.",),
    )


@checked()
def simulate_integrals(
    phantom: ShapePhantom | VoxelPhantom,
    geometry: XrayGeometry,
    *,
    oversample: int = 1,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> Projections:
    """Return the line integrals of a phantom without noise, as means over the pixels.

    Parameters
    ----------
    phantom
        object of the scan
    geometry
        source and detector of each view
    oversample
        rays along each side of a pixel
    threads
        None: all cores
    on_progress
        called with the views done and the views in all; may raise to stop

    Returns
    -------
    projections
        projections of kind "integrals"

    Examples
    --------
    >>> import engine
    >>> from engine.simulate import uniform_cylinder
    >>> orbit = engine.circular_cone(
    ...     [0.0, 1.0], source_axis_mm=500, source_detector_mm=800, shape=(9, 25), pixel_mm=4
    ... )
    >>> data = engine.simulate_integrals(uniform_cylinder(diameter_mm=30), orbit)
    >>> round(float(data.values[0, 4, 12]), 3)  # 30 mm of water
    0.288
    """
    values = np.empty((geometry.n_views, *geometry.shape), np.float32)
    for views in _blocks(geometry, oversample):
        fine = line_integrals(phantom, finer(geometry.select(views), oversample), threads=threads)
        values[views] = mean_of_pixels(fine, oversample)
        if on_progress:
            on_progress(views.stop, geometry.n_views)
    info = {"source": "simulated", "phantom": phantom.name, "oversample": oversample}
    return Projections(values=values, geometry=geometry, kind="integrals", info=info)


def transmission(integrals: Array, hardening: float) -> Array:
    """Return the fraction of photons that pass, by the formula of the module docstring.

    Parameters
    ----------
    integrals
        line integrals of any shape
    hardening
        h, 0 to 1; 0: no beam hardening
    """
    p = integrals.astype(np.float64)
    if not hardening:
        return np.exp(-p)
    hard, soft = np.exp(-(1 - hardening) * p), np.exp(-(1 + hardening) * p)
    return np.asarray(0.5 * np.exp(-p) + 0.25 * (hard + soft))


def _blocks(geometry: XrayGeometry, oversample: int) -> Iterator[slice]:
    """Yield blocks of views whose rays fit into memory."""
    n_rows, n_columns = geometry.shape
    step = max(1, _BLOCK_RAYS // (n_rows * n_columns * oversample**2))
    for start in range(0, geometry.n_views, step):
        yield slice(start, min(start + step, geometry.n_views))


def _fields(pixels: Pixels, light: float, n: int, stream: tuple[int, int]) -> Fields | None:
    """Return `n` flats or darks; None for 0."""
    # Flats use the gain before the scan; views use `gain_in_scan`.
    generators = (np.random.default_rng((*stream, k)) for k in range(n))
    return np.stack([pixels.read(light, pixels.gain, rng) for rng in generators]) if n else None
