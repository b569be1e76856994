"""Compile every variant of every kernel for every architecture and record the resources."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

from engine.geometry.tof import TofBins
from engine.kernels.cone.cone_variants import BackVariant, back_variants
from engine.kernels.cone.joseph_variants import (
    GatherVariant,
    JosephVariant,
    gather_variants,
    joseph_variants,
)
from engine.kernels.matrix.variants import MatrixVariant
from engine.kernels.rays.tof import chord_table
from engine.kernels.scatter import device_scatter
from engine.kernels.source import FOLDER
from engine.kernels.variants import REPLICATES_BLOCK, RayVariant, variants
from tests.emulator.nvrtc import KernelUse, compile_for, version

ARCHITECTURES = (75, 80, 90, 120)
SOURCES = (
    *("rays.cu", "em.cu", "cone_back.cu", "joseph_view.cu", "joseph.cu", "joseph_gather.cu"),
    *("scatter.cu", "replicates.cu"),
)
RECORD = Path(__file__).parents[2] / "docs" / "benchmarks" / "registers.json"
_TOF = TofBins(fwhm_ps=385, bin_ps=100, n_bins=17)
Form = TypeVar("Form", RayVariant, BackVariant, JosephVariant, GatherVariant, MatrixVariant)


def any_two(forms: Iterable[Form]) -> list[Form]:
    """Select few variants that still contain every possible pair of values of two settings."""
    left = {form: set(combinations(asdict(form).items(), 2)) for form in forms}
    few, met = [], set[object]()
    while any(left.values()):
        best = max(left, key=lambda form: len(left[form]))
        few.append(best)
        met |= left[best]
        left = {form: pairs - met for form, pairs in left.items()}
    return few


def cards_for(form: object) -> tuple[int, ...]:
    """Return the architectures for a variant: a fixed one by hash, or all of them.

    Together the variants cover every architecture. ISOCENTER_EVERY_CARD=1 compiles each variant for
    each architecture, which takes four times as long; recording the registers does this.
    """
    if os.environ.get("ISOCENTER_EVERY_CARD"):
        return ARCHITECTURES
    return (ARCHITECTURES[crc32(repr(form).encode()) % len(ARCHITECTURES)],)


def image_forms() -> list[RayVariant]:
    """Return the variants in which the image kernels differ."""
    plain = (replace(v, mapping="warp", timing="none") for v in variants())
    return list(dict.fromkeys(plain))


def replicates_forms() -> list[RayVariant]:
    """Return the variants in which the kernel of replicates differs."""
    # The other settings only change the kernels of single images.
    return [v for v in variants() if v.mapping == "warp" and v.real == "float"]


def form_of_replicates(variant: RayVariant) -> dict[str, Any]:
    """Return the settings that the kernel of replicates uses, and its block size."""
    form = {key: getattr(variant, key) for key in ("order", "sums", "timing")}
    return form | {"block": REPLICATES_BLOCK}


def _entries(variant: RayVariant) -> tuple[float, ...]:
    """Return the TOF table of a real scanner."""
    table = chord_table(_TOF.sigma_mm, _TOF.bin_mm, variant.dtype).coefficients
    return tuple(float(value) for value in table)


def ray_kernels(variant: RayVariant, arch: int) -> dict[str, KernelUse]:
    """Compile the ray kernels, with the TOF table of a real scanner as a constant if possible."""
    return compile_for(variant.rays(_entries(variant)), arch, variant.options).kernels


def replicates_kernel(variant: RayVariant, arch: int) -> dict[str, KernelUse]:
    """Compile the kernel of replicates; the source also has the kernels of single images."""
    source = variant.replicates(_entries(variant))
    compiled = compile_for(source, arch, variant.options).kernels
    return {"replicates": compiled["replicates"]}


def image_kernels(variant: RayVariant, arch: int) -> dict[str, KernelUse]:
    """Compile the image kernels."""
    return compile_for(variant.em(), arch, variant.options).kernels


def projector_kernels(
    variant: BackVariant | JosephVariant | GatherVariant, arch: int
) -> dict[str, KernelUse]:
    """Compile a CT projector."""
    return compile_for(variant.source(), arch, variant.options).kernels


def scatter_kernels(arch: int) -> dict[str, KernelUse]:
    """Compile the scatter kernels."""
    return compile_for(device_scatter.source(), arch, device_scatter.OPTIONS).kernels


def record() -> str:
    """Compile everything and return it as JSON, one line for each kernel of each variant.

    Raise ValueError for a kernel that spills: the record contains no spills.
    """
    rows = ",\n    ".join(json.dumps(row) for row in _rows())
    head = json.dumps({"nvrtc": version(), "sources": digests()}, indent=2)[:-2]
    return f'{head},\n  "kernels": [\n    {rows}\n  ]\n}}\n'


def digests(names: tuple[str, ...] = SOURCES) -> dict[str, str]:
    """Return a hash of each source without comments, by name."""
    return {name: _digest((FOLDER / name).read_text(encoding="utf-8")) for name in names}


def _digest(source: str) -> str:
    lines = (line.split("//")[0].strip() for line in source.splitlines())
    code = "\n".join(line for line in lines if line)
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def _rows() -> Iterator[dict[str, Any]]:
    for variant in variants():
        uses = {arch: ray_kernels(variant, arch) for arch in ARCHITECTURES}
        yield from lines("rays.cu", asdict(variant), uses)
    for variant in image_forms():
        uses = {arch: image_kernels(variant, arch) for arch in ARCHITECTURES}
        form = {key: getattr(variant, key) for key in ("order", "sums", "real")}
        yield from lines("em.cu", form, uses)
    for source, projectors in (
        ("cone_back.cu", back_variants()),
        ("joseph.cu", joseph_variants()),
        ("joseph_gather.cu", gather_variants()),
    ):
        for projector in projectors:
            uses = {arch: projector_kernels(projector, arch) for arch in ARCHITECTURES}
            yield from lines(source, asdict(projector), uses)
    uses = {arch: scatter_kernels(arch) for arch in ARCHITECTURES}
    yield from lines("scatter.cu", {"block": device_scatter.THREADS}, uses)
    for variant in replicates_forms():
        uses = {arch: replicates_kernel(variant, arch) for arch in ARCHITECTURES}
        yield from lines("replicates.cu", form_of_replicates(variant), uses)


def lines(
    source: str, form: dict[str, Any], uses: dict[int, dict[str, KernelUse]]
) -> Iterator[dict[str, Any]]:
    """Yield the resources of the kernels of one variant; raise ValueError if one spills."""
    for kernel in sorted(uses[ARCHITECTURES[0]]):
        for arch, kernels in uses.items():
            if kernels[kernel].spills or kernels[kernel].stack_bytes:
                raise ValueError(f"{source}: {kernel} of {form} spills on sm_{arch}.")
        registers = {f"sm_{arch}": uses[arch][kernel].registers for arch in ARCHITECTURES}
        shared = max(use[kernel].shared_bytes for use in uses.values())
        yield {"source": source, "kernel": kernel, **form, **registers, "shared_bytes": shared}
