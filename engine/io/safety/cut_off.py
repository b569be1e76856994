"""Handle list mode that ends within a record: refuse it, or use the complete events.

The second only where the user agreed, and never without a word: how many events there are goes with
the scan into its notes, its facts and everything that is made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import CutOffError
from engine.core.json_types import Plain
from engine.io.safety.open_input import InputFile
from engine.io.text.word_list import FileWords

CHUNK = 4_000_000
"""Words counted at once."""
EVENTS, LEFT_OUT = "complete_events", "cut_off_bytes"
"""Facts of a scan whose file ends within a record."""


@dataclass(frozen=True)
class CutOff:
    """The end of a file of list mode.

    Attributes
    ----------
    name : of the file
    n_events : complete ones before it
    n_bytes : of the record that is not complete; 0 where the file ends with a whole one
    """

    name: str
    n_events: int
    n_bytes: int

    @property
    def facts(self) -> Plain:
        """Facts to store; empty for a complete file."""
        return {EVENTS: self.n_events, LEFT_OUT: self.n_bytes} if self.n_bytes else {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Note for the user; empty for a complete file."""
        if not self.n_bytes:
            return ()
        rest = "1 byte is" if self.n_bytes == 1 else f"{self.n_bytes:,} bytes are"
        return (
            f"{self.name} ends within a record: its {self.n_events:,} complete events are used, "
            f"{rest} ignored.",
        )


def words_of(
    file: InputFile,
    dtype: str,
    start: int,
    is_event: Callable[[Array], NDArray[np.bool_]],
    what: Callable[[int, int], str],
) -> tuple[FileWords, int]:
    """Return the complete words of a file, and how many bytes come after them.

    Parameters
    ----------
    file
        of list mode; whether it may be cut off is known to it
    dtype
        of a word
    start
        byte of the first word
    is_event
        tells events from other words
    what
        says in a clause how many complete words and more bytes there are

    Raises
    ------
    CutOffError
        where there are more bytes, and nobody agreed to leave them out
    """
    words = FileWords(file, np.dtype(dtype), start)
    rest = max(file.size - start, 0) - len(words) * words.dtype.itemsize
    if rest and not file.may_be_cut:
        pieces = (words[k : k + CHUNK] for k in range(0, len(words), CHUNK))
        n_events = sum(int(np.count_nonzero(is_event(piece))) for piece in pieces)
        raise CutOffError(f"{file.name}: truncated, {what(len(words), rest)}", n_events)
    return words, rest
