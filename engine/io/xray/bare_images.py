"""Images without scan information: TIFF and ESRF data files."""

from __future__ import annotations

import re

from engine.core.arrays import Array
from engine.io.safety.open_input import InputFile
from engine.io.xray.esrf.edf import is_edf, read_edf
from engine.io.xray.tiff import tiff_of

IMAGE_ENDINGS = (".tif", ".tiff", ".edf")
NUMBERED_EDF = re.compile(r"^(?P<prefix>.*?)(?P<number>\d+)\.edf$", re.IGNORECASE)


def image_of(file: InputFile) -> Array:
    """Return a grey image.

    Parameters
    ----------
    file
        ESRF data file (.edf) or TIFF

    Returns
    -------
    image
        (rows, columns), or (pages, rows, columns) for a TIFF with several pages
    """
    return read_edf(file)[0] if is_edf(file) else tiff_of(file)
