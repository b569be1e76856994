"""Protocol of X-ray CT: grid, preprocessing, algorithm and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.settings import setting
from engine.corrections.preprocess import Hounsfield
from engine.geometry.bounds import MARGIN
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.xray import Beam, XrayGeometry
from engine.protocols.study.choices import LinearAlgorithm, Steps
from engine.protocols.study.fields import FineVoxel, Name, shape_for
from engine.protocols.study.protocol import GridSettings, Protocol
from engine.recon.algorithms import LINEAR_ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.protocols.study.fields import Table
    from engine.protocols.study.stored_protocol import SavedAs
    from engine.recon.postprocess import Filter


MAX_GRID_EDGE = 4096


class CtGrid(GridSettings):
    """Image grid. Empty values follow from detector and magnification."""

    voxel_mm: FineVoxel | None = setting(
        None,
        "Edge lengths x, y, z; if empty, the detector pixel size projected onto the axis",
        label="Voxel size",
        unit="mm",
    )
    diameter_mm: float | None = setting(
        None,
        "Width of the volume; if empty, the whole field of view",
        label="Diameter",
        unit="mm",
        gt=0,
    )
    length_mm: float | None = setting(
        None,
        "Height of the volume; if empty, the whole field of view",
        label="Length",
        unit="mm",
        gt=0,
    )
    centre_mm: Point | None = setting(
        None, "Centre x, y, z; if empty, on the axis", label="Centre", unit="mm", expert=True
    )

    def grid_for(self, geometry: XrayGeometry) -> ImageGrid:
        """Return the grid of this choice for a scan.

        Parameters
        ----------
        geometry
            geometry after the steps
        """
        wide, high = (
            size / float(geometry.magnification.mean()) for size in geometry.pixel_size_mm
        )
        # The pixel size at the axis: finer voxels add no information.
        voxel = self.voxel_mm or (wide, wide, high)
        diameter = self.diameter_mm or 2 * seen_radius_mm(geometry)
        # A helix covers a longer volume; smaller changes of height are mechanical vibration.
        climb = float(np.ptp(_heights_mm(geometry)))
        length = self.length_mm or geometry.shape[0] * high + (climb if climb > voxel[2] else 0.0)
        edges = (diameter, diameter, length)
        shape = shape_for(edges, voxel, most=MAX_GRID_EDGE)
        return ImageGrid(shape, voxel, self.centre_mm or _centre_mm(geometry))


def seen_radius_mm(geometry: XrayGeometry) -> float:
    """Return the radius about the axis within which some ray of each turn passes [mm]."""
    wide = geometry.pixel_size_mm[0]
    axis = geometry.axis_column
    last = geometry.shape[1] - 0.5
    # The far edge of the detector counts: in a full turn it also covers the other side.
    half_mm = wide * float(np.maximum(axis + 0.5, last - axis).max())
    if geometry.beam == "parallel":
        return half_mm
    fan = np.arctan2(half_mm, geometry.source_detector_mm)
    # The outermost ray of a fan touches a circle of this radius.
    return float((geometry.source_axis_mm * np.sin(fan)).mean())


def _centre_mm(geometry: XrayGeometry) -> Point:
    """Return the point on the axis at the mean height that the middle of the detector sees."""
    return 0.0, 0.0, float(_heights_mm(geometry).mean())


def _heights_mm(geometry: XrayGeometry) -> NDArray[np.float64]:
    """Return the height on the axis that the middle of the detector sees, (n_views,) [mm]."""
    detector = geometry.detector_mm[:, 2]
    if geometry.beam == "parallel":
        return detector
    source = geometry.source_mm[:, 2]
    return np.asarray(source + (detector - source) / geometry.magnification)


class CtProtocol(Protocol):
    """Protocol for X-ray projections.

    Examples
    --------
    >>> import engine
    >>> engine.CtProtocol(algorithm={"kind": "sirt", "iterations": 5, "subsets": 1}).algorithm.title
    'SIRT'
    """

    modality: Literal["ct"] = "ct"
    name: Name = "Standard CT"
    beam: Beam | None = setting(None, "Required beam geometry; None: any geometry", label="Beam")
    grid: CtGrid = CtGrid()
    steps: Steps = Steps()
    algorithm: LinearAlgorithm = LINEAR_ALGORITHMS[0]()
    adjoint: Literal["matched", "voxel"] = setting(
        "matched",
        "Back projection in iterative algorithms: the exact transpose, or a faster approximation",
        label="Back projection",
        expert=True,
    )
    hounsfield: Hounsfield | None = setting(
        None, "Convert the image from 1/mm to CT numbers", label="CT numbers (HU)"
    )

    if TYPE_CHECKING:  # the constructor converts tables and lists of settings

        def __init__(
            self,
            *,
            modality: Literal["ct"] = ...,
            name: str = ...,
            version: int = ...,
            beam: Beam | None = ...,
            grid: CtGrid | Table = ...,
            steps: Steps | Table = ...,
            algorithm: LinearAlgorithm | Table = ...,
            adjoint: Literal["matched", "voxel"] = ...,
            hounsfield: Hounsfield | Table | None = ...,
            between: Sequence[Filter | Table] = ...,
            finishing: Sequence[Filter | Table] = ...,
            saved: SavedAs | Table | None = ...,
        ) -> None: ...

    def unused_fields(self) -> frozenset[str]:
        if not self.algorithm.direct:
            return frozenset()
        # Filters that are set stay visible, so that they can be removed.
        return frozenset({"adjoint"} if self.between else {"adjoint", "between"})

    def misfit(self, geometry: XrayGeometry) -> str:
        """Return why the protocol does not match a scan; empty if it does.

        Parameters
        ----------
        geometry
            geometry of the scan

        Returns
        -------
        misfit
            a sentence about the type of beam, or about an image wider than the detector covers
        """
        if self.beam not in (None, geometry.beam):
            return (
                f"The protocol is for {self.beam} beams, but the scan has a {geometry.beam} beam."
            )
        seen_mm = 2 * seen_radius_mm(geometry)
        wide_mm = max(self.grid.grid_for(geometry).size_mm[:2])
        if wide_mm > (1 + MARGIN) * seen_mm:
            return (
                f"The protocol does not fit the scan: the image is {wide_mm:.4g} mm "
                f"wide, but the detector covers {seen_mm:.4g} mm."
            )
        return ""
