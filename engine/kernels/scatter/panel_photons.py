"""Monte Carlo tracking of photons in a panel of crystals, and readout of the crystals.

There is vacuum between the panels. A panel consists of crystals and empty gaps. Tracking follows
Woodcock: steps are those of a panel without gaps, and an interaction in a gap has no effect. A
photon is absorbed, or scatters by Klein & Nishina, until it leaves the panel or is absorbed. With
attenuation only, its first interaction absorbs all of the energy.

The readout takes the energy E in the block with most energy, and blurs it with σ = FWHM₅₁₁ / 2.355
· √(511 keV E). If the result is in the energy window, the photon is detected: in the crystal of the
block with most energy, or in the crystal at the energy-weighted mean position.

Layers of crystals have equal depth, without gaps between them. A block reads all of its layers
together, and the pulse shape identifies the layer (phoswich). It is the layer with most energy in
the block. If a photon is detected in the crystal with most energy, it is the layer of that crystal.

Without `Readout.n_rows` a panel is endless. Rows and columns of crystals then count from the pitch
that the photon starts from, because the response depends on nothing else
(engine.geometry.dual_head_symmetry). The effect of blocks is averaged over all positions of this
pitch in its block.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix.response import Panels
from engine.kernels.scatter.photons import REST_KEV, klein_nishina, scattered, turned, uniform

_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

_PHOTO_POWER = -2.6
"""Exponent of the photoelectric part of L(Y)SO over energy, 100 to 511 keV (NIST XCOM)."""
_ABSORBED_KEV = 20.0
"""Photons below this energy are absorbed at their position."""
MAX_DEPOSITS = 32
"""Maximum number of deposits of a photon; later ones are added to the last."""
DEPOSIT = 6
"""Row, column, energy [keV], y and z [mm], and layer of a deposit."""
ROW, COLUMN, _KEV, _Y, _Z, LAYER = range(DEPOSIT)


class Readout(NamedTuple):
    """Physics of photons in crystals, and readout: detection and position."""

    scatter: bool
    photo: float
    """Absorbed fraction of the attenuation at 511 keV; the rest scatters."""
    low_kev: float
    high_kev: float
    blur: float
    """Standard deviation of an energy over its root [√keV]."""
    block: int
    """Crystals along the edge of a block; 0: the whole panel is one block."""
    largest: bool
    """True: a photon is detected in the crystal with most energy; False: at the mean position."""
    n_rows: int = 0
    """Rows and columns of crystals of a panel with edges; 0: endless panel."""
    n_columns: int = 0


@_KERNEL
def _crystal_at(y: float, z: float, panels: Panels) -> tuple[int, int, bool]:
    """Return row and column of the pitch at a position, and True if it is in a crystal."""
    row, column = math.floor(y / panels.pitch), math.floor(z / panels.pitch)
    half = 0.5 * panels.crystal
    inside = abs(y - (row + 0.5) * panels.pitch) < half
    return row, column, inside and abs(z - (column + 0.5) * panels.pitch) < half


@_KERNEL
def absorbed(
    y: float, z: float, d_x: float, d_y: float, d_z: float, panels: Panels, readout: Readout,
    state: Array, deposits: Array, energy: float,
) -> int:  # fmt: skip
    """Track a photon that enters a panel at (y, z); return the number of its deposits.

    Parameters
    ----------
    y, z
        position on the face [mm]
    d_x, d_y, d_z
        direction, d_x > 0 into the panel
    panels
        dimensions of the panels
    readout
        physics and size of the panel
    state
        (1,) uint64 of the random numbers
    deposits
        (MAX_DEPOSITS, DEPOSIT), which are written
    energy
        energy of the photon [keV]
    """
    x, n = 0.0, 0
    per_layer = panels.thickness / panels.n_layers
    while energy > 0.0:
        k = energy / REST_KEV
        photo, compton = panels.mu, 0.0
        if readout.scatter:
            photo = panels.mu * readout.photo * k**_PHOTO_POWER
            compton = panels.mu * (1.0 - readout.photo) * klein_nishina(k)
        # 1 − u is never 0, so its logarithm is finite.
        step = -math.log(1.0 - uniform(state)) / (photo + compton)
        x, y, z = x + step * d_x, y + step * d_y, z + step * d_z
        if not 0.0 <= x < panels.thickness:
            break
        # A virtual interaction in a gap: the photon continues unchanged (Woodcock), so no search
        # for the faces between crystals is needed.
        row, column, inside = _crystal_at(y, z, panels)
        if readout.n_rows > 0:
            inside = inside and 0 <= row < readout.n_rows and 0 <= column < readout.n_columns
        if not inside:
            continue
        lost, cosine = energy, 1.0
        if compton > 0.0 and uniform(state) * (photo + compton) >= photo:
            ratio, cosine = scattered(k, state)
            if energy * ratio >= _ABSORBED_KEV:
                lost = energy * (1.0 - ratio)
        energy -= lost
        if n < MAX_DEPOSITS:
            deposits[n, ROW], deposits[n, COLUMN] = row, column
            deposits[n, _KEV], deposits[n, _Y], deposits[n, _Z] = lost, y, z
            # The quotient can round up to the number of layers.
            deposits[n, LAYER] = min(math.floor(x / per_layer), panels.n_layers - 1)
            n += 1
        else:
            deposits[n - 1, _KEV] += lost
        d_x, d_y, d_z = turned(d_x, d_y, d_z, cosine, state)
    return n


@_KERNEL
def _same(one: Array, other: Array, group: int, row: int, column: int) -> bool:
    """Return True if two deposits are in the same square of `group` crystals; 0: a whole panel.

    row, column : position of the pitch (0, 0) in its square
    """
    if group == 0:
        return True
    rows = (one[ROW] + row) // group == (other[ROW] + row) // group
    return rows and (one[COLUMN] + column) // group == (other[COLUMN] + column) // group


@_KERNEL
def _richest(
    deposits: Array, n: int, group: int, row: int, column: int, within: int, block: int,
    of_layers: bool,
) -> tuple[int, float]:  # fmt: skip
    """Return a deposit in the square of `group` crystals with most energy, and this energy.

    within : a deposit; only deposits in its block count. −1: all deposits; of_layers : True if each
        layer counts separately
    """
    best, most = 0, -1.0
    for i in range(n):
        if within >= 0 and not _same(deposits[i], deposits[within], block, row, column):
            continue
        kev = 0.0
        for k in range(n):
            if of_layers and deposits[i, LAYER] != deposits[k, LAYER]:
                continue
            if _same(deposits[i], deposits[k], group, row, column):
                kev += deposits[k, _KEV]
        if kev > most:
            best, most = i, kev
    return best, most


@_KERNEL
def read(
    deposits: Array, n: int, panels: Panels, readout: Readout, row: int, column: int, state: Array
) -> tuple[int, int, int, bool]:
    """Return where a photon is detected.

    Parameters
    ----------
    deposits
        (MAX_DEPOSITS, DEPOSIT) deposits of the photon
    n
        number of deposits
    panels
        dimensions of the panels
    readout
        readout of the crystals
    row, column
        position of the pitch (0, 0) in its block
    state
        (1,) uint64 of the random numbers

    Returns
    -------
    row, column and layer, and True if the photon is detected
    """
    if n == 0:
        return 0, 0, 0, False
    block, kev = _richest(deposits, n, readout.block, row, column, -1, 0, False)
    if readout.blur > 0.0:
        # Box & Muller
        far = math.sqrt(-2.0 * math.log(1.0 - uniform(state)))
        kev += readout.blur * math.sqrt(kev) * far * math.cos(2.0 * math.pi * uniform(state))
    if not readout.low_kev <= kev <= readout.high_kev:
        return 0, 0, 0, False
    if readout.largest:
        best, _ = _richest(deposits, n, 1, row, column, block, readout.block, True)
        layer = int(deposits[best, LAYER])
        return int(deposits[best, ROW]), int(deposits[best, COLUMN]), layer, True
    best = block
    if panels.n_layers > 1:
        best, _ = _richest(deposits, n, readout.block, row, column, block, readout.block, True)
    sums_y, sums_z, sums = 0.0, 0.0, 0.0
    for i in range(n):
        if _same(deposits[i], deposits[block], readout.block, row, column):
            sums += deposits[i, _KEV]
            sums_y += deposits[i, _KEV] * deposits[i, _Y]
            sums_z += deposits[i, _KEV] * deposits[i, _Z]
    # The mean can be in a gap. It then counts for the crystal of that pitch.
    seen_row, seen_column, _ = _crystal_at(sums_y / sums, sums_z / sums, panels)
    return seen_row, seen_column, int(deposits[best, LAYER]), True
