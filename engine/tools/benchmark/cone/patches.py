"""Patches of a volume from new projections, one after another: Figure 2 of the paper.

Graas et al., "ASTRA KernelKit", section 4.1: N × N pixels seen by a row of N, and N³ voxels seen by
N × N pixels, 1000 views. Wall-clock time from projections on the device to the patch, without new
geometry, as in the paper.

fresh : textures, matrices and launches are made again for every patch
recycled : they are reused
graph : additionally, the launches are recorded once (GPU only)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from time import perf_counter

import numpy as np

from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.core.json_types import Plain
from engine.operators.xray.patches import Patches
from engine.operators.xray.resident_projections import ResidentProjections
from engine.operators.xray.transform import XrayTransform
from engine.tools.benchmark import published
from engine.tools.benchmark.bars import Bar, at_most
from engine.tools.benchmark.cone.variants import FormsWork

SIZES = {"2D": tuple(range(50, 501, 50)), "3D": tuple(range(20, 81, 10))}
FEW = {"2D": (50, 100, 250), "3D": (20, 40)}
"""Sizes for a CPU, which takes a thousand times as long."""
VIEWS = 1000
WARM, SAMPLES = 3, {"2D": 200, "3D": 50}
MAX_S = 1.0
"""Time for the samples of a case."""
FRESH, RECYCLED, GRAPH = "fresh", "recycled", "graph"
BAR_KIND, BAR_SIZE = "2D", 250


def run(
    on: Backend,
    *,
    sizes: dict[str, Sequence[int]] | None = None,
    n_views: int = VIEWS,
    max_s: float = MAX_S,
) -> Plain:
    """Measure patches of all sizes N.

    Parameters
    ----------
    on
        device
    sizes
        values of N by "2D" and "3D"; None for those that suit the device
    n_views
        number of views
    max_s
        time for the samples of a case [s]

    Returns
    -------
    part
        JSON values for the report
    """
    chosen = sizes or (FEW if on.gpu is None else SIZES)
    threads = on.threads if on.gpu is None else None
    rows = [
        {"kind": kind, "size": size, "device": on.name, "threads": threads} | row
        for kind, some in chosen.items()
        for size in some
        for row in _measured(on, kind, size, n_views, max_s)
    ]
    return {
        "workload": "Patches one after another from new projections in the memory of the device; "
        "wall-clock time, constant geometry; float32",
        "n_views": n_views,
        "published_seconds": published.PATCH_SECONDS,
        "published_card": published.CARD,
        "rows": rows,
        "bars": [bar.as_row() for bar in _bars(on, n_views, rows)],
    }


def _measured(on: Backend, kind: str, size: int, n_views: int, max_s: float) -> Iterator[Plain]:
    detector = (1, size) if kind == "2D" else (size, size)
    work = FormsWork(size, n_views, detector, is_slice=kind == "2D")
    # Seeded by the size, so that every device gets the same projections
    rng = np.random.default_rng(size)
    # On the device before the clock starts, as in the paper
    y = on.to_device(rng.random((n_views, *detector), np.float32))
    for name, case in _cases(on, work, y).items():
        times = _times(on, case, SAMPLES[kind], max_s)
        seconds = median(times)
        yield {
            "case": name,
            "seconds": seconds,
            # The best time is nearly free of other work on the machine
            "best_seconds": min(times),
            "n_samples": len(times),
            "gups": work.n_updates / seconds / 1e9,
        }


def _cases(on: Backend, work: FormsWork, y: Array) -> dict[str, Callable[[], Array]]:
    geometry, grid = work.geometry, work.grid

    def fresh() -> Array:
        return XrayTransform(geometry, grid, on=on).back_project(y, weighting="fdk")

    patches = Patches(XrayTransform(geometry, grid, on=on), grid.shape)

    def again() -> Array:
        patches.update(y)
        return patches.at((0, 0, 0))

    if on.gpu is None:
        return {FRESH: fresh, RECYCLED: again}
    # Textures that stay on the device between patches
    images = ResidentProjections(geometry, grid, on=on)
    out = on.gpu.empty(grid.shape, np.float32)

    def recycled() -> Array:
        images.update(y)
        return images.back_project(out=out)

    return {FRESH: fresh, RECYCLED: recycled, GRAPH: again}


def _times(on: Backend, case: Callable[[], Array], max_runs: int, max_s: float) -> list[float]:
    # Single samples, not an average: a spell of other work shows as outliers
    times: list[float] = []
    until = perf_counter() + max_s
    # The first runs compile, and bring the GPU to its clock rate
    for i in range(WARM + max_runs):
        start = perf_counter()
        case()
        # Launches return at once: without a wait only the launch would be timed
        if on.gpu is not None:
            on.gpu.wait()
        now = perf_counter()
        # A slow case gets one sample even if its warm-up took all the time
        if i >= WARM or now > until:
            times.append(now - start)
        if now > until:
            break
    return times


def _bars(on: Backend, n_views: int, rows: Sequence[Plain]) -> list[Bar]:
    if on.gpu is None or n_views != VIEWS:
        return []
    # The paper's time, scaled by texture rate, is the limit
    scaled = published.scaled_to(on.gpu.facts.name, published.PATCH_SECONDS)
    name = f"a patch of {BAR_SIZE}², {VIEWS} views, by a graph"
    return [
        at_most(name, 1e3 * row["seconds"], 1e3 * scaled, "ms")
        for row in rows
        if scaled and (row["kind"], row["size"], row["case"]) == (BAR_KIND, BAR_SIZE, GRAPH)
    ]
