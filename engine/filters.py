"""Image filters, after the reconstruction or between iterations.

Examples
--------
>>> import numpy as np
>>> import engine
>>> image = np.zeros((1, 9, 9), np.float32)
>>> image[0, 4, 4] = 1
>>> smooth = engine.filters.Gaussian(fwhm_mm=4).apply(image, voxel_mm=(2, 2, 2))
>>> bool(smooth.max() < 0.5)
True
"""

from engine.recon.postprocess import FILTERS, Filter, Gaussian, Median

__all__ = ["FILTERS", "Filter", "Gaussian", "Median"]
