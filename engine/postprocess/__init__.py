"""Filters of images, after the reconstruction or between iterations."""

from engine.postprocess.base import Filter
from engine.postprocess.gaussian import Gaussian
from engine.postprocess.median import Median

FILTERS: tuple[type[Filter], ...] = (Gaussian, Median)

__all__ = ["FILTERS", "Filter", "Gaussian", "Median"]
