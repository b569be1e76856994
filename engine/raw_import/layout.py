"""Describe the storage of images for a sidecar: names, types, axes and sizes.

Type and byte order of raw values follow from their smoothness. Neighbours in an image are similar.
For items of s bytes, the most significant bytes of consecutive items are similar. D(s) is the mean
difference of bytes at distance s, at the position in the item where it is smallest. The smallest s
with nearly the smallest D is the size of an item. The byte order is the one with numbers in the
range of a scan, or else with smoother values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile, open_input
from engine.io.volumes import mrc
from engine.io.xray.array_files import holds_arrays
from engine.io.xray.bare_images import image_of
from engine.raw_import.answers import Answers
from engine.raw_import.array_layout import of_arrays
from engine.raw_import.files import Material, is_tiff_name
from engine.raw_import.guess import Findings
from engine.raw_import.image_layout import ImageLayout, names_of
from engine.raw_import.raw_shape import RawShape, shapes_of

TYPE_BYTES = 2**18
SAMPLE_BYTES = 2**26
MIN_FILE_BYTES = 4096
"""Smaller files are not a scan."""
ONE_EACH = 1
"""Number of views in each of several raw files."""
LIKELY = 0.4
"""Score from which a shape needs no confirmation."""
CLEARLY = 0.8
"""Largest score of the next shape for that, as a fraction of the best one."""
SIZES = (1, 2, 4, 8)
MIN_BYTES = 64
"""Smallest number of bytes that allows a decision."""
NEARLY = 1.5
"""Largest D(s) relative to the smallest D,"""
ALLOWED = 0.5
"""plus this difference (bytes have a range of 255)."""
ROUGH = 40.0
"""D above which bytes carry no information."""
MAX_WRAPS = 0.05
"""Fraction of neighbours that may differ by more than half of the range of their type."""
SANE = (1e-20, 1e12)
"""Range of the magnitudes of numbers in a scan, other than 0."""
MAX_STRANGE = 0.01
ALTERNATE = 2.0
"""Neighbours differ this much more than every second value if they are halves of one number."""


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
        if file.head.startswith(mrc.MARK, mrc.MARK_AT):
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
    (columns, rows, views), mode, start = mrc.layout_of(file)
    if mode not in mrc.MODES or min(columns, rows, views) < 1 or start < mrc.HEADER_BYTES:
        raise FileFormatError(
            f"{file.name}: the MRC file has mode {mode} and {columns} x {rows} x {views} values, "
            "expected mode 0, 1, 2, 6 or 12 and at least one value per axis; save the file again."
        )
    table: dict[str, object] = {
        "file": names_of(material.images[:1], material.folder),
        "dtype": np.dtype(mrc.MODES[mode]).name,
        "byte_order": "big" if mrc.order_of(file) == ">" else "little",
        "offset_bytes": start,
        "shape": [views, rows, columns],
    }
    found.take("views", f"{views:,} views of {rows:,} × {columns:,}", "its MRC header")
    return ImageLayout(table, (views, rows, columns), mrc.MODES[mode][0] != "f")


def _of_raw(file: InputFile, material: Material, answers: Answers, found: Findings) -> ImageLayout:
    if file.size < MIN_FILE_BYTES and len(material.images) == 1:
        raise FileFormatError(
            f"{file.name}: the file is too small for projections ({file.size:,} bytes); choose "
            "another file."
        )
    kind = _type_of(file, answers)
    item = kind.numpy.itemsize
    each = file.size
    n_files = len(material.images)
    sample = _sample(file, kind)
    given: dict[str, int | None] = {"columns": answers.columns, "rows": answers.rows}
    # Several raw files contain one view each; a stack in one file can have any number.
    views = answers.views if n_files == 1 else ONE_EACH
    shapes = shapes_of(sample, each, item, **given, views=views, header=answers.offset_bytes)
    if not shapes:
        stated = {**given, "views": views}
        options = [f"--type {kind.dtype}", *(f"--{name} {n}" for name, n in stated.items() if n)]
        raise FileFormatError(
            f"{file.name}: the file size of {each:,} bytes does not fit the images "
            f"({' '.join(options)}); give the columns or rows and the type of the values "
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
    _note_raw(found, answers, kind, shapes, text)
    return ImageLayout(
        table, (n_views, best.rows, best.columns), kind.dtype[0] in "iu", tuple(shapes)
    )


def _note_raw(
    found: Findings, answers: Answers, kind: RawType, shapes: list[RawShape], text: str
) -> None:
    order = f", {kind.byte_order}-endian" if kind.numpy.itemsize > 1 else ""
    given = answers.dtype is not None
    found.take(
        "dtype", f"{kind.dtype}{order}", "your input" if given else ("the smoothest interpretation")
    )
    best, others = shapes[0], shapes[1:]
    if best.header:
        found.take(
            "offset_bytes", f"a header of {best.header:,} bytes", "the bytes left by the images"
        )
    n_stated = sum(each is not None for each in (answers.columns, answers.rows, answers.views))
    rival = max((each.score for each in others), default=0.0)
    # Two stated sizes determine the third. One guess suffices if no other is close.
    if n_stated >= 2 or (best.score >= LIKELY and rival < CLEARLY * best.score):
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


@dataclass(frozen=True)
class RawType:
    """Type of raw values.

    Attributes
    ----------
    dtype : name of the type
    byte_order : "little" or "big"
    is_sure : True if other types fit clearly worse
    """

    dtype: str
    byte_order: str
    is_sure: bool

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The type as a NumPy type."""
        return np.dtype(self.dtype).newbyteorder("<" if self.byte_order == "little" else ">")


