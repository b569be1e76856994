"""Trigger times: a text file with one time per line, such as R waves of an ECG or breathing peaks.

The first line states the unit, `trigger time [s]` or `trigger time [ms]`. The times count from the
start of the scan, in order. `#` begins a comment.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.timing.time_frames import MS
from engine.data.timing.triggers import OF_FILE, Triggers
from engine.io.safety.open_input import open_input, refuse_not_finite
from engine.io.text.rows import numbers_of, rows_of

if TYPE_CHECKING:
    from engine.io.safety.open_input import InputFile

MAX_BYTES = 20_000_000
LONGEST_S = 4_000_000.0
"""Limit of times in ms with 32 bits."""
_HEAD = re.compile(
    r"\ufeff?#?\s*trigger[ _]times?\s*[\[(_ ]\s*(?P<unit>s|ms)\s*[\])]?", re.IGNORECASE
)
WANTED = "Write a first line such as 'trigger time [s]', then one time per line."


def is_trigger_file(file: InputFile) -> bool:
    """Return True if the first line of a file is the head of a trigger file."""
    line = file.head.split(b"\n", 1)[0]
    return _HEAD.fullmatch(line.decode("utf-8", "replace").strip()) is not None


def read_triggers(path: Path) -> Triggers:
    """Read trigger times.

    Parameters
    ----------
    path
        text file with a head and one time per line

    Returns
    -------
    triggers
        times in ms since the start of the scan

    Raises
    ------
    EngineError
        if the head is missing, there are fewer than two times, or they do not increase
    """
    with open_input(path) as file:
        lines = file.text(MAX_BYTES).splitlines()
    head = _HEAD.fullmatch(lines[0].strip()) if lines else None
    if head is None:
        raise FileFormatError(f"{path.name}: the unit of the times is missing. {WANTED}")
    # The head is replaced by an empty line, so that line numbers in messages stay correct.
    rows = rows_of(["", *lines[1:]])
    if len(rows) < 2:
        raise FileFormatError(
            f"{path.name}: the number of trigger times is {len(rows)}, expected at least 2; write "
            "one time per line."
        )
    times = np.array([numbers_of(path, row, 1, "Write one time in each line.")[0] for row in rows])
    refuse_not_finite(path, times)
    seconds = times if head["unit"].lower() == "s" else times / MS
    back = np.flatnonzero(np.diff(seconds) < 0)
    if len(back):
        line = rows[int(back[0]) + 1][0]
        raise FileFormatError(
            f"{path.name}, line {line}: {times[back[0] + 1]:g} comes after {times[back[0]]:g}, "
            "expected increasing times; sort the lines."
        )
    # ECG programs often export the time of day or Unix time.
    if seconds[0] < 0 or seconds[-1] > LONGEST_S:
        raise FileFormatError(
            f"{path.name}: times run from {seconds[0]:g} to {seconds[-1]:g} s, expected 0 to "
            f"{LONGEST_S:,.0f} s from the start of the scan; if these are clock times, subtract "
            "the start time of the scan."
        )
    return Triggers.at(OF_FILE, np.round(seconds * MS).astype(np.int64))
