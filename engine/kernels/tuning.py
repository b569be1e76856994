"""Select the kernel variant of a device: tuned here, measured on its kind, or a safe default.

`isocenter tune` tunes variants on this machine. `resources/tuning` contains the variants that were
measured on some kinds of GPU.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

from engine.core.backend import Backend
from engine.core.backend.gpu import GpuFacts
from engine.core.json_types import Plain
from engine.kernels.cone.cone_variants import BackVariant
from engine.kernels.stored_variants import back_slot, chosen, ray_slot
from engine.kernels.variants import RayVariant, Real, Sums

LARGE_VOXELS = 2**24
"""Minimum size of images that do not fit the caches of a GPU, 256 x 256 x 256 voxels."""
UNMEASURED = RayVariant(mapping="warp", order="tiles", timing="global", block=128)
"""Variant for GPUs without measurements: consecutive lanes read consecutive slabs of any event.

Tiles need 175 cache lines of 128 bytes for an event, linear order (x fastest) 290; for sorted
events 253 and 421 (counted by `isocenter bench kernels --counted`). On an H100 this is the fastest
tested variant, by a fifth for 128³ voxels and by 8 % for 512³.
"""

LARGEST_DOUBLE_BLOCK = 256

UNMEASURED_BACK = BackVariant()
"""Voxel-driven back projection: 16 x 32 threads, runs of 6, 32 views of a layered texture.

These were the best values over many shapes of scans in Graas et al., "ASTRA KernelKit".
"""


def tuned(on: Backend, n_voxels: int, is_timed: bool, reproducible: bool, dtype: str) -> RayVariant:
    """Return the variant of the ray kernels.

    Parameters
    ----------
    on
        device of the run
    n_voxels
        voxels of the image
    is_timed
        True with time of flight
    reproducible
        True if sums are integers
    dtype
        "float32" or "float64"
    """
    shipped = shipped_rays(on, n_voxels, is_timed, reproducible, dtype)
    slot = ray_slot(n_voxels, is_timed=is_timed, reproducible=reproducible)
    # A tuned variant must not change sums or precision; float64 lines fill the shared memory.
    best = chosen(on, slot, shipped)
    if is_timed and best.timing == "none":
        best = shipped
    block = min(best.block, LARGEST_DOUBLE_BLOCK) if shipped.real == "double" else best.block
    return replace(best, sums=shipped.sums, real=shipped.real, block=block)


def shipped_rays(
    on: Backend, n_voxels: int, is_timed: bool, reproducible: bool, dtype: str
) -> RayVariant:
    """Return the variant of the ray kernels without tuning on this machine.

    Parameters
    ----------
    on
        device of the run
    n_voxels
        voxels of the image
    is_timed
        True with time of flight
    reproducible
        True if sums are integers
    dtype
        "float32" or "float64"
    """
    sums: Sums = "fixed" if reproducible else "float"
    real: Real = "double" if dtype == "float64" else "float"
    # Whether an image fits the caches matters more than its exact size.
    image = "large" if n_voxels >= LARGE_VOXELS else "small"
    best = UNMEASURED
    for choice in _choices(on):
        if (choice["image"], choice["timed"], choice["sums"]) == (image, is_timed, sums):
            best = RayVariant(**choice["variant"])
    # float64 lines fill the shared memory of larger blocks.
    block = min(best.block, LARGEST_DOUBLE_BLOCK) if real == "double" else best.block
    return replace(best, sums=sums, real=real, block=block)


def tuned_back(on: Backend, is_upright: bool, n_voxels: int, n_rows: int) -> BackVariant:
    """Return the variant of voxel-driven back projection; it must still be `fitted` to a box.

    Parameters
    ----------
    on
        device of the run
    is_upright
        True if detector columns run along z, which allows faster paths
    n_voxels
        voxels of the whole volume
    n_rows
        rows of the detector
    """
    shipped = shipped_back(on, is_upright)
    best = chosen(on, back_slot(is_upright, n_voxels, n_rows), shipped)
    # Other paths are wrong if detector columns do not run along z.
    return best if is_upright or best.path == "general" else shipped


def shipped_back(on: Backend, is_upright: bool) -> BackVariant:
    """Return the variant of voxel-driven back projection without tuning on this machine.

    Parameters
    ----------
    on
        device of the run
    is_upright
        True if detector columns run along z
    """
    best = replace(UNMEASURED_BACK, path="upright" if is_upright else "general")
    for choice in _choices(on, "cone_back"):
        if choice["upright"] == is_upright:
            variant = choice["variant"]
            best = BackVariant(**{**variant, "block": tuple(variant["block"])})
    return best


def _choices(on: Backend, kernel: str = "choices") -> list[Plain]:
    """Return measured variants for this GPU, or for one of its generation."""
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
