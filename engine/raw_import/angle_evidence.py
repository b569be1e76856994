"""Collect possible angles of a scan: arrays, texts and file names.

Evidence has priority over guesses. Sources that can be read are compared, and the user is asked
about the others.

Angles in file names can be in any order, next to counters, dates and other numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import EngineError
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.array_files import array_of, arrays_in
from engine.io.xray.names import SIGN
from engine.io.xray.text.angle_text import (
    TextAngles,
    UnclearAngles,
    choose,
    is_named_angle,
    text_content,
)
from engine.raw_import.files import Material
from engine.raw_import.image_layout import ImageLayout
from engine.raw_import.rotation import ViewAngles, as_table, of_list

SAME_DEG = 0.02
"""Largest difference between two equal sources.

Names are often rounded to hundredths of a degree.
"""
MAX_VALUES = 2**20
Clue = ViewAngles | UnclearAngles
# Some scanners write a decimal point as "p", because a second dot would look like an ending.
NUMBER = re.compile(r"[-+]?\d+(?:[.,p]\d+)?")
DECIMAL = re.compile(r"\d[.,p]\d")
WORD = re.compile(r"(?<![a-z])(?:ang(?:le)?s?|deg|theta|rot(?:ation)?|phi|winkel)[-_ =]*$", re.I)
UNIT_AFTER = re.compile(r"[-_ ]?(?:deg|°)", re.I)
MIN_FILES = 4
MAX_DEG = 1080.0
"""Larger whole numbers are only angles if a word says so; otherwise dates, times or counters."""
TURNS_DEG = (180.0, 360.0)


@dataclass(frozen=True)
class ImageCounts:
    """Images of a scan by their role."""

    n_views: int
    n_flats: int = 0
    n_darks: int = 0

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths that a list of angles may have, beginning with that of the views alone."""
        more = (self.n_flats, self.n_darks, self.n_flats + self.n_darks)
        return (self.n_views, *(self.n_views + n for n in dict.fromkeys(more) if n))


def evidence(material: Material, layout: ImageLayout, counts: ImageCounts) -> Clue | None:
    """Return the angles that the files state.

    Parameters
    ----------
    material
        files of the scan
    layout
        arrays and sizes of the images
    counts
        number of images by role

    Returns
    -------
    evidence
        `UnclearAngles` if something could be angles or two sources differ; None if there is nothing
    """
    # Arrays in the file of the projections are closest to the data, so they need no comparison.
    inside = in_arrays(layout, counts)
    if isinstance(inside, ViewAngles):
        return inside
    clues = [inside, *_adjacent(material, counts)]
    # Numbers in names of a stack of pages do not count views.
    if len(material.images) == counts.n_views:
        clues.append(in_names(material.images))
    found = [each for each in clues if isinstance(each, ViewAngles)]
    if not found:
        return next((each for each in clues if each is not None), None)
    # Two sources that differ prove that one is wrong, but not which one.
    differ = [each for each in found[1:] if not _agree(found[0], each)]
    if differ:
        return UnclearAngles(
            f"{found[0].text} and {differ[0].text} are different angles; choose with --angles FILE "
            "or --angles names."
        )
    return found[0]


def _adjacent(material: Material, counts: ImageCounts) -> list[Clue | None]:
    """Return the clues in files next to the images; only in those named like the scan, if any."""
    # A folder can contain several scans, whose lists have the same length.
    stem = material.images[0].stem.rstrip("0123456789").rstrip("_-. ")
    named = [path for path in material.texts if stem and path.stem.startswith(stem)]
    for paths in (named, material.texts):
        clues = list(_in_files(paths, material.folder, counts))
        if any(isinstance(each, ViewAngles) for each in clues):
            break
    return clues


def _in_files(paths: Sequence[Path], folder: Path, counts: ImageCounts) -> Iterator[Clue | None]:
    for path in paths:
        try:
            with open_input(path) as file:
                yield in_file(file, path.relative_to(folder).as_posix(), counts)
        except EngineError:
            # An unreadable neighbour is no reason to refuse the scan.
            continue


