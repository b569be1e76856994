"""Sources for the measurement of a normalisation: full or hollow cylinders along the axis.

A line source that rotates about the axis is, over full rotations, a hollow cylinder as thick as the
line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from engine.core.errors import DataError
from engine.geometry.grid import Point

if TYPE_CHECKING:  # a form with the source opens without the kernels
    from engine.kernels.rays.line_sums import SourceNumbers

USED = 0.9
"""Share of the radius within which lines count. Near the edge, their length in the source changes
within the width of a crystal.
"""
ENDLESS_MM = 1e6


@dataclass(frozen=True)
class CylinderSource:
    """A cylinder of uniform activity along z.

    Attributes
    ----------
    radius_mm : outer radius [mm]
    inner_mm : inner radius, 0 for a full cylinder [mm]
    length_mm : length along z; longer than the scanner by default [mm]
    centre_mm : centre (x, y, z) [mm]
    mu_per_mm : attenuation at 511 keV within the outer radius [1/mm]

    Examples
    --------
    >>> from engine.tools.normalisation_scan.source import CylinderSource
    >>> CylinderSource(100.0, mu_per_mm=0.0096).describe()
    'cylinder of radius 100 mm, 0.0096 per mm'
    """

    radius_mm: float
    inner_mm: float = 0.0
    length_mm: float = ENDLESS_MM
    centre_mm: Point = (0.0, 0.0, 0.0)
    mu_per_mm: float = 0.0

    def __post_init__(self) -> None:
        numbers = (self.radius_mm, self.inner_mm, self.length_mm, self.mu_per_mm, *self.centre_mm)
        if not (
            # The comparisons below refuse NaN, but not infinity
            all(math.isfinite(number) for number in numbers)
            and 0 <= self.inner_mm < self.radius_mm
            and self.length_mm > 0
            and 0 <= self.mu_per_mm < 1
        ):
            raise DataError(
                f"the source has a radius of {self.radius_mm:g} mm, an inner radius of "
                f"{self.inner_mm:g} mm, a length of {self.length_mm:g} mm and an attenuation of "
                f"{self.mu_per_mm:g} per mm, expected 0 ≤ inner radius < radius, length > 0 and 0 "
                "≤ attenuation < 1."
            )

    @classmethod
    def rotating_line(cls, path_mm: float, width_mm: float, length_mm: float = ENDLESS_MM) -> Self:
        """Return the source of a line that rotates about the axis, in air.

        Parameters
        ----------
        path_mm
            radius of the line's path [mm]
        width_mm
            thickness of the line [mm]
        length_mm
            length along z [mm]; longer than the scanner by default
        """
        return cls(path_mm + width_mm / 2, path_mm - width_mm / 2, length_mm)

    @property
    def reach_mm(self) -> float:
        """Distance from its axis up to which lines count [mm]."""
        # Lines through the inner part of a hollow source cross its wall twice
        return USED * (self.inner_mm or self.radius_mm)

    @property
    def numbers(self) -> SourceNumbers:
        """Properties for the kernels."""
        from engine.kernels.rays.line_sums import SourceNumbers

        half = self.length_mm / 2
        size = self.radius_mm, self.inner_mm, half, self.mu_per_mm, self.reach_mm
        return SourceNumbers(*(float(number) for number in (*self.centre_mm, *size)))

    def describe(self) -> str:
        """Return the source as text."""
        text = f"cylinder of radius {self.radius_mm:g} mm"
        if self.inner_mm:
            text = f"ring of {self.inner_mm:g} to {self.radius_mm:g} mm"
        if self.length_mm < ENDLESS_MM:
            text += f", {self.length_mm:g} mm long"
        if any(self.centre_mm):
            text += ", at ({:g}, {:g}, {:g}) mm".format(*self.centre_mm)
        return f"{text}, {self.mu_per_mm:g} per mm" if self.mu_per_mm else text
