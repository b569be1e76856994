"""Imports of the server process, which its copies inherit (see `starting`); only it imports this.

Nothing here starts a thread or accesses a GPU: a copy of the process would have neither.
"""

from __future__ import annotations

import gc
from importlib import import_module

from engine.core.garbage import collect_seldom

NAMES = (
    "h5py",
    "nibabel",
    "scipy.ndimage",
    "engine.jobs.loader.child",
    "engine.jobs.process.child",
    "engine.jobs.reconstruction",
    "engine.kernels.rays.host_rays",
    "engine.modalities.opening",
)

# Before the imports, so that the first picture of a demo does not wait for collections.
collect_seldom()
for name in NAMES:
    import_module(name)
import_module("engine.kernels.host_target").make_ready()
# Copies neither search these objects nor copy their pages of memory for that.
gc.freeze()
