"""All families of the self-test. Add a new one by its file and its name here."""

from __future__ import annotations

from engine.selftest.cone_back import CONE_BACK
from engine.selftest.dual_head import DUAL_HEAD
from engine.selftest.em_loop import EM_LOOP
from engine.selftest.joseph import JOSEPH
from engine.selftest.list_mode import LIST_MODE
from engine.selftest.probes import ATOMICS, GRAPHS, MEMORY, STREAMS, TEXTURES
from engine.selftest.reference_answers import Family
from engine.selftest.scatter import SCATTER
from engine.selftest.sinogram import SINOGRAM
from engine.selftest.slices import SLICES
from engine.selftest.smoothing import SMOOTHING

# Basic functions come first: if textures or atomics fail, the kernels below fail as well, and the
# first fault is the most useful one.
FAMILIES: tuple[Family, ...] = (
    *(MEMORY, ATOMICS, TEXTURES, GRAPHS, STREAMS),
    *(LIST_MODE, EM_LOOP, SINOGRAM),
    *(JOSEPH, CONE_BACK, SLICES),
    *(DUAL_HEAD, SCATTER, SMOOTHING),
)
