"""Priors: penalties of an image. All but `TotalVariation` have a gradient and a curvature.

Examples
--------
>>> import numpy as np
>>> import engine
>>> gradient = engine.priors.Gradient((1, 2, 2), spacing_mm=(1, 1, 1))
>>> gradient(np.array([[[0, 1], [0, 1]]], np.float32)).shape
(3, 1, 2, 2)
"""

from engine.recon.priors.bowsher import Bowsher
from engine.recon.priors.edges import EdgePenalty, EdgePrior
from engine.recon.priors.gradient import Gradient
from engine.recon.priors.quadratic import Huber, Quadratic
from engine.recon.priors.relative import RelativeDifference
from engine.recon.priors.smooth_prior import PairPrior, SmoothPrior
from engine.recon.priors.smoothed_tv import SmoothedTotalVariation
from engine.recon.priors.tv import TotalVariation
from engine.recon.priors.tv_slabs import total_variation

__all__ = [
    "Bowsher",
    "EdgePenalty",
    "EdgePrior",
    "Gradient",
    "Huber",
    "PairPrior",
    "Quadratic",
    "RelativeDifference",
    "SmoothPrior",
    "SmoothedTotalVariation",
    "TotalVariation",
    "total_variation",
]
