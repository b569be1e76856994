"""Events per second of the ray projector, all cases interleaved in one run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.geometry.order import ray_order
from engine.operators.rays import RayProjector, Rays
from engine.tools.benchmark.bars import Bar, at_least
from engine.tools.benchmark.crossing import ORIGIN, cube, events, in_order, time_bins, timing
from engine.tools.benchmark.peers import parallelproj

GRID = cube(128)
EVENTS = {"cpu": 1_000_000, "cuda": 16_000_000}
WORKLOAD = f"events through a 128 x 128 x 128 image of 2 mm voxels: {ORIGIN}"

BARS_EVENTS_PER_S = {"update": 1.7e6, "update, sorted": 2.7e6}
"""Speeds of the first prototype with 2 threads of an AMD EPYC."""
BARS_RATIO = {
    "update, TOF 385 ps, sorted": ("update, sorted", 1.0),
    "update, TOF 200 ps, sorted": ("update, sorted", 1.5),
    "update, reproducible, sorted": ("update, sorted", 1 / 1.5),
}
"""Case: the case for comparison, and the least ratio of their speeds."""

Cases = dict[str, Callable[[], Any]]


def run(on: Backend, *, n_events: int, repeats: int = 3, seed: int = 1) -> Plain:
    """Measure every case repeatedly, one after another.

    Parameters
    ----------
    on
        device
    n_events
        number of events
    repeats
        runs of each case; the median counts
    seed
        random seed of the events

    Returns
    -------
    part
        JSON values for the report
    """
    rng = np.random.default_rng(seed)
    rays = events(n_events, rng)
    cases = _cases(rays, on, rng)
    peer, note = _parallelproj(rays)
    cases |= peer
    for case in cases.values():  # compiles, and reserves memory
        _time(case, on)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    # Interleaved: a slow spell of the machine affects all cases alike
    for _ in range(repeats):
        for name, case in cases.items():
            times[name].append(_time(case, on))
    rows = [_row(name, n_events, ts) | {"device": on.name} for name, ts in times.items()]
    return {
        "workload": f"{n_events} {WORKLOAD}",
        "n_events": n_events,
        "seed": seed,
        "repeats": repeats,
        "peer": note,
        "rows": rows,
        "bars": [] if on.is_cuda else [bar.as_row() for bar in _bars(rows)],
    }


def _row(name: str, n_events: int, times: list[tuple[float, float]]) -> Plain:
    """Return medians. The cores in use show if other work distorts the wall clock."""
    seconds, cpu_s = (median(column) for column in zip(*times, strict=True))
    return {
        "case": name,
        "events_per_s": n_events / seconds,
        "best_events_per_s": n_events / min(t[0] for t in times),
        "cpu_s": cpu_s,
        "cores": cpu_s / seconds,
    }


def _bars(rows: list[Plain]) -> list[Bar]:
    speed = {row["case"]: row["events_per_s"] for row in rows}
    bars = [at_least(name, speed[name], bar, "events/s") for name, bar in BARS_EVENTS_PER_S.items()]
    for name, (other, bar) in BARS_RATIO.items():
        bars.append(at_least(f"CPU {name} against {other}", speed[name] / speed[other], bar))
    return bars


def _cases(rays: Rays, on: Backend, rng: np.random.Generator) -> Cases:
    image = on.to_device((0.1 + rng.random(GRID.shape)).astype(np.float32))
    order = ray_order(rays.points_mm, rays.ends)
    # Sorting is a case of its own, outside of the other times
    sorted_rays = in_order(rays, order)
    ends = on.to_device(rays.ends)
    project = partial(RayProjector, grid=GRID, on=on)
    unsorted, ordered = project(rays), project(sorted_rays)
    exact = project(sorted_rays, reproducible=True)
    values = on.to_device(np.ones(unsorted.out_shape, np.float32))
    cases: Cases = {
        "sort": lambda: ray_order(rays.points_mm, ends),
        "forward": lambda: unsorted.forward(image),
        "forward, sorted": lambda: ordered.forward(image),
        "back": lambda: unsorted.adjoint(values),
        "back, sorted": lambda: ordered.adjoint(values),
        "update": lambda: unsorted.em_numerator(image),
        "update, sorted": lambda: ordered.em_numerator(image),
        "update, reproducible, sorted": lambda: exact.em_numerator(image),
    }
    for fwhm_ps in (385, 200):
        tof = timing(fwhm_ps)
        # Bins are random, so they can be drawn for the events in any order
        timed = Rays(sorted_rays.points_mm, sorted_rays.ends, time_bins(len(order), tof, rng))
        cases[f"update, TOF {fwhm_ps} ps, sorted"] = partial(
            project(timed, tof=tof).em_numerator, image
        )
    return cases


def _parallelproj(rays: Rays) -> tuple[Cases, str]:
    """Return the two passes of parallelproj over the same events, or why there are none."""
    build = parallelproj.build()
    if build is None:
        return {}, "parallelproj 1.x is not installed"
    forward, back = parallelproj.passes(rays, GRID)
    cases: Cases = {"parallelproj forward": forward, "parallelproj back": back}
    return cases, f"{build}, Joseph, the same events unsorted"


def _time(case: Callable[[], Any], on: Backend) -> tuple[float, float]:
    """Return wall-clock seconds, and CPU seconds on all cores."""
    clock, busy = perf_counter(), process_time()
    case()
    if on.gpu is not None:
        on.gpu.wait()
    return perf_counter() - clock, process_time() - busy
