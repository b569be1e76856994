"""What expectation maximisation asks of what is known of images beforehand."""

from __future__ import annotations

from typing import Protocol

from engine.core.arrays import Array


class Penalty(Protocol):
    """What makes some images less likely than others, of a scan."""

    def updated(self, x: Array, shared: Array, sensitivity: Array, n_subsets: int = 1) -> Array:
        """Return the image after a subset; see `engine.recon.priors.edges.EdgePenalty.updated`."""


class Prior(Protocol):
    """What is known before the sensitivity is."""

    def within(self, seen: Array, sensitivity: Array) -> Penalty:
        """Return the penalty among voxels that are seen, by the sensitivity of all data."""
