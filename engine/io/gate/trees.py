"""Open ROOT files with uproot, and explain damage in one sentence.

GATE 9 ends names of branches with 1 or 2 and writes seconds. The Python coincidence sorter of GATE
10 ends them with 1 or 2, too; the actor of GATE 10 puts the number before the axis
(`PostPosition1_X`). Both write nanoseconds. https://opengate.readthedocs.io
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, ResourceError
from engine.io.safety.budget import refuse_bomb, refuse_large_data
from engine.io.safety.open_input import InputFile

OBJECT = re.compile(r"<[^<>]* at 0x[0-9a-fA-F]+>")
"""A Python object in an error of uproot; its address means nothing to the user."""
KINDS = ["TTree", "ROOT::RNTuple"]
"""Classes of tables; GATE writes the first one."""
NUMBER_BYTES = 8
"""Size of a number in memory."""
AT_ONCE = 1_000_000
"""Number of rows that are read at once."""
DEFAULT_NAME = "coincidences"
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
IDS = (
    *("gantryID", "rsectorID", "sectorID", "cassetteID", "moduleID", "submoduleID", "blockID"),
    *("crystalID", "layerID", "pixelID"),
)
"""Volume IDs in GATE's systems, from outside to inside; a file contains some of them."""
AXES = "XYZ"
# Branch names without the number of the photon, as GATE writes them, mixed case included.
SCATTERS = ("comptonPhantom", "RayleighPhantom")
TIMES = {"time": 1.0, "GlobalTime": 1e-9}
"""Name of the time -> its unit in seconds."""
PLACES = ("globalPos{axis}{end}", "PostPosition_{axis}{end}", "PostPosition{end}_{axis}")
SOURCES = ("sourcePos{axis}{end}", "EventPosition_{axis}{end}", "EventPosition{end}_{axis}")
EVENTS = ("eventID", "EventID")


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


class RootFile:
    """An open ROOT file."""

    def __init__(self, file: InputFile) -> None:
        try:
            from uproot.reading import ReadOnlyFile
        except ImportError as e:
            raise ResourceError(
                f"{file.name}: ROOT files need the uproot package; install it with "
                "`pip install 'isocenter[gate]'`."
            ) from e
        self.name, self._n_bytes = file.name, file.size
        # `uproot.open` takes paths and URLs, which could lead to the network.
        self._file = ReadOnlyFile(file.stream())
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
        prompts = _single_tree([t for t in found if not t.delayed], names, self.name)
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
            if a branch is not a column of numbers
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
                    f"{self.name}: the branch {bad[0]!r} of the tree {tree.name!r} is not a "
                    "numeric column; write the file with GATE 9 or 10."
                )
            yield found


def _single_tree(
    prompts: list[CoincidenceTree], names: Sequence[str], file: str
) -> CoincidenceTree:
    # Users add more sorters, but GATE's own tree has this name.
    default = [tree for tree in prompts if tree.name.lower() == DEFAULT_NAME]
    if len(default or prompts) == 1:
        return (default or prompts)[0]
    if prompts:
        listed = ", ".join(tree.name for tree in prompts)
        raise FileFormatError(
            f"{file}: contains {len(prompts)} coincidence trees ({listed}), but none named "
            "Coincidences; keep only one of them."
        )
    listed = ", ".join(dict.fromkeys(names))
    if any(name.lower().startswith("singles") for name in names):
        raise FileFormatError(
            f"{file}: none of the trees [{listed}] has the times of both photons (time1, time2). "
            "Sort the singles into coincidences in GATE."
        )
    raise FileFormatError(
        f"{file}: none of the trees [{listed}] has the times of both photons (time1, time2). "
        "Choose an output file of GATE with coincidences."
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
        what = " ".join(OBJECT.sub("the file", str(e)).split())[:120] or type(e).__name__
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
    refuse_large_data(n_rows * bytes_each, name)


def stacked(columns: Columns, names: Sequence[str]) -> Array:
    """Return columns next to each other as float64, shape (n, len(names))."""
    return np.stack([np.asarray(columns[name], np.float64) for name in names], -1)


@dataclass(frozen=True)
class Branches:
    """Names of the branches of both photons in a file; parts can be missing.

    Attributes
    ----------
    times : times of both photons
    unit_s : unit of the times [s]
    ids : volume IDs of both photons, in the same order
    places : x, y, z of both detections [mm]
    sources : x, y, z of the decay of the first photon [mm]
    events : number of the decay of both photons
    scatters : number of scatterings of each photon in the phantom
    """

    times: tuple[str, str]
    unit_s: float
    ids: tuple[tuple[str, ...], tuple[str, ...]]
    places: tuple[tuple[str, ...], tuple[str, ...]]
    sources: tuple[str, ...]
    events: tuple[str, ...]
    scatters: tuple[str, ...]

    @classmethod
    def of(cls, names: Collection[str]) -> Branches | None:
        """Find the branches of a tree.

        Parameters
        ----------
        names
            names of all branches

        Returns
        -------
        branches
            None if the tree contains no coincidences
        """
        # Two times define a coincidence. All other branches can be masked in a GATE macro.
        time = next((t for t in TIMES if {f"{t}1", f"{t}2"} <= {*names}), None)
        if time is None:
            return None
        ids = [each for each in IDS if {f"{each}1", f"{each}2"} <= {*names}]
        event = next((e for e in EVENTS if {f"{e}1", f"{e}2"} <= {*names}), None)
        return cls(
            times=(f"{time}1", f"{time}2"),
            unit_s=TIMES[time],
            ids=(tuple(f"{each}1" for each in ids), tuple(f"{each}2" for each in ids)),
            places=(_axes(PLACES, "1", names), _axes(PLACES, "2", names)),
            sources=_axes(SOURCES, "1", names),
            events=(f"{event}1", f"{event}2") if event else (),
            scatters=tuple(s + end for s in SCATTERS for end in "12" if s + end in names),
        )

    def of_singles(self, names: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return volume IDs and positions in a tree of singles.

        Parameters
        ----------
        names
            names of all branches

        Returns
        -------
        ids, places
            None if the tree lacks some of them
        """
        # Singles must have the same IDs as coincidences, otherwise their crystals cannot be
        # compared.
        ids = tuple(name.removesuffix("1") for name in self.ids[0])
        places = _axes(PLACES, "", names)
        time = self.times[0].removesuffix("1")
        return (ids, places) if places and {time, *ids} <= {*names} else None

    @property
    def have_places(self) -> bool:
        """True if both photons have detection positions."""
        return all(self.places)

    @property
    def of_events(self) -> tuple[str, ...]:
        """Branches that are read for a scan, with the truth about its events."""
        ends = (*self.ids[0], *self.ids[1], *self.places[0], *self.places[1])
        return (*self.times, *ends, *self.events, *self.scatters)


def _axes(patterns: tuple[str, ...], end: str, names: Collection[str]) -> tuple[str, ...]:
    for pattern in patterns:
        found = tuple(pattern.format(axis=axis, end=end) for axis in AXES)
        if {*found} <= {*names}:
            return found
    return ()
