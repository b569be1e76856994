"""Name the format of an unsupported file: the first known format that matches its content."""

from __future__ import annotations

from engine.io.recogniser.emission import EMISSION
from engine.io.recogniser.known_format import KnownFormat
from engine.io.recogniser.packed import PACKED
from engine.io.recogniser.trees import TREES
from engine.io.recogniser.volumes import VOLUMES
from engine.io.recogniser.xray import XRAY
from engine.io.safety.open_input import InputFile

# The order decides: a CASToR scanner is also a text, a MATLAB 7.3 file is also HDF5.
KNOWN: tuple[KnownFormat, ...] = (*TREES, *EMISSION, *XRAY, *VOLUMES, *PACKED)
"""Known formats, the most specific first."""


def recognised(file: InputFile) -> KnownFormat | None:
    """Return the format of a file that no reader accepts.

    Parameters
    ----------
    file
        an open file

    Returns
    -------
    format
        None if the format is unknown
    """
    return next((known for known in KNOWN if known.tell(file)), None)
