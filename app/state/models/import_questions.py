"""Values that the user can enter in an import of raw projections."""

from __future__ import annotations

from dataclasses import dataclass

from app.language.translation import tr

TYPES = (
    *("uint8", "int8", "uint16", "int16", "uint32", "int32"),
    *("float16", "float32", "float64"),
)
KINDS = ("counts", "transmission", "integrals")


@dataclass(frozen=True)
class ImportField:
    """One value that the user can enter.

    Attributes
    ----------
    key : key of the answer
    title, tip : label and tooltip
    choices : allowed values; empty for free text
    """

    key: str
    title: str
    tip: str
    choices: tuple[str, ...] = ()


RAW_FIELDS = (
    ImportField("columns", tr("Columns"), tr("Pixels per image row")),
    ImportField("rows", tr("Rows"), tr("Rows per image")),
    ImportField("dtype", tr("Type"), tr("Data type of the stored values"), TYPES),
    ImportField("byte_order", tr("Byte order"), tr("Byte order of the values"), ("little", "big")),
    ImportField("offset_bytes", tr("Header"), tr("Bytes before the first image")),
)
ARRAY = ImportField("array", tr("Array"), tr("Name of the dataset that contains the projections"))
KIND = ImportField("kind", tr("Values"), tr("Physical quantity that the values represent"), KINDS)
SCALE = ImportField(
    "scale",
    tr("Scale"),
    tr(
        "Factor that converts the stored values to line integrals or transmissions, "
        "for example 0.001"
    ),
)
WHITE = ImportField(
    "white_level", tr("Open beam"), tr("Detector counts without an object in the beam")
)
LAST_FIELDS = (
    ImportField(
        "flats",
        tr("Flats"),
        tr("A folder, a file or the beginning of the file names. Enter “none” if there are none."),
    ),
    ImportField(
        "darks",
        tr("Darks"),
        tr("A folder, a file or the beginning of the file names. Enter “none” if there are none."),
    ),
    ImportField(
        "angles",
        tr("Angles"),
        tr(
            "Angular range in degrees (360 or 180), first angle and step (0:0.5), or a "
            "text file with the angles"
        ),
    ),
    ImportField(
        "beam",
        tr("Beam"),
        tr(
            "“parallel”, or the distances from the source to the axis and to the detector "
            "in mm, for example 100,400"
        ),
    ),
    ImportField(
        "pixel",
        tr("Pixel"),
        tr("Size of a detector pixel in mm, for example 0.05, or 0.05,0.06 for width and height"),
    ),
    ImportField(
        "first_row", tr("First row"), tr("Position of the first image row"), ("top", "bottom")
    ),
    ImportField(
        "axis_column",
        tr("Axis"),
        tr(
            "Detector column of the rotation axis, counted from 0. Leave blank to find it "
            "automatically."
        ),
    ),
)
FIELDS = (*RAW_FIELDS, ARRAY, KIND, SCALE, WHITE, *LAST_FIELDS)
