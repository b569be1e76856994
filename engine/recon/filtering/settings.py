"""The choices of a direct inversion."""

from __future__ import annotations

from engine.core.settings import Settings, setting
from engine.recon.filtering.design import Choice
from engine.recon.filtering.windows import WindowName


class FilterSettings(Settings):
    """How rows are filtered and rays weighted before the back projection."""

    window: WindowName = setting(
        "ram-lak", "Softer windows lower noise and resolution", label="Filter window"
    )
    cutoff: float = setting(
        1.0, "Highest frequency kept, of Nyquist's", label="Cut-off", gt=0.01, le=1
    )
    soften_rows: bool = setting(
        False, "The same as a Hann window across the rows", label="Soften across rows", expert=True
    )
    padding: float = setting(
        2.0, "Length of the filtered rows, in rows", label="Zero padding", ge=2, le=8, expert=True
    )
    short_scan: Choice = setting(
        "auto", "Weights of a scan over less than a circle", label="Short scan", expert=True
    )
    half_fan: Choice = setting(
        "auto", "Weights of a detector beside the axis", label="Half fan", expert=True
    )
    truncation: Choice = setting(
        "auto", "Continue rows that the detector cuts off", label="Truncated rows", expert=True
    )

    def describe(self) -> str:
        """Plain words."""
        cutoff = f", cut off at {self.cutoff:.0%} of Nyquist" if self.cutoff < 1 else ""
        return f"{self.window.title()} window{cutoff}"
