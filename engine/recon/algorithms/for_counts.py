"""Algorithms for counts."""

from engine.recon.algorithms.base import Algorithm
from engine.recon.algorithms.osem import Mlem, Osem

ALGORITHMS: tuple[type[Algorithm], ...] = (Osem, Mlem)
"""A protocol begins with the first."""
