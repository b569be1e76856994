"""Uniform objects with an edge, simulated by the judge and written as scans.

The ring in the scan equals the judge's: the same crystals, depth and material. Photons that scatter
in the object are omitted, so only attenuation needs a correction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import engine
from engine.data.sinogram import binned
from engine.geometry.sinogram_layout import SinogramLayout
from engine.geometry.tof import TofSettings
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from tests.judge.phantoms import Phantom
from tests.judge.readout import Physics
from tests.judge.studies import (
    NEMA_RADII_MM,
    JudgeStudy,
    nema_body,
    nema_places_mm,
    ring_300,
    uniform_cylinder,
)
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, ring_of
from tests.physics.nema_body import joined

Array = NDArray[np.float64]

LENGTH_MM = 40.0
TOF = TofSettings(fwhm_ps=300.0, bin_ps=200.0, n_bins=17)
SPAN, MASHED = 3, 2
"""Ring differences and views per bin with time of flight; without this, the file has 0.4 GB."""
STEEPEST = 0.08
"""Photons start with |cosine to the axis| up to this: lines across the ring reach 0.07."""
PHYSICS = Physics(tof_fwhm_ps=TOF.fwhm_ps, follows_scatter=False, max_cosine=STEEPEST)
VOXEL_MM = (3.0, 3.0, 2.5)
RADIUS_MM = 100.0
SPHERE_MARGIN_MM, LUNG_MM, LUNG_MARGIN_MM = 12.0, 25.0, 20.0


def cylinder_depth(x: Array, y: Array) -> Array:
    """Return the distance inside the cylinder's skin [mm]."""
    return RADIUS_MM - np.hypot(x, y)


def body_depth(x: Array, y: Array) -> Array:
    """Return the distance inside the body's skin [mm], exact up to 70 mm.

    The front is a half circle of 147 mm. The back is a box with quarter circles of 77 mm at its
    sides.
    """
    back = np.where(np.abs(x) <= 70, 77 - y, 77 - np.hypot(np.abs(x) - 70, y))
    return np.where(y <= 0, 147 - np.hypot(x, y), back)


def in_uniform_cylinder(x: Array, y: Array, z: Array) -> NDArray[np.bool_]:
    """Return True everywhere: the cylinder has no inserts."""
    return np.ones(np.broadcast_shapes(x.shape, y.shape, z.shape), bool)


def in_background(x: Array, y: Array, z: Array) -> NDArray[np.bool_]:
    """Return True in the background of the body, far from its lung and spheres."""
    far = np.broadcast_to(
        np.hypot(x, y) > LUNG_MM + LUNG_MARGIN_MM, np.broadcast_shapes(x.shape, y.shape, z.shape)
    ).copy()
    for radius, (x0, y0, z0) in zip(NEMA_RADII_MM, nema_places_mm(), strict=True):
        squares = (x - x0) ** 2 + (y - y0) ** 2 + (z - z0) ** 2
        far &= squares > (radius + SPHERE_MARGIN_MM) ** 2
    return far


@dataclass(frozen=True)
class Case:
    """An object with an edge.

    Attributes
    ----------
    phantom : source and attenuation
    diameter_mm : of the field of view
    n_pairs : photon pairs in each of the two files of a seed; five seeds give each layer a standard
        error of at most 1 %
    depth : distance inside the skin at x and y [mm]
    counts_at : returns True in the uniform part
    """

    name: str
    phantom: Phantom
    diameter_mm: float
    n_pairs: int
    depth: Callable[[Array, Array], Array]
    counts_at: Callable[[Array, Array, Array], NDArray[np.bool_]]

    def study(self, seed: int) -> JudgeStudy:
        """Return the object in the ring."""
        scanner = ring_300(LENGTH_MM)
        return JudgeStudy(f"edge-{self.name}", self.phantom, scanner, PHYSICS, seed)


CASES = {
    "cylinder": Case(
        "cylinder",
        uniform_cylinder(ring_300(LENGTH_MM), RADIUS_MM).phantom,
        240.0,
        300_000,
        cylinder_depth,
        in_uniform_cylinder,
    ),
    "body": Case(
        "body",
        nema_body(cold=(4, 5), length=LENGTH_MM, middle=0.0),
        330.0,
        400_000,
        body_depth,
        in_background,
    ),
}


@dataclass(frozen=True)
class Scans:
    """Files with the photons of one seed, with or without their times of flight."""

    listmode: Path
    sinogram: Path
    mu_map: Path
    is_timed: bool


def written(case: Case, seed: int, folder: Path, *, tof: bool, n_pairs: int | None = None) -> Scans:
    """Write the photons of a seed as list mode and as a sinogram, with or without their times.

    n_pairs : a lower number than the default of the case
    """
    study = case.study(seed)
    if n_pairs is None:
        halves = [cached_pairs(case.study(2 * seed - k), case.n_pairs) for k in (1, 0)]
        pairs = joined(halves)
    else:
        pairs = cached_pairs(study, n_pairs)
    timing = TOF if tof else None
    ring = ring_of(study.scanner, diameter_mm=case.diameter_mm, voxel_mm=VOXEL_MM, tof=timing)
    mu_map = mu_map_of(study.phantom, ListModeProtocol().grid.grid_for(ring))
    scan = listmode_of(pairs, ring, pairs.crystals, mu_map=mu_map)
    name = f"{case.name}-{seed}{'-tof' if tof else ''}"
    paths = (folder / f"{name}{end}" for end in (".h5", ".hs", "-mu.nii.gz"))
    scans = Scans(*paths, is_timed=tof)
    engine.save(scan, scans.listmode)
    engine.save(mu_map, scans.mu_map, {})
    layout = SinogramLayout.of(ring, span=SPAN, mashed=MASHED) if tof else SinogramLayout.of(ring)
    write_sinogram(binned(scan, layout, timed=tof), scans.sinogram)
    return scans
