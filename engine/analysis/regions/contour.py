"""Contour region: voxels above a fixed, relative or adaptive level within a solid.

The level is, by rule:

    fixed               given in the unit of the image
    percent of max      a percentage of the maximum in the solid
    percent of peak     a percentage of the peak: the highest mean of a sphere of 1 mL
    adaptive            halfway between the mean of the voxels at or above it and the mean of the
                        voxels below it (Ridler and Calvard, IEEE Trans. Syst. Man Cybern. 8 (1978)
                        630). It needs no number, but a solid with both object and background. At a
                        blurred edge between two plateaus it is half the height.

A voxel counts as a whole: it is inside if its centre is in the solid and its value is at or above
the level. Voxels that share a face are connected. With `connected` only the component of the
maximum remains.
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from engine.analysis.regions.base import Bounds, RegionShape
from engine.analysis.regions.coverage import RegionCoverage
from engine.analysis.regions.peak import peak_of
from engine.analysis.regions.solids import Solid
from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.core.settings import setting
from engine.data.volume import Volume
from engine.geometry.grid import Point

Rule = Literal["fixed", "percent_of_max", "percent_of_peak", "adaptive"]
RULES: dict[Rule, str] = {
    "fixed": "Fixed value",
    "percent_of_max": "Percent of the maximum",
    "percent_of_peak": "Percent of the peak",
    "adaptive": "Adaptive (Ridler and Calvard)",
}
MAX_STEPS = 100


class ContourRegion(RegionShape):
    """Voxels above a level within a solid. The shape differs between images."""

    kind: Literal["contour"] = "contour"
    within: Solid = setting(..., "Region that is searched")
    rule: Rule = setting("percent_of_max", "Method that chooses the level")
    level: float = setting(41.0, "Level, or percentage of the maximum [%]")
    unit: str = setting("", "Unit of a fixed level", max_length=40)
    connected: bool = setting(True, "Keep only the part connected to the maximum")

    @model_validator(mode="after")
    def _refuse_percent(self) -> Self:
        if self.rule.startswith("percent") and not 0 < self.level <= 100:
            raise ValueError(f"level is {self.level:g} %, expected more than 0 and at most 100")
        return self

    @property
    def bounds_mm(self) -> Bounds:
        return self.within.bounds_mm

    @property
    def follows_image(self) -> bool:
        return True

    def moved(self, by_mm: Point) -> Self:
        return self.model_copy(update={"within": self.within.moved(by_mm)})

    def fitted(self, bounds_mm: Bounds) -> Self:
        return self.model_copy(update={"within": self.within.fitted(bounds_mm)})

    def turned_over(self) -> Self:
        return self.model_copy(update={"within": self.within.turned_over()})

    def coverage(self, volume: Volume) -> RegionCoverage:
        """Return the voxels above the level.

        Raises
        ------
        DataError
            if `level_in` finds no level, or a fixed level has another unit
        """
        # The unit is checked before the region: a wrong unit would silently give an empty region.
        self._refuse_unit(volume)
        around = self.within.coverage(volume)
        inside = around.centres
        if not inside.any():
            return RegionCoverage(around.start, np.zeros_like(around.share), inside)
        values = volume.values[around.box]
        above = inside & (values >= self.level_in(volume, around))
        if self.connected and above.any():
            above = _with_highest(values, above)
        return RegionCoverage(around.start, above.astype(float), above)

    def level_in(self, volume: Volume, around: RegionCoverage | None = None) -> float:
        """Return the level in an image, in its unit.

        Parameters
        ----------
        volume
            image to segment
        around
            coverage of the solid in this image; None: computed here

        Raises
        ------
        DataError
            if a fixed level has another unit, the solid is outside the image, or no sphere fits
        """
        around = around or self.within.coverage(volume)
        inside = volume.values[around.box][around.centres]
        self._refuse_unit(volume)
        if self.rule == "fixed":
            return self.level
        if not len(inside):
            raise DataError("the region is outside the image; move it or enlarge it.")
        if self.rule == "adaptive":
            return level_between(inside)
        if self.rule == "percent_of_max":
            return self.level / 100 * float(inside.max())
        peak = peak_of(volume, around)
        if peak is None:
            raise DataError(
                "a sphere of 1 mL does not fit into the image at this position; choose a "
                "percentage of the maximum."
            )
        return self.level / 100 * peak.value

    def _refuse_unit(self, volume: Volume) -> None:
        if self.rule == "fixed" and self.unit != volume.unit:
            raise DataError(
                f"the level and the image have different units (level: {self.unit or 'none'}, "
                f"image: {volume.unit or 'none'}); enter the level in the unit of the image, or "
                "choose a percentage."
            )


def level_between(values: Array) -> float:
    """Return the level halfway between the means above and below it (Ridler and Calvard).

    Parameters
    ----------
    values
        values of object and background, of any shape

    Returns
    -------
    float
        the constant itself for constant values
    """
    level = float(values.mean(dtype=np.float64))
    for _ in range(MAX_STEPS):
        above = values > level
        if not above.any():
            return level
        high = float(values[above].mean(dtype=np.float64))
        low = float(values[~above].mean(dtype=np.float64))
        # The iteration settles on a set of voxels after a few steps. The limit on the steps guards
        # against two sets that alternate.
        if abs((high + low) / 2 - level) <= 1e-6 * abs(high):
            break
        level = (high + low) / 2
    return level


def _with_highest(values: Array, above: Array) -> Array:
    from scipy import ndimage

    # The maximum is searched among the voxels above the level; a hotter voxel outside the solid
    # must not decide.
    at = np.unravel_index(int(np.argmax(np.where(above, values, -np.inf))), values.shape)
    # The default structuring element joins voxels that share a face, so that diagonal noise does
    # not bridge two lesions.
    labels, _ = ndimage.label(above)
    return np.asarray(labels == labels[at])
