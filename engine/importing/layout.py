"""How the images lie in their files, as a sidecar says it: names, types, axes and sizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.arrays import Array
from engine.errors import FileFormatError
from engine.importing.answers import Answers
from engine.importing.files import Material, is_tiff_name
from engine.importing.guess import Findings
from engine.importing.raw_shape import RawShape, shapes_of
from engine.importing.raw_type import RawType, raw_type
from engine.io.open_input import InputFile, open_input
from engine.io.xray.array_files import SIGN, StoredArray, array_of, arrays_in, holds_arrays
from engine.io.xray.stack import NUMBERED
from engine.io.xray.tiff import tiff_of

TYPE_BYTES = 2**18
SAMPLE_BYTES = 2**26
LEAST_BYTES = 4096
"""Smaller files are no scan."""
ONE_EACH = 1
"""Views in each of several raw files."""
LIKELY = 0.4
"""Score of a shape that need not be asked about."""
CLEARLY = 0.8
"""Part of it that the next one may have."""
MRC_MARK, MRC_MARK_AT, MRC_HEADER = b"MAP ", 208, 1024
MRC_MODES = {0: "int8", 1: "int16", 2: "float32", 6: "uint16", 12: "float16"}


@dataclass(frozen=True)
class ImageLayout:
    """Images in their files.

    Attributes
    ----------
    table : keys of the sidecar
    shape : (views, rows, columns)
    whole_numbers : whether values are stored as whole numbers
    shapes : of a raw file, the likely ones, the best first
    lists : arrays of one axis beside the projections, by name: what may be angles
    """

    table: dict[str, object]
    shape: tuple[int, int, int]
    whole_numbers: bool
    shapes: tuple[RawShape, ...] = ()
    lists: dict[str, Array] = field(default_factory=dict)


def layout_of(material: Material, answers: Answers, found: Findings) -> ImageLayout:
    """Return how the images of a scan lie in their files.

    Raises
    ------
    EngineError
        for files that cannot be read, or whose size cannot be told
    """
    first = material.images[0]
    if is_tiff_name(first):
        return _of_tiff(material, found)
    with open_input(first) as file:
        if holds_arrays(first):
            return _of_arrays(file, material, answers, found)
        if file.head[MRC_MARK_AT : MRC_MARK_AT + 4] == MRC_MARK:
            return _of_mrc(file, material, found)
        return _of_raw(file, material, answers, found)


def names_of(files: tuple[Path, ...], folder: Path) -> str | list[str]:
    """Return what a sidecar in a folder calls files: a numbered stack by its beginning."""
    names = [each.relative_to(folder).as_posix() for each in files]
    if len(files) == 1:
        return names[0]
    numbers = [NUMBERED.match(each.name) for each in files]
    begins = {number["prefix"] for number in numbers if number}
    if all(numbers) and len(begins) == 1 and len({each.parent for each in files}) == 1:
        prefix = begins.pop()
        if prefix or len(names[0].split("/")) > 1:
            return names[0][: len(names[0]) - len(files[0].name)] + prefix
    return names


def _of_tiff(material: Material, found: Findings) -> ImageLayout:
    with open_input(material.images[0]) as file:
        image = tiff_of(file)
    rows, columns = image.shape[-2:]
    n = len(image) if image.ndim == 3 else len(material.images)
    if image.ndim == 3 and len(material.images) > 1:
        n = len(image) * len(material.images)
    names = names_of(material.images, material.folder)
    one_by_one = isinstance(names, list) or len(material.images) == 1
    table: dict[str, object] = {"files": names} if not one_by_one else {"file": names}
    found.take("views", f"{n:,} views of {rows:,} × {columns:,}", f"{_how_many(material)} images")
    return ImageLayout(table, (n, rows, columns), image.dtype.kind in "iu")


def _how_many(material: Material) -> str:
    n = len(material.images)
    return "pages of the TIFF" if n == 1 else f"{n:,} TIFF"


def _of_arrays(
    file: InputFile, material: Material, answers: Answers, found: Findings
) -> ImageLayout:
    stored = arrays_in(file)
    chosen = _chosen(file, stored, answers)
    order = _order(file, chosen, answers)
    sizes = dict(zip(order, chosen.shape, strict=True))
    shape = (sizes["view"], sizes.get("row", 1), sizes["column"])
    stem = str(names_of(material.images[:1], material.folder))
    name = stem + (f"{SIGN}{chosen.name}" if chosen.name else "")
    table: dict[str, object] = {"file": name, "order": list(order)}
    for role, words in (("flats", FLAT_NAMES), ("darks", DARK_NAMES)):
        match = [each for each in stored if _is_named(each.name, words) and each is not chosen]
        if match and match[0].shape[-1] in chosen.shape and not getattr(material, role):
            table[role] = f"{stem}{SIGN}{match[0].name}"
            found.take(role, match[0].name, "by the name of the array")
    text = " × ".join(f"{n:,} {axis}s" for axis, n in sizes.items())
    found.take("array", f"{chosen.name or file.name}: {text}", "the largest array")
    lists = {each.name: each for each in stored if len(each.shape) == 1}
    values = {name: _list(file, name) for name in lists if lists[name].shape[0] >= shape[0]}
    return ImageLayout(table, shape, chosen.dtype.kind in "iu", lists=values)


FLAT_NAMES = ("flat", "white", "ref", "open", "gain", "bright", "blank")
DARK_NAMES = ("dark", "offset", "black")


def _is_named(name: str, words: tuple[str, ...]) -> bool:
    return any(word in name.rsplit("/", 1)[-1].lower() for word in words)


def _chosen(file: InputFile, stored: tuple[StoredArray, ...], answers: Answers) -> StoredArray:
    if answers.array is not None:
        for each in stored:
            if each.name.lstrip("/") == answers.array.lstrip("/"):
                return each
    usable = [each for each in stored if len(each.shape) in (2, 3) and min(each.shape) > 1]
    scans = [each for each in usable if not _is_named(each.name, FLAT_NAMES + DARK_NAMES)]
    likely = [each for each in scans if 2 * np.prod(each.shape) > np.prod(scans[0].shape)]
    if len(likely) > 1 and answers.array is None:
        names = ", ".join(each.name for each in likely[:8])
        raise FileFormatError(
            f"{file.name}: holds {len(likely)} arrays that may be the projections ({names}); name "
            "one of them (--array)."
        )
    if answers.array is not None or not scans:
        names = ", ".join(each.name for each in usable[:8]) or "none"
        wanted = f"no array {answers.array!r}" if answers.array else "no array of images"
        raise FileFormatError(
            f"{file.name}: holds {wanted}; of two or three axes there are {names}: name the "
            "projections (--array)."
        )
    return scans[0]


def _order(file: InputFile, chosen: StoredArray, answers: Answers) -> tuple[str, ...]:
    """Return the axes of an array, the slowest first; MATLAB's programs have the views last."""
    if len(chosen.shape) == 2:
        is_turned = answers.views == chosen.shape[1] or answers.columns == chosen.shape[0]
        return ("column", "view") if is_turned else ("view", "column")
    by_matlab = file.path.suffix.lower() == ".mat"
    usual = ("row", "column", "view") if by_matlab else ("view", "row", "column")
    others = (usual, ("view", "row", "column"), ("row", "view", "column"))
    said = {"view": answers.views, "row": answers.rows, "column": answers.columns}
    for order in (*others, ("row", "column", "view"), ("column", "row", "view")):
        sizes = zip(order, chosen.shape, strict=True)
        if all(said[axis] in (None, n) for axis, n in sizes):
            return order
    return usual


