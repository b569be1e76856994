"""The colours of the views in one theme."""

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
    line : of a line drawn over a picture; at least 3:1 against black and against white
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
    line: str
    warning: str


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
