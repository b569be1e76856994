"""Operators whose rows are the lines of two panels by orientation, and their subsets.

A subset contains complete orientations in a fixed random order. (a, b) and its mirror images (±a,
±b), of all crystal layers, are in the same subset, so its sensitivity has the symmetries of the
scanner (Chou et al., PLoS ONE 7 (2012) e50540).

Balanced subsets contain families from all parts of the plane of |a| and |b|. With B subsets, the
families of one are points of the lattice |a| + g |b| = k modulo B. g makes its points as far from
each other as possible.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.operators.base import LinearOperator

SEED = 1
"""Seed of the random order of orientations in subsets."""


class OrientationRows(LinearOperator):
    """Operator on the lines of some orientations.

    Attributes
    ----------
    orientations : (n,) their numbers among all, ascending
    starts : (n + 1,) first line of each among ours
    dtype : dtype of arithmetic
    """

    on: Backend
    orientations: NDArray[np.int64]
    starts: NDArray[np.int64]
    dtype: np.dtype[np.generic]

    @property
    @abstractmethod
    def offsets(self) -> NDArray[np.int32]:
        """Row and column differences (a, b) of our orientations, (n, 2)."""

    @abstractmethod
    def among(self, places: Array) -> Self:
        """Return the operator of some of our orientations.

        Parameters
        ----------
        places
            their indices among ours, ascending
        """

    def subset(self, k: int, of: int) -> Self:
        """Return subset k of random, disjoint families of orientations.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets
        """
        return self.among(self.members(k, of))

    def subset_values(self, y: Array, k: int, of: int) -> Array:
        """Return the values that belong to the lines of subset k.

        Parameters
        ----------
        y
            (n_lines,)
        k
            number of the subset
        of
            number of subsets
        """
        return self.lines(y, self.members(k, of))

    def members(self, k: int, of: int) -> NDArray[np.int64]:
        """Return the indices, among our orientations, of those in a subset.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets

        Returns
        -------
        (n,) int64, ascending
        """
        # mirror images are in the same subset: its sensitivity is then its own mirror image along
        # each axis, and one octant of it is enough
        _, family = np.unique(np.abs(self.offsets), axis=0, return_inverse=True)
        # random order: neighbouring orientations have similar lines, and a subset of
        # neighbours would bias the image
        order = np.random.default_rng(SEED).permutation(int(family.max(initial=-1)) + 1)
        dealt = np.empty_like(order)
        dealt[order] = np.arange(len(order))
        return np.flatnonzero(dealt[family.ravel()] % of == k)

    def balanced_members(self, k: int, of: int) -> NDArray[np.int64]:
        """Return the indices, among our orientations, of those in a balanced subset.

        The Hessians of balanced subsets agree better than those of random families.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets

        Returns
        -------
        (n,) int64, ascending
        """
        found, family = np.unique(np.abs(self.offsets), axis=0, return_inverse=True)
        residues = (found[:, 0] + lattice_step(of) * found[:, 1]) % of
        # Equal numbers of families in all subsets, also if the lattice does not fit the panels.
        dealt = np.empty(len(found), np.int64)
        dealt[np.argsort(residues, kind="stable")] = np.arange(len(found)) * of // len(found)
        return np.flatnonzero(dealt[family.ravel()] == k)

    def counting(self, counts: Array) -> NDArray[np.int64]:
        """Return the indices, among our orientations, of those with counts.

        Parameters
        ----------
        counts
            (n_lines,)
        """
        if not len(self.orientations):
            return np.zeros(0, np.int64)
        # reduceat cannot handle empty ranges, but each orientation has at least one line.
        return np.flatnonzero(np.maximum.reduceat(counts, self.starts[:-1]) > 0)

    def lines(self, y: Array, places: Array) -> Array:
        """Return the values of some of our orientations.

        Parameters
        ----------
        y
            (n_lines,)
        places
            indices among our orientations
        """
        parts = [self._of(y, i) for i in places]
        return np.concatenate(parts) if parts else y[:0]

    def _of(self, y: Array, i: int) -> Array:
        """Return the values of one of our orientations, as a view."""
        return y[self.starts[i] : self.starts[i + 1]]


@cache
def lattice_step(n: int) -> int:
    """Return the g at which the points of |a| + g |b| = 0 modulo n are farthest from each other.

    Parameters
    ----------
    n
        number of subsets
    """
    b = np.arange(n + 1)
    least = []
    for g in range(n):
        a = (-g * b) % n
        squares = np.minimum(a, n - a) ** 2 + b**2
        # The origin itself; its nearest copy along a is n away.
        squares[0] = n * n
        least.append(int(squares.min()))
    return int(np.argmax(least))
