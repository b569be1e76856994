"""Compile the kernels of X-ray CT before a run needs them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.modalities.kernel_steps import Steps

if TYPE_CHECKING:
    from engine.operators.xray.transform import XrayTransform
    from engine.recon.filtering.settings import FilterSettings

TALL, FLAT = (ImageGrid((n, 4, 4), (2.0, 2.0, 2.0)) for n in (16, 1))
TILT = 0.1


def of_projections(A: XrayTransform, *, direct: bool) -> Steps:
    """Return calls that compile the kernels of a projector.

    Parameters
    ----------
    A
        projector of the run
    direct
        True for filtered back projection alone
    """
    if direct:
        return [partial(A.compile, "back_project")]
    return [partial(A.compile, "forward"), partial(A.compile, "adjoint")]


def of_rows(A: XrayTransform, settings: FilterSettings) -> Steps:
    """Return calls that compile the kernels of filtered back projection.

    Parameters
    ----------
    A
        projector of the run
    settings
        filter with its method
    """
    if settings.method != "direct":
        from engine.operators.xray.gridding import compile_kernels
        from engine.recon.filtering.gridding import is_gridded

        if is_gridded(settings, A.geometry, A.grid, A.on):
            return [compile_kernels]
    return of_projections(A, direct=True)


def of_any_projections(on: Backend) -> Steps:
    """Return calls that compile all X-ray kernels: upright and tilted detectors, single slices.

    Single slices include those that parallel rays see row by row. The search for the axis runs on
    the CPU for all devices.

    Parameters
    ----------
    on
        device
    """
    from engine.corrections.preprocess import axis_search, opposite_rays
    from engine.geometry.orbits import circular_cone, parallel
    from engine.operators.xray.gridding import compile_kernels
    from engine.operators.xray.transform import XrayTransform

    upright = circular_cone(
        np.arange(2.0), source_axis_mm=100, source_detector_mm=150, shape=(16, 16), pixel_mm=2
    )
    by_rows = parallel(np.arange(2.0), shape=(16, 16), pixel_mm=2)
    # Each scene selects a different kernel; their sizes do not matter.
    scenes = ((upright, TALL), (upright.rolled(TILT), TALL), (upright, FLAT), (by_rows, FLAT))
    tall, rolled, flat, rows = (XrayTransform(*scene, on=on) for scene in scenes)
    iterating = (step for A in (tall, rolled) for step in of_projections(A, direct=False))
    direct = (step for A in (tall, rolled, flat, rows) for step in of_projections(A, direct=True))
    gridding = [] if on.is_cuda else [compile_kernels]
    axis = [opposite_rays.compile_kernels, axis_search.compile_kernels]
    return [*iterating, *direct, *gridding, *axis]
