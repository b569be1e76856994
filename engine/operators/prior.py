"""Interface of priors in expectation maximisation."""

from __future__ import annotations

from typing import Protocol

from engine.core.arrays import Array


class Penalty(Protocol):
    """Penalty of a scan: makes some images less probable than others."""

    def updated(self, x: Array, shared: Array, sensitivity: Array, n_subsets: int = 1) -> Array:
        """Return the image after a subset; see `engine.recon.priors.edges.EdgePenalty.updated`."""


class Prior(Protocol):
    """Prior before the sensitivity of a scan is known."""

    def within(self, seen: Array, sensitivity: Array) -> Penalty:
        """Return the penalty for a scan.

        Parameters
        ----------
        seen
            (n_z, n_y, n_x) bool, voxels with data
        sensitivity
            (n_z, n_y, n_x) of all data
        """