def in_arrays(layout: ImageLayout, counts: ImageCounts) -> Clue | None:
    """Return the angles of an array in the file of the projections.

    Parameters
    ----------
    layout
        arrays of the file
    counts
        number of images by role

    Returns
    -------
    in_arrays
        `UnclearAngles` for a list that is not certain; None without a list of a suitable length
    """
    named = {name: each for name, each in layout.lists.items() if is_named_angle(_last(name))}
    for name, values in named.items():
        turn = of_list(values, counts.n_views, counts.n_flats, counts.n_darks)
        if turn is not None:
            return _of_array(name, values, turn, layout.holder)
    for name, values in named.items():
        if values.size != counts.n_views:
            return UnclearAngles(
                f"{name}: {values.size:,} angles for {counts.n_views:,} views; state the view axis "
                "of the array (--views) or the angles (--angles)."
            )
    # An unnamed list with one number per view may be angles, times or beam currents.
    for name, values in layout.lists.items():
        steps = np.diff(values.reshape(-1))
        if values.size == counts.n_views and np.ptp(steps) > 0:
            return UnclearAngles(
                f"{name}: one number per view, but nothing marks them as angles; use --angles "
                f"{name.lstrip('/')} if they are angles, or --angles 180."
            )
    return None


def _of_array(name: str, values: Array, turn: ViewAngles, holder: str) -> ViewAngles:
    """Return angles as the dataset that contains them, for files of HDF5; otherwise as numbers."""
    flat = values.reshape(-1)
    # A reference to the dataset lets similar files use the same description.
    table: dict[str, object] = {"file": f"{holder}{SIGN}{name}"} if holder else as_table(flat)
    return ViewAngles(
        {**table, **turn.table}, f"{name}: {turn.text}", turn.why, degrees=turn.degrees
    )


def in_file(file: InputFile, name: str, counts: ImageCounts) -> Clue | None:
    """Return the angles of a text or array file next to the images.

    Parameters
    ----------
    file
        the file
    name
        its name relative to the folder of the scan
    counts
        number of images by role

    Returns
    -------
    in_file
        `UnclearAngles` if it could contain angles; None if it does not
    """
    content = text_content(file)
    if content is None:
        return _in_other_arrays(file, name, counts)
    found = choose(content, name, counts.lengths)
    if not isinstance(found, TextAngles):
        return found
    # A reference keeps the file as the single source; a table needs its column copied.
    column = content.single_column
    if found.values.size == column.size and np.array_equal(found.values, column):
        turn = _turn(found, counts)
        if turn is not None:  # the sidecar reads it as it stands
            table = {"file": name, **turn.table}
            return ViewAngles(table, f"{name}: {turn.text}", turn.why, degrees=turn.degrees)
    return _as_values(found, name, counts)


def _turn(found: TextAngles, counts: ImageCounts) -> ViewAngles | None:
    return of_list(found.values, counts.n_views, counts.n_flats, counts.n_darks, stated=found.unit)


def _as_values(found: TextAngles, name: str, counts: ImageCounts) -> Clue:
    """Return angles of a table as numbers [°], which are then part of the sidecar."""
    turn = _turn(found, counts)
    if turn is None or turn.degrees is None:
        return UnclearAngles(
            f"{name}: {found.place} contains {len(found.values):,} numbers that are not angles of "
            f"{counts.n_views:,} views; correct the list, or use --angles 180."
        )
    table = as_table(turn.degrees)
    return ViewAngles(table, f"{name}, {found.place}: {turn.text}", turn.why, degrees=turn.degrees)


def _in_other_arrays(file: InputFile, name: str, counts: ImageCounts) -> Clue | None:
    """Return the angles of a list in a NumPy, MATLAB or HDF5 file next to the images."""
    every = arrays_in(file)
    if any(len(each.shape) > 1 and sorted(each.shape)[-2] > 1 for each in every):
        return None  # it holds images, so that its lists are of another scan
    stored = [
        each
        for each in every
        if max(each.shape, default=0) in counts.lengths
        # The limit bounds memory: the size comes from a header that may be damaged.
        and np.prod(each.shape, dtype=object) == max(each.shape) <= MAX_VALUES
    ]
    named = [each for each in stored if is_named_angle(_last(each.name))]
    # A single list in a file called "angles.npy" needs no name of its own.
    if not named and is_named_angle(Path(name).stem) and len(stored) == 1:
        named = stored
    if len(named) == 1:
        values = np.asarray(array_of(file, named[0].name), np.float64).reshape(-1)
        found = TextAngles(values, None, named[0].name or "its array")
        return _as_values(found, name, counts)
    if stored:
        return UnclearAngles(
            f"{name}: contains {max(stored[0].shape):,} numbers, one per view; use --angles "
            f"{name}{SIGN + stored[0].name if stored[0].name else ''} if they are angles, or "
            "--angles 180."
        )
    return None


def _agree(one: ViewAngles, other: ViewAngles) -> bool:
    # Without degrees, the steps are even and the list states only FIRST and STEP.
    if one.degrees is None or other.degrees is None:
        return False
    return bool(np.abs(one.degrees - other.degrees).max() <= SAME_DEG)


