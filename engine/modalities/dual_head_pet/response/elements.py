"""Numbering of the stored matrix elements, and the elements that a photon pair counts for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.core.arrays import Array
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import (
    TURNS,
    across,
    n_stored_planes,
    stored_index,
    stored_orientations,
)
from engine.modalities.dual_head_pet.response.packing import PackedRows, packed


@dataclass(frozen=True)
class Elements:
    """All elements of the stored rows: number = ((row n_planes + p) n_j + j) n_k + k.

    Attributes
    ----------
    scanner : scanner of the rows
    margin : number of pitches outside the boxes that also have numbers
    """

    scanner: DualHead
    margin: int

    @property
    def _beyond(self) -> int:
        return self.margin * self.scanner.settings.voxels_per_pitch

    @property
    def _edges(self) -> tuple[int, int]:
        """Rows and columns of the numbering: the largest box with its margins."""
        s = self.scanner.settings
        n, beyond = s.voxels_per_pitch, 2 * self._beyond
        return n * max(s.n_rows, s.n_columns) + beyond, n * min(s.n_rows, s.n_columns) + beyond

    @property
    def per_row(self) -> int:
        """Number of elements in a row."""
        return n_stored_planes(self.scanner.settings.n_planes) * self._edges[0] * self._edges[1]

    def seen(self, crystals: Array, voxel: tuple[int, int, int]) -> tuple[Array, int]:
        """Return the elements that pairs count for, and the number of counts beyond the margin.

        Parameters
        ----------
        crystals
            (n, 4) row and column on panel 0, row and column on panel 1
        voxel
            (p, j, k) origin of the pairs, counted from the corner of the crystal (0, 0)
        """
        n = self.scanner.settings.voxels_per_pitch
        # Voxels count from the smaller crystal, so that a shift of the pair changes nothing.
        row0, column0, row1, column1 = crystals.astype(np.int64).T
        j = voxel[1] - n * np.minimum(row0, row1)
        k = voxel[2] - n * np.minimum(column0, column1)
        found, _, lost = self.of(row1 - row0, column1 - column0, np.full_like(j, voxel[0]), j, k)
        return found, lost

    def of(self, a: Array, b: Array, p: Array, j: Array, k: Array) -> tuple[Array, Array, int]:
        """Return the stored elements whose images are elements (a, b; p, j, k).

        Each symmetry that leads to a stored orientation gives one image. Elements of the middle
        plane, which is mapped onto itself, have twice as many.

        Parameters
        ----------
        a, b
            (n,) orientation of each element
        p, j, k
            (n,) voxel of each element in its box

        Returns
        -------
        numbers
            (m,) stored elements
        sources
            (m,) index of the given element that each is an image of
        n_lost
            number of images beyond the margin, which are left out
        """
        s = self.scanner.settings
        n, longest, shortest = s.voxels_per_pitch, *sorted((s.n_rows, s.n_columns), reverse=True)
        source, p, j, k = self._first_half(p, j, k, (n * (np.abs(a) + 1), n * (np.abs(b) + 1)))
        a, b = a[source], b[source]
        numbers, sources = [], []
        for turn in TURNS:
            to_a, to_b = turn.orientation(a, b)
            to_j, to_k = turn.voxels(j, k, (n * (np.abs(a) + 1), n * (np.abs(b) + 1)))
            # Only orientations with a ≥ b ≥ 0 are stored; the panels limit both.
            stored = (to_a >= to_b) & (to_b >= 0) & (to_a < longest) & (to_b < shortest)
            to_a, to_b, to_p, to_j, to_k, origin = (
                v[stored] for v in (to_a, to_b, p, to_j, to_k, source)
            )
            row = stored_index(to_a, to_b, s.n_rows, s.n_columns)
            is_stored = self._has(to_j, to_a) & self._has(to_k, to_b)
            # −1 marks images beyond the margin, which are counted and then removed.
            numbers.append(np.where(is_stored, self._number(row, to_p, to_j, to_k), -1))
            sources.append(origin)
        found, origins = np.concatenate(numbers), np.concatenate(sources)
        inside = found >= 0
        return found[inside], origins[inside], int((~inside).sum())

    def n_same(self, numbers: Array) -> Array:
        """Return the number of symmetries that map each element onto itself.

        Parameters
        ----------
        numbers
            (n,) stored elements

        Returns
        -------
        n_same
            (n,) at least 1
        """
        s = self.scanner.settings
        row, p, j, k = self.places(numbers)
        a, b = stored_orientations(s.n_rows, s.n_columns).astype(np.int64)[row].T
        images, sources, _ = self.of(a, b, p, j, k)
        return np.bincount(sources[images == numbers[sources]], minlength=len(numbers))

    def _first_half(
        self, p: Array, j: Array, k: Array, box: tuple[Array, Array]
    ) -> tuple[Array, Array, Array, Array]:
        """Return the elements with the upper planes mapped to the lower ones, and their sources."""
        n_planes = self.scanner.settings.n_planes
        other = across(p, j, k, box, n_planes)
        # The middle plane satisfies both conditions, so it appears twice.
        below, above = p <= other[0], p >= other[0]
        source = np.concatenate([np.flatnonzero(below), np.flatnonzero(above)])
        voxels = zip((p, j, k), other, strict=True)
        p, j, k = (np.concatenate([one[below], two[above]]) for one, two in voxels)
        return source, p, j, k

    def _has(self, at: Array, offset: Array) -> Array:
        """Return True if rows or columns of voxels are in the box of an offset or its margin."""
        n = self.scanner.settings.voxels_per_pitch
        return (at >= -self._beyond) & (at < n * (offset + 1) + self._beyond)

    def _number(self, row: Array, p: Array, j: Array, k: Array) -> Array:
        n_j, n_k = self._edges
        n_planes = n_stored_planes(self.scanner.settings.n_planes)
        return ((row * n_planes + p) * n_j + j + self._beyond) * n_k + k + self._beyond

    def places(self, numbers: Array) -> tuple[Array, Array, Array, Array]:
        """Return row, p, j and k of numbered elements.

        Parameters
        ----------
        numbers
            (n,) stored elements
        """
        n_j, n_k = self._edges
        rest, k = np.divmod(numbers, n_k)
        rest, j = np.divmod(rest, n_j)
        row, p = np.divmod(rest, n_stored_planes(self.scanner.settings.n_planes))
        return row, p, j - self._beyond, k - self._beyond

    @property
    def n_rows(self) -> int:
        """Number of stored rows."""
        s = self.scanner.settings
        return len(stored_orientations(s.n_rows, s.n_columns))

    def packed(
        self,
        numbers: Array,
        values: Array,
        variances: Array,
        threshold: float,
        of_rows: range | None = None,
    ) -> PackedRows:
        """Return packed rows.

        Parameters
        ----------
        numbers
            (n,) elements of these rows, ascending, without repetitions
        values
            (n,) their probabilities
        variances
            (n,) variances of the values
        threshold
            values up to this fraction of the largest in their row are dropped
        of_rows
            consecutive rows; None for all
        """
        of_rows = range(self.n_rows) if of_rows is None else of_rows
        # Numbers are sorted by row, so the rows are slices between these limits.
        first_numbers = np.arange(of_rows.start, of_rows.stop + 1) * self.per_row
        ends = np.searchsorted(numbers, first_numbers)
        rows = []
        for start, stop in pairwise(ends):
            some = values[start:stop]
            size = float(np.linalg.norm(some))
            error = float(np.sqrt(variances[start:stop].sum())) / size if size else 0.0
            voxels = self.places(numbers[start:stop])[1:]
            rows.append(packed(self.scanner, voxels, some, threshold=threshold, error=error))
        return PackedRows.joined(rows)
