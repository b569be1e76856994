"""Spread of photons from the crystal of first interaction to the crystal of readout.

A photon of direction d that first interacts in one crystal is detected δ rows and columns away,
with its energy in the window, with probability K(δ | d). The sum over δ is the detected fraction. K
is estimated by tracking single photons (`engine.kernels.scatter.panel_photons`) for directions on a
grid of tangents to the panel's normal, with linear interpolation. Mirrors and the exchange of rows
and columns give the other directions:

    K(δ_r, δ_c | t_r, t_c) = K(−δ_r, δ_c | −t_r, t_c) = K(δ_c, δ_r | t_c, t_r).

With several layers, each pair of first and detecting layer has its own K, relative to the photons
that first interact in that layer. An efficiency from n photons has the standard deviation √(E (1 −
E) / n): 0.13 % for E = 0.7 and the default of 131,072 photons.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from engine.geometry.dual_head import DualHead
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.kernels.matrix.response import Panels
from engine.kernels.scatter.panel_photons import DEPOSIT, MAX_DEPOSITS, Readout
from engine.kernels.scatter.panel_tracks import count_spread
from engine.kernels.scatter.photons import REST_KEV

REACH = 6
"""Largest shift in pitches; larger shifts count as this one."""
STEP = 0.25
"""Maximum step between tracked tangents."""
OTHERS = 0.1
"""Share of the points whose shifts are drawn from the mean over all directions."""


def panels_of(scanner: DualHead) -> Panels:
    """Return the dimensions of a scanner as the kernels take them."""
    s = scanner.settings
    return Panels(
        s.pitch_mm, s.crystal_mm, s.thickness_mm, s.separation_mm, s.attenuation_per_mm,
        s.voxels_per_pitch, s.n_planes, s.plane_mm, s.n_layers,
    )  # fmt: skip


def readout_of(scanner: DualHead, *, scatter: bool = True) -> Readout:
    """Return the readout of a scanner as the kernels take it.

    Parameters
    ----------
    scanner
        two panels
    scatter
        False: every first interaction is detected where it happens
    """
    s = scanner.settings
    if not scatter:
        return Readout(False, 1.0, 0.0, math.inf, 0.0, 0, True)
    blur = s.energy_fwhm / FWHM_PER_SIGMA * math.sqrt(REST_KEV)
    block = s.block_crystals if s.block_crystals > 1 else 0
    low, high = s.energy_window_kev
    return Readout(True, s.photo_fraction, low, high, blur, block, s.place == "largest")


@dataclass(frozen=True)
class Shifts:
    """Distribution of shifts for one orientation, on panel 1; on panel 0 with opposite sign.

    Attributes
    ----------
    shifts : (m, 3) int64 layer of the first interaction, and rows and columns from there to the
        detecting crystal
    drawn_as : (2, m) float64 probabilities and their cumulative sums up to 1, most probable
        first
    """

    shifts: NDArray[np.int64]
    drawn_as: NDArray[np.float64]

    @property
    def reach(self) -> int:
        """Largest displacement of a photon, in pitches."""
        return int(np.abs(self.shifts[:, 1:]).max())

    @classmethod
    def of(cls, chances: NDArray[np.float64]) -> Shifts:
        """Sort and normalise probabilities.

        Parameters
        ----------
        chances
            (n_layers, 2 m + 1, 2 m + 1), not normalised
        """
        # Most probable first: a linear search through the cumulative sums then ends early.
        order = np.argsort(-chances, axis=None, kind="stable")
        order = order[: np.count_nonzero(chances)]
        shifts = np.stack(np.unravel_index(order, chances.shape), -1)
        shifts[:, 1:] -= chances.shape[1] // 2
        each = chances.ravel()[order] / chances.sum()
        return cls(shifts.astype(np.int64), np.stack([each, np.cumsum(each)]))


@dataclass(frozen=True)
class CrystalSpread:
    """Distribution K(δ | d) of a scanner.

    Attributes
    ----------
    chances : (n_layers, n_layers, n, n, 2 m + 1, 2 m + 1) by layer of the first interaction and
        layer that sees the photon, for tangents 0, step, 2 step, ... along rows and columns
    step : step between the tangents
    tangent_per_pitch : tangent of an orientation for each row or column between its crystals
    n_photons : photons tracked in each direction
    layer_depths : thickness of a layer in mean free paths
    """

    chances: NDArray[np.float64]
    step: float
    tangent_per_pitch: float
    n_photons: int
    layer_depths: float = 0.0

    @classmethod
    def none(cls, n_layers: int = 1) -> CrystalSpread:
        """Return the distribution without spread: photons are detected at their first interaction.

        Parameters
        ----------
        n_layers
            number of crystal layers
        """
        certain = np.eye(n_layers).reshape(n_layers, n_layers, 1, 1, 1, 1)
        certain.setflags(
            write=False
        )  # like tracked ones: kernels are compiled for read-only arrays
        return cls(certain, 1.0, 0.0, 0)

    @classmethod
    def of(cls, scanner: DualHead, *, n_photons: int, seed: int) -> CrystalSpread:
        """Track photons into the panels of a scanner.

        Parameters
        ----------
        scanner
            two panels
        n_photons
            photons for each direction
        seed
            seed of the random numbers
        """
        s = scanner.settings
        # Tangent between neighbouring crystals of both panels, at their mean depth of detection.
        per_pitch = s.pitch_mm / (s.separation_mm + 2 * scanner.depth_mm(0))
        most = per_pitch * (max(s.n_rows, s.n_columns) - 1)
        n = 1 + math.ceil(most / STEP)
        step = most / (n - 1) if n > 1 else 1.0
        # the image between the panels has no effect on photons in the crystals
        panels = panels_of(scanner)._replace(n_planes=0, plane=0.0, voxels_per_pitch=0)
        readout = readout_of(scanner)
        chances = _tracked(panels, readout, n, step, n_photons, seed)
        depths = s.attenuation_per_mm * s.thickness_mm / s.n_layers
        return cls(chances, step, per_pitch, n_photons, depths)

    def of_orientation(self, a: int, b: int, layer: int = 0) -> Shifts:
        """Return the distribution of shifts for an orientation and a detecting layer.

        Mostly the distribution of its own direction, with a share of the mean over all directions.
        No shift that can occur is then left out.

        Parameters
        ----------
        a
            row difference, 0 or more
        b
            column difference, 0 or more
        layer
            layer that detects the photon
        """
        row, column = a * self.tangent_per_pitch, b * self.tangent_per_pitch
        # share of the photons that reach each layer
        coming = np.exp(-math.hypot(1.0, row, column) * self.layer_depths * self._layers)
        own, of_any = coming * self.at(row, column)[:, layer], coming * self._any[:, layer]
        return Shifts.of((1 - OTHERS) * own / own.sum() + OTHERS * (of_any / of_any.sum()))

    @property
    def _layers(self) -> NDArray[np.int64]:
        return np.arange(len(self.chances))[:, None, None]

    @cached_property
    def _any(self) -> NDArray[np.float64]:
        """Distribution over all directions and their mirror images, (n_layers, n_layers, w, w)."""
        mean = self.chances.mean(axis=(2, 3))
        mean = mean + mean[..., ::-1, :]
        found: NDArray[np.float64] = mean + mean[..., ::-1]
        return found

    def at(self, row: float, column: float) -> NDArray[np.float64]:
        """Return K(δ) for a direction, by linear interpolation.

        Parameters
        ----------
        row
            tangent along rows, 0 or more
        column
            tangent along columns, 0 or more

        Returns
        -------
        (n_layers, n_layers, 2 m + 1, 2 m + 1) by layer of the first interaction and detecting layer
        """
        last = self.chances.shape[2] - 1
        (i, u), (k, v) = (_between(t / self.step, last) for t in (row, column))
        K = self.chances
        above, right = min(i + 1, last), min(k + 1, last)
        lower = (1 - v) * K[:, :, i, k] + v * K[:, :, i, right]
        upper = (1 - v) * K[:, :, above, k] + v * K[:, :, above, right]
        found: NDArray[np.float64] = (1 - u) * lower + u * upper
        return found


def _between(at: float, last: int) -> tuple[int, float]:
    """Return the grid point below a position, and the fraction of the way to the next."""
    below = min(int(at), last)
    return below, min(at - below, 1.0)


@lru_cache(maxsize=8)
def _tracked(
    panels: Panels, readout: Readout, n: int, step: float, n_photons: int, seed: int
) -> NDArray[np.float64]:
    """(n_layers, n_layers, n, n, 2 m + 1, 2 m + 1) K for tangents on a grid."""
    n_layers, wide = panels.n_layers, 2 * REACH + 1

    def chances(direction: tuple[int, int]) -> NDArray[np.float64]:
        column, row = direction  # row ≥ column
        state = np.random.SeedSequence((seed, row, column)).generate_state(1, np.uint64)
        met, counts = np.zeros(n_layers, np.int64), np.zeros((n_layers, n_layers, wide, wide), int)
        deposits = np.empty((MAX_DEPOSITS, DEPOSIT))
        tangents = (row * step, column * step)
        count_spread(n_photons, tangents, panels, readout, state, deposits, met, counts, REST_KEV)
        return counts / np.maximum(met, 1)[:, None, None, None]

    found = np.empty((n_layers, n_layers, n, n, wide, wide))
    # Only directions with row ≥ column are tracked; the others follow by exchange.
    directions = list(combinations_with_replacement(range(n), 2))
    with ThreadPoolExecutor() as pool:
        for (column, row), of_it in zip(directions, pool.map(chances, directions), strict=True):
            found[:, :, row, column] = of_it
            found[:, :, column, row] = of_it.swapaxes(2, 3)
    # Cached results are shared, so they must not change.
    found.setflags(write=False)
    return found
