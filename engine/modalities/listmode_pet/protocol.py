"""Protocol of list-mode PET: grid, corrections, algorithm and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import AfterValidator, model_validator

from engine.core.settings import Settings, setting
from engine.data.timing.frame_request import FrameRequest
from engine.geometry.bounds import outside_bore
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.scanner import Scanner
from engine.protocols.study.choices import Corrections, CountsAlgorithm
from engine.protocols.study.fields import (
    ErrorMethod,
    Finishing,
    Name,
    Replicates,
    ReplicateSeed,
    Voxel,
    hessian_needs_map,
    shape_for,
)
from engine.protocols.study.protocol import GridSettings, NewerSetting, Protocol
from engine.recon.algorithms import ALGORITHMS
from engine.recon.postprocess import Gaussian

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.protocols.study.fields import Table
    from engine.protocols.study.stored_protocol import SavedAs
    from engine.recon.postprocess import Filter


MAX_GRID_EDGE = 2000


def _readable(text: str) -> str:
    # Checked when the protocol is read, so that the message appears in the form.
    FrameRequest.of(text)
    return text


Frames = Annotated[str, AfterValidator(_readable)]


class ListModeGrid(GridSettings):
    """Image grid. Empty values follow from the scanner."""

    voxel_mm: Voxel | None = setting(
        None,
        "Edge lengths x, y, z; if empty, the default for the scanner",
        label="Voxel size",
        unit="mm",
    )
    diameter_mm: float | None = setting(
        None, "Transaxial field of view", label="Diameter", unit="mm", gt=0, le=2000
    )
    length_mm: float | None = setting(
        None, "Axial field of view", label="Length", unit="mm", gt=0, le=5000
    )
    centre_mm: Point = setting((0.0, 0.0, 0.0), "Centre x, y, z", label="Centre", unit="mm")

    def grid_for(self, scanner: Scanner) -> ImageGrid:
        """Return the grid of this choice for a scanner.

        Parameters
        ----------
        scanner
            scanner with its default voxel and size
        """
        voxel = self.voxel_mm or scanner.default_voxel_mm
        x, y, z = scanner.default_size_mm
        edges = (self.diameter_mm or x, self.diameter_mm or y, self.length_mm or z)
        shape = shape_for(edges, voxel, most=MAX_GRID_EDGE)
        return ImageGrid(shape, voxel, self.centre_mm)

    def misfit(self, scanner: Scanner) -> str:
        """Return why the image does not fit a scanner; empty if it does.

        Parameters
        ----------
        scanner
            scanner with its bore
        """
        # Voxels outside the bore are seen by no line and would stay at 0.
        why = outside_bore(self.grid_for(scanner), scanner)
        return f"{scanner.name}: {why}. The protocol does not fit this scanner." if why else ""


class SensitivitySettings(Settings):
    """Computation of the sensitivity over all lines of response."""

    method: Literal["auto", "exact", "sampled"] = setting(
        "auto",
        "Use all lines of response, or a random sample of them. auto uses a sample for "
        "scanners with many lines; the sample grows with the number of events",
        label="Method",
    )
    error_percent: float = setting(
        2.0,
        "Standard error of each voxel in the sampled sensitivity image",
        label="Sampling error",
        unit="%",
        ge=0.05,
        le=20,
    )
    seed: int = setting(1, "Seed for the random sample", label="Seed", ge=0, le=2**31, expert=True)


class ListModeProtocol(Protocol):
    """Protocol for list-mode scans.

    Examples
    --------
    >>> import engine
    >>> protocol = engine.ListModeProtocol(
    ...     grid={"voxel_mm": (2, 2, 2)}, algorithm={"kind": "osem", "iterations": 4, "subsets": 21}
    ... )
    >>> protocol.algorithm.describe()
    'OSEM, 4 iterations × 21 subsets'
    """

    younger: ClassVar[tuple[NewerSetting, ...]] = (
        # A study of an older version keeps its iterations and filter, and so its image.
        NewerSetting(4, "fit_to_scan", before=False),
    )
    state_version: ClassVar[int] = 1
    """1: subsets consist of events on a Morton curve (`engine.geometry.order`)."""

    modality: Literal["pet"] = "pet"
    name: Name = "Standard"
    grid: ListModeGrid = ListModeGrid()
    corrections: Corrections = Corrections()
    time_of_flight: bool = setting(
        True, "Use time-of-flight data if the scan contains them", label="Time of flight"
    )
    sensitivity: SensitivitySettings = SensitivitySettings()
    algorithm: CountsAlgorithm = ALGORITHMS[0]()
    frames: Frames = setting(
        "",
        "Time frames or gates. 10x60,5x300: ten frames of 60 s, then five of 300 s. "
        "0-60,120-180: two frames in seconds since the start; the time between them is not "
        "used. n=20: twenty frames with equal numbers of prompts. gates=8: eight gates per "
        "cardiac or respiratory cycle. gates=8 of ecg: the same, with the trigger signal named "
        "ecg. Empty: one frame for the whole scan",
        label="Frames",
        max_length=20_000,
    )
    finishing: Finishing = (Gaussian(),)
    fit_to_scan: bool = setting(
        True,
        "If the iterations or the Gaussian width are empty, choose them from the counts, timing "
        "resolution and object size. All time frames use the width for the frame with the median "
        "counts",
        label="Automatic settings",
    )
    error_replicates: Replicates = None
    error_method: ErrorMethod = "bootstrap"
    error_seed: ReplicateSeed = None
    reproducible: bool = setting(
        False,
        "Use integer sums, so that results are bit-identical for any number of threads and any "
        "order of events",
        label="Reproducible mode",
    )
    if TYPE_CHECKING:  # the constructor converts tables and lists of settings

        def __init__(
            self,
            *,
            modality: Literal["pet"] = ...,
            name: str = ...,
            version: int = ...,
            grid: ListModeGrid | Table = ...,
            corrections: Corrections | Table = ...,
            time_of_flight: bool = ...,
            sensitivity: SensitivitySettings | Table = ...,
            algorithm: CountsAlgorithm | Table = ...,
            frames: str = ...,
            fit_to_scan: bool = ...,
            error_replicates: int | None = ...,
            error_method: ErrorMethod = ...,
            error_seed: int | None = ...,
            reproducible: bool = ...,
            between: Sequence[Filter | Table] = ...,
            finishing: Sequence[Filter | Table] = ...,
            saved: SavedAs | Table | None = ...,
        ) -> None: ...

    _hessian_needs_map = model_validator(mode="after")(hessian_needs_map)

    @property
    def frame_text(self) -> str:
        wanted = FrameRequest.of(self.frames)
        if wanted is None:
            return ""
        return f"{wanted.n_frames} gates" if wanted.gates else "frames of time"

    @property
    def has_gates(self) -> bool:
        wanted = FrameRequest.of(self.frames)
        return wanted is not None and wanted.gates is not None
