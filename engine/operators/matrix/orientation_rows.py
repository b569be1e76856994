"""Operators whose rows are the lines of two panels, orientation by orientation, and their subsets.

A subset takes whole orientations in a random order, always the same; (a, b) and its mirror images
(±a, ±b) stay together, of all layers of crystals, so that the sensitivity of a subset has the
symmetries of the scanner (Chou et al., PLoS ONE 7 (2012) e50540).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.operators.base import LinearOperator

SEED = 1
"""Seed of the order in which orientations are dealt out to subsets."""


class OrientationRows(LinearOperator):
    """The lines of some orientations.

    Attributes
    ----------
    orientations : (n,) which, by their places among all, ascending
    starts : (n + 1,) where the lines of each begin among ours
    dtype : of arithmetic
    """

    on: Backend
    orientations: NDArray[np.int64]
    starts: NDArray[np.int64]
    dtype: np.dtype[np.generic]

    @property
    @abstractmethod
    def offsets(self) -> NDArray[np.int32]:
        """(n, 2) a and b of our orientations."""

    @abstractmethod
    def among(self, places: Array) -> Self:
        """Return some of our orientations alone, by their places among ours."""

    def subset(self, k: int, of: int) -> Self:
        """Subset k of random, disjoint families of orientations."""
        return self.among(self.members(k, of))

    def subset_values(self, y: Array, k: int, of: int) -> Array:
        """Return the values (n,) of y (n_lines,) that belong to the lines of subset k."""
        return self.lines(y, self.members(k, of))

    def members(self, k: int, of: int) -> NDArray[np.int64]:
        """Places, among our orientations, of those in subset k, ascending."""
        # orientations that are mirror images go to the same subset: its sensitivity then is its own
        # mirror image along every axis, and one octant of it says all
        _, family = np.unique(np.abs(self.offsets), axis=0, return_inverse=True)
        # dealt out at random: neighbouring orientations see much the same, and a subset of
        # neighbours would pull the image to one side
        order = np.random.default_rng(SEED).permutation(int(family.max(initial=-1)) + 1)
        dealt = np.empty_like(order)
        dealt[order] = np.arange(len(order))
        return np.flatnonzero(dealt[family.ravel()] % of == k)

    def counting(self, counts: Array) -> NDArray[np.int64]:
        """Places, among our orientations, of those with a count on any of their lines."""
        if not len(self.orientations):
            return np.zeros(0, np.int64)
        return np.flatnonzero(np.maximum.reduceat(counts, self.starts[:-1]) > 0)

    def lines(self, y: Array, places: Array) -> Array:
        """Return those of the values y (n_lines,) that belong to some of our orientations."""
        parts = [self._of(y, i) for i in places]
        return np.concatenate(parts) if parts else y[:0]

    def _of(self, y: Array, i: int) -> Array:
        """Return the values of one of our orientations, a view."""
        return y[self.starts[i] : self.starts[i + 1]]
