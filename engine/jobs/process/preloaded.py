"""What the server has done for all its copies, see `starting`; imported by it alone.

Nothing here starts a thread or looks for a card: neither would be in a copy.
"""

from __future__ import annotations

import h5py as h5py
import nibabel as nibabel
from scipy import ndimage as ndimage

import engine.jobs.loader.child as loader
import engine.jobs.process.child as child
import engine.jobs.reconstruction as reconstruction
import engine.kernels.rays.host_rays as kernels
import engine.modalities.opening as opening
from engine.kernels.host_target import make_ready

__all__ = ["child", "h5py", "kernels", "loader", "ndimage", "nibabel", "opening", "reconstruction"]

make_ready()
