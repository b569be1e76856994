"""Events that all cross a cube of 256 mm, for timing projectors without a reconstruction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.grid import ImageGrid
from engine.geometry.order import ray_order
from engine.geometry.tof import TofBins
from engine.operators.rays import Rays

FOV_MM = 256.0
RING_MM, LENGTH_MM, OFFSET_MM = 300.0, 200.0, 120.0
SOURCE_MM = 100.0
"""Largest distance of an event from the centre of its line."""
N_RINGS, CRYSTALS_PER_RING = 50, 480
"""Rings and crystals per ring of `as_crystals`: about 4 mm apart."""
ORIGIN = "ring of radius 300 mm and length 200 mm, radial offset even in +-120 mm; float32"


def cube(size: int) -> ImageGrid:
    """Return the grid of a cube of `size`³ voxels."""
    return ImageGrid((size, size, size), (FOV_MM / size, FOV_MM / size, FOV_MM / size))


def events(n: int, rng: np.random.Generator) -> Rays:
    """Return lines that all cross the image, with explicit ends.

    Parameters
    ----------
    n
        number of lines
    rng
        random generator

    Returns
    -------
    rays
        lines in random order, each with its own two points
    """
    # A uniform radial offset, so that all lines cross the cube and none is wasted
    middle, offset = rng.uniform(0, np.pi, n), rng.uniform(-OFFSET_MM, OFFSET_MM, n)
    # The chord at this distance from the centre
    half = np.arccos(offset / RING_MM)
    angle = np.stack([middle + half, middle - half], axis=1)
    z = rng.uniform(-LENGTH_MM / 2, LENGTH_MM / 2, (n, 2))
    points = np.stack([RING_MM * np.cos(angle), RING_MM * np.sin(angle), z], axis=-1)
    return Rays(points.reshape(-1, 3), np.arange(2 * n, dtype=np.int32).reshape(n, 2))


def in_order(rays: Rays, order: NDArray[np.int64]) -> Rays:
    """Return the rays in an order, with their end points in the same order in memory.

    Parameters
    ----------
    rays
        rays with their own end points
    order
        (n,) new order
    """
    return Rays(rays.points_mm.reshape(-1, 2, 3)[order].reshape(-1, 3), rays.ends)


def sorted_events(n: int, rng: np.random.Generator) -> Rays:
    """Return `events` in the sort order of real runs."""
    rays = events(n, rng)
    return in_order(rays, ray_order(rays.points_mm, rays.ends))


def time_bins(n: int, tof: TofBins, rng: np.random.Generator) -> NDArray[np.int16]:
    """Return TOF bins of sources with a uniform position, blurred by the timing resolution.

    Parameters
    ----------
    n
        number of events
    tof
        bins and resolution
    rng
        random generator

    Returns
    -------
    bins
        (n,) bin of each event; positions beyond the range are in the first or last bin
    """
    # Sources across the object, then the timing error of the scanner
    s_mm = rng.uniform(-SOURCE_MM, SOURCE_MM, n) + tof.sigma_mm * rng.standard_normal(n)
    bins = np.floor(s_mm / tof.bin_mm + tof.n_bins / 2)
    return np.clip(bins, 0, tof.n_bins - 1).astype(np.int16)


def timing(fwhm_ps: float) -> TofBins:
    """Return TOF bins of a quarter of the resolution, over the whole ring."""
    return TofBins(fwhm_ps, fwhm_ps / 4, 2 * int(np.ceil(8 * RING_MM / fwhm_ps)) + 1)


def as_crystals(rays: Rays) -> Rays:
    """Return the rays between the nearest crystals of a ring scanner, like recorded events.

    Parameters
    ----------
    rays
        rays with explicit ends
    """
    ends = rays.points_mm[rays.ends]
    angle = np.arctan2(ends[..., 1], ends[..., 0]) / (2 * np.pi)
    place = np.rint(angle * CRYSTALS_PER_RING).astype(np.int64) % CRYSTALS_PER_RING
    # Points on the end plane belong to the last ring
    ring = np.floor((ends[..., 2] + LENGTH_MM / 2) * (N_RINGS / LENGTH_MM)).clip(0, N_RINGS - 1)
    at = 2 * np.pi * np.arange(CRYSTALS_PER_RING) / CRYSTALS_PER_RING
    points = np.empty((N_RINGS, CRYSTALS_PER_RING, 3))
    points[..., 0], points[..., 1] = RING_MM * np.cos(at), RING_MM * np.sin(at)
    points[..., 2] = ((np.arange(N_RINGS) + 0.5) / N_RINGS - 0.5)[:, None] * LENGTH_MM
    numbers = ring.astype(np.int64) * CRYSTALS_PER_RING + place
    return Rays(points.reshape(-1, 3), numbers.astype(np.int32))


def sorted_crystals(n: int, tof: TofBins, rng: np.random.Generator) -> tuple[Rays, Rays]:
    """Return events between crystals in the sort order of runs, without and with TOF bins.

    Parameters
    ----------
    n
        number of events
    tof
        bins and resolution
    rng
        random generator
    """
    rays = as_crystals(events(n, rng))
    ends = rays.ends[ray_order(rays.points_mm, rays.ends)]
    return Rays(rays.points_mm, ends), Rays(rays.points_mm, ends, time_bins(n, tof, rng))
