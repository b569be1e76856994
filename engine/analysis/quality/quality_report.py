"""Result of a phantom measurement: figures with errors, curves, and their source."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.formatting import (
    decimals_for,
    error_text,
    power_of,
    rounded,
    unit_text,
    with_error,
)
from engine.geometry.grid import Point

FORMAT = "isocenter-quality-1"
Points = NDArray[np.float64]


MAX_DIGITS = 8
"""Maximum number of decimals; smaller numbers use a power of ten."""


@dataclass(frozen=True)
class QualityFigure:
    """One number.

    Attributes
    ----------
    name : name of the figure, with size or position
    value : in `unit`
    error : standard error; None if not known
    unit : unit of value and error
    group : heading in the report
    noise : standard deviation over the replicates of the image, in `unit`; None without an error
        map. `error` is an estimate from the figure's own voxels or regions
    noise_half_width : half width of the 95 % interval from the replicates; None without an error
    map
    """

    name: str
    value: float
    error: float | None
    unit: str
    group: str = ""
    noise: float | None = None
    noise_half_width: float | None = None

    def text(self) -> str:
        """Return value and error for display, such as "41.3 ± 2.1 %"."""
        if self.error is None or not np.isfinite(self.error) or self.error == 0:
            return f"{_as_json(self.value)} {self.unit}".rstrip()
        power, named = self._scale(self.error)
        # Without separators of thousands, as the values without errors.
        return f"{with_error(self.value, self.error, power).replace(',', '')} {named}".rstrip()

    def noise_text(self) -> str:
        """Return noise and interval, such as "± 1.9, 95 %: 37.2 to 45.3 %"; "" if none."""
        if self.noise is None or self.noise_half_width is None or self.noise == 0:
            return ""
        ends = self.value - self.noise_half_width, self.value + self.noise_half_width
        # One number of decimals for all three, so that they can be compared.
        largest = max(map(abs, ends))
        power, named = self._scale(largest)
        noise, *ends_shown = (each / 10.0**power for each in (self.noise, *ends))
        decimals = decimals_for(noise, largest / 10.0**power)
        texts = error_text(noise, decimals), *(rounded(each, decimals) for each in ends_shown)
        noise_text, low, high = (text.replace(",", "") for text in texts)
        return f"± {noise_text}, 95 %: {low} to {high} {named}".rstrip()

    def _scale(self, error: float) -> tuple[int, str]:
        """Return the power of ten to take out of value and error, and the unit with it."""
        power = power_of(max(abs(self.value), error))
        return power, f"{unit_text('', power)} {self.unit}".strip()


def _as_json(value: float) -> str:
    """Return a number with four significant digits, as a decimal if it is not too small."""
    text = f"{value:.4g}"
    if "e-" not in text:
        return text
    digits = 3 - int(np.floor(np.log10(abs(value))))
    return f"{value:.{digits}f}" if digits <= MAX_DIGITS + 3 else text


@dataclass(frozen=True)
class QualityCurve:
    """A figure as a function of one variable.

    Attributes
    ----------
    title, x_label, y_label : texts; the labels include units
    x, y : points of the curve
    error : standard error of y; empty if not known
    """

    title: str
    x_label: str
    y_label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...] = ()


@dataclass(frozen=True)
class Mark:
    """A measured disc across z.

    Attributes
    ----------
    centre_mm : centre (x, y, z) [mm]
    radius_mm : radius [mm]
    """

    centre_mm: Point
    radius_mm: float


@dataclass(frozen=True)
class Placement:
    """Position of a phantom in an image: shift, rotation about z, reversal.

    Attributes
    ----------
    centre_mm : origin of the phantom in the image (x, y, z) [mm]
    turn_deg : rotation about z, from x towards y [deg]
    flipped : True if it was first rotated by 180° about y, which reverses x and z
    """

    centre_mm: Point
    turn_deg: float = 0.0
    flipped: bool = False

    def to_image(self, points: Points) -> Points:
        """Convert points of the phantom to coordinates of the image.

        Parameters
        ----------
        points
            (..., 3) coordinates (x, y, z) in the phantom [mm]

        Returns
        -------
        Points
            (..., 3) coordinates in the image [mm]
        """
        # A reversal is a rotation by 180° about y, not a mirror: a real phantom can only be turned.
        sign = np.array([-1.0, 1.0, -1.0]) if self.flipped else np.ones(3)
        x, y, z = np.moveaxis(np.asarray(points, float) * sign, -1, 0)
        c, s = np.cos(np.deg2rad(self.turn_deg)), np.sin(np.deg2rad(self.turn_deg))
        return np.stack([c * x - s * y, s * x + c * y, z], axis=-1) + np.array(self.centre_mm)

    def to_phantom(self, x: Points, y: Points, z: Points) -> tuple[Points, Points, Points]:
        """Convert coordinates of the image to those of the phantom; the inverse of `to_image`.

        Parameters
        ----------
        x, y, z
            coordinates in the image [mm]; arrays that broadcast
        """
        x, y, z = (a - b for a, b in zip((x, y, z), self.centre_mm, strict=True))
        c, s = np.cos(np.deg2rad(self.turn_deg)), np.sin(np.deg2rad(self.turn_deg))
        # The steps of `to_image` in reverse order: shift, rotation, then reversal.
        x, y = c * x + s * y, -s * x + c * y
        return (-x, y, -z) if self.flipped else (x, y, z)

    def describe(self) -> str:
        """Return position and rotation as text."""
        x, y, z = (round(c, 1) + 0.0 for c in self.centre_mm)  # no minus before a zero
        turn = f", rotated by {self.turn_deg:.1f}°" if self.turn_deg else ""
        end = ", reversed along its axis" if self.flipped else ""
        return f"centre at ({x:.1f}, {y:.1f}, {z:.1f}) mm{turn}{end}"


@dataclass(frozen=True)
class QualityReport:
    """All results for an image of a phantom.

    Attributes
    ----------
    phantom : kind of the phantom
    title : displayed name
    unit : unit of the image
    placement : position as text
    figures, curves : results
    marks : measured discs
    notes : notes, one sentence each
    source : facts of the measured image, by label
    at : position of the phantom, if it has one
    replicates : method, number, seed and confidence of the noise of the figures; empty without
    """

    phantom: str
    title: str
    unit: str
    placement: str
    figures: tuple[QualityFigure, ...]
    curves: tuple[QualityCurve, ...] = ()
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    source: Plain = field(default_factory=dict)
    at: Placement | None = None
    replicates: Plain = field(default_factory=dict)

    @property
    def has_noise(self) -> bool:
        """True if a figure has noise from replicates."""
        return any(each.noise is not None for each in self.figures)

    def figure(self, group: str, name: str = "") -> QualityFigure:
        """Return a figure of a group.

        Parameters
        ----------
        group
            heading of the figure
        name
            name of the figure; empty: the first of the group
        """
        return next(f for f in self.figures if f.group == group and name in ("", f.name))

    def as_dict(self) -> Plain:
        """Return the report as JSON values; keys of the noise only if there are replicates."""
        record = asdict(self)
        if not self.replicates:
            del record["replicates"]
            for each in record["figures"]:
                del each["noise"], each["noise_half_width"]
        return {"format": FORMAT, **record}
