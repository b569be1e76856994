"""Image filters, after the reconstruction or between iterations."""

from engine.core.plugins import with_added
from engine.recon.postprocess.base import Filter
from engine.recon.postprocess.gaussian import Gaussian
from engine.recon.postprocess.median import Median

FILTERS: tuple[type[Filter], ...] = with_added((Gaussian, Median), "filters", Filter)

__all__ = ["FILTERS", "Filter", "Gaussian", "Median"]
