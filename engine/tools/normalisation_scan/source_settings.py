"""Settings of the source of a normalisation, for forms and files."""

from __future__ import annotations

from typing import ClassVar, Literal

from engine.core.settings import Settings, setting
from engine.geometry.grid import Point
from engine.tools.normalisation_scan.source import ENDLESS_MM, CylinderSource

WATER_PER_MM = 0.0096
"""Attenuation of water at 511 keV [1/mm]."""


class EvenCylinder(Settings):
    """A cylinder of uniform activity along z.

    Examples
    --------
    >>> from engine.tools.normalisation_scan import EvenCylinder
    >>> EvenCylinder(diameter_mm=200).source().describe()
    'cylinder of radius 100 mm, 0.0096 per mm'
    """

    title: ClassVar[str] = "Cylinder of even activity"
    kind: Literal["cylinder"] = "cylinder"
    diameter_mm: float = setting(
        ..., "Of the activity, without the wall", label="Diameter", unit="mm", gt=0, le=2000
    )
    length_mm: float | None = setting(
        None,
        "Along the axis",
        label="Length",
        unit="mm",
        empty="beyond the scanner",
        gt=0,
        le=10_000,
    )
    mu_per_mm: float = setting(
        WATER_PER_MM, "Of the filling at 511 keV; water: 0.0096", label="Attenuation",
        unit="1/mm", ge=0, lt=1,
    )  # fmt: skip
    centre_mm: Point = setting(
        (0.0, 0.0, 0.0), "Of the cylinder; a millimetre matters", label="Middle", unit="mm"
    )

    def source(self) -> CylinderSource:
        """Return the source for the measurement."""
        length = ENDLESS_MM if self.length_mm is None else self.length_mm
        return CylinderSource(
            self.diameter_mm / 2, 0.0, length, self.centre_mm, mu_per_mm=self.mu_per_mm
        )


class RotatingLine(Settings):
    """A line along z that rotates about the axis, in air.

    Examples
    --------
    >>> from engine.tools.normalisation_scan import RotatingLine
    >>> RotatingLine(turn_mm=560, width_mm=3).source().describe()
    'ring of 278.5 to 281.5 mm'
    """

    title: ClassVar[str] = "Rotating line"
    kind: Literal["rotating"] = "rotating"
    turn_mm: float = setting(
        ...,
        "Diameter of the circle on which its middle rotates",
        label="Diameter of rotation",
        unit="mm",
        gt=0,
        le=2000,
    )
    width_mm: float = setting(..., "Of the line", label="Thickness", unit="mm", gt=0, le=200)
    length_mm: float | None = setting(
        None,
        "Along the axis",
        label="Length",
        unit="mm",
        empty="beyond the scanner",
        gt=0,
        le=10_000,
    )

    def source(self) -> CylinderSource:
        """Return the source for the measurement, over full rotations."""
        length = ENDLESS_MM if self.length_mm is None else self.length_mm
        return CylinderSource.rotating_line(self.turn_mm / 2, self.width_mm, length)


class NormalisationSettings(Settings):
    """Settings for the measurement of a normalisation.

    Examples
    --------
    >>> from engine.tools.normalisation_scan import EvenCylinder, NormalisationSettings
    >>> NormalisationSettings(source=EvenCylinder(diameter_mm=200)).interference
    True
    """

    source: EvenCylinder | RotatingLine = setting(
        ..., "What was scanned", label="Kind", discriminator="kind"
    )
    interference: bool = setting(
        True,
        "Untick this box if the scans have few counts",
        label="Measure each position in a block",
    )
