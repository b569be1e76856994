"""Track photon pairs and single photons into panels, and count the detected photons."""

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
    """Draw the position of pitch 0 along the edge of its block."""
    return math.floor(uniform(state) * readout.block)


@_KERNEL
def track(
    n_pairs: int, voxel: tuple[int, int, int], lowest: float, panels: Panels, readout: Readout,
    state: Array, deposits: Array, found: Array,
) -> int:  # fmt: skip
    """Emit pairs from random points of a voxel; return the number that both panels detect.

    Parameters
    ----------
    n_pairs
        number of emitted pairs
    voxel
        (p, j, k) plane, row and column on the pitch
    lowest
        smallest cosine to the panels' normal that is drawn
    panels, readout
        geometry, and physics of the crystals
    state
        (1,) uint64 of the random numbers
    deposits
        (MAX_DEPOSITS, DEPOSIT) working memory
    found
        (n_pairs, 6) int16, which are written: row and column on panel 0, row and column on panel 1,
        layers of both
    """
    g, n_seen = panels, 0
    edge = g.pitch / g.voxels_per_pitch
    for _ in range(n_pairs):
        x = (voxel[0] + uniform(state) - 0.5 * g.n_planes) * g.plane
        y = (voxel[1] + uniform(state)) * edge
        z = (voxel[2] + uniform(state)) * edge
        row, column = _within(readout, state), _within(readout, state)
        # Uniform in the cosine is uniform on the sphere. Directions that no panel can detect are
        # not drawn. The caller counts them as the fraction `lowest` of all.
        d_x = lowest + (1.0 - lowest) * uniform(state)
        angle = 2.0 * math.pi * uniform(state)
        sine = math.sqrt(1.0 - d_x * d_x)
        d_y, d_z = sine * math.cos(angle), sine * math.sin(angle)
        t_0, t_1 = (0.5 * g.separation + x) / d_x, (0.5 * g.separation - x) / d_x
        to_y, to_z = y + t_1 * d_y, z + t_1 * d_z
        n = absorbed(to_y, to_z, d_x, d_y, d_z, g, readout, state, deposits, REST_KEV)
        r_1, c_1, l_1, seen = read(deposits, n, g, readout, row, column, state)
        # If one photon escapes, the pair ends before the other photon is tracked.
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
    """Send photons of one direction into a panel; count interactions, and detections by crystal.

    Parameters
    ----------
    n_photons
        number of photons, uniformly distributed over a pitch
    tangents
        tangents of the direction to the panel's normal, along rows and columns
    panels, readout
        geometry, and physics of the crystals
    state
        (1,) uint64 of the random numbers
    deposits
        (MAX_DEPOSITS, DEPOSIT) working memory
    met
        (n_layers,) int64, which are added to: first interactions in each layer
    counts
        (n_layers, n_layers, 2 m + 1, 2 m + 1) int64, which are added to: photons by layer of the
        first interaction, detecting layer, and rows and columns from the crystal of the first
        interaction to the detecting crystal; larger distances count at the edge
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
    """Send photons from all of one panel to the other and its surroundings; count by crystal.

    Parameters
    ----------
    n_photons
        number of photons
    panels
        the geometry
    endless, whole
        readout of a panel without edges, and with edges
    state
        (1,) uint64 of the random numbers
    deposits
        (MAX_DEPOSITS, DEPOSIT) working memory
    counts
        (2, n_layers, n_rows, n_columns) int64, which are added to: detected photons by crystal,
        without edges for one photon in ENDLESS_EVERY, and with edges
    beyond
        number of pitches outside the edges to which photons are also sent
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
        # Two faces exchange photons ∝ cos² / r², the fourth power of the cosine.
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
