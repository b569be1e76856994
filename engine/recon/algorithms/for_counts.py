"""Algorithms for counts."""

from engine.recon.algorithms.base import COUNTS, Algorithm, with_added
from engine.recon.algorithms.map_algorithms import Bsrem, Svrg
from engine.recon.algorithms.osem import Mlem, Osem

ALGORITHMS: tuple[type[Algorithm], ...] = with_added((Osem, Mlem, Svrg, Bsrem), COUNTS)
"""The first one is the default of a protocol."""
