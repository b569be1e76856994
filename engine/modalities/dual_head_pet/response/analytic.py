"""Response of one orientation by integration over both crystals.

The kernels are in `engine.kernels.matrix.response`.

If crystals scatter, a pair that first interacts in two of them is detected in two others. A row is
then the sum of many integrals, each times the probability of both displacements.

A mirror symmetry between the panels makes the response of layers (first, second) that of (second,
first). For equal layers the first half of the planes suffices. For unequal layers all planes are
needed; these are the rows of panels with twice as many planes (`engine.data.layered_response`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.layered_response import scanner_of_pair
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import keeping, n_stored_planes
from engine.kernels.matrix.response import Panels, integrate
from engine.modalities.dual_head_pet.response.packing import PackedRows, packed
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.operators.crystal_spread import CrystalSpread, Shifts, panels_of

__all__ = ["AnalyticResponse", "Planes", "ResponseRows"]

_ROUNDING = 1e-9
"""Voxels by which windows are wider than their lines, because of rounding."""


@dataclass(frozen=True)
class Planes:
    """Windows of voxels that the lines of an orientation can cross, one for each plane.

    Attributes
    ----------
    windows : (n_planes, 5) int64 j0, k0, height, width, first index in the values of all windows
    n_values : number of voxels of all windows
    """

    windows: NDArray[np.int64]
    n_values: int

    @classmethod
    def of(cls, panels: Panels, a: int, b: int, n_planes: int, reach: int = 0) -> Planes:
        """Return the windows of the first `n_planes` planes.

        A line from depth s0 to depth s1 is at y(x) = y0 + f (a pitch + y1 − y0), with f = (x +
        separation/2 + s0) / (separation + s0 + s1). y0 and y1 are up to `reach` pitches away if
        crystals scatter.

        Parameters
        ----------
        panels
            geometry of the panels
        a, b
            orientation
        n_planes
            number of planes
        reach
            largest displacement by scatter, in pitches
        """
        g = panels
        x = (np.arange(n_planes + 1) - g.n_planes / 2) * g.plane + g.separation / 2
        low, high = (g.pitch - g.crystal) / 2, (g.pitch + g.crystal) / 2
        low, high = low - reach * g.pitch, high + reach * g.pitch
        # The extremes of f over a plane: both depths 0, or both at the rear face.
        least = x[:-1] / (g.separation + g.thickness)
        most = (x[1:] + g.thickness) / (g.separation + g.thickness)
        firsts, sizes = [], []
        for offset in (a * g.pitch, b * g.pitch):
            per_mm = g.voxels_per_pitch / g.pitch
            first = np.floor((low + least * offset) * per_mm - _ROUNDING)
            firsts.append(first)
            sizes.append(np.ceil((high + most * offset) * per_mm + _ROUNDING) - first)
        ends = np.cumsum(sizes[0] * sizes[1])
        columns = (*firsts, *sizes, ends - sizes[0] * sizes[1])
        return cls(np.stack(columns, -1).astype(np.int64), int(ends[-1]))

    def plane(self, values: Array, p: int) -> Array:
        """Return the values of a plane as a view (height, width).

        Parameters
        ----------
        values
            (n_values,) values of all windows
        p
            number of the plane
        """
        _, _, height, width, first = self.windows[p]
        return values[first : first + height * width].reshape(height, width)

    def voxels(self, chosen: Array) -> tuple[Array, Array, Array]:
        """Return p, j, k of positions in the values.

        Parameters
        ----------
        chosen
            (n,) indices into the values of all windows
        """
        p = np.searchsorted(self.windows[:, 4], chosen, side="right") - 1
        j0, k0, _, width, first = self.windows[p].T
        down, along = np.divmod(chosen - first, width)
        return p, j0 + down, k0 + along


class ResponseRows:
    """Compute rows of the matrix, in any thread.

    Parameters
    ----------
    scanner : scanner of the response
    settings : number of points, threshold
    layers : crystal layers on panel 0 and on panel 1
    """

    def __init__(
        self, scanner: DualHead, settings: AnalyticResponse, layers: tuple[int, int] = (0, 0)
    ) -> None:
        self._scanner, self._settings, self._layers = scanner, settings, layers
        self._stored = scanner_of_pair(scanner, *layers)
        self._panels = panels_of(scanner)
        self._points = settings.points()
        # Displacements of photons are the same for all rows, so they are tracked once.
        self._spread = (
            CrystalSpread.of(scanner, n_photons=settings.n_points, seed=settings.seed)
            if settings.scatter
            else CrystalSpread.none(scanner.settings.n_layers)
        )

    def row(self, a: int, b: int) -> PackedRows:
        """Return the row of a stored orientation.

        Parameters
        ----------
        a
            offset of the rows, at least b
        b
            offset of the columns, at least 0
        """
        n_planes = n_stored_planes(self._stored.settings.n_planes)
        # Each panel has its own displacements, because their depths differ.
        spreads = [self._spread.of_orientation(a, b, layer) for layer in self._layers]
        reach = max(spread.reach for spread in spreads)
        planes = Planes.of(self._panels, a, b, n_planes, reach)
        one, other = (self._integral(a, b, planes, points, spreads) for points in self._points)
        mean = (one + other) / 2
        # Half the difference of two independent halves is the error of their mean.
        error = float(np.linalg.norm(one - other) / (2 * np.linalg.norm(mean)))
        # Zeros outside the shadow need no place in the file.
        chosen = np.flatnonzero(mean)
        return packed(
            self._stored,
            planes.voxels(chosen),
            mean[chosen],
            threshold=self._settings.threshold,
            error=error,
        )

    def _integral(
        self, a: int, b: int, planes: Planes, points: Array, spreads: list[Shifts]
    ) -> Array:
        values = np.zeros(planes.n_values, np.float32)
        begins, ends = ((spread.shifts, spread.drawn_as) for spread in spreads)
        integrate(
            points, (a, b), self._layers, self._panels, begins, ends, self._spread.chances,
            self._spread.step, planes.windows, values,
        )  # fmt: skip
        # Points break the symmetry of the crystals slightly; averaging restores it exactly.
        _symmetrise(values, (a, b), planes, self._stored.settings.n_planes)
        return values


def _symmetrise(values: Array, orientation: tuple[int, int], planes: Planes, n_planes: int) -> None:
    """Average voxels that are images of each other within the row."""
    turns = keeping(*orientation)
    for p in range(len(planes.windows)):
        plane = planes.plane(values, p)
        if len(turns) > 1:
            plane[:] = np.mean([turn.image(plane) for turn in turns], axis=0)
        # The middle plane is mapped onto itself, turned by half a turn.
        if p == n_planes - 1 - p:
            plane[:] = (plane + plane[::-1, ::-1]) / 2
