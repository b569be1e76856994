"""Algorithms for counts."""

from engine.recon.algorithms.base import Algorithm
from engine.recon.algorithms.map_algorithms import Bsrem, Svrg
from engine.recon.algorithms.osem import Mlem, Osem

ALGORITHMS: tuple[type[Algorithm], ...] = (Osem, Mlem, Svrg, Bsrem)
"""The first one is the default of a protocol."""
