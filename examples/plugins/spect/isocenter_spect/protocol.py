"""Protocol of SPECT: effects in the model, grid, and what a run needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import GeometryError
from engine.core.settings import Settings, setting
from engine.corrections.base import Correction
from engine.data.input_role import InputRole
from engine.geometry.grid import ImageGrid, Point
from engine.io.safety.budget import free_memory
from engine.modalities.requirements import BASE_BYTES, KERNELS_S, START_S, Requirements
from engine.protocols.study.choices import ChoiceGroup, CountsAlgorithm
from engine.protocols.study.fields import Finishing, Name, Voxel, shape_for
from engine.protocols.study.protocol import GridSettings, Protocol
from engine.recon.algorithms import ALGORITHMS
from engine.recon.postprocess import Gaussian
from isocenter_spect.camera import PHOTON_MAP, Pinholes
from isocenter_spect.scan import SpectScan

MAX_EDGE = 1000
NO_MAP = "there is no attenuation map; load one"
ALL_SEEN = "if empty, as wide as the image"
EMITTED = "at 1, a value is the number of photons that a voxel emits during one view"
IMAGES, SCANS = 10, 6
"""Float32 images and scans in memory at the same time."""
POINT_BYTES, TABLE_BYTES = 3 * 8 + 8 + 4, 64 * 2**20
IMAGES_PER_SECOND = 8e6
"""Images of points that one thread projects or back projects."""


class CollimatorResolution(Correction[SpectScan]):
    """Resolution of collimator and crystal, which depends on the distance."""

    title: ClassVar[str] = "Resolution"
    kind: ClassVar[str] = "collimator_resolution"
    since: ClassVar[int | None] = 1
    n_sigmas: float = setting(
        2.0, "Half width of the crystal's Gaussian in σ", label="Half width", ge=1, le=5
    )

    def obstacle(self, scan: SpectScan) -> str | None:
        return None

    def apply(self, scan: SpectScan, *, on: Backend) -> SpectScan:
        return replace(scan, effects=(*scan.effects, self.kind))

    def summary(self, before: SpectScan, after: SpectScan) -> str:
        return "in the model, for each distance from the collimator"


class PhotonAttenuation(Correction[SpectScan]):
    """Attenuation of single photons between their voxel and the collimator."""

    title: ClassVar[str] = "Attenuation"
    kind: ClassVar[str] = "photon_attenuation"
    since: ClassVar[int | None] = 1
    inputs: ClassVar[tuple[InputRole, ...]] = (PHOTON_MAP,)

    def obstacle(self, scan: Any) -> str | None:
        return None if scan.mu_map is not None else NO_MAP

    def apply(self, scan: SpectScan, *, on: Backend) -> SpectScan:
        return replace(scan, effects=(*scan.effects, self.kind))

    def summary(self, before: SpectScan, after: SpectScan) -> str:
        peak = 0.0 if after.mu_map is None else float(after.mu_map.values.max())
        return f"in the model, with μ up to {peak:.4f} 1/mm"


LEDGER = (CollimatorResolution, PhotonAttenuation)


class SpectCorrections(ChoiceGroup):
    """Effects in the model."""

    kinds = LEDGER
    collimator_resolution: CollimatorResolution = CollimatorResolution()
    photon_attenuation: PhotonAttenuation = PhotonAttenuation()


class SpectGrid(GridSettings):
    """Image grid, centred on the axis of rotation. Empty values follow from the camera."""

    voxel_mm: Voxel | None = setting(
        None, "Edge lengths x, y, z; if empty, pixels on the axis", label="Voxel size", unit="mm"
    )
    diameter_mm: float | None = setting(
        None, "Transaxial field of view", label="Diameter", unit="mm", gt=0, le=2000
    )
    length_mm: float | None = setting(
        None, "Axial field of view", label="Length", unit="mm", gt=0, le=2000
    )

    def grid_for(self, usual: tuple[Point, Point]) -> ImageGrid:
        """Return the grid; `usual` has voxel and size for empty values."""
        (x, y, z), voxel = usual[1], self.voxel_mm or usual[0]
        size = (self.diameter_mm or x, self.diameter_mm or y, self.length_mm or z)
        return ImageGrid(shape_for(size, voxel, most=MAX_EDGE), voxel)


class ParallelHoles(Settings):
    """Collimator with parallel holes. Pinholes come from their file."""

    hole_mm: float = setting(1.11, "Diameter of a hole", label="Hole", unit="mm", gt=0, le=20)
    length_mm: float = setting(24.05, "Length of a hole", label="Length", unit="mm", gt=0, le=200)
    wall_mm: float = setting(0.16, "Wall between holes", label="Wall", unit="mm", ge=0, le=20)
    gap_mm: float = setting(
        5.0, "Distance from the holes to the middle of the crystal", label="Gap", unit="mm", ge=0
    )
    crystal_mm: float = setting(
        3.8, "Resolution of the crystal (FWHM)", label="Crystal resolution", unit="mm", ge=0, le=50
    )

    def describe(self) -> str:
        """Return the holes as text."""
        return f"parallel holes of {self.hole_mm:g} mm, {self.length_mm:g} mm long"


class SpectProtocol(Protocol):
    """Protocol of SPECT."""

    modality: Literal["spect"] = "spect"
    name: Name = "Standard SPECT"
    grid: SpectGrid = SpectGrid()
    parallel: ParallelHoles = ParallelHoles()
    radius_mm: float | None = setting(
        None, f"Radius of the object; {ALL_SEEN}", label="Object radius", unit="mm", gt=0, le=1000
    )
    corrections: SpectCorrections = SpectCorrections()
    algorithm: CountsAlgorithm = ALGORITHMS[0]()
    finishing: Finishing = (Gaussian(),)
    factor: float = setting(1.0, f"Factor of the image; {EMITTED}", label="Calibration", gt=0)
    unit: str = setting("photons/view", "Unit with this factor", label="Unit", max_length=40)

    def usual(
        self, pixel_mm: float, shape: tuple[int, ...], holes: Pinholes | None, radius_mm: float
    ) -> tuple[Point, Point]:
        """Return voxel and size for empty values of the grid, in mm.

        `shape` is that of the counts, and `radius_mm` the least distance of the camera from the
        axis.
        """
        if holes is None:
            edge, most = pixel_mm, 2 * radius_mm
        else:
            edge = pixel_mm * holes.radius_mm / max(radius_mm - holes.radius_mm, pixel_mm)
            most = 1.4 * holes.radius_mm
        width = min(edge * shape[2], most)
        return (edge, edge, edge), (width, width, edge * shape[1])

    def inside(self, grid: ImageGrid, nearest_mm: float) -> NDArray[np.bool_]:
        """Return the voxels (n_z, n_y, n_x) that may contain activity.

        `nearest_mm` is the least distance of a hole or of the collimator from the axis.
        """
        radius = self.radius_mm or min(min(grid.size_mm[:2]) / 2, nearest_mm - max(grid.voxel_mm))
        if not 0 < radius < nearest_mm:
            raise GeometryError(
                f"the object has the radius {radius:g} mm, but the collimator is {nearest_mm:g} mm "
                "from the axis; choose a smaller radius_mm."
            )
        x, y = grid.centres_mm(0), grid.centres_mm(1)[:, None]
        return np.broadcast_to(x * x + y * y <= radius * radius, grid.shape)


def estimate(
    protocol: SpectProtocol, grid: ImageGrid, shape: tuple[int, int, int], left: float = 1.0
) -> Requirements:
    """Return memory and time; `shape` is that of the counts, `left` the part that remains."""
    n_counts, n_voxels = shape[0] * shape[1] * shape[2], grid.n_voxels
    memory = BASE_BYTES + TABLE_BYTES + POINT_BYTES * n_voxels
    memory += 4 * (IMAGES * n_voxels + SCANS * n_counts)
    pass_s = shape[0] * n_voxels / IMAGES_PER_SECOND
    if protocol.corrections.of(PhotonAttenuation).use != "off":
        memory += 4 * shape[0] * n_voxels
    stages = {"start": START_S, "kernels": KERNELS_S, "sensitivity": 2 * pass_s}
    stages["reconstruct"] = left * 2 * protocol.algorithm.n_iterations * pass_s
    return Requirements(memory, free_memory(), stages)
