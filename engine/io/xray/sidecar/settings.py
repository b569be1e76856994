"""What a projections sidecar (`.toml`) may say; FORMATS.md explains it with examples.

In version 1 `clockwise` negated the first angle too, and `first` said nothing beside a list. Since
version 2 `first` is where the source stands in view 0, whatever the sense and however it goes on.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, model_validator

from engine.core.settings import Settings, setting

VERSION = 2
AXES = ("view", "row", "column")
Axis = Literal["view", "row", "column"]
Whole = Literal["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
Broken = Literal["float16", "float32", "float64"]
Dtype = Literal[Whole, Broken]
Pair = tuple[float, float]
Part = tuple[int, int]
Names = Annotated[
    tuple[str, ...] | None,
    BeforeValidator(lambda named: (named,) if isinstance(named, str) else named),
    PlainSerializer(lambda names: names[0] if names is not None and len(names) == 1 else names),
]
"""One name, or a list of them."""


class AngleSettings(Settings):
    """Angles of the views: a first one and a step, a list, or a text file with a list."""

    first: float | None = setting(
        None, "where the source stands in view 0; of a list, its first one", label="First angle"
    )
    step: float | None = setting(None, "from one view to the next", label="Step")
    values: tuple[float, ...] | None = setting(None, "one per view", label="Angles")
    file: str | None = setting(
        None, "text file in the same folder, or array as scan.h5#/theta", label="Angles file"
    )
    leave_out: tuple[Part, ...] = setting(
        (), "first and last number, from 0, of those in a list that are of no view"
    )
    unit: Literal["deg", "rad"] = setting("deg", "unit of all of these", label="Unit")
    assumed: bool = setting(
        False, "the steps are assumed to be even; nothing states the angles", label="Assumed"
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [n for n in ("step", "values", "file") if getattr(self, n) is not None]
        if len(given) != 1:
            raise ValueError(f"give one of step, values and file, got {given or 'none'}")
        if self.step is not None and self.leave_out:
            raise ValueError("leave_out is for a list of angles; take it out, or give the list")
        if any(not 0 <= start <= end for start, end in self.leave_out):
            raise ValueError("leave_out must be pairs of a first and a last number, from 0")
        return self


class DetectorSettings(Settings):
    """What all friendly geometries say about the detector."""

    angles: AngleSettings
    columns: Literal["right", "left"] = setting(
        "right", "where columns grow, as the source sees them with +z upwards", label="Columns"
    )
    rows: Literal["up", "down"] = setting("up", "where rows grow: up is +z", label="Rows")
    clockwise: bool = setting(
        False, "the source turns clockwise seen from +z", label="Clockwise source"
    )
    detector_shift_mm: Pair = setting(
        (0.0, 0.0), "of the detector's centre, to the right and up", label="Shift", unit="mm"
    )
    axis_column: float | None = setting(
        None, "column in which the axis is seen, from 0; instead of a shift", label="Axis column"
    )


class ConeSettings(DetectorSettings):
    """Source and flat detector that turn about z together."""

    kind: Literal["cone", "fan"] = "cone"
    source_axis_mm: float = setting(..., "source to rotation axis", unit="mm", gt=0, le=1e5)
    source_detector_mm: float = setting(..., "source to detector", unit="mm", gt=0, le=1e5)
    pixel_mm: Pair = setting(..., "width and height on the detector", unit="mm")
    rise_mm_per_turn: float = setting(0.0, "of source and detector, along +z", unit="mm")

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        if self.source_detector_mm <= self.source_axis_mm:
            raise ValueError("source_detector_mm must be larger than source_axis_mm")
        if min(self.pixel_mm) <= 0:
            raise ValueError("pixel_mm must be two numbers above 0")
        return self


class ParallelSettings(DetectorSettings):
    """Parallel rays."""

    kind: Literal["parallel"]
    pixel_mm: Pair | None = setting(None, "width and height; unknown if left out", unit="mm")

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        if self.pixel_mm is not None and min(self.pixel_mm) <= 0:
            raise ValueError("pixel_mm must be two numbers above 0")
        return self


class VectorSettings(Settings):
    """Twelve numbers per view, as ASTRA's `cone_vec` and `parallel3d_vec`."""

    kind: Literal["vectors"]
    file: str = setting(..., "text file in the same folder, a view per line [mm]")
    beam: Literal["cone", "parallel"] = "cone"


class RtkSettings(Settings):
    """RTK's ThreeDCircularGeometry."""

    kind: Literal["rtk"]
    file: str = setting(..., "XML file in the same folder")
    pixel_mm: Pair = setting(..., "spacing along columns and rows", unit="mm")
    origin_mm: Pair = setting(..., "centre of the first pixel, along columns and rows", unit="mm")


GeometrySettings = Annotated[
    ConeSettings | ParallelSettings | VectorSettings | RtkSettings, Field(discriminator="kind")
]


class Sidecar(Settings):
    """A projections sidecar."""

    format: Literal["isocenter-projections"]
    version: Literal[1, 2]
    file: Names = setting(None, "raw or TIFF file, or several, in the same folder or below it")
    files: Names = setting(None, "what the names of a numbered TIFF stack begin with, or several")
    reverse: bool = setting(False, "the last file or view is the first of the scan")
    dtype: Dtype | None = setting(None, "of raw values")
    byte_order: Literal["little", "big"] = "little"
    offset_bytes: int = setting(0, "header to skip in a raw file", ge=0, le=2**30)
    shape: tuple[int, ...] | None = setting(
        None, "in the order of `order`; TIFF images must have it"
    )
    order: tuple[Axis, ...] = setting(AXES, "axes of a raw file, the slowest first")
    image_order: tuple[Literal["row", "column"], ...] = setting(
        ("row", "column"), "axes of a TIFF image, the slower first"
    )
    flip: tuple[Literal["row", "column"], ...] = setting((), "axes that are turned round first")
    kind: Literal["counts", "transmission", "integrals"]
    scale: float | None = setting(
        None, "what stored values are multiplied by to be transmissions or line integrals"
    )
    white_level: float | None = setting(None, "counts of the open beam", gt=0)
    flats: Names = setting(None, "like file or files: open-beam images")
    darks: Names = setting(None, "like file or files: beam-off images")
    sha256: dict[str, str] = setting({}, "digest of each file that is named, by its name")
    seal: str | None = setting(None, "digest of all else, where Isocenter wrote it", max_length=64)
    geometry: GeometrySettings

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.file is None) == (self.files is None):
            raise ValueError("give one of file and files")
        if any(names == () for names in (self.file, self.files, self.flats, self.darks)):
            raise ValueError("a list of files must name one at least")
        self._refuse_scale()
        if sorted(self.order) not in (sorted(AXES), sorted(("view", "column"))):
            raise ValueError("order must name view, row and column once (row may be left out)")
        if sorted(self.image_order) != ["column", "row"]:
            raise ValueError("image_order must name row and column once")
        if self.shape is not None and (len(self.shape) != len(self.order) or min(self.shape) < 1):
            raise ValueError("shape needs one number above 0 for each axis of order")
        return self

    def _refuse_scale(self) -> None:
        if self.scale is None:
            return
        if self.scale == 0:
            raise ValueError("scale must be another number than 0")
        if self.kind == "counts":
            raise ValueError("counts are divided by their flats and want no scale; take it out")
        if self.white_level is not None:
            raise ValueError("white_level divides and scale multiplies; give one of them")

    @property
    def images(self) -> tuple[str, ...]:
        """Names of the projections, in the order of the views."""
        return self.file or self.files or ()
