"""Slices of volumes. Sagittal ones are read eight at a time, without Qt.

Neighbours along x are next to each other in memory. The voxels of a sagittal slice are not. Each
read fetches sixteen neighbours from memory, so eight slices cost little more than one.
"""

from __future__ import annotations

import weakref
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from engine.data import Volume
from engine.geometry import Orientation

Values = NDArray[np.float32]
N_READ = 8
"""Number of sagittal slices that are read at once."""
KEPT = 2
"""Number of groups of slices in memory for each volume."""
_Groups = dict[int, Values]
_KEPT: dict[int, _Groups] = {}
_LOCK = Lock()


def slice_of(volume: Volume, orientation: Orientation, index: int) -> Values:
    """Return a slice as it is displayed.

    Parameters
    ----------
    volume
        the volume; its values do not change
    orientation
        the plane
    index
        slice along the normal axis

    Returns
    -------
    (rows, columns), a copy
    """
    if orientation.normal != 0:
        return orientation.extract(volume.values, index)
    return orientation.place(_sagittal(volume, index))


def _sagittal(volume: Volume, index: int) -> Values:
    """Return the slice (n_z, n_y) across x."""
    with _LOCK:
        key, group = id(volume), index // N_READ
        if key not in _KEPT:
            _KEPT[key] = {}
            # Keys are object IDs, which Python reuses after the object is deleted.
            weakref.finalize(volume, _KEPT.pop, key, None)
        groups = _KEPT[key]
        # Removed and inserted again, so that the dictionary is in order of use.
        found = groups.pop(group, None)
        if found is None:
            found = _read(volume.values, group * N_READ)
        while len(groups) >= KEPT:
            groups.pop(next(iter(groups)))
        groups[group] = found
        return np.asarray(found[index - group * N_READ])


def _read(values: Values, first: int) -> Values:
    """Return at most `N_READ` slices across x, (n, n_z, n_y)."""
    part = values[:, :, first : first + N_READ]
    n_z, n_y, n = part.shape
    read = np.empty((n, n_z, n_y), values.dtype)
    # Row by row: numpy would read the whole volume once for each slice.
    for z in range(n_z):
        read[:, z] = part[z].T
    return read