def raw_type(sample: bytes) -> RawType:
    """Return the type of raw values.

    Parameters
    ----------
    sample
        bytes of the file from the beginning of an item; a few thousand are enough
    """
    data = np.frombuffer(sample[: len(sample) // 8 * 8], np.uint8)
    if len(data) < MIN_BYTES:
        return RawType("uint16", "little", is_sure=False)
    least = {size: _differences(data, size) for size in SIZES}
    best = min(float(each.min()) for each in least.values())
    # Noise around 0 has random mantissas and exponents of both signs, so no byte is smooth.
    if best > ROUGH / 2 and (size := _size_of_floats(data)):
        return RawType(*_best_of(data, size), is_sure=False)
    size = next(s for s in SIZES if least[s].min() <= NEARLY * best + ALLOWED)
    # Two halves of a number alternate between smooth and rough, which looks like a smaller type.
    while size < SIZES[-1] and _alternates(data, size):
        size *= 2
    dtype, order = _best_of(data, size)
    worse = [float(least[s].min()) for s in SIZES if s < size]
    is_sure = bool(best < ROUGH and all(each > 2 * best + 1 for each in worse))
    return RawType(dtype, order if size > 1 else "little", is_sure)


def _differences(data: Array, size: int) -> Array:
    """Return D at each position in an item of this size."""
    steps = np.diff(data.reshape(-1, size), axis=0)  # 255 and 0 are neighbours, as −1 and 0 are
    return np.asarray(np.abs(steps.view(np.int8).astype(np.int16)).mean(axis=0))


def _alternates(data: Array, size: int) -> bool:
    values = data.view(f"<u{size}").astype(np.float64)
    one, two = (float(np.abs(values[n:] - values[:-n]).mean()) for n in (1, 2))
    return one > ALTERNATE * two


def _best_of(data: Array, size: int) -> tuple[str, str]:
    """Return type and byte order of items of this size."""
    orders = {"little": "<", "big": ">"}
    # A wrong byte order gives floats of absurd magnitude, which is the strongest evidence.
    if size >= 4:
        sane = {
            order: _roughness(data.view(f"{sign}f{size}"))
            for order, sign in orders.items()
            if _is_sane(data.view(f"{sign}f{size}"))
        }
        if sane:
            return f"float{8 * size}", min(sane, key=lambda order: sane[order])
    wraps = {
        (kind, order): _wraps(data.view(f"{sign}{kind[0]}{size}"))
        for order, sign in orders.items()
        for kind in ("uint", "int")
    }
    rough = {
        order: min(_roughness(data.view(f"{sign}{kind}{size}")) for kind in "ui")
        for order, sign in orders.items()
    }
    order = min(rough, key=lambda each: rough[each])
    # Unsigned values wrap at 0 if they are really signed; a little wrapping is noise.
    is_signed = wraps["uint", order] > MAX_WRAPS + 3 * wraps["int", order]
    return f"{'int' if is_signed else 'uint'}{8 * size}", order


def _size_of_floats(data: Array) -> int:
    """Return the size of floating-point values near 0, whose bytes are not smooth.

    0 if there are none.
    """
    for size in (8, 4):
        if any(_is_sane(data.view(f"{sign}f{size}")) for sign in "<>"):
            return size
    return 0


def _wraps(values: Array) -> float:
    """Return the fraction of neighbours that differ by over half of the range of their type."""
    half = 2.0 ** (8 * values.dtype.itemsize - 1)
    return float((np.abs(np.diff(values.astype(np.float64))) > half).mean())


def _roughness(values: Array) -> float:
    """Return the mean difference of neighbours.

    Relative to the spread for floating-point values.
    """
    numbers = values.astype(np.float64)
    with np.errstate(all="ignore"):
        # Interpreted with the wrong type, values can be NaN or overflow; both count as infinitely
        # rough.
        step = np.abs(np.diff(numbers))
        spread = 1.0 if values.dtype.kind in "iu" else np.abs(numbers - np.median(numbers)).mean()
    return float(np.nan_to_num(step.mean() / max(spread, 1e-30), nan=np.inf))


def _is_sane(values: Array) -> bool:
    with np.errstate(all="ignore"):
        size = np.abs(values.astype(np.float64))
        low, high = SANE
        strange = ~np.isfinite(size) | ((size > 0) & (size < low)) | (size > high)
    return float(strange.mean()) < MAX_STRANGE
