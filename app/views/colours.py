"""The colours the views paint with; a theme hands one set to every widget."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ViewColours:
    """Colours of one theme, as "#RRGGBB" or "#AARRGGBB".

    Attributes
    ----------
    canvas : behind pictures and plots
    text, muted : words and quieter words on the canvas
    accent : curves, bars, focus
    plate, plate_text : labels over a picture, readable whatever lies below
    grid : separators, frames, plot grids
    crosshair : at least 3:1 against black and against white
    warning : words that ask for a look, on a plate or the canvas
    """

    canvas: str
    text: str
    muted: str
    accent: str
    plate: str
    plate_text: str
    grid: str
    crosshair: str
    warning: str


DARK = ViewColours(
    canvas="#101214",
    text="#e3e6e8",
    muted="#9aa3ab",
    accent="#5aa5ee",
    plate="#d0101214",
    plate_text="#f2f4f5",
    grid="#2f353b",
    crosshair="#2f7fd1",
    warning="#ffb300",
)
LIGHT = ViewColours(
    canvas="#e9ebed",
    text="#1b1e22",
    muted="#59626a",
    accent="#1c66b4",
    plate="#e0ffffff",
    plate_text="#1b1e22",
    grid="#c3c9ce",
    crosshair="#2f7fd1",
    warning="#8a4b00",
)
