"""Settings of a projection sidecar (`.toml`); FORMATS.md has examples.

In version 1, `clockwise` also negated the first angle, and `first` had no effect on a list. Since
version 2, `first` is the angle of the source in view 0, for any direction and any later angles.
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
"""One name or a list of names; a single one is written without a list."""


class AngleSettings(Settings):
    """Angles of the views: a first one and a step, a list, or a text file with a list."""

    first: float | None = setting(
        None, "Angle of the source in view 0, or of the first view of a list", label="First angle"
    )
    step: float | None = setting(None, "Angle between successive views", label="Step")
    values: tuple[float, ...] | None = setting(None, "Angles, one per view", label="Angles")
    file: str | None = setting(
        None,
        "Text file in the same folder, or an array such as scan.h5#/theta",
        label="Angles file",
    )
    leave_out: tuple[Part, ...] = setting(
        (), "Parts of a list that belong to no view: first and last number, from 0"
    )
    unit: Literal["deg", "rad"] = setting("deg", "Unit of all angles", label="Unit")
    assumed: bool = setting(
        False, "Even steps are assumed, because no file states the angles", label="Assumed"
    )

    @model_validator(mode="after")
    def _single_source(self) -> Self:
        # Two sources of angles could contradict each other.
        given = [n for n in ("step", "values", "file") if getattr(self, n) is not None]
        if len(given) != 1:
            raise ValueError(
                f"state exactly one of step, values and file, got [{', '.join(given)}]"
            )
        if self.step is not None and self.leave_out:
            raise ValueError(
                "leave_out can only be used with a list of angles; remove leave_out, or replace "
                "step by a list"
            )
        if any(not 0 <= start <= end for start, end in self.leave_out):
            raise ValueError(
                "leave_out must contain pairs of a first and a last number, counted from 0"
            )
        return self


class DetectorSettings(Settings):
    """Detector settings of all simple geometries."""

    angles: AngleSettings
    columns: Literal["right", "left"] = setting(
        "right", "Direction of increasing columns, seen from the source with +z up", label="Columns"
    )
    rows: Literal["up", "down"] = setting(
        "up", "Direction of increasing rows; up is +z", label="Rows"
    )
    clockwise: bool = setting(
        False, "The source turns clockwise, seen from +z", label="Clockwise source"
    )
    detector_shift_mm: Pair = setting(
        (0.0, 0.0), "Shift of the detector centre to the right and up", label="Shift", unit="mm"
    )
    axis_column: float | None = setting(
        None, "Column of the rotation axis, from 0; replaces a shift", label="Axis column"
    )


class ConeSettings(DetectorSettings):
    """Source and flat detector that turn about z together."""

    kind: Literal["cone", "fan"] = "cone"
    source_axis_mm: float = setting(
        ..., "Distance from source to rotation axis", unit="mm", gt=0, le=1e5
    )
    source_detector_mm: float = setting(
        ..., "Distance from source to detector", unit="mm", gt=0, le=1e5
    )
    pixel_mm: Pair = setting(..., "Pixel width and height on the detector", unit="mm")
    rise_mm_per_turn: float = setting(
        0.0, "Rise of source and detector along +z per turn", unit="mm"
    )

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        if self.source_detector_mm <= self.source_axis_mm:
            raise ValueError(
                f"source_detector_mm is {self.source_detector_mm:g}, expected more than "
                f"source_axis_mm ({self.source_axis_mm:g})"
            )
        if min(self.pixel_mm) <= 0:
            raise ValueError(f"pixel_mm is {self.pixel_mm}, expected two numbers above 0")
        return self


class ParallelSettings(DetectorSettings):
    """Parallel rays."""

    kind: Literal["parallel"]
    pixel_mm: Pair | None = setting(None, "Pixel width and height; unknown if omitted", unit="mm")

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        if self.pixel_mm is not None and min(self.pixel_mm) <= 0:
            raise ValueError(f"pixel_mm is {self.pixel_mm}, expected two numbers above 0")
        return self


class VectorSettings(Settings):
    """Twelve numbers per view, as ASTRA's `cone_vec` and `parallel3d_vec`."""

    kind: Literal["vectors"]
    file: str = setting(..., "Text file in the same folder, one view per line [mm]")
    beam: Literal["cone", "parallel"] = "cone"


