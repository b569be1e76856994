"""Singles: every photon that is read, with its time, in an acquisition of constant activity."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.judge.compiled import cached, inner
from tests.judge.emission import emit, move_positron
from tests.judge.interactions import NUMBERS
from tests.judge.phantoms import Phantom, VoxelPhantom, draw_decay
from tests.judge.readout import SPEED_OF_LIGHT_MM_PER_PS, Physics, read
from tests.judge.scanners import Scanner
from tests.judge.streams import start, uniform
from tests.judge.transport import LOST, absorb, empty_deposits, leave_phantom

Array = NDArray[Any]
PER_SLOT = 1 << 15
"""Mean number of decays in a time slot of the acquisition."""


@dataclass(frozen=True, eq=False)
class Singles:
    """Photons that were read, ordered by time.

    Attributes
    ----------
    time_s : (n,) float64, since the start of the acquisition
    crystal : (n,) int32
    kev : (n,) float32, energy as read
    decay : (n,) int64, number of the decay
    decay_mm : (n, 3) float32, its position
    scatters : (n,) uint8, number of scatters of the photon in the phantom
    n_decays : decays during the acquisition
    """

    time_s: Array
    crystal: Array
    kev: Array
    decay: Array
    decay_mm: Array
    scatters: Array
    n_decays: int

    def __len__(self) -> int:
        return len(self.time_s)

    def take(self, which: Array) -> Singles:
        """Return the selected ones."""
        rows = {f.name: getattr(self, f.name) for f in fields(self)}
        n_decays = rows.pop("n_decays")
        return Singles(**{k: v[which] for k, v in rows.items()}, n_decays=n_decays)

    def within(self, window_kev: tuple[float, float]) -> Singles:
        """Return those in an energy window."""
        return self.take((self.kev >= window_kev[0]) & (self.kev <= window_kev[1]))


def simulate_singles(
    phantom: Phantom | VoxelPhantom,
    scanner: Scanner,
    physics: Physics,
    *,
    activity_bq: float,
    duration_s: float,
    seed: int,
    n_threads: int | None = None,
) -> Singles:
    """Track all decays of an acquisition; `physics.window_kev` is the trigger window of a block.

    Decays are a Poisson process: their number in a time slot is drawn first, then the time of each.
    Equal seeds give equal singles with any number of threads.
    """
    n_slots = max(1, round(activity_bq * duration_s / PER_SLOT))
    world, crystals, numbers = phantom.world, scanner.crystals, physics.numbers()
    slot_s = duration_s / n_slots
    means = np.random.default_rng([seed, 1]).poisson(activity_bq * slot_s, n_slots)
    firsts = np.concatenate([[0], np.cumsum(means)])

    def track(slot: int) -> tuple[Array, Array, Array]:
        n = int(means[slot])
        times, decays = np.empty(2 * n), np.empty(2 * n, np.int64)
        values = np.empty((2 * n, 6), np.float32)
        m = track_singles(
            world, crystals, numbers, seed, int(firsts[slot]), n, slot_s, times, decays, values
        )
        return times[:m] + slot * slot_s, decays[:m].copy(), values[:m].copy()

    with ThreadPoolExecutor(n_threads or os.cpu_count()) as pool:
        found = list(pool.map(track, range(n_slots)))
    times, decays, values = (np.concatenate([slot[k] for slot in found]) for k in range(3))
    order = np.argsort(times, kind="stable")
    values = values[order]
    return Singles(
        time_s=times[order],
        crystal=values[:, 0].view(np.int32).copy(),
        kev=values[:, 1].copy(),
        decay=decays[order],
        decay_mm=values[:, 2:5].copy(),
        scatters=values[:, 5].astype(np.uint8),
        n_decays=int(firsts[-1]),
    )


@cached
def track_singles(world, crystals, numbers, seed, first, n_decays, slot_s, times, decays, values):
    """Track the decays of a time slot; write singles and return their number."""
    stream, place = np.empty(1, np.uint64), np.empty(3)
    photons, deposits = np.empty((2, NUMBERS)), empty_deposits()
    buffers = stream, place, photons, deposits
    rows = times, decays, values, values.view(np.int32)
    return _track_singles(world, crystals, numbers, seed, first, n_decays, slot_s, rows, buffers)


@inner
def _track_singles(world, crystals, numbers, seed, first, n_decays, slot_s, rows, buffers):
    stream, place, photons, deposits = buffers
    times, decays, values, whole = rows
    n = 0
    for index in range(first, first + n_decays):
        start(stream, seed, index)
        time_s = uniform(stream) * slot_s
        draw_decay(world, stream, place)
        x, y, z = place[0], place[1], place[2]
        move_positron(place, numbers.positron, stream)
        emit(place, photons, numbers.acollinearity, 1.0, stream)
        for k in range(2):
            n_scatters = leave_phantom(world, photons[k], numbers.follow_kev, True, stream)
            if n_scatters == LOST:
                continue
            n_deposits = absorb(crystals, photons[k], stream, deposits)
            crystal, kev, path = read(crystals, deposits, n_deposits, numbers, stream)
            if crystal == LOST or not numbers.lowest_kev <= kev <= numbers.highest_kev:
                continue
            times[n] = time_s + path / SPEED_OF_LIGHT_MM_PER_PS * 1e-12
            decays[n] = index
            whole[n, 0] = crystal
            values[n, 1], values[n, 5] = kev, min(n_scatters, 255)
            values[n, 2], values[n, 3], values[n, 4] = x, y, z
            n += 1
    return n
