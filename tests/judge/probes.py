"""Kernels that draw many samples, to compare each part with its closed form."""

from __future__ import annotations

import numpy as np

from tests.judge.compiled import cached
from tests.judge.emission import emit, move_positron
from tests.judge.interactions import DX, ELECTRON_KEV, KEV, NUMBERS, PATH, X, draw_compton
from tests.judge.phantoms import draw_decay
from tests.judge.readout import read
from tests.judge.scanners import block_of, crystal_at
from tests.judge.streams import gauss, start, uniform
from tests.judge.transport import absorb, empty_deposits, leave_phantom


@cached
def draw_numbers(seed, out):
    """Fill (n, 2) with a uniform and a normal number, each row from its own stream."""
    stream = np.empty(1, np.uint64)
    for k in range(len(out)):
        start(stream, seed, k)
        out[k, 0], out[k, 1] = uniform(stream), gauss(stream)


@cached
def draw_scatters(kev, seed, out):
    """Fill (n, 2) with ratios of energies and cosines of Compton scattering."""
    stream = np.empty(1, np.uint64)
    start(stream, seed, 0)
    for k in range(len(out)):
        out[k, 0], out[k, 1] = draw_compton(kev, stream)


@cached
def draw_emissions(world, numbers, seed, places, ends, photons):
    """Fill places and ends of positrons (n, 3), and photons (n, 2, NUMBERS)."""
    stream = np.empty(1, np.uint64)
    for k in range(len(places)):
        start(stream, seed, k)
        draw_decay(world, stream, places[k])
        ends[k] = places[k]
        move_positron(ends[k], numbers.positron, stream)
        emit(ends[k], photons[k], numbers.acollinearity, numbers.max_cosine, stream)


@cached
def fly(world, origin, direction, seed, fates, photons):
    """Send photons through a phantom; fill the number of scatters (or LOST), and the photons."""
    stream = np.empty(1, np.uint64)
    for k in range(len(fates)):
        start(stream, seed, k)
        photons[k, X : X + 3], photons[k, DX : DX + 3] = origin, direction
        photons[k, KEV], photons[k, PATH] = ELECTRON_KEV, 0.0
        fates[k] = leave_phantom(world, photons[k], 20.0, True, stream)


@cached
def hit(crystals, numbers, origin, direction, seed, found, kev):
    """Send photons to a scanner; fill (n, 4): crystal, energy, path length and deposited energy."""
    stream, deposits, photon = np.empty(1, np.uint64), empty_deposits(), np.empty(NUMBERS)
    for k in range(len(found)):
        start(stream, seed, k)
        photon[X : X + 3], photon[DX : DX + 3] = origin, direction
        photon[KEV], photon[PATH] = kev, 0.0
        n = absorb(crystals, photon, stream, deposits)
        found[k, 0], found[k, 1], found[k, 2] = read(crystals, deposits, n, numbers, stream)
        found[k, 3] = deposits[:n, 1].sum()


@cached
def read_deposits(crystals, numbers, deposits, n):
    """Return the readout of given deposits."""
    stream = np.empty(1, np.uint64)
    start(stream, 1, 0)
    return read(crystals, deposits, n, numbers, stream)


@cached
def locate(crystals, points, crystal, block):
    """Fill the crystals at points, (n, 3), and their blocks."""
    for k in range(len(points)):
        crystal[k] = crystal_at(crystals, points[k, 0], points[k, 1], points[k, 2])
        block[k] = block_of(crystals, crystal[k]) if crystal[k] >= 0 else -1
