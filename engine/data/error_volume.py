"""The standard deviation of an image as an image of its own, for other programs."""

from __future__ import annotations

from dataclasses import replace

from engine.data.volume import QUANTITY, Volume


def deviations_of(volume: Volume) -> Volume:
    """Return the standard deviation of each voxel as a volume in the unit of the image.

    Parameters
    ----------
    volume
        image with an error map

    Raises
    ------
    ValueError
        if the image has no error map
    """
    if volume.error is None:
        raise ValueError("the image has no error map; reconstruct it with error_replicates.")
    text = f"standard deviation from {volume.error.n} replicates"
    info = {**volume.info, QUANTITY: text}
    return replace(volume, values=volume.error.standard_deviation, info=info)
