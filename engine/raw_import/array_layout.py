"""Find projections, flats, darks and lists among the arrays of a file."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.hdf5.opening import is_hdf5
from engine.io.safety.open_input import InputFile
from engine.io.xray.array_files import StoredArray, array_of, arrays_in
from engine.io.xray.names import SIGN
from engine.io.xray.text.angle_text import is_named_angle
from engine.raw_import.answers import Answers
from engine.raw_import.files import Material
from engine.raw_import.guess import Findings
from engine.raw_import.image_layout import ImageLayout, names_of


def of_arrays(
    file: InputFile, material: Material, answers: Answers, found: Findings
) -> ImageLayout:
    """Return which arrays of a file are projections, flats and darks.

    Answers of the user have priority over the names of the arrays.

    Parameters
    ----------
    file
        NumPy, MATLAB or HDF5 file
    material
        files of the scan
    answers
        answers of the user
    found
        receives the choice and its reason

    Raises
    ------
    FileFormatError
        if the projections cannot be identified, or an answer does not fit
    """
    stored = arrays_in(file)
    chosen = _chosen(file, stored, answers)
    lists = {each.name: each for each in stored if _is_list(each) and each is not chosen}
    order = _order(file, chosen, answers, _lengths_of_angles(lists, answers))
    sizes = dict(zip(order, chosen.shape, strict=True))
    # A two-dimensional array is a single sinogram: one row per view.
    shape = (sizes["view"], sizes.get("row", 1), sizes["column"])
    stem = str(names_of(material.images[:1], material.folder))
    name = stem + (f"{SIGN}{chosen.name}" if chosen.name else "")
    table: dict[str, object] = {"file": name, "order": list(order)}
    for role, words in (("flats", FLAT_NAMES), ("darks", DARK_NAMES)):
        answer = getattr(answers, role)
        match = [each for each in stored if _is_named(each.name, words) and each is not chosen]
        if answer is not None:
            reference = array_named(stored, answer)
            if reference is not None:
                _refuse_unlike(file, role, reference, chosen, sizes)
                table[role] = f"{stem}{SIGN}{reference.name}"
                found.take(role, reference.name, "your input")
        elif match and match[0].shape[-1] in chosen.shape and not getattr(material, role):
            # The width was tested, because a map of another detector can have a similar name.
            table[role] = f"{stem}{SIGN}{match[0].name}"
            found.take(role, match[0].name, "name of the array")
    text = " × ".join(f"{n:,} {axis}s" for axis, n in sizes.items())
    why = "your input" if answers.array is not None else "the largest array"
    found.take("array", f"{chosen.name or file.name}: {text}", why)
    # Short lists are voltages and similar settings, not worth reading.
    values = {name: _list(file, name) for name in lists if max(lists[name].shape) >= MIN_ANGLES}
    named = {each.name.lstrip("/"): each for each in stored}
    # Only HDF5 datasets can be referred to from a sidecar; MATLAB files are copied into it.
    holder = stem if is_hdf5(file.head) and file.path.suffix.lower() != ".mat" else ""
    whole = chosen.dtype.kind in "iu"
    return ImageLayout(table, shape, whole, lists=values, arrays=named, holder=holder)


MIN_ANGLES = 3
"""Shorter lists are not angles."""
FLAT_NAMES = ("flat", "white", "ref", "open", "gain", "bright", "blank")
DARK_NAMES = ("dark", "offset", "black")


def array_named(stored: tuple[StoredArray, ...], name: str) -> StoredArray | None:
    """Return the array with a name.

    Parameters
    ----------
    stored
        arrays of the file
    name
        name with or without the leading "/" of HDF5

    Returns
    -------
    array_named
        None if there is no such array
    """
    return next((each for each in stored if each.name.lstrip("/") == name.lstrip("/")), None)


def _refuse_unlike(
    file: InputFile, role: str, answer: StoredArray, chosen: StoredArray, sizes: dict[str, int]
) -> None:
    """Refuse flats or darks of a different size from the projections."""
    # References may lack the axis of views, if there is only one image.
    wanted = tuple(sizes[axis] for axis in ("row", "column") if axis in sizes)
    inside = (
        answer.shape[-len(wanted) :] if len(answer.shape) in (len(wanted), len(wanted) + 1) else ()
    )
    if answer.name == chosen.name:
        raise FileFormatError(
            f"{file.name}: {answer.name} is used for both the projections and {role!r}; choose "
            "another dataset for one of them."
        )
    # MATLAB stores axes in another order, so sizes cannot be compared directly.
    if inside != wanted and not file.path.suffix.lower() == ".mat":
        raise FileFormatError(
            f"{file.name}: {answer.name} ({role!r}) has {' x '.join(map(str, answer.shape))} "
            f"values, but the projections in {chosen.name} have images of "
            f"{' x '.join(map(str, wanted))} pixels; choose another dataset for {role!r}."
        )


def _is_named(name: str, words: tuple[str, ...]) -> bool:
    return any(word in name.rsplit("/", 1)[-1].lower() for word in words)


def _chosen(file: InputFile, stored: tuple[StoredArray, ...], answers: Answers) -> StoredArray:
    # An answer that names no array falls through to the message that lists the arrays.
    answer = None if answers.array is None else array_named(stored, answers.array)
    if answer is not None and (len(answer.shape) not in (2, 3) or min(answer.shape) < 2):
        raise FileFormatError(
            f"{file.name}: {answer.name} has {' x '.join(map(str, answer.shape))} values, but "
            "projections need two or three axes; choose another dataset with --array."
        )
    if answer is not None:
        return answer
    usable = [each for each in stored if len(each.shape) in (2, 3) and min(each.shape) > 1]
    scans = [each for each in usable if not _is_named(each.name, FLAT_NAMES + DARK_NAMES)]
    # Arrays of similar size can be two energies or two scans; only the user knows.
    likely = [each for each in scans if 2 * np.prod(each.shape) > np.prod(scans[0].shape)]
    if len(likely) > 1 and answers.array is None:
        names = ", ".join(each.name for each in likely[:8])
        raise FileFormatError(
            f"{file.name}: {len(likely)} arrays could be the projections ({names}); choose one of "
            "them with --array."
        )
    if answers.array is not None or not scans:
        names = ", ".join(each.name for each in usable[:8])
        remedy = f"Choose one of {names} with --array." if usable else "Choose another file."
        raise FileFormatError(
            f"{file.name}: the file contains no array {answers.array!r}. {remedy}"
            if answers.array
            else f"{file.name}: the file contains no array of projections. {remedy}"
        )
    return scans[0]


def _is_list(stored: StoredArray) -> bool:
    """Return True for one axis, or a single row or column as MATLAB stores lists."""
    # Python integers, because the product of damaged sizes can exceed int64.
    return bool(np.prod(stored.shape, dtype=object) == max(stored.shape, default=0))


def _lengths_of_angles(lists: dict[str, StoredArray], answers: Answers) -> set[int]:
    """Return the length of the list that the user names as angles, or of those with such names."""
    answer = (answers.angles or "").lstrip("/")
    sizes = {name: max(each.shape) for name, each in lists.items()}
    of_answer = {n for name, n in sizes.items() if name.lstrip("/") == answer}
    return of_answer or {n for name, n in sizes.items() if is_named_angle(name.rsplit("/", 1)[-1])}


def _order(
    file: InputFile, chosen: StoredArray, answers: Answers, n_angles: set[int]
) -> tuple[str, ...]:
    """Return the axes of an array, the slowest first.

    The length of the list of angles identifies the axis of views. Without one, the usual order of
    the format is assumed: MATLAB programs store views last.
    """
    by_matlab = file.path.suffix.lower() == ".mat"
    default = ("row", "column", "view") if by_matlab else ("view", "row", "column")
    orders: tuple[tuple[str, ...], ...] = (
        *(default, ("view", "row", "column"), ("row", "view", "column")),
        *(("row", "column", "view"), ("column", "row", "view")),
    )
    if len(chosen.shape) == 2:
        orders = (("view", "column"), ("column", "view"))
    answer = {"view": answers.views, "row": answers.rows, "column": answers.columns}
    sizes = [dict(zip(order, chosen.shape, strict=True)) for order in orders]
    fits = [
        order
        for order, size in zip(orders, sizes, strict=True)
        if all(answer[axis] in (None, n) for axis, n in size.items())
    ]
    by_angles = [order for order in fits if chosen.shape[order.index("view")] in n_angles]
    # If nothing fits the answers, keep the usual order; later checks name the contradiction.
    return (by_angles or fits or list(orders))[0]


def _list(file: InputFile, name: str) -> Array:
    return np.asarray(array_of(file, name), np.float64).reshape(-1)
