"""Kernels that draw many of one thing, for comparing each part with its closed form."""

from __future__ import annotations

import numpy as np

from tests.judge.compiled import kept
from tests.judge.emission import emit, move_positron
from tests.judge.interactions import DX, ELECTRON_KEV, KEV, NUMBERS, WAY, X, draw_compton
from tests.judge.phantoms import draw_decay
from tests.judge.readout import read
from tests.judge.scanners import block_of, crystal_at
from tests.judge.streams import gauss, start, uniform
from tests.judge.transport import absorb, leave_phantom, room_for_deposits


@kept
def draw_numbers(seed, out):
    """Fill (n, 2) with a uniform and a normal number, each row from the stream of its own."""
    stream = np.empty(1, np.uint64)
    for k in range(len(out)):
        start(stream, seed, k)
        out[k, 0], out[k, 1] = uniform(stream), gauss(stream)


@kept
def draw_scatters(kev, seed, out):
    """Fill (n, 2) with ratios of energies and cosines of Compton scattering."""
    stream = np.empty(1, np.uint64)
    start(stream, seed, 0)
    for k in range(len(out)):
        out[k, 0], out[k, 1] = draw_compton(kev, stream)


@kept
def draw_emissions(world, numbers, seed, places, ends, photons):
    """Fill places and ends of positrons (n, 3), and photons (n, 2, NUMBERS)."""
    stream = np.empty(1, np.uint64)
    for k in range(len(places)):
        start(stream, seed, k)
        draw_decay(world, stream, places[k])
        ends[k] = places[k]
        move_positron(ends[k], numbers.positron, stream)
        emit(ends[k], photons[k], numbers.acollinearity, numbers.most_cosine, stream)


@kept
def fly(world, origin, direction, seed, fates, photons):
    """Send photons through a phantom; fill how often each scattered (or LOST), and the photons."""
    stream = np.empty(1, np.uint64)
    for k in range(len(fates)):
        start(stream, seed, k)
        photons[k, X : X + 3], photons[k, DX : DX + 3] = origin, direction
        photons[k, KEV], photons[k, WAY] = ELECTRON_KEV, 0.0
        fates[k] = leave_phantom(world, photons[k], 20.0, True, stream)


@kept
def hit(crystals, numbers, origin, direction, seed, found, kev):
    """Send photons at a scanner; fill (n, 4): crystal, energy, way and deposited energy."""
    stream, deposits, photon = np.empty(1, np.uint64), room_for_deposits(), np.empty(NUMBERS)
    for k in range(len(found)):
        start(stream, seed, k)
        photon[X : X + 3], photon[DX : DX + 3] = origin, direction
        photon[KEV], photon[WAY] = kev, 0.0
        n = absorb(crystals, photon, stream, deposits)
        found[k, 0], found[k, 1], found[k, 2] = read(crystals, deposits, n, numbers, stream)
        found[k, 3] = deposits[:n, 1].sum()


@kept
def read_deposits(crystals, numbers, deposits, n):
    """Return what is read of given deposits."""
    stream = np.empty(1, np.uint64)
    start(stream, 1, 0)
    return read(crystals, deposits, n, numbers, stream)


@kept
def locate(crystals, points, crystal, block):
    """Fill the crystals at points, (n, 3), and their blocks."""
    for k in range(len(points)):
        crystal[k] = crystal_at(crystals, points[k, 0], points[k, 1], points[k, 2])
        block[k] = block_of(crystals, crystal[k]) if crystal[k] >= 0 else -1
