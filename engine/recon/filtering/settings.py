"""Settings of a direct inversion."""

from __future__ import annotations

from typing import Literal

from engine.core.settings import Settings, setting
from engine.recon.filtering.design import Choice
from engine.recon.filtering.windows import WindowName

Method = Literal["direct", "gridding", "auto"]
MIN_VIEWS = 100
"""Views from which "auto" chooses gridding; for any number of slices, it is then faster."""


class FilterSettings(Settings):
    """Filter and ray weights of the back projection."""

    window: WindowName = setting(
        "ram-lak", "Softer windows reduce noise and resolution", label="Filter window"
    )
    cutoff: float = setting(
        1.0,
        "Cut-off frequency as a fraction of the Nyquist frequency",
        label="Cut-off",
        gt=0.01,
        le=1,
    )
    soften_rows: bool = setting(
        False,
        "Apply a Hann window across the rows as well",
        label="Smooth across rows",
        expert=True,
    )
    padding: float = setting(
        2.0,
        "Row length after zero padding, relative to the original length",
        label="Zero padding",
        ge=2,
        le=8,
        expert=True,
    )
    short_scan: Choice = setting(
        "auto",
        "Use short-scan weights if the scan covers less than a full rotation",
        label="Short scan",
        expert=True,
    )
    half_fan: Choice = setting(
        "auto",
        "Use half-fan weights if the detector is offset from the axis",
        label="Half fan",
        expert=True,
    )
    truncation: Choice = setting(
        "auto",
        "Extrapolate rows that are truncated at the detector edge",
        label="Truncated rows",
        expert=True,
    )

    method: Method = setting(
        "direct",
        "Interpolation between pixels: linear (direct), or band-limited for parallel beams "
        "(gridding); auto uses gridding for many views",
        label="Back projection method",
        expert=True,
    )

    def describe(self) -> str:
        """Return the settings as text."""
        cutoff = f", cut off at {self.cutoff:.0%} of Nyquist" if self.cutoff < 1 else ""
        return f"{self.window.title()} window{cutoff}"
