"""Handle list mode that ends too early: refuse it, or use the complete events.

Only a stated number of records reveals a file that ends between two of them. Complete events are
used only with the user's consent. Their number then appears in the notes and the facts of the
scan, and in the provenance of its images.

Runs of identical words are traces of failed copies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import CutOffError, FileFormatError
from engine.core.json_types import Plain
from engine.io.safety.open_input import InputFile

if TYPE_CHECKING:
    from engine.io.text.word_list import FileWords, Words

CHUNK = 4_000_000
"""Words that are counted at once."""
EVENTS, LEFT_OUT, MISSING = "complete_events", "cut_off_bytes", "missing_records"
"""Facts of a truncated scan."""
STRIDE = 32
"""Any run of 2 · STRIDE identical words is found."""
MIN_TAIL = 8
"""Number of identical words at the end that no scan has."""
ONLY_COMPLETE = "only its complete events are used"
"""Part of the note about a truncated scan, after the user has accepted it."""


@dataclass(frozen=True)
class CutOff:
    """The end of a list-mode file.

    Attributes
    ----------
    name : file name
    n_events : number of complete events
    n_bytes : size of the incomplete last record; 0 if the last record is complete
    n_missing : complete records that the file lacks, if it states their number
    """

    name: str
    n_events: int
    n_bytes: int
    n_missing: int = 0

    @property
    def facts(self) -> Plain:
        """Facts to store; empty for a complete file."""
        if not (self.n_bytes or self.n_missing):
            return {}
        missing = {MISSING: self.n_missing} if self.n_missing else {}
        return {EVENTS: self.n_events, LEFT_OUT: self.n_bytes} | missing

    @property
    def notes(self) -> tuple[str, ...]:
        """Note for the user; empty for a complete file."""
        if self.n_bytes:
            return (
                f"{self.name} ends within a record: {ONLY_COMPLETE} (events used: "
                f"{self.n_events:,}, bytes ignored: {self.n_bytes:,}).",
            )
        if self.n_missing:
            return (
                f"{self.name} has fewer records than it states: {ONLY_COMPLETE} (events used: "
                f"{self.n_events:,}, records missing: {self.n_missing:,}).",
            )
        return ()


def words_of(
    file: InputFile,
    dtype: npt.DTypeLike,
    start: int,
    is_event: Callable[[Array], NDArray[np.bool_]],
    problem: Callable[[int, int], str],
    promised: int | None = None,
) -> tuple[FileWords, int]:
    """Return the complete words of a file, and the number of bytes after them.

    Parameters
    ----------
    file
        list-mode file; its `may_be_cut` states the user's consent
    dtype
        NumPy type of a word, or of a record with fields
    start
        byte of the first word
    is_event
        returns True for the words that are events
    problem
        returns the message without remedy for the number of complete words and of further bytes
    promised
        number of words that the file states; None if it states none

    Returns
    -------
    words, n_bytes
        n_bytes is 0 for a complete file

    Raises
    ------
    CutOffError
        if bytes remain or words are missing, and the user has not agreed to use the complete ones;
        it contains the number of events
    FileFormatError
        if the file has more words than it states
    """
    from engine.io.text.word_list import FileWords  # only list mode has words

    # A header that is longer than the file leaves no bytes for words.
    words = FileWords(file, np.dtype(dtype), start)
    rest = max(file.size - start, 0) - len(words) * words.dtype.itemsize
    n = len(words)
    if promised is not None and (n > promised or (n == promised and rest)):
        raise FileFormatError(
            f"{file.name}: contains {n:,} complete records and {rest:,} further bytes, but states "
            f"{promised:,} records; copy the file again."
        )
    if file.may_be_cut:
        return words, rest
    if rest:
        raise CutOffError(problem(n, rest), _n_events(words, is_event))
    if promised is not None and n < promised:
        text = f"{file.name}: contains only {n:,} of the {promised:,} records that it states"
        raise CutOffError(text, _n_events(words, is_event))
    return words, rest


def _n_events(words: Words, is_event: Callable[[Array], NDArray[np.bool_]]) -> int:
    # The events are counted before the refusal, so that the user can decide with their number.
    pieces = (words[k : k + CHUNK] for k in range(0, len(words), CHUNK))
    return sum(int(np.count_nonzero(is_event(piece))) for piece in pieces)


def refuse_padding(words: Words, where: str) -> None:
    """Refuse a stream that ends in identical words or contains a long run of them.

    Parameters
    ----------
    words
        words of a list-mode file, which are read in chunks
    where
        file, for the message

    Raises
    ------
    FileFormatError
        states the word and its range
    """
    n = len(words)
    tail = n - _start_of_run(words, n - 1) if n else 0
    if tail >= MIN_TAIL:
        raise FileFormatError(_sentence(words, n - tail, n, where))
    for start in range(0, n, CHUNK):
        # The chunks overlap, so that a run across their border is found too.
        part = np.asarray(words[start : start + CHUNK + 2 * STRIDE])
        # Only every 32nd word is compared: a run of 64 contains two equal samples in succession.
        # The words between them are compared only then.
        sampled = part[::STRIDE]
        for k in np.flatnonzero(sampled[1:] == sampled[:-1]):
            middle = part[k * STRIDE : (k + 1) * STRIDE + 1]
            if (middle == middle[0]).all():
                first = _start_of_run(words, start + int(k) * STRIDE)
                raise FileFormatError(_sentence(words, first, _end_of_run(words, first), where))


def _start_of_run(words: Words, at: int) -> int:
    value = words[at]
    while at > 0:
        # Backwards in chunks, because the words are in a file and the run can be long.
        low = max(0, at - CHUNK)
        other = np.flatnonzero(words[low:at] != value)
        if len(other):
            return low + int(other[-1]) + 1
        at = low
    return 0


def _end_of_run(words: Words, at: int) -> int:
    value, n = words[at], len(words)
    while at < n:
        other = np.flatnonzero(words[at : at + CHUNK] != value)
        if len(other):
            return at + int(other[0])
        at += CHUNK
    return n


def _sentence(words: Words, first: int, stop: int, where: str) -> str:
    digits = 2 * words.dtype.itemsize
    return (
        f"{where}: {stop - first:,} identical words ({int(words[first]):#0{digits + 2}x}) from "
        f"word {first:,} of {len(words):,}, as after a failed copy; copy the file again, or cut it "
        "there."
    )
