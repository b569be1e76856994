"""Priors: penalties of an image, and the gradient that they are made of.

Examples
--------
>>> import numpy as np
>>> import engine
>>> gradient = engine.priors.Gradient((1, 2, 2), spacing_mm=(1, 1, 1))
>>> gradient(np.array([[[0, 1], [0, 1]]], np.float32)).shape
(3, 1, 2, 2)
"""

from engine.recon.priors.edges import EdgePenalty, EdgePrior
from engine.recon.priors.gradient import Gradient
from engine.recon.priors.tv import TotalVariation
from engine.recon.priors.tv_slabs import total_variation

__all__ = ["EdgePenalty", "EdgePrior", "Gradient", "TotalVariation", "total_variation"]
