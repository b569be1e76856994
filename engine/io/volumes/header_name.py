"""Name of an image in the text of a header: its quantity, and the claim of the program."""

from __future__ import annotations

from engine.data.volume import Volume

CLAIM = "Isocenter, not for clinical use"


def named(volume: Volume) -> str:
    """Return the name of an image for a header.

    Parameters
    ----------
    volume
        image; an image of errors is named by its quantity, so that it is not taken for activity
    """
    return f"{volume.quantity}; {CLAIM}" if volume.quantity else CLAIM
