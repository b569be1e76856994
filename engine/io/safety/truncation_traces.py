"""Find traces of failed copies in binary streams: runs of identical words."""

from __future__ import annotations

import numpy as np

from engine.core.errors import FileFormatError
from engine.io.text.word_list import Words

STRIDE = 32
"""Any run of 2 · STRIDE identical words is found."""
MIN_TAIL = 8
"""Number of identical words at the end that no scan has."""
CHUNK = 4_000_000


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
