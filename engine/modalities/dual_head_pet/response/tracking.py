"""Response from Monte Carlo photon tracking (`engine.kernels.scatter.panel_tracks`).

Pairs are emitted from the few voxels of a pitch that are not images of each other (3 of 4 × 4), in
every stored plane. A pair that both panels detect is a count for one orientation and one voxel of
its box. Each of the eight symmetries makes it a count for every stored element that it is an image
of. An element has `n_keeping` of its images in the emitting voxel, so

h = (1 − lowest cosine) counts / (n_pairs n_keeping),

because only directions of the hemisphere above the lowest cosine are drawn. In the middle plane an
element is also an image of itself, and n_keeping is twice as large.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import Literal

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import ResourceError
from engine.core.settings import Settings, setting
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead, DualHeadSettings
from engine.geometry.dual_head_symmetry import TURNS, n_stored_planes, seeds
from engine.io.safety.budget import MEMORY_PART, free_memory
from engine.kernels.scatter.panel_photons import DEPOSIT, MAX_DEPOSITS
from engine.kernels.scatter.panel_tracks import track
from engine.modalities.dual_head_pet.response.building import (
    OnProgress,
    finished,
    info_of,
    make_parts,
    refuse_layers,
)
from engine.modalities.dual_head_pet.response.elements import Elements
from engine.modalities.dual_head_pet.response.identity import plan_of
from engine.modalities.dual_head_pet.response.packing import PackedRows, matrix_of
from engine.modalities.dual_head_pet.response.parts import Arrays, ResponseParts
from engine.operators.crystal_spread import panels_of, readout_of

_AT_ONCE = 1 << 18
"""Number of pairs that are emitted before the detected ones are counted."""
MERGED_BYTES = 72
"""Memory of each detected element while counts are merged [bytes]."""
_PACKED_AT_ONCE = 1 << 22
"""Approximate number of elements, over all voxels, of the rows that are packed together."""


class TrackedResponse(Settings):
    """Track photons: attenuation alone, or with scatter between crystals and the energy window."""

    kind: Literal["tracked"] = "tracked"
    n_pairs: int = setting(
        1 << 20,
        "Number of photon pairs from each independent voxel; the other voxels follow by symmetry",
        ge=1,
        le=1 << 36,
    )
    scatter: bool = setting(True, "Simulate scatter in the crystals")
    margin: int = setting(
        2,
        "Margin around the box of voxels that is stored for each line direction, in crystal "
        "pitches",
        ge=0,
        le=20,
    )
    threshold: float = setting(
        1e-3, "Matrix values below this fraction of the row maximum are discarded", ge=0, lt=0.1
    )
    seed: int = setting(1, "Seed for the random numbers", ge=0)


def build_tracked(
    scanner: DualHead,
    settings: TrackedResponse,
    path: Path | None = None,
    *,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> ResponseMatrix:
    """Track photons for a whole matrix and write it; see `build_analytic`.

    With a path, the counts of each voxel are stored on disk, and rows are packed some at a time.
    Memory then contains the matrix, the counts of one voxel and some rows. If even these do not
    fit, the build ends with a ResourceError, and continues once they do.

    Parameters
    ----------
    scanner
        panels with one layer of crystals
    settings
        number of pairs, scatter, threshold
    path
        file to write; None writes nothing
    threads
        number of threads; None for all cores
    on_progress
        called with the number of voxels done and in total; may raise to stop

    Raises
    ------
    ResourceError
        if the counts of one voxel do not fit in memory
    """
    refuse_layers(scanner)
    started = time.perf_counter()
    s = scanner.settings
    # Without scatter no pair is detected outside the box of its crystals.
    elements = Elements(scanner, settings.margin if settings.scatter else 0)
    origins = [
        (p, j, k) for p in range(n_stored_planes(s.n_planes)) for j, k in seeds(s.voxels_per_pitch)
    ]
    # Flatter photons miss both panels, so they are not emitted.
    lowest = lowest_cosine(scanner, elements.margin)

    def make(i: int) -> Arrays:
        numbers, counts, n_lost = _counts(elements, settings, origins[i], lowest, i)
        return {"numbers": numbers, "counts": counts, "lost": np.array(n_lost)}

    parts = None if path is None else ResponseParts(path, plan_of(scanner, settings))
    made = make_parts(
        make, len(origins), parts, threads=threads, on_progress=on_progress, in_memory=parts is None
    )

    def counted(i: int) -> Arrays:
        stored = made[i] if parts is None else parts.load(i)
        # A part may have been damaged in the meantime.
        return make(i) if stored is None else stored

    # First pass over the counts: only their sizes, to plan the packing.
    sums = np.array([_sizes(counted(i)) for i in range(len(origins))]).sum(axis=0)
    each = [(1 - lowest) / (settings.n_pairs * _n_images(s, origin)) for origin in origins]
    packs = [
        # Rows are packed in shares, because all elements of all voxels would not fit in memory.
        _packed(elements, some, counted, each, settings.threshold)
        for some in _shares(elements.n_rows, int(sums[0]))
    ]
    info = info_of(settings, time.perf_counter() - started)
    # A large value shows that the margin is too small for the scatter in the crystals.
    info["beyond_margin"] = int(sums[2]) / max(1, int(sums[1] + sums[2]))
    return finished(matrix_of(scanner, PackedRows.joined(packs), info), path, parts)


def _sizes(part: Arrays) -> tuple[int, int, int]:
    """Return the number of elements of a part, of its counts, and of counts beyond the margin."""
    return len(part["numbers"]), int(part["counts"].sum()), int(part["lost"])


def _shares(n_rows: int, n_elements: int) -> list[range]:
    """Return ranges of rows that are packed together."""
    n = min(n_rows, max(1, -(-n_elements // _PACKED_AT_ONCE)))
    ends = [n_rows * i // n for i in range(n + 1)]
    return [range(*pair) for pair in pairwise(ends)]


def _packed(
    elements: Elements,
    of_rows: range,
    counted: Callable[[int], Arrays],
    each: Sequence[float],
    threshold: float,
) -> PackedRows:
    """Return some packed rows from the counts of all voxels.

    Parameters
    ----------
    elements
        numbering of the elements
    of_rows
        rows to pack
    counted
        function that returns the counts of a voxel
    each
        probability of a single count for each voxel
    threshold
        values up to this fraction of the largest in their row are dropped
    """
    span = elements.per_row * np.array([of_rows.start, of_rows.stop])
    numbers, counts, per_count = [], [], []
    for i, worth in enumerate(each):
        part = counted(i)
        some = slice(*np.searchsorted(part["numbers"], span))
        numbers.append(part["numbers"][some])
        counts.append(part["counts"][some])
        per_count.append(np.full(len(numbers[-1]), worth))
    where = np.concatenate(numbers)
    order = np.argsort(where)
    where, value = where[order], np.concatenate(per_count)[order]
    values = value * np.concatenate(counts)[order]
    # A pair counts for each symmetry that maps the element onto itself.
    variances = values * value * elements.n_same(where)
    return elements.packed(where, values, variances, threshold, of_rows)


def lowest_cosine(scanner: DualHead, margin: int) -> float:
    """Return the cosine to the normal of the most oblique photons that a row needs.

    Parameters
    ----------
    scanner
        panels
    margin
        number of pitches outside the boxes
    """
    s = scanner.settings
    reach = [(n - 1 + 2 * margin) * s.pitch_mm + s.crystal_mm for n in (s.n_rows, s.n_columns)]
    return s.separation_mm / hypot(s.separation_mm, *reach)


def _n_images(s: DualHeadSettings, origin: tuple[int, int, int]) -> int:
    """Return the number of an element's images in the emitting voxel."""
    n, (p, *voxel) = s.voxels_per_pitch, origin
    j, k = np.array(voxel)[:, None]
    same = sum(bool(np.all(turn.voxels(j, k, (n, n)) == (j, k))) for turn in TURNS)
    return same * (2 if p == s.n_planes - 1 - p else 1)


