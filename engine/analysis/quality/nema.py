"""Image quality after NEMA NU 2: contrast recovery of hot and cold spheres, background variability.

Q_hot = (C_H / C_B − 1) / (a_H / a_B − 1),   Q_cold = 1 − C_C / C_B,   N = SD / C_B

C are means over discs of the sphere's diameter in its central slice; C_B and SD are the mean and
standard deviation over equal discs in the background, 12 of them in each of 5 slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.analysis.regions.coverage import RegionCoverage
from engine.analysis.regions.figures import mean_of
from engine.analysis.regions.solids import CylinderRegion
from engine.core.errors import SettingsError
from engine.data.volume import Volume
from engine.geometry.grid import Point

SLICES_MM = (-20.0, -10.0, 0.0, 10.0, 20.0)
"""Background slices, from the spheres' plane."""
N_PER_SLICE = 12


@dataclass(frozen=True)
class SphereQuality:
    """One sphere: its diameter, contrast recovery and background variability, both in percent."""

    diameter_mm: float
    recovery_percent: float
    variability_percent: float


def contrast_recovery(sphere: float, background: float, true_contrast: float) -> float:
    """Contrast recovery of a sphere [%]; 100 is perfect, also for cold spheres.

    Parameters
    ----------
    sphere, background
        mean values of the image in the sphere and beside it, in the same unit
    true_contrast
        activity of the sphere over that of the background; 0 for cold spheres

    References
    ----------
    NEMA NU 2-2018, section 7.
    """
    if true_contrast == 1:
        raise SettingsError(
            "true_contrast = 1: a sphere with the activity of the "
            "background has no contrast; enter the true contrast."
        )
    return 100 * (sphere / background - 1) / (true_contrast - 1)


def background_variability(means: Sequence[float]) -> float:
    """Standard deviation of the background discs over their mean [%]."""
    values = np.asarray(means, np.float64)
    return float(100 * values.std(ddof=1) / values.mean())


def residual_error(insert: float, background: float) -> float:
    """Counts left where there is no activity, such as the lung insert [% of the background]."""
    return 100 * insert / background


def disc(volume: Volume, centre_mm: Point, diameter_mm: float) -> RegionCoverage:
    """Return a disc one slice thick, in the slice nearest to its centre."""
    z = volume.grid.centres_mm(2)
    slice_mm = float(z[np.argmin(np.abs(z - centre_mm[2]))])
    centre = (centre_mm[0], centre_mm[1], slice_mm)
    region = CylinderRegion.upright(centre, diameter_mm, volume.grid.voxel_mm[2])
    return region.coverage(volume)


def background_places_mm(half_mm: tuple[float, float], z_mm: float = 0.0) -> tuple[Point, ...]:
    """Centres of the background discs: evenly on an ellipse (semi-axes x, y), in five slices."""
    angles = 2 * np.pi * (np.arange(N_PER_SLICE) + 0.5) / N_PER_SLICE
    return tuple(
        (float(half_mm[0] * np.cos(a)), float(half_mm[1] * np.sin(a)), z_mm + dz)
        for dz in SLICES_MM
        for a in angles
    )


def sphere_quality(
    volume: Volume,
    centre_mm: Point,
    diameter_mm: float,
    *,
    true_contrast: float,
    background_mm: Sequence[Point],
) -> SphereQuality:
    """Measure one sphere against discs of its own size in the background.

    Parameters
    ----------
    volume
        the image
    centre_mm
        middle (x, y, z) of the sphere [mm]
    diameter_mm
        inner diameter of the sphere, and of the discs [mm]
    true_contrast
        activity of the sphere over that of the background
    background_mm
        centres (x, y, z) of the discs, at least two; see `background_places_mm` [mm]
    """
    hot = mean_of(volume, disc(volume, centre_mm, diameter_mm))
    background = [mean_of(volume, disc(volume, at, diameter_mm)) for at in background_mm]
    recovery = contrast_recovery(hot, float(np.mean(background)), true_contrast)
    return SphereQuality(diameter_mm, recovery, background_variability(background))
