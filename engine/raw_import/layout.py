"""Describe the storage of images for a sidecar: names, types, axes and sizes."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.array_files import holds_arrays
from engine.io.xray.bare_images import image_of
from engine.raw_import.answers import Answers
from engine.raw_import.array_layout import of_arrays
from engine.raw_import.files import Material, is_tiff_name
from engine.raw_import.guess import Findings
from engine.raw_import.image_layout import ImageLayout, names_of
from engine.raw_import.raw_shape import RawShape, shapes_of
from engine.raw_import.raw_type import RawType, raw_type

TYPE_BYTES = 2**18
SAMPLE_BYTES = 2**26
LEAST_BYTES = 4096
"""Smaller files are not a scan."""
ONE_EACH = 1
"""Number of views in each of several raw files."""
LIKELY = 0.4
"""Score from which a shape needs no confirmation."""
CLEARLY = 0.8
"""Largest score of the next shape for that, as a fraction of the best one."""
# MRC2014: the word MAP at byte 208, followed by the machine stamp; a header of 1024 bytes.
MRC_MARK, MRC_MARK_AT, MRC_HEADER = b"MAP ", 208, 1024
MRC_MODES = {0: "int8", 1: "int16", 2: "float32", 6: "uint16", 12: "float16"}


def layout_of(material: Material, answers: Answers, found: Findings) -> ImageLayout:
    """Return how the images of a scan are stored in their files.

    Parameters
    ----------
    material
        files of the scan
    answers
        answers of the user
    found
        receives assumptions and questions

    Raises
    ------
    EngineError
        if a file cannot be read, or its size cannot be determined
    """
    first = material.images[0]
    if is_tiff_name(first):
        return _of_tiff(material, found)
    with open_input(first) as file:
        if holds_arrays(first):
            return of_arrays(file, material, answers, found)
        # The ending .mrc is used for several formats, so the mark in the header decides.
        if file.head[MRC_MARK_AT : MRC_MARK_AT + 4] == MRC_MARK:
            return _of_mrc(file, material, found)
        return _of_raw(file, material, answers, found)


def _of_tiff(material: Material, found: Findings) -> ImageLayout:
    with open_input(material.images[0]) as file:
        image = image_of(file)
    rows, columns = image.shape[-2:]
    n = len(image) if image.ndim == 3 else len(material.images)
    # Several files with several pages each: all are assumed to have as many as the first.
    if image.ndim == 3 and len(material.images) > 1:
        n = len(image) * len(material.images)
    names = names_of(material.images, material.folder)
    # A common beginning is written as `files`, a list or one name as `file`.
    one_by_one = isinstance(names, list) or len(material.images) == 1
    table: dict[str, object] = {"files": names} if not one_by_one else {"file": names}
    found.take("views", f"{n:,} views of {rows:,} × {columns:,}", f"{_how_many(material)} images")
    return ImageLayout(table, (n, rows, columns), image.dtype.kind in "iu")


def _how_many(material: Material) -> str:
    n = len(material.images)
    kind = "EDF" if material.images[0].suffix.lower() == ".edf" else "TIFF"
    return f"pages of the {kind}" if n == 1 else f"{n:,} {kind}"


def _of_mrc(file: InputFile, material: Material, found: Findings) -> ImageLayout:
    # Machine stamp 0x11 0x11 means big-endian, 0x44 means little-endian.
    order = ">" if file.head[212:213] == b"\x11" else "<"
    columns, rows, views, mode = (int(n) for n in np.frombuffer(file.head[:16], f"{order}i4"))
    # Bytes of the extended header, which vendors use for tilt angles; it precedes the values.
    (extended,) = (int(n) for n in np.frombuffer(file.head[92:96], f"{order}i4"))
    if mode not in MRC_MODES or min(columns, rows, views) < 1 or extended < 0:
        raise FileFormatError(
            f"{file.name}: the MRC file has mode {mode} and {columns} x {rows} x {views} values, "
            "expected mode 0, 1, 2, 6 or 12 and at least one value per axis; save the file again."
        )
    table: dict[str, object] = {
        "file": names_of(material.images[:1], material.folder),
        "dtype": MRC_MODES[mode],
        "byte_order": "big" if order == ">" else "little",
        "offset_bytes": MRC_HEADER + extended,
        "shape": [views, rows, columns],
    }
    found.take("views", f"{views:,} views of {rows:,} × {columns:,}", "its MRC header")
    return ImageLayout(table, (views, rows, columns), mode != 2 and mode != 12)


def _of_raw(file: InputFile, material: Material, answers: Answers, found: Findings) -> ImageLayout:
    if file.size < LEAST_BYTES and len(material.images) == 1:
        raise FileFormatError(
            f"{file.name}: the file has only {file.size:,} bytes, which is too small for "
            "projections; choose another file."
        )
    kind = _type_of(file, answers)
    item = kind.numpy.itemsize
    each = file.size
    n_files = len(material.images)
    sample = _sample(file, kind)
    said: dict[str, int | None] = {"columns": answers.columns, "rows": answers.rows}
    # Several raw files contain one view each; a stack in one file can have any number.
    views = answers.views if n_files == 1 else ONE_EACH
    shapes = shapes_of(sample, each, item, **said, views=views, header=answers.offset_bytes)
    if not shapes:
        stated = {**said, "views": views}
        words = ", ".join(f"{n:,} {name}" for name, n in stated.items() if n) or "any size"
        raise FileFormatError(
            f"{file.name}: the file size of {each:,} bytes does not fit images of {words} with "
            f"values of type {kind.dtype}; give the columns or rows and the type of the values "
            "(--columns, --rows, --type)."
        )
    best = shapes[0]
    n_views = best.views * n_files
    table: dict[str, object] = {
        "file": names_of(material.images, material.folder),
        "dtype": kind.dtype,
        "byte_order": kind.byte_order,
        "offset_bytes": best.header,
        "shape": [n_views, best.rows, best.columns],
    }
    text = f"{n_views:,} views of {best.rows:,} × {best.columns:,}"
    _tell_raw(found, answers, kind, shapes, text)
    return ImageLayout(
        table, (n_views, best.rows, best.columns), kind.dtype[0] in "iu", tuple(shapes)
    )


def _tell_raw(
    found: Findings, answers: Answers, kind: RawType, shapes: list[RawShape], text: str
) -> None:
    order = f", {kind.byte_order} byte first" if kind.numpy.itemsize > 1 else ""
    said = answers.dtype is not None
    found.take(
        "dtype", f"{kind.dtype}{order}", "your input" if said else ("the smoothest interpretation")
    )
    best, others = shapes[0], shapes[1:]
    if best.header:
        found.take(
            "offset_bytes", f"a header of {best.header:,} bytes", "the bytes left by the images"
        )
    n_said = sum(each is not None for each in (answers.columns, answers.rows, answers.views))
    rival = max((each.score for each in others), default=0.0)
    # Two stated sizes determine the third. One guess suffices if no other is close.
    if n_said >= 2 or (best.score >= LIKELY and rival < CLEARLY * best.score):
        found.take("columns", text, best.why)
        return
    key = "columns" if answers.columns is None else "rows"
    more = "; ".join(f"{s.views} × {s.rows} × {s.columns}" for s in others[:3])
    proposal = str(getattr(best, key))
    found.ask(
        key,
        f"How many {key} does an image have? (possible views × rows × columns: {best.views} × "
        f"{best.rows} × {best.columns}{'; ' + more if more else ''})",
        proposal,
        best.why,
    )


# The type must be known first: the same bytes have other neighbours as another type.
def _type_of(file: InputFile, answers: Answers) -> RawType:
    # From the middle, because the first bytes may be a header and the corners are air.
    middle = max((file.size - TYPE_BYTES) // 16, 0) * 8
    guess = raw_type(file.read(TYPE_BYTES, file.size % 8 + middle))
    dtype = answers.dtype or guess.dtype
    # The byte order of a guess only holds for values of the same length.
    order = answers.byte_order or (guess.byte_order if dtype[-2:] == guess.dtype[-2:] else "little")
    return RawType(dtype, order, guess.is_sure or answers.dtype is not None)


def _sample(file: InputFile, kind: RawType) -> Array:
    """Return values from the middle of a file, at whole items counted from its end."""
    item = kind.numpy.itemsize
    # Aligned from the end of the file: a header of unknown length is at its beginning.
    n = min(SAMPLE_BYTES, file.size) // item
    begin = file.size % item + max((file.size // item - n) // 2, 0) * item
    return file.array(kind.numpy, (min(n, (file.size - begin) // item),), begin)