def _counts(
    elements: Elements,
    settings: TrackedResponse,
    origin: tuple[int, int, int],
    lowest: float,
    i: int,
) -> tuple[Array, Array, int]:
    """Return elements detected from a voxel, their counts, and the number beyond the margin."""
    panels = panels_of(elements.scanner)
    readout = readout_of(elements.scanner, scatter=settings.scatter)
    # A seed for each voxel: the result does not depend on the order of the threads.
    state = np.random.SeedSequence((settings.seed, i)).generate_state(1, np.uint64)
    numbers, counts, n_lost = np.zeros(0, np.int64), np.zeros(0, np.int64), 0
    deposits = np.empty((MAX_DEPOSITS, DEPOSIT))
    found = np.empty((min(_AT_ONCE, settings.n_pairs), 6), np.int16)
    for start in range(0, settings.n_pairs, _AT_ONCE):
        n_pairs = min(_AT_ONCE, settings.n_pairs - start)
        n_seen = track(n_pairs, origin, lowest, panels, readout, state, deposits, found)
        seen, lost = elements.seen(found[:n_seen, :4], origin)
        n_lost += lost
        new, n_new = np.unique(seen, return_counts=True)
        # Checked before merging: without memory, the system would kill the process without a
        # message.
        _refuse_too_large(len(numbers) + len(new), elements.scanner.name)
        numbers, place = np.unique(np.concatenate([numbers, new]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([counts, n_new])).astype(np.int64)
    return numbers, counts, n_lost


def _refuse_too_large(n_elements: int, name: str) -> None:
    """Refuse counts of a voxel that need more memory than is free, before allocating it."""
    wanted, free = MERGED_BYTES * n_elements, free_memory()
    if wanted > MEMORY_PART * free:
        raise ResourceError(
            f"{name}: the counts of one voxel need {wanted / 2**30:,.2f} GiB of memory, but only "
            f"{free / 2**30:.2f} GiB are free; track fewer pairs, use fewer threads, or close "
            "other programs. Finished voxels are saved."
        )