def _last(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def in_names(files: Sequence[Path]) -> ViewAngles | UnclearAngles | None:
    """Return angles that are part of the file names.

    Parameters
    ----------
    files
        one file per view, in order

    Returns
    -------
    in_names
        `UnclearAngles` if several numbers could be angles; None if no number could
    """
    # With two or three files almost any numbers look regular.
    if len(files) < MIN_FILES:
        return None
    spans = [list(NUMBER.finditer(path.stem)) for path in files]
    # Names with different numbers of numbers cannot be compared field by field.
    if len({len(each) for each in spans}) != 1:
        return None
    fields = [_Field(files, [each[k] for each in spans]) for k in range(len(spans[0]))]
    usable = [each for each in fields if not each.is_constant]
    # From the strongest sign to the weakest: a word, a decimal point, even steps of a full range.
    for likely in (
        [each for each in usable if each.is_named],
        [each for each in usable if each.is_decimal],
        [each for each in usable if each.spans_a_turn],
    ):
        if len(likely) == 1:
            return likely[0].angles()
        if likely:
            return UnclearAngles(
                f"{files[-1].name}: {len(likely)} numbers in the names could be the angles; pass "
                "the angles with --angles FILE, or state the total angle, such as --angles 180."
            )
    odd = [each for each in usable if each.is_odd]
    return odd[0].unclear_angles() if odd else None


def angles_in_names(files: Sequence[Path]) -> ViewAngles | None:
    """Return the angles in the file names after the user has confirmed that they are there.

    Parameters
    ----------
    files
        one file per view, in order

    Returns
    -------
    found
        None if no field can be chosen
    """
    found = in_names(files)
    # The confirmation resolves `UnclearAngles` if only one field has uneven steps.
    if isinstance(found, UnclearAngles):
        spans = [list(NUMBER.finditer(path.stem)) for path in files]
        fields = [_Field(files, [each[k] for each in spans]) for k in range(len(spans[0]))]
        odd = [each for each in fields if not each.is_constant and each.is_odd]
        return odd[0].angles() if len(odd) == 1 else None
    return found


class _Field:
    """One number of each name."""

    def __init__(self, files: Sequence[Path], found: Sequence[re.Match[str]]) -> None:
        self.files, self.found = files, found
        texts = [each.group() for each in found]
        # Otherwise "scan-001" would be view −1.
        if all(text[0] in "-+" for text in texts) and not texts[0].startswith("+"):
            texts = [text[1:] for text in texts]  # a hyphen before every number parts words
        self.texts = texts
        self.values: Array = np.array([float(re.sub("[,p]", ".", text)) for text in texts])

    @property
    def is_constant(self) -> bool:
        return bool(np.ptp(self.values) == 0)

    @property
    def is_named(self) -> bool:
        """Return True if a word before or after the number names angles."""
        first = self.found[0]
        stem = self.files[0].stem
        return bool(WORD.search(stem[: first.start()]) or UNIT_AFTER.match(stem, first.end()))

    @property
    def is_decimal(self) -> bool:
        return any(DECIMAL.search(text) for text in self.texts)

    @property
    def _steps(self) -> Array:
        return np.diff(np.sort(self.values))

    @property
    def spans_a_turn(self) -> bool:
        """Return True if even steps of more than one degree cover half a turn or a whole one."""
        steps = self._steps
        # Steps of one are a counter of files in most scans.
        if np.ptp(steps) or steps[0] in (0.0, 1.0):
            return False
        span = float(np.ptp(self.values))
        return any(total in TURNS_DEG for total in (span, span + float(steps[0])))

    @property
    def is_odd(self) -> bool:
        """Return True if whole numbers have uneven steps, unlike a counter."""
        steps = self._steps
        # A counter with a few missing files still has mostly equal steps.
        counts_up = np.count_nonzero(steps == np.median(steps)) > 0.8 * len(steps)
        return not counts_up and float(np.abs(self.values).max()) <= MAX_DEG

    def angles(self) -> ViewAngles:
        values = self.values
        text = f"from {values[0]:g}° to {values[-1]:g}°, from the file names"
        return ViewAngles(as_table(values), text, f"such as {self.files[-1].name}", degrees=values)

    def unclear_angles(self) -> UnclearAngles:
        low, high = self.values.min(), self.values.max()
        return UnclearAngles(
            f"{self.files[-1].name}: the names contain numbers from {low:g} to {high:g} in uneven "
            "steps; use --angles names if they are degrees, or state the total angle, such as "
            "--angles 180."
        )
