"""Model of a disk after a power failure: all states that the logged changes allow.

The model is a journaling file system at its worst. Renames and other changes of names happen in
order and are certain up to the last synced folder. Bytes of a file are certain if they were written
before its sync. Of later bytes, any part may be missing or zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Contents = dict[str, bytes]


@dataclass(frozen=True)
class Change:
    """One logged call: a letter, two texts, and the bytes of a write."""

    kind: str
    first: str
    second: str
    data: bytes = b""


def read_log(log: bytes) -> Iterator[Change]:
    """Yield the changes that the shim logged."""
    at = 0
    while at < len(log):
        end = log.index(b"\n", at)
        kind, first, second, *rest = log[at:end].decode().split("\t")
        at = end + 1
        n_bytes = int(rest[0]) if kind == "W" else 0
        yield Change(kind, first, second, log[at : at + n_bytes])
        at += n_bytes


@dataclass
class File:
    """The content of a file: its writes, and how many of them are certain."""

    old: bytes = b""
    writes: list[Change] = field(default_factory=list)
    n_certain: int = 0

    def possible(self) -> tuple[bytes, ...]:
        """Return possible contents: any first writes, all but one, or zeros for new bytes."""
        n, certain = len(self.writes), self.n_certain
        chosen = [self.writes[:k] for k in range(certain, n + 1)]
        chosen += [self.writes[:k] + self.writes[k + 1 :] for k in range(certain, n)]
        found = [self._after(writes) for writes in chosen]
        if n > certain:
            retained = self._after(self.writes[:certain])
            found.append(retained.ljust(len(self._after(self.writes)), b"\0"))
        return tuple(dict.fromkeys(found))

    def _after(self, writes: Iterable[Change]) -> bytes:
        content = bytearray(self.old)
        for each in writes:
            at = int(each.second)
            if each.kind == "T":
                content = content[:at].ljust(at, b"\0")
            else:
                content = content.ljust(at, b"\0")
                content[at : at + len(each.data)] = each.data
        return bytes(content)


class Disk:
    """A folder on a disk that loses its power.

    Parameters
    ----------
    start : path -> number of each file and folder
    old : path -> content of each file
    """

    def __init__(self, start: dict[str, int], old: Contents) -> None:
        self._by_number = {str(start[path]): File(content) for path, content in old.items()}
        self._names = [{path: self._by_number[str(start[path])] for path in old}]
        self._n_certain = 1

    def apply(self, change: Change) -> None:
        """Apply a logged change."""
        now, kind = dict(self._names[-1]), change.kind
        if kind in "WT":
            self._by_number[change.first].writes.append(change)
            return
        if kind == "S":
            self._sync(change.first)
            return
        if kind == "C":
            now[change.first] = self._by_number[change.second] = File()
        elif kind == "L":
            now[change.second] = now[change.first]
        elif kind == "U":
            now.pop(change.first, None)
        elif kind == "R":
            inside = [path for path in now if Path(path).is_relative_to(change.first)]
            moved = {path: now.pop(path) for path in inside}
            now |= {change.second + path[len(change.first) :]: f for path, f in moved.items()}
        self._names.append(now)

    def states(self) -> Iterator[Contents]:
        """Yield the possible contents of the disk if power fails now; files vary independently."""
        for names in self._names[self._n_certain - 1 :]:
            certain = {path: file.possible() for path, file in names.items()}
            for k in range(max((len(found) for found in certain.values()), default=1)):
                yield {path: found[min(k, len(found) - 1)] for path, found in certain.items()}

    def _sync(self, number: str) -> None:
        if number in self._by_number:
            file = self._by_number[number]
            file.n_certain = len(file.writes)
        else:  # a folder
            self._n_certain = len(self._names)
