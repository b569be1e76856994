"""The colours of the views in one theme."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ViewColours:
    """Colours of one theme, as "#RRGGBB" or "#AARRGGBB".

    Attributes
    ----------
    canvas : background of images and plots
    text, muted : text and secondary text on the canvas
    accent : curves, bars, focus
    plate, plate_text : labels over an image, readable on any background
    grid : separators, frames, plot grids
    crosshair : contrast at least 3:1 against black and against white
    line : lines over an image; contrast at least 3:1 against black and against white
    warning : warning text on a plate or the canvas
    """

    canvas: str
    text: str
    muted: str
    accent: str
    plate: str
    plate_text: str
    grid: str
    crosshair: str
    line: str
    warning: str


# Crosshair and line are equal in both themes: they are drawn over images, not over the theme.
DARK = ViewColours(
    canvas="#101214",
    text="#e3e6e8",
    muted="#a9b0b7",
    accent="#5aa5ee",
    plate="#d0101214",
    plate_text="#f2f4f5",
    grid="#30353b",
    crosshair="#0a9aa6",
    line="#d9731a",
    warning="#ffb300",
)
# Darker accent and warning than in the dark theme, for contrast on a light canvas.
LIGHT = ViewColours(
    canvas="#e9ebed",
    text="#1a1d21",
    muted="#515962",
    accent="#1c66b4",
    plate="#e0e9ebed",
    plate_text="#1b1e22",
    grid="#cfd4d9",
    crosshair="#0a9aa6",
    line="#d9731a",
    warning="#8a4b00",
)
