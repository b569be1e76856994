"""Read list mode from GATE coincidences in ROOT, with the truth of the simulation.

True: both photons are from one decay, and none was scattered in the phantom. Scattered: from one
decay, and one was scattered. Random: from two decays. All of them are used, and their numbers are
facts of the scan. The time of flight is t1 − t2 of the two photons, computed in float64.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner
from engine.geometry.tof import MM_PER_PS, TofBins
from engine.io.base import ListModeReader
from engine.io.gate.crystals import CrystalNumbers, MoreNumbersError, nearest
from engine.io.gate.trees import (
    Branches,
    CoincidenceTree,
    Columns,
    RootFile,
    open_root,
    refuse_too_many,
    stacked,
)
from engine.io.safety.open_input import InputFile
from engine.io.scanners import read_scanner
from engine.io.scanners.adjacent_file import adjacent_scanner

PS_PER_S = 1e12
MAX_S = 2**32 / 1000
LATE_MS = 1000
"""A first event after this time gets a note: the clock began before the scan."""
EVENT_BYTES = 80
"""Memory of a coincidence during reading [bytes]."""
OUTSIDE = -1
ROUNDING = 1e-6
"""Times of whole milliseconds can be below them by rounding [ms]."""


class GateRoot(ListModeReader):
    """GATE coincidences."""

    # GATE writes volume IDs and positions, but no description of the scanner.
    names_scanner = False

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        with open_root(file) as root:
            trees = root.coincidences()
            place = read_scanner(scanner or adjacent_scanner(file.path, cls.name))
            events = _events(root, trees, root.singles(trees[0]), place)
        return _scan(events, place, file.path)


@dataclass
class Events:
    """Coincidences during reading.

    Attributes
    ----------
    crystals, difference_ps, delayed, time_s : one array for each part of the file
    truth : numbers of trues, scattered and random coincidences
    by_place : True if crystals were found from positions alone
    singles : photons of each crystal; None if the file has no tree of singles
    """

    crystals: list[Array] = field(default_factory=list)
    difference_ps: list[Array] = field(default_factory=list)
    delayed: list[Array] = field(default_factory=list)
    time_s: list[Array] = field(default_factory=list)
    truth: Counter[str] = field(default_factory=Counter)
    by_place: bool = False
    singles: Array | None = None


def _events(
    root: RootFile, trees: list[CoincidenceTree], singles: CoincidenceTree | None, scanner: Scanner
) -> Events:
    """Return all events; the sizes of the volume IDs are found from the first part of the file."""
    for tree in trees:
        # Decompressed size and memory are checked before the first row is read.
        root.refuse_bomb(tree, tree.branches.of_events)
    refuse_too_many(sum(tree.n_rows for tree in trees), EVENT_BYTES, root.name)
    for tree in trees:
        _refuse_masked(tree, root.name)
    sizes = _sizes(root, trees, singles)
    while True:
        try:
            numbers = CrystalNumbers(sizes, root.name) if sizes else None
            return _read(root, trees, singles, scanner, numbers)
        # Rare: the first million rows missed the largest ID. Read all IDs once, then start again.
        except MoreNumbersError:
            grown = _sizes(root, trees, singles, every=True)
            if grown == sizes:
                raise FileFormatError(
                    f"{root.name}: contains crystal IDs below −1, so the file is damaged; copy it "
                    "again."
                ) from None
            sizes = grown


def _refuse_masked(tree: CoincidenceTree, name: str) -> None:
    if not tree.branches.have_places:
        raise FileFormatError(
            f"{name}: {tree.name} has no detection positions (such as globalPosX1); unmask these "
            "branches in GATE."
        )


def _sizes(
    root: RootFile,
    trees: list[CoincidenceTree],
    singles: CoincidenceTree | None,
    *,
    every: bool = False,
) -> tuple[int, ...]:
    """Return the number of values of each volume ID, in the first part or in all of the file."""
    ids = trees[0].branches.ids
    # Without equal IDs in all trees, each photon is assigned by its own position.
    if not ids[0] or any(tree.branches.ids != ids for tree in trees):
        return ()
    found: list[tuple[int, ...]] = []
    for tree in (*trees, *([singles] if singles else ())):
        ends = tree.branches.ids
        for columns in root.rows(tree, (*ends[0], *ends[1])):
            found += [CrystalNumbers.sizes_of(_numbers(columns, end)) for end in set(ends)]
            if not every:
                break
    return tuple(max(sizes) for sizes in zip(*found, strict=True)) if found else ()


def _numbers(columns: Columns, names: tuple[str, ...]) -> Array:
    return np.stack([columns[name] for name in names], -1)


def _read(
    root: RootFile,
    trees: list[CoincidenceTree],
    singles: CoincidenceTree | None,
    scanner: Scanner,
    numbers: CrystalNumbers | None,
) -> Events:
    events = Events(by_place=numbers is None)

    def photons(columns: Columns, ids: tuple[str, ...], names: tuple[str, ...]) -> Array:
        places = stacked(columns, names)
        if numbers is None:
            return nearest(places, scanner, root.name)
        return numbers.add(_numbers(columns, ids), places)

    for tree in trees:
        b = tree.branches
        for columns in root.rows(tree, b.of_events):
            ends = [photons(columns, *end) for end in zip(b.ids, b.places, strict=True)]
            events.crystals.append(np.stack(ends, -1))
            first, second = (np.asarray(columns[t], np.float64) * b.unit_s for t in b.times)
            _refuse_times(first, second, root.name)
            events.difference_ps.append((first - second) * PS_PER_S)
            events.time_s.append(first)
            events.delayed.append(np.full(len(first), tree.delayed))
            if not tree.delayed:
                _count(events.truth, columns, b)
    seen = []
    if singles is not None:
        end = singles.branches.ids[0], singles.branches.places[0]
        seen = [photons(part, *end) for part in root.rows(singles, (*end[0], *end[1]))]
    if numbers is not None:
        # Only now: the mean positions need all photons of the file.
        table = numbers.crystals(scanner)
        events.crystals = [table[packed] for packed in events.crystals]
        seen = [table[packed] for packed in seen]
    if seen:
        events.singles = np.stack([_tally(each, scanner) for each in seen]).sum(axis=0)
    return events


def _tally(crystals: Array, scanner: Scanner) -> Array:
    """Return the number of photons of each crystal, shape (n_crystals,)."""
    return np.bincount(crystals[crystals >= 0], minlength=scanner.n_crystals).astype(np.float32)


def _refuse_times(first: Array, second: Array, name: str) -> None:
    for times in (first, second):
        if len(times) and not (times.min() >= 0 and times.max() < MAX_S):
            raise FileFormatError(
                f"{name}: event times run from {times.min():g} to {times.max():g} s, expected 0 to "
                f"{MAX_S:,.0f} s; simulate the scan from time 0."
            )


def _count(truth: Counter[str], columns: Columns, b: Branches) -> None:
    if not b.events:
        return
    one, other = (columns[name] for name in b.events)
    # Negative numbers mark pulses that belong to no decay, such as noise.
    same = (one == other) & (one >= 0)
    truth["randoms"] += int(np.count_nonzero(~same))
    if not b.scatters:
        truth["trues_and_scattered"] += int(np.count_nonzero(same))
        return
    scattered = np.any([columns[name] > 0 for name in b.scatters], axis=0)
    truth["trues"] += int(np.count_nonzero(same & ~scattered))
    truth["scattered"] += int(np.count_nonzero(same & scattered))


def _scan(events: Events, scanner: Scanner, path: Path) -> ListMode:
    if not sum(map(len, events.time_s)):
        raise FileFormatError(
            f"{path.name}: contains no coincidences; simulate a longer scan in GATE."
        )
    crystals, difference_ps = np.concatenate(events.crystals), np.concatenate(events.difference_ps)
    delayed, time_s = np.concatenate(events.delayed), np.concatenate(events.time_s)
    # Before the TOF bins, because delayed events would all be outside them.
    difference_ps = _without_delay(difference_ps, delayed)
    tof = None if scanner.tof is None else _tof_bins(difference_ps, scanner.tof)
    in_window = np.asarray((crystals >= 0).all(axis=1))
    in_bins: Array = in_window if tof is None else tof != OUTSIDE
    first, last = float(time_s.min()), float(time_s.max())
    # Simulations of time slices begin at any time, but frames count from the start of the scan.
    time_ms = np.floor((time_s - first) * 1000 + ROUNDING).astype(np.uint32)
    notes = (*_notes(in_window, in_bins, first), *_backwards(time_ms, first, path))
    if events.singles is not None:
        window_ps = _window_ps(difference_ps[~delayed])
        notes += (f"The coincidence window is the largest time difference, {window_ps:,.0f} ps.",)
    order = np.flatnonzero(in_window & in_bins)
    # Files merged with hadd are ordered by job, not by time.
    if (time_s[1:] < time_s[:-1]).any():
        order = order[np.argsort(time_s[order], kind="stable")]
    return ListMode(
        scanner=scanner,
        crystals=np.ascontiguousarray(crystals[order], np.int32),
        delayed=delayed[order] if delayed.any() else None,
        tof_bins=None if tof is None else tof[order],
        time_ms=time_ms[order],
        duration_s=last - first,
        singles=events.singles,
        coincidence_window_ps=0.0
        if events.singles is None
        else _window_ps(difference_ps[~delayed]),
        info=_info(events, path),
        notes=notes,
    )


def _without_delay(difference_ps: Array, delayed: Array) -> Array:
    """Return time differences, those of delayed events relative to the centre of theirs.

    GATE does not write the delay of their second photon.
    """
    late, prompt = difference_ps[delayed], difference_ps[~delayed]
    # Delayed differences within the prompt window need no correction.
    if not len(late) or not len(prompt) or np.abs(late).min() <= np.abs(prompt).max():
        return difference_ps
    middle = (late.min() + late.max()) / 2
    return np.where(delayed, difference_ps - middle, difference_ps)


def _tof_bins(difference_ps: Array, tof: TofBins) -> Array:
    """Return the TOF bin of s = c (t1 − t2) / 2 as int16, −1 outside the bins."""
    bins = np.floor((difference_ps * MM_PER_PS - tof.edges_mm[0]) / tof.bin_mm)
    inside = (bins >= 0) & (bins < tof.n_bins)
    return np.where(inside, bins, OUTSIDE).astype(np.int16)


def _window_ps(difference_ps: Array) -> float:
    """Return the largest time difference [ps], which is the coincidence window."""
    return float(np.abs(difference_ps).max(initial=0.0))


def _info(events: Events, path: Path) -> Plain:
    info: Plain = {"format": GateRoot.name, "data_file": path.name}
    if events.by_place:
        info["crystals"] = "nearest to the detected photon"
    return info | {f"n_{what}": n for what, n in events.truth.items()}


def _notes(in_window: Array, in_bins: Array, first_s: float) -> tuple[str, ...]:
    notes = []
    n_gaps = int(np.count_nonzero(~in_window))
    n_late = int(np.count_nonzero(in_window & ~in_bins))
    if n_gaps:
        notes.append(f"{n_gaps:,} events with a photon between crystals were removed.")
    if n_late:
        notes.append(f"{n_late:,} events outside the scanner's TOF bins were removed.")
    if 1000 * first_s >= LATE_MS:
        notes.append(
            f"The first event is at {1000 * first_s:,.0f} ms; times are counted from there."
        )
    return tuple(notes)


def _backwards(time_ms: Array, first_s: float, path: Path) -> tuple[str, ...]:
    """Return a note if trees were not merged in order of time."""
    back = np.flatnonzero(time_ms[1:] < time_ms[:-1])
    if not len(back):
        return ()
    k = int(back[0])
    one, other = (1000 * first_s + int(time_ms[i]) for i in (k, k + 1))
    return (
        f"{path.name}: time runs backwards at event {k + 1:,}, from {one:,.0f} to {other:,.0f} ms; "
        "the events were sorted by time.",
    )
