"""Time per voxel update against the size of the problem: Figure 5 of the paper.

Graas et al., "ASTRA KernelKit": N views of N² pixels into N³ voxels, once with new textures, as FDK
needs them, and again with new projections in the same textures, as iterations need them. On the
CPU, the three code paths of the kernels take the place of the textures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.core.profiling import Profiler
from engine.kernels.cone.cone_variants import BackVariant
from engine.operators.xray.host import HostXray
from engine.operators.xray.scene import FEW_SLICES, Scene, VolumeBox
from engine.tools.benchmark.cone.variants import Forms, FormsWork, tried

SIZES = {"cpu": (48, 64, 128), "cuda": (64, 128, 256, 512)}
FORMS = (
    *(BackVariant(kind, "upright") for kind in ("layered", "array", "list", "pitched", "memory")),
    BackVariant("memory", "columns", (32, 4), projections="vcr"),
)
TILT_RAD = 0.01
"""A small tilt of the detector that forces the general code path on the CPU."""
SPANS = ("first", "update", "work")


def run(
    on: Backend,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 3,
    forms: Sequence[BackVariant] = FORMS,
) -> Plain:
    """Measure every variant at every size N.

    Parameters
    ----------
    on
        device
    sizes
        values of N; None for those that suit the device
    repeats
        runs of each case; the median counts
    forms
        variants of the GPU kernel; the CPU has its own three

    Returns
    -------
    part
        JSON values for the report
    """
    threads = on.threads if on.gpu is None else None
    rows = []
    # One size at a time, so that only one problem is on the device
    for size in sizes or SIZES[on.name]:
        work = FormsWork(size, size, (size, size))
        found = _on_host(on, work, repeats) if on.gpu is None else _on_gpu(on, work, repeats, forms)
        rows += [{"size": size, "device": on.name, "threads": threads} | row for row in found]
    return {
        "workload": "N views of N × N pixels into N³ voxels, upright; float32",
        "repeats": repeats,
        "rows": rows,
        "bars": [],
    }


def _on_gpu(
    on: Backend, work: FormsWork, repeats: int, forms: Sequence[BackVariant]
) -> Iterator[Plain]:
    test = Forms(on, work, repeats)
    for variant in forms:
        row = tried(test.back, variant)
        # A variant that failed has no times
        seconds = (row.get("first_seconds"), row.get("update_seconds"), row["seconds"])
        yield {"form": row["form"], "fault": row["fault"]} | _spans(seconds, work.n_updates)


def _spans(seconds: Sequence[float | None], n_updates: int) -> dict[str, float | None]:
    per_update = (None if s is None else s / n_updates * 1e9 for s in seconds)
    return {f"{name}_ns": value for name, value in zip(SPANS, per_update, strict=True)}


def _on_host(on: Backend, work: FormsWork, repeats: int) -> Iterator[Plain]:
    # Both axes lean, since one alone would leave rows or columns upright
    leaning = work.geometry.tilted(about_v_rad=TILT_RAD, about_u_rad=TILT_RAD)
    grid = work.grid
    # A thin volume takes another code path, with other loops
    thin = replace(grid, shape=(min(FEW_SLICES, work.size), *grid.shape[1:]))
    scenes = {
        "upright": Scene(work.geometry, grid),
        "general": Scene(leaning, grid),
        "thin": Scene(work.geometry, thin),
    }
    n_rows, n_columns = work.detector
    # The values do not matter: every voxel is updated whatever they are
    y = np.ones((work.n_views, n_rows, n_columns), np.float32)
    for form, scene in scenes.items():
        seconds = _host_seconds(on, scene, y, repeats)
        n_updates = scene.grid.n_voxels * work.n_views
        yield {"form": form, "fault": ""} | _spans(seconds, n_updates)


def _host_seconds(on: Backend, scene: Scene, y: Any, repeats: int) -> list[float]:
    """Return the seconds of a first call, of one with new projections, and of the kernel alone."""
    box = VolumeBox.of(None, scene.grid.shape)

    def projector() -> HostXray:
        scene_again = Scene(scene.geometry, scene.grid)  # a new scene has no cached matrices
        return HostXray(scene_again, on=on, on_progress=None, profiler=Profiler(on))

    xray = projector()
    bordered = xray.bordered()

    def update() -> None:
        xray.keep(y, bordered)
        xray.back_bordered(bordered, box)

    works: tuple[Callable[[], Any], ...] = (
        lambda: projector().back(y, box, as_adjoint=False),
        update,
        lambda: xray.back_bordered(bordered, box),
    )
    works[0]()  # compiles
    return [_median(work, repeats) for work in works]


def _median(work: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)
