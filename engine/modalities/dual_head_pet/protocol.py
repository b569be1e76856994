"""Protocol of dual-head PET: image, corrections, response, algorithm and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import model_validator

from engine.core.errors import SettingsError
from engine.core.settings import setting
from engine.data.histogram import with_settings
from engine.geometry.dual_head import DualHead
from engine.geometry.grid import ImageGrid
from engine.modalities.dual_head_pet.layers import DepthLayers
from engine.modalities.dual_head_pet.prior import PriorSettings
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.dual_head_pet.support import Support
from engine.protocols.study.choices import CountsAlgorithm, HistogramCorrections
from engine.protocols.study.fields import (
    ErrorMethod,
    Name,
    Replicates,
    ReplicateSeed,
    Voxel,
    hessian_needs_map,
)
from engine.protocols.study.protocol import GridSettings, NewerSetting, Protocol
from engine.recon.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.protocols.study.fields import Table
    from engine.protocols.study.stored_protocol import SavedAs
    from engine.recon.postprocess import Filter


MAX_PER_PITCH = 16


class DualHeadGrid(GridSettings):
    """Image grid. Empty values follow from the scanner.

    The image always has the length and width of the panels, which preserves their symmetries.
    """

    voxel_mm: Voxel | None = setting(
        None,
        "Edge lengths x, y, z; x and z must be the crystal pitch divided by a whole number",
        label="Voxel size",
        unit="mm",
    )
    depth_mm: float | None = setting(
        None, "Image depth between the panels", label="Depth", unit="mm", gt=0, le=2000
    )

    def grid_for(self, scanner: DualHead) -> ImageGrid:
        """Return the grid of this choice for a scanner.

        Parameters
        ----------
        scanner
            panels
        """
        return self.scanner_for(scanner).grid

    def scanner_for(self, scanner: DualHead) -> DualHead:
        """Return the scanner with this image between its panels.

        Parameters
        ----------
        scanner
            panels

        Raises
        ------
        SettingsError
            if the voxels break the symmetry of the panels, or do not fit between them
        """
        # Most studies use the image of the scanner file, for which a stored matrix exists.
        if self.voxel_mm is None and self.depth_mm is None:
            return scanner
        s = scanner.settings
        x, y, z = self.voxel_mm or scanner.grid.voxel_mm
        # Tolerance: a pitch such as 2.2 mm cannot be divided exactly in binary.
        n = round(s.pitch_mm / x)
        if x != z or not 1 <= n <= MAX_PER_PITCH or abs(n * x - s.pitch_mm) > 1e-6 * s.pitch_mm:
            raise SettingsError(
                f"grid: voxels of {x:g} mm along x and {z:g} mm along z do not match the crystal "
                f"pitch of {s.pitch_mm:g} mm; set both to the pitch divided by the same whole "
                f"number from 1 to {MAX_PER_PITCH}."
            )
        depth_mm = self.depth_mm or s.n_planes * s.plane_mm
        # Only whole planes within the depth; a partial plane would be outside.
        n_planes = max(1, int(depth_mm / y + 1e-6))
        if n_planes * y > s.separation_mm * (1 + 1e-9):
            raise SettingsError(
                f"grid: {n_planes} planes of {y:g} mm do not fit between the panels, which are "
                f"{s.separation_mm:g} mm apart; choose a smaller depth or thinner planes."
            )
        return with_settings(scanner, voxels_per_pitch=n, n_planes=n_planes, plane_mm=y)


class DualHeadProtocol(Protocol):
    """Protocol for histograms of a dual-head scanner.

    Examples
    --------
    >>> import engine
    >>> protocol = engine.DualHeadProtocol(algorithm={"kind": "mlem", "iterations": 10})
    >>> protocol.grid.grid_for(engine.read_scanner("test-panels")).shape
    (24, 11, 16)
    """

    # Protocols of version 3 and earlier keep their response, support and layers.
    younger: ClassVar[tuple[NewerSetting, ...]] = (
        NewerSetting(4, "response.scatter", before=False),
        NewerSetting(4, "support.kind", before="everywhere"),
        NewerSetting(4, "layers.use", before="together"),
    )
    modality: Literal["dual-head"] = "dual-head"
    name: Name = "Standard dual-head"
    grid: DualHeadGrid = DualHeadGrid()
    corrections: HistogramCorrections = HistogramCorrections()
    layers: DepthLayers = DepthLayers()
    response: AnalyticResponse = AnalyticResponse()
    support: Support = Support()
    algorithm: CountsAlgorithm = ALGORITHMS[0]()
    prior: PriorSettings = PriorSettings()
    error_replicates: Replicates = None
    error_method: ErrorMethod = "bootstrap"
    error_seed: ReplicateSeed = None
    if TYPE_CHECKING:  # the constructor converts tables and lists of settings

        def __init__(
            self,
            *,
            modality: Literal["dual-head"] = ...,
            name: str = ...,
            version: int = ...,
            grid: DualHeadGrid | Table = ...,
            corrections: HistogramCorrections | Table = ...,
            layers: DepthLayers | Table = ...,
            response: AnalyticResponse | Table = ...,
            support: Support | Table = ...,
            algorithm: CountsAlgorithm | Table = ...,
            prior: PriorSettings | Table = ...,
            error_replicates: int | None = ...,
            error_method: ErrorMethod = ...,
            error_seed: int | None = ...,
            between: Sequence[Filter | Table] = ...,
            finishing: Sequence[Filter | Table] = ...,
            saved: SavedAs | Table | None = ...,
        ) -> None: ...

    _hessian_needs_map = model_validator(mode="after")(hessian_needs_map)

    @model_validator(mode="after")
    # A rule of two fields, which the check of one field cannot contain.
    def _has_one_prior(self) -> Self:
        if self.prior.strength and self.algorithm.is_penalised:
            raise ValueError(
                f"prior.strength is {self.prior.strength:g}, but {self.algorithm.title} already "
                "has a prior; set prior.strength to 0, or choose OSEM"
            )
        return self
