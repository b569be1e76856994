"""Open ROOT files with uproot, and explain damage in one sentence."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, ResourceError
from engine.io.gate.branches import Branches
from engine.io.safety.budget import refuse_bomb, refuse_large_data
from engine.io.safety.open_input import InputFile

MAGIC = b"root"
KINDS = ["TTree", "ROOT::RNTuple"]
"""Classes of tables; GATE writes the first one."""
NUMBER_BYTES = 8
"""Size of a number in memory."""
AT_ONCE = 1_000_000
"""Number of rows that are read at once."""
USUAL = "coincidences"
SINGLES = "Singles"
DELAYED = "delay"
"""Prefix of the names of trees with delayed coincidences."""
FAULTS: tuple[type[Exception], ...] = (
    *(ValueError, KeyError, IndexError, TypeError, AttributeError, NotImplementedError),
    *(OSError, EOFError, AssertionError, OverflowError, RuntimeError, RecursionError),
    *(struct.error, zlib.error, UnboundLocalError, ZeroDivisionError),
)
"""Exceptions that uproot and its dependencies raise for damaged files."""

Columns: TypeAlias = Mapping[str, Array]


@dataclass(frozen=True)
class CoincidenceTree:
    """A tree of coincidences.

    Attributes
    ----------
    name : name in the file
    n_rows : number of coincidences
    branches : its branches
    delayed : True for delayed coincidences
    """

    name: str
    n_rows: int
    branches: Branches
    delayed: bool


class _Source:
    """A file object for uproot that never returns more bytes than the file has."""

    def __init__(self, file: InputFile) -> None:
        self._file, self._at = file, 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._file.size}[whence]
        self._at = max(begin + offset, 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, n_bytes: int = -1) -> bytes:
        # A damaged file can ask for any number of bytes. The file itself limits them.
        data = self._file.read(None if n_bytes < 0 else n_bytes, self._at)
        self._at += len(data)
        return data

    def close(self) -> None:
        """Do nothing: the opener closes the file."""


class RootFile:
    """An open ROOT file."""

    def __init__(self, file: InputFile) -> None:
        try:
            from uproot.reading import ReadOnlyFile
        except ImportError as e:
            raise ResourceError(
                f"{file.name}: ROOT files need the uproot package; install isocenter[gate]."
            ) from e
        self.name, self._n_bytes = file.name, file.size
        # `uproot.open` takes paths and URLs, which could lead to the network.
        self._file = ReadOnlyFile(_Source(file))
        self._tree = self._file.root_directory

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def coincidences(self) -> list[CoincidenceTree]:
        """Return the tree of prompt coincidences, and trees of delayed ones.

        Raises
        ------
        FileFormatError
            if there is no tree of coincidences, or more than one of prompts
        """
        # Cycles are older versions of one tree. Only the newest is wanted.
        names = list(self._tree.keys(cycle=False, recursive=False, filter_classname=KINDS))
        found = []
        for name in dict.fromkeys(names):
            tree = self._tree[name]
            branches = Branches.of(set(tree.keys()))
            if branches is not None:
                is_delayed = name.lower().startswith(DELAYED)
                found.append(CoincidenceTree(name, int(tree.num_entries), branches, is_delayed))
        prompts = _only([t for t in found if not t.delayed], names, self.name)
        return [prompts, *(t for t in found if t.delayed)]

    def singles(self, like: CoincidenceTree) -> CoincidenceTree | None:
        """Return the tree of all singles.

        Parameters
        ----------
        like
            coincidences with the same volume IDs

        Returns
        -------
        tree
            None if there is none with these IDs
        """
        if SINGLES not in self._tree:
            return None
        tree = self._tree[SINGLES]
        found = like.branches.of_singles(set(tree.keys()))
        if found is None:
            return None
        ids, places = found
        branches = replace(like.branches, ids=(ids, ids), places=(places, places))
        return CoincidenceTree(SINGLES, int(tree.num_entries), branches, delayed=False)

    def refuse_bomb(self, tree: CoincidenceTree, names: Sequence[str]) -> None:
        """Refuse a tree that decompresses to more bytes than a real scan.

        Parameters
        ----------
        tree
            tree to read
        names
            its branches
        """
        refuse_bomb(NUMBER_BYTES * tree.n_rows * len(names), self._n_bytes, self.name)

    def rows(self, tree: CoincidenceTree, names: Sequence[str]) -> Iterator[Columns]:
        """Yield the columns of a tree, `AT_ONCE` rows at a time.

        Parameters
        ----------
        tree
            tree to read
        names
            its branches

        Raises
        ------
        FileFormatError
            if a branch is no column of numbers
        """
        self.refuse_bomb(tree, names)
        for start in range(0, tree.n_rows, AT_ONCE):
            stop = min(start + AT_ONCE, tree.n_rows)
            found: Columns = self._tree[tree.name].arrays(
                # For singles, both ends have the same branches, so names can repeat.
                list(dict.fromkeys(names)),
                library="np",
                entry_start=start,
                entry_stop=stop,
            )
            bad = [
                k for k, v in found.items() if v.dtype.kind not in "iuf" or len(v) != stop - start
            ]
            if bad:
                raise FileFormatError(
                    f"{self.name}: branch {bad[0]} of {tree.name} is not a numeric column; write "
                    "the file with GATE 9 or 10."
                )
            yield found


def _only(prompts: list[CoincidenceTree], names: Sequence[str], file: str) -> CoincidenceTree:
    # Users add more sorters, but GATE's own tree has this name.
    usual = [tree for tree in prompts if tree.name.lower() == USUAL]
    if len(usual or prompts) == 1:
        return (usual or prompts)[0]
    if prompts:
        listed = ", ".join(tree.name for tree in prompts)
        raise FileFormatError(
            f"{file}: contains {len(prompts)} coincidence trees ({listed}), but none named "
            "Coincidences; keep only one of them."
        )
    listed = ", ".join(dict.fromkeys(names)) or "none"
    singles = any(name.lower().startswith("singles") for name in names)
    way = "sort its singles into coincidences in GATE" if singles else "choose GATE's output"
    raise FileFormatError(
        f"{file}: none of its trees ({listed}) has the times of both photons (time1, time2); {way}."
    )


@contextmanager
def open_root(file: InputFile) -> Iterator[RootFile]:
    """Open a ROOT file; damage becomes a `FileFormatError`."""
    try:
        root = RootFile(file)
        try:
            yield root
        finally:
            root.close()
    # uproot parses on demand, so damage can appear in any later read.
    except _faults() as e:
        what = " ".join(str(e).split())[:120] or type(e).__name__
        raise FileFormatError(
            f"{file.name}: incomplete or damaged ROOT file ({what}); copy it again, or wait until "
            "GATE has finished."
        ) from e


def _faults() -> tuple[type[Exception], ...]:
    try:
        from uproot.deserialization import DeserializationError
        from uproot.interpretation.identify import UnknownInterpretation
    except ImportError:
        return FAULTS
    return (*FAULTS, DeserializationError, UnknownInterpretation)


def refuse_too_many(n_rows: int, bytes_each: int, name: str) -> None:
    """Refuse more events than fit in memory."""
    refuse_large_data(n_rows * bytes_each, name, "its events")


def stacked(columns: Columns, names: Sequence[str]) -> Array:
    """Return columns next to each other as float64, shape (n, len(names))."""
    return np.stack([np.asarray(columns[name], np.float64) for name in names], -1)
