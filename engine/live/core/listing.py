"""The names in a folder that fills, again and again, a portion at each look.

So a look takes as long in a folder of ten thousand names as in a small one.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from engine.io.folder import identity_of, names_by_portions, state_of
from engine.io.xray.find import DESCRIBING

PORTION = 500
LIST_SHARE = 20
LEAST_LIST_S, MOST_LIST_S = 0.1, 5.0


@dataclass(frozen=True)
class Listed:
    """What a whole listing found.

    Attributes
    ----------
    names : that are there
    removed : names that were known when it began, and are not there any more
    removed_before : by earlier listings
    is_another : whether another folder stands there now; then nothing else is told
    """

    names: Set[str]
    removed: Set[str]
    removed_before: Set[str]
    is_another: bool = False

    def came_again(self, new: Set[str]) -> bool:
        """Whether some of these names were removed before."""
        return not new.isdisjoint(self.removed_before)


class Listings:
    """Lists a folder.

    Attributes
    ----------
    settings : files in it that may describe the scan
    n_done : how often it was listed whole
    """

    def __init__(self, folder: Path) -> None:
        self.settings: list[Path] = []
        self.n_done = 0
        self._folder = folder
        self._removed: set[str] = set()
        self._identity: int | None = None
        self.begin_anew()

    def begin_anew(self) -> None:
        """List at the next look, and forget what was removed."""
        self._removed = set()
        self._portions: Iterator[list[str]] | None = None
        self._next_s = self._took_s = 0.0

    def went_on(self, now_s: float, known: Set[str]) -> Listed | None:
        """Read a portion where it is time to; returns what was found when all is read.

        While no name is known all is read at once.

        Raises
        ------
        EngineError
            where the folder cannot be listed: it is not there, or its drive is gone
        """
        if self._portions is None:
            if now_s < self._next_s:
                return None
            self._begin(known)
        begun = monotonic()
        try:
            is_done = self._read(at_once=not known)
        except BaseException:
            self._portions = None
            raise
        self._took_s += monotonic() - begun
        return self._ended() if is_done else None

    def _begin(self, known: Set[str]) -> None:
        self._portions = names_by_portions(self._folder, PORTION)
        self._names, self._known = set[str](), frozenset(known)
        self._began_at, self._took_s = identity_of(self._folder), 0.0

    def _read(self, *, at_once: bool) -> bool:
        """Read one portion or all; whether there are no more."""
        for portion in self._portions or ():
            self._names.update(portion)
            if not at_once:
                return False
        return True

    def _ended(self) -> Listed:
        self._portions = None
        identity, before = identity_of(self._folder), self._identity
        self._identity = identity
        if identity != self._began_at or before not in (None, identity):
            return Listed(frozenset(), frozenset(), frozenset(), is_another=True)
        gone = (name for name in self._known - self._names if self._is_gone(name))
        listed = Listed(self._names, frozenset(gone), frozenset(self._removed))
        self._removed |= listed.removed
        self.settings = [
            self._folder / name for name in self._names if name.lower().endswith(DESCRIBING)
        ]
        self.n_done += 1
        wait_s = min(max(LIST_SHARE * self._took_s, LEAST_LIST_S), MOST_LIST_S)
        self._next_s = monotonic() + wait_s
        return listed

    def _is_gone(self, name: str) -> bool:
        """Whether a name is not there; some drives leave names out while others come."""
        return state_of(self._folder / name) is None
