"""Values that the user can enter in an import of raw projections, with their proposals."""

from __future__ import annotations

from dataclasses import dataclass

from app.language.translation import tr
from engine.raw_import import Draft

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


def fields_of(draft: Draft, *, has_picked_array: bool) -> tuple[ImportField, ...]:
    """Return the fields that apply to a scan.

    Parameters
    ----------
    draft
        description of the scan so far
    has_picked_array
        True if the user selects arrays from a list
    """
    # Type and size are only asked for files that do not state them.
    keys = {guess.key for guess in draft.guesses}
    arrays = (ARRAY,) if "array" in keys and not has_picked_array else ()
    if draft.table["kind"] != "counts":
        values: tuple[ImportField, ...] = (SCALE,)
    else:
        values = () if "flats" in draft.table else (WHITE,)
    return (*(RAW_FIELDS if draft.shapes else ()), *arrays, KIND, *values, *LAST_FIELDS)


def proposal_of(draft: Draft, key: str) -> tuple[str, str]:
    """Return the proposed value of a field.

    Parameters
    ----------
    draft
        description of the scan so far
    key
        key of the field

    Returns
    -------
    value and reason, each empty if there is no proposal
    """
    found = next((g for g in draft.guesses if g.key == key), None)
    text, why = (found.text, found.why) if found is not None else ("", "")
    # Width and height are only known together, as one of the shapes that fit the file size.
    if key in ("columns", "rows") and draft.shapes:
        _, rows, columns = draft.shape
        return str(columns if key == "columns" else rows), _size_evidence(draft) if why else ""
    if key in ("dtype", "byte_order"):
        return str(draft.table.get(key, "")), why
    return text, why


def _size_evidence(draft: Draft) -> str:
    """Return the sizes of raw files and the evidence for them, in sentences."""
    (n_views, rows, columns), best = draft.shape, draft.shapes[0]
    words = [
        tr(
            "{n_views:,} views of {rows:,} × {columns:,} pixels. These sizes fit the file size.",
            n_views=n_views,
            rows=rows,
            columns=columns,
        )
    ]
    if best.stated:
        titles = {"columns": tr("Columns"), "rows": tr("Rows"), "views": tr("Views")}
        entered = ", ".join(titles[key] for key in best.stated)
        words.append(tr("Entered: {value}.", value=entered))
    if best.rows_alike is not None:
        percent = 100 * best.rows_alike
        words.append(tr("Similarity of neighbouring rows: {percent:.0f} %.", percent=percent))
    if best.views_alike is not None:
        percent = 100 * best.views_alike
        words.append(tr("Similarity of neighbouring views: {percent:.0f} %.", percent=percent))
    return " ".join(words)
