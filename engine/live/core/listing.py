"""List the names in a growing folder repeatedly, one portion at a time.

A call takes as long in a folder of ten thousand names as in a small one.
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
MIN_LIST_S, MAX_LIST_S = 0.1, 5.0


@dataclass(frozen=True)
class Listed:
    """Result of a complete listing.

    Attributes
    ----------
    names : names in the folder
    removed : names that were known before, and are missing now
    removed_before : names that earlier listings found missing
    is_another : True if the folder was replaced; the other attributes are then empty
    """

    names: Set[str]
    removed: Set[str]
    removed_before: Set[str]
    is_another: bool = False

    def reappeared(self, new: Set[str]) -> bool:
        """Return True if names that were removed before are among the new ones."""
        return not new.isdisjoint(self.removed_before)


class Listings:
    """Lists a folder.

    Attributes
    ----------
    settings : files in the folder that may describe the scan
    n_done : number of complete listings
    """

    def __init__(self, folder: Path) -> None:
        self.settings: list[Path] = []
        self.n_done = 0
        self._folder = folder
        self._removed: set[str] = set()
        self._identity: int | None = None
        self.restart()

    def restart(self) -> None:
        """List at the next call, and forget which names were removed."""
        self._removed = set()
        self._portions: Iterator[list[str]] | None = None
        self._next_s = self._took_s = 0.0

    def next_portion(self, now_s: float, known: Set[str]) -> Listed | None:
        """Read a portion of the names if it is time to.

        Parameters
        ----------
        now_s
            current time, by `time.monotonic` [s]
        known
            names that the caller knows; while it is empty, all names are read at once

        Returns
        -------
        listed
            result of a complete listing, None before its last portion

        Raises
        ------
        EngineError
            if the folder is missing, or its drive is not reachable
        """
        if self._portions is None:
            if now_s < self._next_s:
                return None
            self._begin(known)
        begun = monotonic()
        try:
            # The first listing is needed whole: the smallest number decides how images count
            is_done = self._read(at_once=not known)
        except BaseException:
            # A broken listing would miss names, so the next call starts from the beginning
            self._portions = None
            raise
        self._took_s += monotonic() - begun
        return self._ended() if is_done else None

    def _begin(self, known: Set[str]) -> None:
        self._portions = names_by_portions(self._folder, PORTION)
        self._names, self._known = set[str](), frozenset(known)
        self._began_at, self._took_s = identity_of(self._folder), 0.0

    def _read(self, *, at_once: bool) -> bool:
        """Read one portion or everything; return True at the end."""
        for portion in self._portions or ():
            self._names.update(portion)
            if not at_once:
                return False
        return True

    def _ended(self) -> Listed:
        self._portions = None
        identity, before = identity_of(self._folder), self._identity
        self._identity = identity
        # Another inode: the scanner deleted the folder and made a new one of the same name
        if identity != self._began_at or before not in (None, identity):
            return Listed(frozenset(), frozenset(), frozenset(), is_another=True)
        removed = (name for name in self._known - self._names if self._is_missing(name))
        listed = Listed(self._names, frozenset(removed), frozenset(self._removed))
        self._removed |= listed.removed
        self.settings = [
            self._folder / name for name in self._names if name.lower().endswith(DESCRIBING)
        ]
        self.n_done += 1
        # Listing takes at most a twentieth of the time, however many files there are
        wait_s = min(max(LIST_SHARE * self._took_s, MIN_LIST_S), MAX_LIST_S)
        self._next_s = monotonic() + wait_s
        return listed

    def _is_missing(self, name: str) -> bool:
        """Return True if a name is missing. Some network drives omit names while others appear."""
        return state_of(self._folder / name) is None
