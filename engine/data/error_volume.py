"""The error of an image as an image of its own: for viewers and for other programs.

standard deviation σ,   relative error 100 σ / |x| [%] where |x| is large enough
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.data.error_map import ErrorMap
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
    # Short, because a NIfTI header has 80 characters.
    of = "" if volume.error.method == "bootstrap" else "Hessian "
    text = f"standard deviation from {volume.error.n} {of}replicates"
    info = {**volume.info, QUANTITY: text}
    return replace(volume, values=volume.error.standard_deviation, info=info)


def relative_deviations_of(volume: Volume, min_value: float) -> Volume:
    """Return the standard deviation of each voxel relative to its value, in %.

    Parameters
    ----------
    volume
        image with an error map
    min_value
        absolute value of the image from which a ratio is meaningful, in the unit of the image

    Returns
    -------
    volume with the unit "%"; NaN where the absolute value is below `min_value` or is 0, and where
    replicates do not vary

    Raises
    ------
    ValueError
        if the image has no error map
    """
    found, size = deviations_of(volume), np.abs(volume.values)
    is_usable = (size >= min_value) & (size > 0) & (found.values > 0)
    percent = np.full(size.shape, np.nan, np.float32)
    np.divide(100 * found.values, size, out=percent, where=is_usable)
    info = {**found.info, QUANTITY: f"relative {found.info[QUANTITY]}"}
    return replace(found, values=percent, unit="%", info=info)


def are_paired(one: ErrorMap, other: ErrorMap) -> bool:
    """Return True if two error maps have the same replicates of the same counts.

    Images of one scan can have different counts, for example after a cut in time. A random number
    then belongs to another event in each of them.

    Parameters
    ----------
    one, other
        error maps of two images
    """
    has_same_counts = one.counts == other.counts != ""
    return has_same_counts and one.n == other.n and one.seed == other.seed


def paired_deviations_of(one: Volume, other: Volume) -> Volume:
    """Return the standard deviation of the difference of two images of one scan.

    The difference is formed in each replicate, so the noise that both images share cancels.

    Parameters
    ----------
    one, other
        images on the same grid, with the same replicates

    Raises
    ------
    ValueError
        if the grids or the replicates differ
    """
    a, b = one.error, other.error
    if a is None or b is None or not are_paired(a, b) or one.grid != other.grid:
        raise ValueError("the images need the same grid and the same replicates of one scan.")
    found = np.empty(a.scale.shape, np.float32)
    # By planes, because the deviations of all replicates would be four times as large.
    for z in range(len(found)):
        difference = a.deviations[:, z] * a.scale[z] - b.deviations[:, z] * b.scale[z]
        found[z] = difference.std(axis=0, ddof=1)
    text = f"standard deviation of a difference from {a.n} replicates"
    return replace(one, values=found, info={**one.info, QUANTITY: text})
