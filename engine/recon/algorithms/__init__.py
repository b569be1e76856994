"""Reconstruction: settings and a generator of images each."""

from engine.recon.algorithms.base import Algorithm, Iterate
from engine.recon.algorithms.cgls import Cgls
from engine.recon.algorithms.driver import Step, solve
from engine.recon.algorithms.fdk import Fdk
from engine.recon.algorithms.fista_tv import FistaTv
from engine.recon.algorithms.osem import Mlem, Osem
from engine.recon.algorithms.sirt import Sirt

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
