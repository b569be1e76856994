"""The saved choice of grid, corrections, algorithm and filters; independent of any scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Union

import numpy as np
from pydantic import Field, create_model, model_validator

from engine.algorithms import ALGORITHMS, Algorithm, Osem
from engine.corrections import CORRECTIONS
from engine.errors import SettingsError
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.scanner import Scanner
from engine.postprocess import FILTERS, Filter, Gaussian
from engine.settings import Settings, setting

MAX_GRID_EDGE = 2000

if TYPE_CHECKING:
    AnyAlgorithm = Algorithm
    AnyFilter = Filter
    CorrectionChoices = Any
else:
    AnyAlgorithm = Annotated[Union[ALGORITHMS], Field(discriminator="kind")]  # noqa: UP007
    AnyFilter = Annotated[Union[FILTERS], Field(discriminator="kind")]  # noqa: UP007
    CorrectionChoices = create_model(
        "CorrectionChoices", __base__=Settings, **{c.kind: (c, c()) for c in CORRECTIONS}
    )


class GridSettings(Settings):
    """The picture's voxels; what is left out comes from the scanner."""

    voxel_mm: Point | None = setting(
        None, "Edge lengths x, y, z; the scanner's own if left out", label="Voxel size", unit="mm"
    )
    diameter_mm: float | None = setting(
        None, "Transaxial field of view", label="Diameter", unit="mm", gt=0, le=2000
    )
    length_mm: float | None = setting(
        None, "Axial field of view", label="Length", unit="mm", gt=0, le=5000
    )
    centre_mm: Point = setting((0.0, 0.0, 0.0), "Centre x, y, z", label="Centre", unit="mm")

    @model_validator(mode="after")
    def _sane(self) -> Self:
        if self.voxel_mm is not None and not all(0.05 <= v <= 100 for v in self.voxel_mm):
            raise ValueError(f"voxel_mm must be 0.05 ... 100 mm, got {self.voxel_mm}")
        return self

    def grid_for(self, scanner: Scanner) -> ImageGrid:
        """Return the grid of this choice on a scanner."""
        voxel = self.voxel_mm or scanner.default_voxel_mm
        x, y, z = scanner.default_size_mm
        edges = (self.diameter_mm or x, self.diameter_mm or y, self.length_mm or z)
        n = [max(1, int(np.ceil(e / v - 1e-6))) for e, v in zip(edges, voxel, strict=True)]
        if max(n) > MAX_GRID_EDGE:
            raise SettingsError(
                f"grid: {n[0]} × {n[1]} × {n[2]} voxels, at most {MAX_GRID_EDGE} along an axis; "
                "choose larger voxels or a smaller field of view."
            )
        return ImageGrid((n[2], n[1], n[0]), voxel, self.centre_mm)


class SensitivitySettings(Settings):
    """How the sensitivity over all lines of response is computed."""

    method: Literal["auto", "exact", "sampled"] = setting(
        "auto",
        "All lines, or a seeded sample; auto samples many lines, no finer than the events need",
        label="Method",
    )
    error_percent: float = setting(
        2.0, "Standard error of a sampled voxel", label="Error", unit="%", ge=0.05, le=20
    )
    seed: int = setting(1, "Of the sample", label="Seed", ge=0, le=2**31, expert=True)


class Protocol(Settings):
    """How to turn a list-mode scan into a picture."""

    modality: Literal["pet"] = "pet"
    name: str = setting("Standard", "Name shown to the user", label="Name", max_length=80)
    grid: GridSettings = GridSettings()
    corrections: CorrectionChoices = Field(default_factory=lambda: CorrectionChoices())
    time_of_flight: bool = setting(
        True, "Use arrival times where the scan has them", label="Time of flight"
    )
    sensitivity: SensitivitySettings = SensitivitySettings()
    algorithm: AnyAlgorithm = Osem()
    between: tuple[AnyFilter, ...] = setting(
        (), "Filters after each iteration", label="Between iterations", max_length=4
    )
    finishing: tuple[AnyFilter, ...] = setting(
        (Gaussian(),), "Filters of the finished image", label="Finishing", max_length=4
    )
    reproducible: bool = setting(
        False,
        "Integer sums: the same bits whatever the threads or the order of events",
        label="Reproducible bits",
    )
