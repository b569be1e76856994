"""Colour maps and their lookup tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from app.language.translation import tr

N_COLOURS = 256


@dataclass(frozen=True)
class ColourMap:
    """A colour map: its key in files, its title, and the name of its colours in pyqtgraph.

    Without `source` it is a linear grey; `reverse` inverts it. `diverging` maps need a window that
    is symmetric about zero. `warning` is shown before the map is used.
    """

    key: str
    title: str
    source: str | None = None
    reverse: bool = False
    diverging: bool = False
    warning: str = ""


COLOUR_MAPS = (
    ColourMap("grey_inverted", tr("Inverted grey"), reverse=True),
    ColourMap("grey", tr("Grey")),
    ColourMap("hot", tr("Hot metal"), "CET-L3"),
    ColourMap("viridis", tr("Viridis"), "viridis"),
    ColourMap("cividis", tr("Cividis"), "cividis"),
    ColourMap("difference", tr("Difference"), "CET-D1", diverging=True),
    ColourMap(
        "rainbow",
        tr("Rainbow"),
        "turbo",
        warning=tr(
            "The rainbow colour map shows edges that do not exist. Do not judge small "
            "differences with it."
        ),
    ),
)
_BY_KEY = {colour_map.key: colour_map for colour_map in COLOUR_MAPS}


def colour_map(key: str) -> ColourMap:
    """Return a colour map.

    Parameters
    ----------
    key
        its key; an unknown one, such as from a later version, gives inverted grey
    """
    return _BY_KEY.get(key, COLOUR_MAPS[0])


@lru_cache(maxsize=16)
def lookup_table(key: str) -> NDArray[np.uint32]:
    """Return the table of a colour map.

    Parameters
    ----------
    key
        its key

    Returns
    -------
    (256,) opaque colours 0xffRRGGBB, from the lower to the upper window limit; read-only
    """
    chosen = colour_map(key)
    if chosen.source is None:
        level = np.arange(N_COLOURS, dtype=np.uint32)
        rgb = np.stack([level] * 3, axis=1)
    else:
        # Imported late: grey needs no pyqtgraph, and its import delays the first image.
        import pyqtgraph

        rgb = pyqtgraph.colormap.get(chosen.source).getLookupTable(nPts=N_COLOURS, alpha=False)
        rgb = np.asarray(rgb, np.uint32)
    if chosen.reverse:
        rgb = rgb[::-1]
    red, green, blue = rgb.T
    table = np.asarray(0xFF000000 | red << 16 | green << 8 | blue, np.uint32)
    # The cache hands out one array to all callers.
    table.flags.writeable = False
    return table


def colourise(
    values: NDArray[np.float32], window: tuple[float, float], key: str
) -> NDArray[np.uint32]:
    """Turn values into colours.

    Parameters
    ----------
    values
        array without NaN
    window
        values at the two ends of the colour map
    key
        key of the colour map

    Returns
    -------
    opaque colours 0xffRRGGBB of the same shape, C-contiguous
    """
    # `take` is twice as fast as an index.
    return lookup_table(key).take(levels_of(values, window))


def levels_of(values: NDArray[np.float32], window: tuple[float, float]) -> NDArray[np.uint8]:
    """Return the number of the colour of each value, from 0 to 255.

    Parameters
    ----------
    values
        array without NaN
    window
        values at the two ends of the colour map
    """
    low, high = window
    scaled = values - np.float32(low)
    scaled *= np.float32(N_COLOURS / (high - low))
    # Clip before the cast: a float outside 0 to 255 has no defined value as uint8.
    return np.clip(scaled, 0, N_COLOURS - 1, out=scaled).astype(np.uint8)


def coloured_image(
    values: NDArray[np.float32], window: tuple[float, float], key: str, form: QImage.Format
) -> QImage:
    """Return values as an image, one pixel per value.

    Parameters
    ----------
    values
        (rows, columns) without NaN
    window
        values at the two ends of the colour map
    key
        key of the colour map
    form
        format of the image
    """
    rows, columns = values.shape
    # Qt wants rows that are multiples of four bytes.
    levels = np.zeros((rows, -(-columns // 4) * 4), np.uint8)
    levels[:, :columns] = levels_of(values, window)
    indexed = QImage(levels.data, columns, rows, levels.shape[1], QImage.Format.Format_Indexed8)
    indexed.setColorTable(_table_of(key))
    # Qt looks the colours up faster than numpy, and the result no longer needs the array.
    return indexed.convertToFormat(form)


@lru_cache(maxsize=16)
def _table_of(key: str) -> list[int]:
    return [int(colour) for colour in lookup_table(key)]
