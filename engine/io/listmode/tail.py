"""Follow list mode with time tags while its file grows.

A stream of words can start anywhere between two time tags. So a word with the current time is
placed
before the new words, and they are decoded like a complete scan.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.listmode import ListMode
from engine.io.safety.open_input import InputFile

MAX_BYTES = 16 * 2**20
"""Maximum number of bytes that are read at once."""


@dataclass(frozen=True)
class WordFormat:
    """Decoder of words into events.

    Attributes
    ----------
    dtype : NumPy type of a word
    tag : returns the word for a time [ms]
    times_of : returns the times in words [ms], in order
    decode : returns the events of words, with times since the first tag
    """

    dtype: str
    tag: Callable[[int], int]
    times_of: Callable[[Array], Array]
    decode: Callable[[Array], ListMode]


@dataclass
class ListModeTail:
    """Decoder of a file part by part, while it grows.

    Attributes
    ----------
    path : file of the words
    format : their decoder
    head : the scan without events
    at : byte of the next word
    n_words : number of words in the complete file; None if unknown
    identity : device and inode of the file, after the first read
    """

    path: Path
    format: WordFormat
    head: ListMode
    at: int = 0
    n_words: int | None = None
    identity: tuple[int, int] | None = None
    _first_ms: int | None = None
    _now_ms: int = 0
    _n_read: int = field(default=0, init=False)

    @property
    def is_whole(self) -> bool:
        """True if all words that the header states have been read."""
        return self.n_words is not None and self._n_read >= self.n_words

    def new_events(self) -> ListMode | None:
        """Return events that were written since the last call.

        Returns
        -------
        events
            None if there are none yet

        Raises
        ------
        EngineError
            if the file is missing, was replaced, has become shorter or is damaged
        """
        words = self._new_words()
        times = self.format.times_of(words)
        if self._first_ms is None:
            if not len(times):
                return None  # without a time tag, the start of the scan is unknown
            self._first_ms = self._now_ms = int(times[0])
        now = np.array([self.format.tag(self._now_ms)], words.dtype)
        # The position moves only after decoding: if that fails, the next call reads the same words
        # again.
        events = self.format.decode(np.concatenate([now, words]))
        late = np.uint32(self._now_ms - self._first_ms)
        self.at += words.nbytes
        self._n_read += len(words)
        self._now_ms = int(times[-1]) if len(times) else self._now_ms
        if not events.n_events or events.time_ms is None:
            return None
        return replace(events, time_ms=events.time_ms + late)

    @property
    def was_replaced(self) -> bool:
        """True if the path now leads to another file, or the file has become shorter."""
        with closing(InputFile(self.path)) as file:
            return self.identity not in (None, file.identity) or file.size < self.at

    def _new_words(self) -> Array:
        """Return complete words that were not read yet, at most `MAX_BYTES`."""
        # Not `open_input`, which refuses a file that changes. Opened for each read, because on a
        # network share an open handle can keep showing the old size.
        with closing(InputFile(self.path)) as file:
            if self.identity not in (None, file.identity):
                raise FileFormatError(f"{self.path.name}: the file was replaced; open it again.")
            if file.size < self.at:
                raise FileFormatError(f"{self.path.name}: the file was truncated; open it again.")
            self.identity = file.identity
            dtype = np.dtype(self.format.dtype)
            n = min(file.size - self.at, MAX_BYTES) // dtype.itemsize
            return file.array(dtype, (n,), self.at)
