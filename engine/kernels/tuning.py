"""Which variant to run on a card: as measured on it (`resources/tuning`), else a careful guess."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

from engine.backend import Backend
from engine.backend.gpu import GpuFacts
from engine.kernels.cone_variants import BackVariant
from engine.kernels.variants import RayVariant, Real, Sums
from engine.plain import Plain

LARGE_VOXELS = 2**24
"""Images from here on (256 x 256 x 256) lie in the memory of a card, smaller ones in its caches."""
UNMEASURED = RayVariant(mapping="warp", order="linear", timing="global", block=128)
"""Form for cards never measured: consecutive lanes read consecutive slabs, whatever the events."""

LARGEST_DOUBLE_BLOCK = 256

UNMEASURED_BACK = BackVariant()
"""Cone beams back onto voxels: 16 x 32 threads, runs of 6, 32 views of a layered texture, after
Graas et al., "ASTRA KernelKit", who took what was best over many shapes of scans."""


def tuned(on: Backend, n_voxels: int, is_timed: bool, reproducible: bool, dtype: str) -> RayVariant:
    """Return the variant for images of so many voxels on this device."""
    sums: Sums = "fixed" if reproducible else "float"
    real: Real = "double" if dtype == "float64" else "float"
    # whether an image lies in the caches decides more than its exact size does
    image = "large" if n_voxels >= LARGE_VOXELS else "small"
    best = UNMEASURED
    for choice in _choices(on):
        if (choice["image"], choice["timed"], choice["sums"]) == (image, is_timed, sums):
            best = RayVariant(**choice["variant"])
    # lines of double precision fill the shared memory of larger blocks
    block = min(best.block, LARGEST_DOUBLE_BLOCK) if real == "double" else best.block
    return replace(best, sums=sums, real=real, block=block)


def tuned_back(on: Backend, is_upright: bool) -> BackVariant:
    """Return the variant of voxel-driven back projection; it wants to be `fitted` to a box.

    is_upright : whether the rows of the detector run along z, and a shortcut may be taken
    """
    best = replace(UNMEASURED_BACK, path="upright" if is_upright else "general")
    for choice in _choices(on, "cone_back"):
        if choice["upright"] == is_upright:
            variant = choice["variant"]
            best = BackVariant(**{**variant, "block": tuple(variant["block"])})
    return best


def _choices(on: Backend, kernel: str = "choices") -> list[Plain]:
    """Measured choices for this card, or for one of its generation; without a name, of rays."""
    if on.gpu is None:
        return []
    facts = on.gpu.facts
    known = (measured for measured in _measurements() if kernel in measured)
    found = sorted(known, key=lambda measured: _likeness(measured, facts))
    choices: list[Plain] = []
    if found and _likeness(found[-1], facts):
        choices = found[-1][kernel]
    return choices


def _likeness(measured: Plain, facts: GpuFacts) -> int:
    if measured["device"] == facts.name:
        return 2
    return int(measured["compute_capability"] == facts.compute_capability)


@lru_cache
def _measurements() -> tuple[Plain, ...]:
    folder = files("resources") / "tuning"
    if not folder.is_dir():
        return ()
    names = sorted(each.name for each in folder.iterdir() if each.name.endswith(".json"))
    return tuple(json.loads((folder / name).read_text(encoding="utf-8")) for name in names)
