"""Iterative reconstruction: settings and a generator of images each."""

from engine.algorithms.base import Algorithm, Iterate
from engine.algorithms.osem import Mlem, Osem

ALGORITHMS: tuple[type[Algorithm], ...] = (Osem, Mlem)

__all__ = ["ALGORITHMS", "Algorithm", "Iterate", "Mlem", "Osem"]
