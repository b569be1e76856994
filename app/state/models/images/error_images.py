"""Images of the error of a volume: standard deviation and relative error, computed once each."""

from __future__ import annotations

import weakref
from dataclasses import replace
from threading import Lock

import numpy as np

from app.language.translation import tr
from app.views.volume_facts import min_value
from engine.data import Volume, deviations_of, relative_deviations_of

SPREAD, RELATIVE = "error:sd", "error:relative"
"""Keys of the error of the volume that is shown, as keys of open volumes."""
NAMES = {SPREAD: tr("Error (standard deviation)"), RELATIVE: tr("Relative error")}
_CACHE: dict[tuple[int, str], Volume] = {}
_LOCK = Lock()


def has_error(volume: Volume | None) -> bool:
    """Return True if a volume has an error map."""
    return volume is not None and volume.error is not None


def is_computed(volume: Volume, key: str) -> bool:
    """Return True if an image of the error is cached.

    Parameters
    ----------
    volume
        the volume
    key
        `SPREAD` or `RELATIVE`
    """
    return (id(volume), key) in _CACHE


def error_image(volume: Volume, key: str) -> Volume:
    """Return an image of the error of a volume. It is cached as long as the volume exists.

    Parameters
    ----------
    volume
        volume with an error map
    key
        `SPREAD` or `RELATIVE`
    """
    at = id(volume), key
    found = _CACHE.get(at)
    if found is not None:
        return found
    # Without the lock: the window must not wait for a thread that prepares another frame.
    if key == SPREAD:
        found = deviations_of(volume)
        # Equal replicates do not show the error: the Hessian leaves out voxels near 0.
        values = np.where(found.values > 0, found.values, np.float32(np.nan))
        found = replace(found, values=values)
    else:
        found = relative_deviations_of(volume, min_value(volume))
    with _LOCK:
        if at not in _CACHE:
            _CACHE[at] = found
            # Keys contain object IDs, which Python reuses after the object is deleted.
            weakref.finalize(volume, _CACHE.pop, at, None)
        return _CACHE[at]
