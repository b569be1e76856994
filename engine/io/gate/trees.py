"""Open ROOT files with uproot, and explain damaged files in one sentence."""

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
"""Classes of tables; GATE writes the first."""
NUMBER_BYTES = 8
"""Bytes of a number as it is used."""
AT_ONCE = 1_000_000
"""Rows read at once."""
USUAL = "coincidences"
SINGLES = "Singles"
DELAYED = "delay"
"""Prefix of the names of trees with delayed coincidences."""
FAULTS: tuple[type[Exception], ...] = (
    *(ValueError, KeyError, IndexError, TypeError, AttributeError, NotImplementedError),
    *(OSError, EOFError, AssertionError, OverflowError, RuntimeError, RecursionError),
    *(struct.error, zlib.error, UnboundLocalError, ZeroDivisionError),
)
"""Exceptions that uproot and its helpers raise for damaged files."""

Columns: TypeAlias = Mapping[str, Array]


@dataclass(frozen=True)
class CoincidenceTree:
    """A tree of coincidences.

    Attributes
    ----------
    name : in the file
    n_rows : coincidences
    branches : what it has of them
    delayed : whether its coincidences are delayed ones
    """

    name: str
    n_rows: int
    branches: Branches
    delayed: bool


class _Source:
    """A file for uproot, which asks for as many bytes as a damaged one says; it gives its own."""

    def __init__(self, file: InputFile) -> None:
        self._file, self._at = file, 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._file.size}[whence]
        self._at = max(begin + offset, 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, n_bytes: int = -1) -> bytes:
        data = self._file.read(None if n_bytes < 0 else n_bytes, self._at)
        self._at += len(data)
        return data

    def close(self) -> None:
        """Leave the file open: who opened it closes it."""


class RootFile:
    """A ROOT file that is open."""

    def __init__(self, file: InputFile) -> None:
        try:
            from uproot.reading import ReadOnlyFile
        except ImportError as e:
            raise ResourceError(
                f"{file.name}: ROOT files need the uproot package; install isocenter[gate]."
            ) from e
        self.name, self._n_bytes = file.name, file.size
        self._file = ReadOnlyFile(_Source(file))
        self._tree = self._file.root_directory

    def close(self) -> None:
        """Close it."""
        self._file.close()

    def coincidences(self) -> list[CoincidenceTree]:
        """Return the tree of coincidences, and that of delayed ones if there is one."""
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
        """Return the tree of all single photons, if there is one of the same numbers."""
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
        """Refuse rows that become far more bytes than any scan packs into a file of that size."""
        refuse_bomb(NUMBER_BYTES * tree.n_rows * len(names), self._n_bytes, self.name)

    def rows(self, tree: CoincidenceTree, names: Sequence[str]) -> Iterator[Columns]:
        """Yield columns of a tree, part by part."""
        self.refuse_bomb(tree, names)
        for start in range(0, tree.n_rows, AT_ONCE):
            stop = min(start + AT_ONCE, tree.n_rows)
            found: Columns = self._tree[tree.name].arrays(
                list(dict.fromkeys(names)), library="np", entry_start=start, entry_stop=stop
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
    usual = [tree for tree in prompts if tree.name.lower() == USUAL]
    if len(usual or prompts) == 1:
        return (usual or prompts)[0]
    if prompts:
        listed = ", ".join(tree.name for tree in prompts)
        raise FileFormatError(
            f"{file}: {len(prompts)} coincidence trees ({listed}), none of them named "
            "Coincidences; keep only one in the file."
        )
    listed = ", ".join(dict.fromkeys(names)) or "none"
    singles = any(name.lower().startswith("singles") for name in names)
    way = "sort its singles into coincidences in GATE" if singles else "choose GATE's output"
    raise FileFormatError(
        f"{file}: no tree has the times of two photons (time1, time2). Its trees: {listed}; {way}."
    )


@contextmanager
def open_root(file: InputFile) -> Iterator[RootFile]:
    """Open a ROOT file; say in one sentence what is wrong with a damaged one."""
    try:
        root = RootFile(file)
        try:
            yield root
        finally:
            root.close()
    except _faults() as e:
        what = " ".join(str(e).split())[:120] or type(e).__name__
        raise FileFormatError(
            f"{file.name}: incomplete ROOT file ({what}); copy it again, or wait until GATE has "
            "finished."
        ) from e


def _faults() -> tuple[type[Exception], ...]:
    try:
        from uproot.deserialization import DeserializationError
        from uproot.interpretation.identify import UnknownInterpretation
    except ImportError:
        return FAULTS
    return (*FAULTS, DeserializationError, UnknownInterpretation)


def room_for(n_rows: int, bytes_each: int, name: str) -> None:
    """Refuse more events than there is memory for."""
    refuse_large_data(n_rows * bytes_each, name, "its events")


def stacked(columns: Columns, names: Sequence[str]) -> Array:
    """(n, len(names)) float64 columns side by side."""
    return np.stack([np.asarray(columns[name], np.float64) for name in names], -1)