class RtkSettings(Settings):
    """RTK's ThreeDCircularGeometry."""

    kind: Literal["rtk"]
    file: str = setting(..., "XML file in the same folder")
    pixel_mm: Pair = setting(..., "Pixel spacing along columns and rows", unit="mm")
    origin_mm: Pair = setting(..., "Centre of the first pixel, along columns and rows", unit="mm")


GeometrySettings = Annotated[
    ConeSettings | ParallelSettings | VectorSettings | RtkSettings, Field(discriminator="kind")
]


class Sidecar(Settings):
    """A projections sidecar."""

    # TOML files are also used for studies, protocols and scanners; this key distinguishes them.
    format: Literal["isocenter-projections"]
    version: Literal[1, 2]
    file: Names = setting(None, "Raw or TIFF file, or several, in the same folder or below it")
    files: Names = setting(None, "Prefix of the names of a numbered TIFF stack, or several")
    reverse: bool = setting(False, "The last file or view is the first of the scan")
    dtype: Dtype | None = setting(None, "Type of raw values")
    byte_order: Literal["little", "big"] = "little"
    offset_bytes: int = setting(0, "Header to skip in a raw file", ge=0, le=2**30)
    shape: tuple[int, ...] | None = setting(
        None, "Sizes of the axes in the order of `order`; TIFF images must match"
    )
    order: tuple[Axis, ...] = setting(AXES, "Axes of a raw file, the slowest first")
    image_order: tuple[Literal["row", "column"], ...] = setting(
        ("row", "column"), "Axes of a TIFF image, the slower first"
    )
    flip: tuple[Literal["row", "column"], ...] = setting((), "Axes to reverse after reading")
    kind: Literal["counts", "transmission", "integrals"]
    scale: float | None = setting(
        None, "Factor that converts stored values to transmissions or line integrals"
    )
    white_level: float | None = setting(None, "Counts of the open beam", gt=0)
    flats: Names = setting(None, "Open-beam images, written like file or files")
    darks: Names = setting(None, "Beam-off images, written like file or files")
    sha256: dict[str, str] = setting({}, "Digest of each named file")
    seal: str | None = setting(
        None, "Digest of all other settings, if Isocenter wrote them", max_length=64
    )
    geometry: GeometrySettings

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.file is None) == (self.files is None):
            raise ValueError("state either file or files")
        if any(names == () for names in (self.file, self.files, self.flats, self.darks)):
            raise ValueError("a list of files is empty, expected at least one file")
        self._refuse_scale()
        # Raw fan-beam data have no row axis.
        if sorted(self.order) not in (sorted(AXES), sorted(("view", "column"))):
            raise ValueError(
                f"order is {', '.join(self.order)}, expected each of view, row and column once "
                "(row is optional)"
            )
        if sorted(self.image_order) != ["column", "row"]:
            raise ValueError(
                f"image_order is {', '.join(self.image_order)}, expected row and column once each"
            )
        if self.shape is not None and (len(self.shape) != len(self.order) or min(self.shape) < 1):
            raise ValueError(
                f"shape is {self.shape}, expected one number above 0 for each of the "
                f"{len(self.order)} axes in `order`"
            )
        return self

    def _refuse_scale(self) -> None:
        if self.scale is None:
            return
        if self.scale == 0:
            raise ValueError("scale must not be 0")
        if self.kind == "counts":
            raise ValueError("scale cannot be used with counts; remove scale")
        # Both would scale the values, and their order would matter.
        if self.white_level is not None:
            raise ValueError("white_level and scale cannot be used together; remove one of them")

    @property
    def images(self) -> tuple[str, ...]:
        """Names of the projections, in the order of the views."""
        return self.file or self.files or ()
