"""Pairs and single photons sent into panels, and what is counted of them."""

from __future__ import annotations

import math

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix.response import Panels
from engine.kernels.scatter.panel_photons import COLUMN, LAYER, ROW, Readout, absorbed, read
from engine.kernels.scatter.photons import REST_KEV, uniform

_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

ENDLESS_EVERY = 4
"""Ratio of photons in the panel with edges to those in the endless panel."""


@_KERNEL
def _within(readout: Readout, state: Array) -> int:
    """Draw the place of the pitch 0 along the edge of its block."""
    return math.floor(uniform(state) * readout.block)


@_KERNEL
def track(
    n_pairs: int, voxel: tuple[int, int, int], lowest: float, panels: Panels, readout: Readout,
    state: Array, deposits: Array, found: Array,
) -> int:  # fmt: skip
    """Emit pairs from all over a voxel, and return how many were seen by both panels.

    Parameters
    ----------
    n_pairs
        how many are emitted
    voxel
        (p, j, k) its plane, row and column on the pitch
    lowest
        cosine to the panels' normal below which no direction is drawn
    panels, readout
        the geometry and the physics
    state
        (1,) uint64 of the random numbers
    deposits
        (MOST_DEPOSITS, DEPOSIT) room
    found
        (n_pairs, 6) int16 row and column on panel 0, row and column on panel 1, layers of both
    """
    g, n_seen = panels, 0
    edge = g.pitch / g.voxels_per_pitch
    for _ in range(n_pairs):
        x = (voxel[0] + uniform(state) - 0.5 * g.n_planes) * g.plane
        y = (voxel[1] + uniform(state)) * edge
        z = (voxel[2] + uniform(state)) * edge
        row, column = _within(readout, state), _within(readout, state)
        # even in the cosine is even on the sphere; directions that no panel can see are not drawn,
        # and the caller counts them as the part `lowest` of all
        d_x = lowest + (1.0 - lowest) * uniform(state)
        angle = 2.0 * math.pi * uniform(state)
        sine = math.sqrt(1.0 - d_x * d_x)
        d_y, d_z = sine * math.cos(angle), sine * math.sin(angle)
        t_0, t_1 = (0.5 * g.separation + x) / d_x, (0.5 * g.separation - x) / d_x
        to_y, to_z = y + t_1 * d_y, z + t_1 * d_z
        n = absorbed(to_y, to_z, d_x, d_y, d_z, g, readout, state, deposits, REST_KEV)
        r_1, c_1, l_1, seen = read(deposits, n, g, readout, row, column, state)
        # pairs of which one photon escapes end here, before the other is tracked
        if not seen:
            continue
        to_y, to_z = y - t_0 * d_y, z - t_0 * d_z
        n = absorbed(to_y, to_z, d_x, -d_y, -d_z, g, readout, state, deposits, REST_KEV)
        r_0, c_0, l_0, seen = read(deposits, n, g, readout, row, column, state)
        if seen:
            found[n_seen, 0], found[n_seen, 1] = r_0, c_0
            found[n_seen, 2], found[n_seen, 3] = r_1, c_1
            found[n_seen, 4], found[n_seen, 5] = l_0, l_1
            n_seen += 1
    return n_seen


@_KERNEL
def count_spread(
    n_photons: int, tangents: tuple[float, float], panels: Panels, readout: Readout, state: Array,
    deposits: Array, met: Array, counts: Array, kev: float,
) -> None:  # fmt: skip
    """Send photons of one direction into a panel, and count how many interact, and are seen.

    Parameters
    ----------
    n_photons
        how many are sent, evenly over a pitch
    tangents
        of the direction along rows and columns, to the panel's normal
    panels, readout
        the geometry and the physics
    state
        (1,) uint64 of the random numbers
    deposits
        (MOST_DEPOSITS, DEPOSIT) room
    met
        (n_layers,) int64, added to: how many interact first in each layer
    counts
        (n_layers, n_layers, 2 m + 1, 2 m + 1) int64, added to: how many that interact first in one
        layer are seen in another, so many rows and columns from the crystal of their first
        interaction; what is seen farther away counts at the edge
    kev
        energy of the photons
    """
    far = counts.shape[2] // 2
    d_x = 1.0 / math.sqrt(1.0 + tangents[0] * tangents[0] + tangents[1] * tangents[1])
    d_y, d_z = tangents[0] * d_x, tangents[1] * d_x
    for _ in range(n_photons):
        y, z = uniform(state) * panels.pitch, uniform(state) * panels.pitch
        row, column = _within(readout, state), _within(readout, state)
        n = absorbed(y, z, d_x, d_y, d_z, panels, readout, state, deposits, kev)
        first = int(deposits[0, LAYER]) if n > 0 else 0
        met[first] += n > 0
        seen_row, seen_column, layer, seen = read(deposits, n, panels, readout, row, column, state)
        if seen:
            down = min(max(seen_row - int(deposits[0, ROW]), -far), far)
            along = min(max(seen_column - int(deposits[0, COLUMN]), -far), far)
            counts[first, layer, far + down, far + along] += 1


@_KERNEL
def count_crystals(
    n_photons: int, panels: Panels, endless: Readout, whole: Readout, state: Array,
    deposits: Array, counts: Array, beyond: int,
) -> None:  # fmt: skip
    """Send photons from all over one panel to all over the other and beyond; count by crystals.

    Parameters
    ----------
    n_photons
        how many are sent
    panels
        the geometry
    endless, whole
        how they are read in a panel without edges and in one with them
    state
        (1,) uint64 of the random numbers
    deposits
        (MOST_DEPOSITS, DEPOSIT) room
    counts
        (2, n_layers, n_rows, n_columns) int64, added to: those seen in each crystal without edges,
        of one photon in ENDLESS_EVERY; and with edges
    beyond
        pitches beyond the edges to which photons are sent, too
    """
    g, far = panels, beyond * panels.pitch
    n_rows, n_columns = counts.shape[2], counts.shape[3]
    done = 0
    while done < n_photons:
        y = uniform(state) * (n_rows * g.pitch + 2.0 * far) - far
        z = uniform(state) * (n_columns * g.pitch + 2.0 * far) - far
        d_y = y - uniform(state) * n_rows * g.pitch
        d_z = z - uniform(state) * n_columns * g.pitch
        length = math.sqrt(g.separation * g.separation + d_y * d_y + d_z * d_z)
        d_x, d_y, d_z = g.separation / length, d_y / length, d_z / length
        # faces see each other with cos² / r², which goes with the fourth power of the cosine
        if uniform(state) > d_x * d_x * d_x * d_x:
            continue
        done += 1
        if done % ENDLESS_EVERY == 0:
            row, column = _within(endless, state), _within(endless, state)
            n = absorbed(y, z, d_x, d_y, d_z, g, endless, state, deposits, REST_KEV)
            row, column, layer, seen = read(deposits, n, g, endless, row, column, state)
            if seen and 0 <= row < n_rows and 0 <= column < n_columns:
                counts[0, layer, row, column] += 1
        n = absorbed(y, z, d_x, d_y, d_z, g, whole, state, deposits, REST_KEV)
        row, column, layer, seen = read(deposits, n, g, whole, 0, 0, state)
        if seen:
            counts[1, layer, row, column] += 1
