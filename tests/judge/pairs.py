"""Pairs: both photons of a decay, without decay times. Fast simulation of trues and scatter."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.judge.compiled import cached, inner
from tests.judge.emission import emit, move_positron
from tests.judge.interactions import NUMBERS
from tests.judge.phantoms import Phantom, VoxelPhantom, draw_decay
from tests.judge.readout import SPEED_OF_LIGHT_MM_PER_PS, Physics, read
from tests.judge.scanners import Scanner, module_of
from tests.judge.streams import start
from tests.judge.transport import LOST, absorb, can_meet, empty_deposits, leave_phantom

Array = NDArray[Any]
TRUE, SCATTERED, RANDOM = range(3)
BLOCK = 1 << 15
"""Decays tracked in one call by one thread."""


@dataclass(frozen=True, eq=False)
class Coincidences:
    """Coincidences in the order of their decays or times, and their origin.

    Attributes
    ----------
    crystals : (n, 2) int32
    tof_ps : (n,) float32, time of the first minus that of the second
    kev : (n, 2) float32, energies as read
    decay_mm : (n, 3) float32, true position of the decay (for randoms, of the first photon's)
    scatters : (n, 2) uint8, number of scatters of each photon in the phantom
    kind : (n,) uint8, TRUE, SCATTERED or RANDOM
    n_decays : corresponding number of decays in all directions
    """

    crystals: Array
    tof_ps: Array
    kev: Array
    decay_mm: Array
    scatters: Array
    kind: Array
    n_decays: float

    def __len__(self) -> int:
        return len(self.crystals)

    def take(self, which: Array) -> Coincidences:
        """Return the selected ones."""
        rows = {f.name: getattr(self, f.name) for f in fields(self)}
        n_decays = rows.pop("n_decays")
        return Coincidences(**{k: v[which] for k, v in rows.items()}, n_decays=n_decays)

    @property
    def trues(self) -> Coincidences:
        """Return those of one decay that did not scatter in the phantom."""
        return self.take(self.kind == TRUE)

    @property
    def scatter_fraction(self) -> float:
        """Return the fraction of scattered ones among those of one decay."""
        of_one = self.kind != RANDOM
        return float(np.mean(self.kind[of_one] == SCATTERED))


def simulate_pairs(
    phantom: Phantom | VoxelPhantom,
    scanner: Scanner,
    physics: Physics,
    *,
    seed: int,
    n_decays: int | None = None,
    n_pairs: int | None = None,
    n_threads: int | None = None,
) -> Coincidences:
    """Track decays one by one; equal seeds give equal pairs with any number of threads.

    Parameters
    ----------
    phantom, scanner, physics : source, detector and physical effects
    seed : of all random numbers
    n_decays : number of decays, rounded up to whole blocks of 32,768; or
    n_pairs : number of pairs after which to stop, at the end of a block
    n_threads : number of threads; None: one per processor
    """
    if (n_decays is None) == (n_pairs is None):
        raise ValueError("simulate_pairs: give either n_decays or n_pairs.")
    found, n_found = [], 0
    for block in _blocks(phantom, scanner, physics, seed, n_threads):
        found.append(block)
        n_found += len(block[0])
        enough = n_found >= n_pairs if n_pairs else len(found) * BLOCK >= (n_decays or 0)
        if enough:
            break
    whole = np.concatenate([b[0] for b in found])
    values = np.concatenate([b[1] for b in found])
    scatters = whole[:, 2:].astype(np.uint8)
    return Coincidences(
        crystals=np.ascontiguousarray(whole[:, :2]),
        tof_ps=values[:, 0].copy(),
        kev=values[:, 1:3].copy(),
        decay_mm=values[:, 3:].copy(),
        scatters=scatters,
        kind=np.where(scatters.any(axis=1), SCATTERED, TRUE).astype(np.uint8),
        n_decays=len(found) * BLOCK / physics.max_cosine,
    )


def _blocks(
    phantom: Phantom | VoxelPhantom,
    scanner: Scanner,
    physics: Physics,
    seed: int,
    n_threads: int | None,
) -> Iterator[tuple[Array, Array]]:
    """Yield blocks in order; a few per thread are in progress at a time."""
    world, crystals, numbers = phantom.world, scanner.crystals, physics.numbers()
    n_threads = n_threads or os.cpu_count()

    def track(block: int) -> tuple[Array, Array]:
        whole, values = np.empty((BLOCK, 4), np.int32), np.empty((BLOCK, 6), np.float32)
        n = track_pairs(world, crystals, numbers, seed, block * BLOCK, whole, values)
        return whole[:n].copy(), values[:n].copy()

    with ThreadPoolExecutor(n_threads) as pool:
        for first in count(step=2 * n_threads):
            yield from pool.map(track, range(first, first + 2 * n_threads))


@cached
def track_pairs(world, crystals, numbers, seed, first, whole, values):
    """Track a block of decays; write pairs into `whole` and `values` and return their number."""
    stream, place = np.empty(1, np.uint64), np.empty(3)
    photons, deposits = np.empty((2, NUMBERS)), empty_deposits()
    buffers = stream, place, photons, deposits
    return _track_pairs(world, crystals, numbers, seed, first, whole, values, buffers)


@inner
def _track_pairs(world, crystals, numbers, seed, first, whole, values, buffers):
    stream, place, photons, deposits = buffers
    n = 0
    for index in range(first, first + len(whole)):
        start(stream, seed, index)
        draw_decay(world, stream, place)
        for k in range(3):
            values[n, 3 + k] = place[k]
        move_positron(place, numbers.positron, stream)
        emit(place, photons, numbers.acollinearity, numbers.max_cosine, stream)
        if detect_pair(world, crystals, numbers, photons, stream, deposits, whole[n], values[n]):
            n += 1
    return n


@inner
def detect_pair(world, crystals, numbers, photons, stream, deposits, whole, values):
    """Return True if both photons are read within the window, and fill `whole` and `values`."""
    sizes = crystals.sizes
    meets = can_meet(photons[0], sizes) and can_meet(photons[1], sizes)
    if not (meets or numbers.follows_scatter):
        return False
    for k in range(2):
        n_scatters = leave_phantom(
            world, photons[k], numbers.follow_kev, numbers.follows_scatter, stream
        )
        if n_scatters == LOST:
            return False
        if not can_meet(photons[k], sizes):  # with its final direction
            return False
        whole[2 + k] = min(n_scatters, 255)
    paths = 0.0
    for k in range(2):
        n = absorb(crystals, photons[k], stream, deposits)
        crystal, kev, path = read(crystals, deposits, n, numbers, stream)
        if crystal == LOST or not numbers.lowest_kev <= kev <= numbers.highest_kev:
            return False
        whole[k], values[1 + k] = crystal, kev
        paths = path - paths
    values[0] = -paths / SPEED_OF_LIGHT_MM_PER_PS
    return may_coincide(crystals, whole[0], whole[1], numbers.min_module_distance)


@inner
def may_coincide(crystals, one, other, least):
    """Return True if the modules of two crystals are far enough apart around the polygon."""
    n = len(crystals.turns)
    between = abs(module_of(crystals, one) - module_of(crystals, other))
    return min(between, n - between) >= least
