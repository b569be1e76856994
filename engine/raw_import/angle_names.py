"""Angles in file names: any order, next to counters, dates and other numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.io.xray.text.angle_text import Puzzle
from engine.raw_import.rotation import ViewAngles, as_table

# Some scanners write a decimal point as "p", because a second dot would look like an ending.
NUMBER = re.compile(r"[-+]?\d+(?:[.,p]\d+)?")
DECIMAL = re.compile(r"\d[.,p]\d")
WORD = re.compile(r"(?<![a-z])(?:ang(?:le)?s?|deg|theta|rot(?:ation)?|phi|winkel)[-_ =]*$", re.I)
UNIT_AFTER = re.compile(r"[-_ ]?(?:deg|°)", re.I)
FEWEST_FILES = 4
MOST_DEG = 1080.0
"""Larger whole numbers are only angles if a word says so; otherwise dates, times or counters."""
TURNS_DEG = (180.0, 360.0)


def in_names(files: Sequence[Path]) -> ViewAngles | Puzzle | None:
    """Return angles that are part of the file names.

    Parameters
    ----------
    files
        one file per view, in order

    Returns
    -------
    in_names
        a puzzle if several numbers could be angles; None if no number could
    """
    # With two or three files almost any numbers look regular.
    if len(files) < FEWEST_FILES:
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
            return Puzzle(
                f"{files[-1].name}: {len(likely)} numbers in the names could be the angles; pass "
                "the angles with --angles FILE, or state the total angle, such as --angles 180."
            )
    odd = [each for each in usable if each.is_odd]
    return odd[0].puzzle() if odd else None


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
    # The confirmation resolves a puzzle if only one field has uneven steps.
    if isinstance(found, Puzzle):
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
        return not counts_up and float(np.abs(self.values).max()) <= MOST_DEG

    def angles(self) -> ViewAngles:
        values = self.values
        text = f"from {values[0]:g}° to {values[-1]:g}°, from the file names"
        return ViewAngles(as_table(values), text, f"such as {self.files[-1].name}", degrees=values)

    def puzzle(self) -> Puzzle:
        low, high = self.values.min(), self.values.max()
        return Puzzle(
            f"{self.files[-1].name}: the names contain numbers from {low:g} to {high:g} in uneven "
            "steps; use --angles names if they are degrees, or state the total angle, such as "
            "--angles 180."
        )