def _list(file: InputFile, name: str) -> Array:
    return np.asarray(array_of(file, name), np.float64)


def _of_mrc(file: InputFile, material: Material, found: Findings) -> ImageLayout:
    order = ">" if file.head[212:213] == b"\x11" else "<"
    columns, rows, views, mode = (int(n) for n in np.frombuffer(file.head[:16], f"{order}i4"))
    (extended,) = (int(n) for n in np.frombuffer(file.head[92:96], f"{order}i4"))
    if mode not in MRC_MODES or min(columns, rows, views) < 1 or extended < 0:
        raise FileFormatError(
            f"{file.name}: an MRC file of mode {mode} with {columns} x {rows} x {views} values, "
            "want plain numbers (mode 0, 1, 2, 6 or 12); save it as one of them."
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
            f"{file.name}: {file.size:,} bytes are too few for projections; choose another file."
        )
    kind = _type_of(file, answers)
    item = kind.numpy.itemsize
    each = file.size
    n_files = len(material.images)
    sample = _sample(file, kind)
    said: dict[str, int | None] = {"columns": answers.columns, "rows": answers.rows}
    views = answers.views if n_files == 1 else ONE_EACH
    shapes = shapes_of(sample, each, item, **said, views=views, header=answers.offset_bytes)
    if not shapes:
        stated = {**said, "views": views}
        words = ", ".join(f"{n:,} {name}" for name, n in stated.items() if n) or "any size"
        raise FileFormatError(
            f"{file.name}: {each:,} bytes of {kind.dtype} are no images of {words}; say the "
            "columns or rows of an image and the type of its values (--columns, --rows, --type)."
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
    found.take("dtype", f"{kind.dtype}{order}", "as you say" if said else "the smoothest reading")
    best, others = shapes[0], shapes[1:]
    if best.header:
        found.take("offset_bytes", f"a header of {best.header:,} bytes", "what the images leave")
    n_said = sum(each is not None for each in (answers.columns, answers.rows, answers.views))
    rival = max((each.score for each in others), default=0.0)
    if n_said >= 2 or (best.score >= LIKELY and rival < CLEARLY * best.score):
        found.take("columns", text, best.why)
        return
    key = "columns" if answers.columns is None else "rows"
    more = "; ".join(f"{s.views} × {s.rows} × {s.columns}" for s in others[:3])
    proposal = str(getattr(best, key))
    found.ask(
        key,
        f"How many {key} has an image? (views × rows × columns may be "
        f"{best.views} × {best.rows} × {best.columns}{'; ' + more if more else ''})",
        proposal,
        best.why,
    )


def _type_of(file: InputFile, answers: Answers) -> RawType:
    middle = max((file.size - TYPE_BYTES) // 16, 0) * 8
    guess = raw_type(file.read(TYPE_BYTES, file.size % 8 + middle))
    dtype = answers.dtype or guess.dtype
    order = answers.byte_order or (guess.byte_order if dtype[-2:] == guess.dtype[-2:] else "little")
    return RawType(dtype, order, guess.is_sure or answers.dtype is not None)


def _sample(file: InputFile, kind: RawType) -> Array:
    """Return values from the middle of a file, at whole items counted from its end."""
    item = kind.numpy.itemsize
    n = min(SAMPLE_BYTES, file.size) // item
    begin = file.size % item + max((file.size // item - n) // 2, 0) * item
    return file.array(kind.numpy, (min(n, (file.size - begin) // item),), begin)
