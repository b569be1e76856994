"""The same slices with the CPU code of ASTRA, if installed (`astra-toolbox`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

import numpy as np

from engine.core.arrays import Array


def build() -> str | None:
    """Return the version of ASTRA, None if it is not installed."""
    try:
        return f"astra-toolbox {version('astra-toolbox')}, as distributed"
    except PackageNotFoundError:
        return None


def filtered_back_projection(scan: Array, angles_rad: Array, size: int) -> Callable[[], Array]:
    """Return a function that reconstructs slices from parallel beams with pixels of width 1.

    Parameters
    ----------
    scan
        (n_views, n_slices, n_columns) line integrals, in units of the pixel width
    angles_rad
        (n_views,) angles of the source [rad]
    size
        edge of a slice

    Returns
    -------
    run
        returns (n_slices, size, size)
    """
    astra = import_module("astra")
    # ASTRA's rows count from the top, and its rays go along −y at angle 0
    angles = -(np.asarray(angles_rad) + np.pi / 2)
    beams = astra.create_proj_geom("parallel", 1.0, scan.shape[2], angles)
    slices = astra.create_vol_geom(size, size)

    def all_slices() -> Array:
        # Made in the run, as a user of ASTRA would, and shared by all slices
        projector = astra.create_projector("linear", beams, slices)
        made = [_one(astra, projector, beams, slices, each) for each in scan.transpose(1, 0, 2)]
        astra.projector.delete(projector)
        return np.stack(made)

    return all_slices


def _one(
    astra: ModuleType, projector: int, beams: object, slices: object, sinogram: Array
) -> Array:
    given = astra.data2d.create("-sino", beams, np.ascontiguousarray(sinogram))
    # ASTRA stores arrays outside of Python: they have to be deleted by number
    found = astra.data2d.create("-vol", slices)
    settings = astra.astra_dict("FBP")
    settings |= {"ProjectorId": projector, "ProjectionDataId": given}
    settings |= {"ReconstructionDataId": found, "option": {"FilterType": "ram-lak"}}
    # One algorithm per slice, since it is bound to its arrays
    algorithm = astra.algorithm.create(settings)
    astra.algorithm.run(algorithm)
    image: Array = astra.data2d.get(found)
    astra.algorithm.delete(algorithm)
    astra.data2d.delete([given, found])
    return image
