"""Small data for the programs: a ring, two panels of rays, and a cylinder in a cone beam."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import isocenter as iso
from tests.libraries.environment import NOT_INSTALLED
from tests.programs import programs

RING = iso.RingScanner(
    iso.RingSettings(
        name="Small ring",
        n_rings=3,
        n_crystals_per_ring=48,
        radius_mm=60,
        ring_pitch_mm=6,
        max_ring_difference=2,
        n_tangential=33,
        fov_mm=(60, 18),
        voxel_mm=(4, 4, 6),
    )
)
GRID = iso.ImageGrid(shape=(3, 15, 15), voxel_mm=(4.0, 4.0, 6.0))
ANGLES = np.linspace(0, 2 * np.pi, 36, endpoint=False)
CYLINDER = iso.phantoms.uniform_cylinder(diameter_mm=30, length_mm=40)
MU = 0.0096
"""Attenuation of the cylinder, water at 60 keV [1/mm]."""


@cache
def cone() -> iso.Projections:
    orbit = iso.circular_cone(
        ANGLES, source_axis_mm=300, source_detector_mm=450, shape=(6, 64), pixel_mm=1.25
    )
    return iso.simulate_integrals(CYLINDER, orbit)


@cache
def events() -> iso.ListMode:
    """Return events of a point source at (12, -8, 0) mm, without randoms."""
    source = iso.phantoms.point(12.0, -8.0, 0.0)
    return iso.simulate_listmode(
        source, RING, n_prompts=3000, seed=2, randoms_fraction=0, attenuation=False
    )


@cache
def operator() -> iso.LinearOperator:
    grid = iso.ImageGrid(shape=(4, 12, 12), voxel_mm=(3.0, 3.0, 3.0))
    return iso.XrayTransform(cone().geometry, grid, on=iso.cpu(1))


def image() -> Any:
    """Return a block of activity on the grid of the operator."""
    x = np.zeros(operator().in_shape, np.float32)
    x[1:3, 3:8, 4:9] = 1.0
    return x


@cache
def volume() -> iso.Volume:
    return iso.Volume(image(), operator().grid, "1/mm")  # type: ignore[attr-defined]


def astra_vectors() -> Any:
    return iso.geometry.to_astra_vectors(cone().geometry)


def scans() -> list[iso.Projections]:
    doubled = iso.Projections(2 * np.asarray(cone().values), cone().geometry)
    return [iso.Projections(cone().values, cone().geometry), doubled]


def tof_rays() -> tuple[Any, Any, Any]:
    """Return one line through the block, once for each of nine TOF bins."""
    ends_mm = np.array([[-60.0, -1.0, 1.0], [60.0, 2.0, -1.0]])
    bins = np.arange(9, dtype=np.int16)
    return ends_mm, np.tile(np.array([[0, 1]], np.int32), (9, 1)), bins


class Container:
    """A container with the methods of SIRF's, because SIRF must be built from source."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def as_array(self) -> Any:
        return self.values.copy()

    def fill(self, values: Any) -> Container:
        self.values[...] = values
        return self

    def clone(self) -> Container:
        return Container(self.values.copy())


def geometries_of_cil() -> tuple[Any, Any]:
    """Return the geometries of images and projections that have the shapes of the operator."""
    from cil.framework import AcquisitionGeometry, ImageGeometry

    (n_z, n_y, n_x), (_, n_rows, n_columns) = operator().in_shape, operator().out_shape
    images = ImageGeometry(n_x, n_y, n_z, 3.0, 3.0, 3.0)
    orbit = AcquisitionGeometry.create_Cone3D((0, -300, 0), (0, 150, 0))
    orbit.set_angles(np.rad2deg(ANGLES)).set_panel((n_columns, n_rows), (1.25, 1.25))
    return images, orbit.set_labels(("angle", "vertical", "horizontal"))


NEEDS = {
    "layer_of_torch": ("torch",),
    "batch_by_dask": ("dask",),
    "figure_of_a_volume": ("matplotlib",),
    "volume_in_xarray": ("xarray",),
    "cgls_of_cil": ("cil",),
}
"""Libraries of each program."""


def missing(name: str) -> str:
    """Return the reason why a program cannot run here, or ""."""
    lost = [each for each in NEEDS.get(name, ()) if find_spec(each) is None]
    if "torch" in lost:
        return NOT_INSTALLED
    return f"{', '.join(lost)} is not installed" if lost else ""


def calls(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return each program with its data; `folder` contains the file scan.h5."""
    A = operator()
    return {
        "mlem_of_own_events": lambda: programs.mlem_of_own_events(RING, events().crystals, GRID),
        "tof_projector": lambda: programs.tof_projector(*tof_rays(), volume()),
        "fdk_of_an_array": lambda: programs.fdk_of_an_array(cone().values, ANGLES),
        "scan_to_numpy": lambda: programs.scan_to_numpy(folder / "scan.h5"),
        "arrays_of_another_library": lambda: programs.arrays_of_another_library(A, image()),
        "layer_of_torch": lambda: programs.layer_of_torch(A, *tensors()),
        "poisson_likelihood_by_scipy": lambda: programs.poisson_likelihood_by_scipy(
            A, A @ image() + 0.5, 0.5
        ),
        "sirt_on_own_orbit": lambda: programs.sirt_on_own_orbit(astra_vectors(), cone().values),
        "batch_in_threads": lambda: programs.batch_in_threads(scans(), A, [image(), 2 * image()]),
        "batch_in_processes": lambda: programs.batch_in_processes(scans()[:1], A, [image()]),
        "batch_by_dask": lambda: programs.batch_by_dask(scans()),
        "figure_of_a_volume": lambda: programs.figure_of_a_volume(volume()),
        "volume_in_xarray": lambda: programs.volume_in_xarray(volume()),
        "cgls_of_cil": lambda: programs.cgls_of_cil(A, *geometries_of_cil(), A @ image()),
        "model_of_sirf": lambda: programs.model_of_sirf(
            A, Container(image()), Container(np.zeros(A.out_shape, np.float32))
        ),
    }


def tensors() -> tuple[Any, Any]:
    """Return measured values of the block, and an empty image for the gradient."""
    import torch

    A = operator()
    return torch.tensor(A @ image()), torch.zeros(A.in_shape, requires_grad=True)
