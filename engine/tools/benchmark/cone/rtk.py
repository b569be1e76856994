"""The same cases with RTK, the Reconstruction Toolkit, if installed (`itk-rtk`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid
from engine.geometry.rtk import to_rtk
from engine.geometry.xray import XrayGeometry

NAME = "RTK"


def note() -> str:
    """Return the version of RTK, or that it is not installed."""
    if not is_there():
        return "RTK is not installed (itk-rtk)"
    return f"RTK {version('itk-rtk')}; its back projection has no distance weight"


def cases(
    geometry: XrayGeometry, grid: ImageGrid, volume: Array, scan: Array, threads: int
) -> dict[str, Callable[[], Array]]:
    """Return the cases under our names, with results in our order of axes.

    Parameters
    ----------
    geometry
        circular cone-beam scan
    grid
        grid of the volume
    volume
        (n_z, n_y, n_x), projected forward
    scan
        (n_views, n_rows, n_columns), projected back
    threads
        CPU threads

    Returns
    -------
    cases
        functions by name; empty without RTK
    """
    if not is_there():
        return {}
    # Imported here, since RTK is optional
    itk: Any = import_module("itk")
    rtk, image = itk.RTK, itk.Image[itk.F, 3]
    # For the whole process: RTK has no setting per filter
    itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(threads)
    orbit = _orbit(rtk, geometry)
    # RTK rotates about its y axis, so its y is our z
    solid = _image(itk, volume.transpose(1, 0, 2)[::-1], grid.voxel_mm)
    width, height = geometry.pixel_size_mm
    views = _image(itk, scan, (width, height, 1.0))

    def through(make: Callable[[], Any], zeros: Any, given: Any) -> Array:
        step = make()
        step.SetInput(0, zeros)
        step.SetInput(1, given)
        step.SetGeometry(orbit)
        step.Update()
        return np.asarray(itk.array_from_image(step.GetOutput()))

    def to_volume(make: Callable[[], Any]) -> Array:
        n_z, n_y, n_x = grid.shape
        # RTK adds to its first input, which therefore has to be zero
        zeros = _image(itk, np.zeros((n_y, n_z, n_x), np.float32), grid.voxel_mm)
        return through(make, zeros, views)[::-1].transpose(1, 0, 2)

    def to_views() -> Array:
        zeros = _image(itk, np.zeros(scan.shape, np.float32), (width, height, 1.0))
        return through(rtk.JosephForwardProjectionImageFilter[image, image].New, zeros, solid)

    return {
        "back projection": lambda: to_volume(rtk.BackProjectionImageFilter[image, image].New),
        "forward projection": to_views,
        "FDK": lambda: to_volume(rtk.FDKConeBeamReconstructionFilter[image].New),
    }


def is_there() -> bool:
    """Return True if RTK is installed."""
    try:
        version("itk-rtk")
    except PackageNotFoundError:
        return False
    return True


def _image(itk: Any, values: Array, step_mm: tuple[float, float, float]) -> Any:
    """Return an ITK image centred at 0; RTK's (x, y, z) is our (x, z, −y)."""
    image = itk.image_view_from_array(np.ascontiguousarray(values, np.float32))
    image.SetSpacing(list(step_mm))
    sizes = values.shape[::-1]
    image.SetOrigin([-(n - 1) / 2 * step for n, step in zip(sizes, step_mm, strict=True)])
    return image


def _orbit(rtk: Any, geometry: XrayGeometry) -> Any:
    orbit = rtk.ThreeDCircularProjectionGeometry.New()
    p = to_rtk(geometry)
    columns = (
        p.source_isocentre_mm,
        p.source_detector_mm,
        np.degrees(p.gantry_rad),
        *p.projection_offset_mm.T,
        # RTK's angles are in degrees
        np.degrees(p.out_of_plane_rad),
        np.degrees(p.in_plane_rad),
        *p.source_offset_mm.T,
    )
    # Nine numbers per view, in the order of `AddProjection`
    for view in zip(*columns, strict=True):
        orbit.AddProjection(*map(float, view))
    return orbit
