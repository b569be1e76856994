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

    title: ClassVar[str] = "Cylinder with uniform activity"
    kind: Literal["cylinder"] = "cylinder"
    diameter_mm: float = setting(
        ...,
        "Diameter of the active volume, without the cylinder wall",
        label="Diameter",
        unit="mm",
        gt=0,
        le=2000,
    )
    length_mm: float | None = setting(
        None,
        "Length along the scanner axis",
        label="Length",
        unit="mm",
        empty="longer than the scanner",
        gt=0,
        le=10_000,
    )
    mu_per_mm: float = setting(
        WATER_PER_MM,
        "Linear attenuation coefficient of the cylinder contents at 511 keV (water: 0.0096)",
        label="Attenuation",
        unit="1/mm", ge=0, lt=1,
    )  # fmt: skip
    centre_mm: Point = setting(
        (0.0, 0.0, 0.0),
        "Centre of the cylinder; even an error of 1 mm affects the result",
        label="Centre",
        unit="mm",
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

    title: ClassVar[str] = "Rotating line source"
    kind: Literal["rotating"] = "rotating"
    turn_mm: float = setting(
        ...,
        "Diameter of the circle on which the line source moves",
        label="Orbit diameter",
        unit="mm",
        gt=0,
        le=2000,
    )
    width_mm: float = setting(
        ..., "Diameter of the line source", label="Thickness", unit="mm", gt=0, le=200
    )
    length_mm: float | None = setting(
        None,
        "Length along the scanner axis",
        label="Length",
        unit="mm",
        empty="longer than the scanner",
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
        ..., "Type of the scanned source", label="Kind", discriminator="kind"
    )
    interference: bool = setting(
        True,
        "Measure a factor for each crystal position in a block; switch this off if the scans "
        "have few counts",
        label="Separate factor for each position in a block",
    )
