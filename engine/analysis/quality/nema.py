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
    """Contrast recovery and background variability of one sphere, both in percent."""

    diameter_mm: float
    recovery_percent: float
    variability_percent: float


def contrast_recovery(sphere: float, background: float, true_contrast: float) -> float:
    """Return the contrast recovery of a sphere [%]; 100 is perfect, also for cold spheres.

    Parameters
    ----------
    sphere, background
        mean of the image in the sphere and in the background, in the same unit
    true_contrast
        activity of the sphere over that of the background; 0 for cold spheres

    Raises
    ------
    SettingsError
        if the true contrast is 1, where recovery is not defined

    References
    ----------
    NEMA NU 2-2018, section 7.
    """
    if true_contrast == 1:
        raise SettingsError(
            "true_contrast is 1, but a sphere with the same activity as the background has no "
            "contrast; enter the true contrast."
        )
    return 100 * (sphere / background - 1) / (true_contrast - 1)


def background_variability(means: Sequence[float]) -> float:
    """Return the standard deviation of the background discs over their mean [%].

    Parameters
    ----------
    means
        mean of each disc, at least two

    References
    ----------
    NEMA NU 2-2018, section 7.
    """
    values = np.asarray(means, np.float64)
    # The standard divides by K − 1, not by K.
    return float(100 * values.std(ddof=1) / values.mean())


def residual_error(insert: float, background: float) -> float:
    """Return the counts left in a cold insert, such as the lung [% of the background].

    Parameters
    ----------
    insert, background
        mean of the image in the insert and in the background, in the same unit
    """
    return 100 * insert / background


def disc(volume: Volume, centre_mm: Point, diameter_mm: float) -> RegionCoverage:
    """Return a disc one slice thick, in the slice nearest to its centre.

    Parameters
    ----------
    volume
        image that provides the slices
    centre_mm
        centre (x, y, z) [mm]; z is moved to the centre of the nearest slice
    diameter_mm
        diameter [mm]
    """
    # NEMA defines the regions in the slice through the spheres. A disc between two slices would
    # average both and halve the noise.
    z = volume.grid.centres_mm(2)
    slice_mm = float(z[np.argmin(np.abs(z - centre_mm[2]))])
    centre = (centre_mm[0], centre_mm[1], slice_mm)
    region = CylinderRegion.upright(centre, diameter_mm, volume.grid.voxel_mm[2])
    return region.coverage(volume)


def background_places_mm(half_mm: tuple[float, float], z_mm: float = 0.0) -> tuple[Point, ...]:
    """Return the centres of the background discs: 12 on an ellipse in each of five slices.

    Parameters
    ----------
    half_mm
        semi-axes of the ellipse in x and y [mm]
    z_mm
        plane of the spheres [mm]
    """
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
        image to measure
    centre_mm
        centre (x, y, z) of the sphere [mm]
    diameter_mm
        inner diameter of the sphere, also of the discs [mm]
    true_contrast
        activity of the sphere over that of the background
    background_mm
        centres (x, y, z) of the discs, at least two; see `background_places_mm` [mm]
    """
    hot = mean_of(volume, disc(volume, centre_mm, diameter_mm))
    background = [mean_of(volume, disc(volume, at, diameter_mm)) for at in background_mm]
    recovery = contrast_recovery(hot, float(np.mean(background)), true_contrast)
    return SphereQuality(diameter_mm, recovery, background_variability(background))
