"""Reconstruction: settings and a generator of images each."""

from engine.algorithms.base import Algorithm, Iterate
from engine.algorithms.cgls import Cgls
from engine.algorithms.driver import Step, solve
from engine.algorithms.fdk import Fdk
from engine.algorithms.fista_tv import FistaTv
from engine.algorithms.osem import Mlem, Osem
from engine.algorithms.sirt import Sirt

ALGORITHMS: tuple[type[Algorithm], ...] = (Osem, Mlem)
"""Algorithms for counts; a protocol begins with the first."""
LINEAR_ALGORITHMS: tuple[type[Algorithm], ...] = (Fdk, Sirt, FistaTv, Cgls)
"""Algorithms for line integrals; a protocol begins with the first."""

__all__ = [
    "ALGORITHMS",
    "LINEAR_ALGORITHMS",
    "Algorithm",
    "Cgls",
    "Fdk",
    "FistaTv",
    "Iterate",
    "Mlem",
    "Osem",
    "Sirt",
    "Step",
    "solve",
]
