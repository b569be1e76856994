"""FDK and projectors of circular cone-beam scans, from the GPU's memory and from the host's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend, cpu
from engine.core.json_types import Plain
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk
from engine.tools.benchmark.bars import Bar, at_most, below_limit, next_to
from engine.tools.benchmark.card.rows import Case, row, seconds_of
from engine.tools.benchmark.cone.steps import n_steps
from engine.tools.benchmark.cone.variants import (
    DETECTOR_MM,
    SOURCE_AXIS_MM,
    SOURCE_DETECTOR_MM,
    FormsWork,
)
from engine.tools.benchmark.cone.whole_fdk import Scan, timeline
from engine.tools.benchmark.counted import limit_of, published_card, recorded
from engine.tools.benchmark.crossing import FOV_MM

ScanSize = FormsWork
SCANS = (ScanSize(256, 360, (256, 256)), ScanSize(512, 720, (768, 1024)))
MAX_FDK_MS = {"256³, 360 × 256 × 256": 10.0, "512³, 720 × 768 × 1024": 140.0}
"""Limits of FDK on data that are on the GPU, by scan."""
MAX_DIFFERENCE, MAX_OF_TEXTURES = 1e-3, 5e-3
"""Largest difference of two results of the device, and of textures with fractions of 8 bits from
the CPU, relative to the maximum."""
COMPARED_SLICES = 2
"""Slices in the middle of the volume that the CPU reconstructs too."""
WORKLOAD = (
    f"Source {SOURCE_AXIS_MM:g} mm from the axis and {SOURCE_DETECTOR_MM:g} mm from a detector "
    f"with an edge of {DETECTOR_MM:g} mm, full circle, a cube of {FOV_MM:g} mm; a smooth pattern "
    "as data, float32; wall-clock time with an idle GPU before and after each run"
)
_BACK = (("volume of CT, texture", "back"),)
_GATHER = tuple(("exact adjoint of CT, by voxels", kernel) for kernel in ("weigh", "gather"))


def named(size: ScanSize) -> str:
    """Return the name of a scan.

    Parameters
    ----------
    size
        scan and volume
    """
    return Scan(size.n_views, size.detector, size.size).name


def pattern(on: Backend, shape: tuple[int, ...]) -> Array:
    """Return smooth values made on the device: uploads would take longer than the measurement.

    Parameters
    ----------
    on
        device
    shape
        number of values along each of three axes
    """
    waves = [np.sin(np.arange(n, dtype=np.float32) / (7 + 12 * i)) for i, n in enumerate(shape)]
    a, b, c = (on.to_device(wave) for wave in waves)
    made: Array = 2 + a[:, None, None] + b[:, None] * c
    return made


def fdk_times(on: Backend, sizes: Sequence[ScanSize], repeats: int) -> Plain:
    """Measure FDK from the GPU's memory, and from host memory to host memory.

    Parameters
    ----------
    on
        device
    sizes
        scans
    repeats
        runs of each case; the median counts

    Returns
    -------
    part
        JSON values for the report
    """
    return _part([_fdk(on, size, repeats) for size in sizes], repeats)


def projector_times(on: Backend, sizes: Sequence[ScanSize], repeats: int) -> Plain:
    """Measure line integrals, their exact adjoint, and the back projection.

    Parameters
    ----------
    on
        device
    sizes
        scans
    repeats
        runs of each case; the median counts

    Returns
    -------
    part
        JSON values for the report
    """
    return _part([_projectors(on, size, repeats) for size in sizes], repeats)


def _part(found: Sequence[tuple[list[Plain], list[Bar]]], repeats: int) -> Plain:
    return {
        "workload": WORKLOAD,
        "repeats": repeats,
        "rows": [each for rows, _ in found for each in rows],
        "bars": [bar.as_row() for _, bars in found for bar in bars],
    }


def _fdk(on: Backend, size: ScanSize, repeats: int) -> tuple[list[Plain], list[Bar]]:
    name, geometry, grid = named(size), size.geometry, size.grid
    views = pattern(on, (size.n_views, *size.detector))

    on_device = partial(fdk, views, geometry, grid, on=on)
    ms = 1e3 * seconds_of(on_device, on, repeats)
    here, host = f"FDK on the device, {name}", f"FDK from host to host, {name}"
    rows = [row(here, on, ms, "ms", gups=size.n_updates / ms / 1e6)]
    bars: list[Bar] = []
    image = on.to_host(on_device())
    if on.gpu is None:
        return rows, bars
    # Without a limit for other scans: small ones measure the host
    if name in MAX_FDK_MS:
        bars.append(at_most(here, ms, MAX_FDK_MS[name], "ms"))
    values = on.to_host(views)
    # Frees the views on the device, which the other case uploads again
    del views, on_device
    found: list[Any] = []

    def from_host() -> None:
        found[:] = [on.to_host(fdk(values, geometry, grid, on=on))]

    host_ms = 1e3 * seconds_of(from_host, on, repeats)
    rows.append(row(host, on, host_ms, "ms"))
    bars += _timeline(on, size, host, host_ms)
    bars.append(_same(f"{host}, difference from the image on the device", found[0], image))
    middle = slice(grid.shape[0] // 2, grid.shape[0] // 2 + COMPARED_SLICES)
    region = (middle, slice(None), slice(None))
    reference = fdk(values, geometry, grid, region=region, on=cpu(on.threads))
    name = f"{here}, difference from the CPU"
    bars.append(_same(name, image[middle], reference, MAX_OF_TEXTURES))
    return rows, bars


def _timeline(on: Backend, size: ScanSize, name: str, ms: float) -> Iterator[Bar]:
    card = None if on.gpu is None else published_card(on.gpu.facts)
    if card is None:
        return
    (back,) = (one for one in recorded() if (one.work, one.kernel) == _BACK[0])
    scan = Scan(size.n_views, size.detector, size.size)
    yield next_to(name, ms, 1e3 * timeline(scan, card, back).seconds, "ms")


def _projectors(on: Backend, size: ScanSize, repeats: int) -> tuple[list[Plain], list[Bar]]:
    name, geometry, grid = named(size), size.geometry, size.grid
    exact = XrayTransform(geometry, grid, on=on)
    textures = XrayTransform(geometry, grid, on=on, adjoint="voxel")
    volume, views = pattern(on, grid.shape), pattern(on, (size.n_views, *size.detector))
    steps = n_steps(geometry, grid)
    # Counted for voxels that meet about one ray
    rays_per_voxel = grid.voxel_mm[0] / geometry.pixel_size_mm[0] * SOURCE_DETECTOR_MM
    gather = _GATHER if 0.8 < rays_per_voxel / SOURCE_AXIS_MM < 1.25 else ()
    integrals = ((f"line integrals of CT, {size.size}³", "forward"),)
    cases: tuple[tuple[str, Case, float, str, Sequence[tuple[str, str]]], ...] = (
        ("line integrals, exact", lambda: exact.forward(volume), steps, "G steps/s", integrals),
        ("line integrals by textures", lambda: textures.forward(volume), steps, "G steps/s", ()),
        ("exact adjoint", lambda: exact.adjoint(views), size.n_updates, "G updates/s", gather),
        (
            "back projection", lambda: exact.back_project(views, weighting="fdk"),
            size.n_updates, "G updates/s", _BACK,
        ),
    )  # fmt: skip
    rows: list[Plain] = []
    bars: list[Bar] = []
    for title, case, n, unit, works in cases:
        seconds = seconds_of(case, on, repeats)
        title = f"{title}, {name}"
        rows.append(row(title, on, n / seconds / 1e9, unit, ms=1e3 * seconds))
        if on.gpu is not None and works and _is_counted(works):
            limit = limit_of(works, on.gpu.facts)
            if limit is not None:
                bars.append(below_limit(title, n / seconds / 1e9, limit / 1e9, unit))
    bars.append(_adjoint(exact, volume, views, name))
    return rows, bars


def _is_counted(works: Sequence[tuple[str, str]]) -> bool:
    counted = {(one.work, one.kernel) for one in recorded()}
    return counted.issuperset(works)


def _adjoint(A: XrayTransform, x: Array, y: Array, name: str) -> Bar:
    """Return ⟨A x, y⟩ against ⟨x, Aᵀ y⟩."""
    # Sums of float32 products of up to 10⁸ values need float64
    forward, back = (
        float((a * b).sum(dtype=np.float64)) for a, b in ((A.forward(x), y), (x, A.adjoint(y)))
    )
    return at_most(f"adjoint check, {name}", abs(forward - back) / abs(forward), MAX_DIFFERENCE)


def _same(name: str, one: Array, other: Array, max_difference: float = MAX_DIFFERENCE) -> Bar:
    return at_most(name, float(np.abs(one - other).max() / np.abs(other).max()), max_difference)
