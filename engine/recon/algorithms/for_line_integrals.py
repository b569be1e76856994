"""Algorithms for line integrals."""

from engine.recon.algorithms.base import Algorithm
from engine.recon.algorithms.cgls import Cgls
from engine.recon.algorithms.fdk import Fdk
from engine.recon.algorithms.fista_tv import FistaTv
from engine.recon.algorithms.sirt import Sirt

LINEAR_ALGORITHMS: tuple[type[Algorithm], ...] = (Fdk, Sirt, FistaTv, Cgls)
"""The first one is the default of a protocol."""
