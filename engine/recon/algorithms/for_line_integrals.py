"""Algorithms for line integrals."""

from engine.recon.algorithms.base import LINE_INTEGRALS, Algorithm, with_added
from engine.recon.algorithms.cgls import Cgls
from engine.recon.algorithms.fdk import Fdk
from engine.recon.algorithms.fista_tv import FistaTv
from engine.recon.algorithms.sirt import Sirt

LINEAR_ALGORITHMS: tuple[type[Algorithm], ...] = with_added(
    (Fdk, Sirt, FistaTv, Cgls), LINE_INTEGRALS
)
"""The first one is the default of a protocol."""
