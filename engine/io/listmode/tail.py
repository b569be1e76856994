"""List mode of words with time tags, while its file grows: what came after what was decoded before.

A stream of words may begin with a time tag anywhere. So a word that says what time it is goes
before the new ones, and they are decoded like the words of a whole scan.
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

MOST_BYTES = 16 * 2**20
"""Read at once."""


@dataclass(frozen=True)
class WordFormat:
    """Decoder of words into events.

    Attributes
    ----------
    dtype : of a word
    tag : returns the word that tells a time [ms]
    times_of : returns the times that words tell [ms], in their order
    decode : returns the events of words, with their times from the first tag on
    """

    dtype: str
    tag: Callable[[int], int]
    times_of: Callable[[Array], Array]
    decode: Callable[[Array], ListMode]


@dataclass
class ListModeTail:
    """Decodes a file part by part, as it grows.

    Attributes
    ----------
    path : of the words
    format : of the words
    head : the scan without events
    at : byte of the next word
    n_words : in the whole file, None where nothing says so
    identity : of the file, once it was read
    """

    path: Path
    format: WordFormat
    head: ListMode
    at: int = 0
    n_words: int | None = None
    identity: tuple[int, int] | None = None
    _first_ms: int | None = None
    _now_ms: int = 0
    _n_taken: int = field(default=0, init=False)

    @property
    def is_whole(self) -> bool:
        """Return True if all words have come that the header counts."""
        return self.n_words is not None and self._n_taken >= self.n_words

    def new_events(self) -> ListMode | None:
        """Return events that were written since the last call, None where there is none.

        Raises
        ------
        EngineError
            where the file is gone, is another one, has become shorter or holds no such words
        """
        words = self._new_words()
        times = self.format.times_of(words)
        if self._first_ms is None:
            if not len(times):
                return None  # until it is known when the scan began
            self._first_ms = self._now_ms = int(times[0])
        now = np.array([self.format.tag(self._now_ms)], words.dtype)
        events = self.format.decode(np.concatenate([now, words]))
        late = np.uint32(self._now_ms - self._first_ms)
        self.at += words.nbytes
        self._n_taken += len(words)
        self._now_ms = int(times[-1]) if len(times) else self._now_ms
        if not events.n_events or events.time_ms is None:
            return None
        return replace(events, time_ms=events.time_ms + late)

    @property
    def was_replaced(self) -> bool:
        """Return True if another file is there now, or less of it."""
        with closing(InputFile(self.path)) as file:
            return self.identity not in (None, file.identity) or file.size < self.at

    def _new_words(self) -> Array:
        """Return whole words that were not taken yet, no more than are read at once."""
        with closing(InputFile(self.path)) as file:
            if self.identity not in (None, file.identity):
                raise FileFormatError(f"{self.path.name}: the file was replaced by another one.")
            if file.size < self.at:
                raise FileFormatError(f"{self.path.name}: the file has become shorter.")
            self.identity = file.identity
            dtype = np.dtype(self.format.dtype)
            n = min(file.size - self.at, MOST_BYTES) // dtype.itemsize
            return file.array(dtype, (n,), self.at)
