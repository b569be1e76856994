"""Imports of the server process, which its copies inherit (see `starting`); only it imports this.

Nothing here starts a thread or accesses a GPU: a copy of the process would have neither.
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
