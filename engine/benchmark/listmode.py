"""List-mode PET: events per second of the projector, all cases interleaved in one run."""

from __future__ import annotations

import platform
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.order import ray_order
from engine.geometry.tof import TofBins
from engine.operators.rays import RayProjector, Rays

GRID = ImageGrid((128, 128, 128), (2.0, 2.0, 2.0))
RING_MM, LENGTH_MM, OFFSET_MM = 300.0, 200.0, 120.0
SOURCE_MM = 100.0
"""Events come from this far to both sides of the middle of their line."""
WORKLOAD = (
    "events through a 128 x 128 x 128 image of 2 mm voxels: ring of radius 300 mm and length "
    "200 mm, radial offset even in +-120 mm; float32"
)

BARS_EVENTS_PER_S = {"update": 1.7e6, "update, sorted": 2.7e6}
"""Our first prototype, 2 threads of an AMD EPYC."""
BARS_RATIO = {
    "update, TOF 385 ps, sorted": ("update, sorted", 1.0),
    "update, TOF 200 ps, sorted": ("update, sorted", 1.5),
    "update, reproducible, sorted": ("update, sorted", 1 / 1.5),
}
"""Case: the case it is compared with, and the least ratio of their speeds."""

Cases = dict[str, Callable[[], Any]]


def run(
    on: Backend, *, n_events: int = 1_000_000, seed: int = 1, repeats: int = 3
) -> dict[str, Any]:
    """Measure every case `repeats` times, one after the other; results can go into JSON."""
    rng = np.random.default_rng(seed)
    rays = _events(n_events, rng)
    cases = _cases(rays, on, rng)
    peer, note = _parallelproj(rays)
    cases |= peer
    for case in cases.values():  # compile, and touch the memory
        case()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for _ in range(repeats):
        for name, case in cases.items():
            times[name].append(_time(case))
    return {
        "n_events": n_events,
        "workload": f"{n_events} {WORKLOAD}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_name(),
        "threads": on.threads,
        "repeats": repeats,
        "peer": note,
        "events_per_s": {name: n_events / median(t[0] for t in ts) for name, ts in times.items()},
        "best_events_per_s": {name: n_events / min(t[0] for t in ts) for name, ts in times.items()},
        "cpu_s": {name: median(t[1] for t in ts) for name, ts in times.items()},
    }


def table(result: dict[str, Any]) -> str:
    """Lines of text: speeds (medians), and how they stand to the bars.

    On a machine with other work the clock misleads: the cores in use tell, of `threads`.
    """
    speeds: dict[str, float] = result["events_per_s"]
    n_events: int = result["n_events"]
    lines = [
        result["workload"],
        f"{result['cpu']}, {result['threads']} threads, median of {result['repeats']}, "
        f"{result['date']}",
    ]
    for name, speed in speeds.items():
        cores = result["cpu_s"][name] * speed / n_events
        line = f"  {name:32s} {speed / 1e6:6.2f} M events/s on {cores:.1f} cores"
        if name in BARS_EVENTS_PER_S:
            line += f"   {speed / BARS_EVENTS_PER_S[name]:.2f} of the bar"
        if name in BARS_RATIO:
            other, bar = BARS_RATIO[name]
            line += f"   {speed / speeds[other]:.2f} x {other} (bar {bar:.2f})"
        lines.append(line)
    return "\n".join([*lines, f"  peer: {result['peer']}"])


def _events(n: int, rng: np.random.Generator) -> Rays:
    """Lines that all cross the image, as explicit ends."""
    middle, offset = rng.uniform(0, np.pi, n), rng.uniform(-OFFSET_MM, OFFSET_MM, n)
    half = np.arccos(offset / RING_MM)
    angle = np.stack([middle + half, middle - half], axis=1)
    z = rng.uniform(-LENGTH_MM / 2, LENGTH_MM / 2, (n, 2))
    points = np.stack([RING_MM * np.cos(angle), RING_MM * np.sin(angle), z], axis=-1)
    return Rays(points.reshape(-1, 3), np.arange(2 * n, dtype=np.int32).reshape(n, 2))


def _cases(rays: Rays, on: Backend, rng: np.random.Generator) -> Cases:
    image = (0.1 + rng.random(GRID.shape)).astype(np.float32)
    order = ray_order(rays.points_mm, rays.ends)
    in_order = _in_order(rays, order)
    project = partial(RayProjector, grid=GRID, on=on)
    plain, ordered = project(rays), project(in_order)
    exact = project(in_order, reproducible=True)
    values = np.ones(plain.out_shape, np.float32)
    cases: Cases = {
        "sort": lambda: ray_order(rays.points_mm, rays.ends),
        "forward": lambda: plain.forward(image),
        "forward, sorted": lambda: ordered.forward(image),
        "back": lambda: plain.adjoint(values),
        "back, sorted": lambda: ordered.adjoint(values),
        "update": lambda: plain.em_shares(image),
        "update, sorted": lambda: ordered.em_shares(image),
        "update, reproducible, sorted": lambda: exact.em_shares(image),
    }
    for fwhm_ps in (385, 200):
        tof = TofBins(fwhm_ps, fwhm_ps / 4, 2 * int(np.ceil(8 * RING_MM / fwhm_ps)) + 1)
        timed = Rays(in_order.points_mm, in_order.ends, _time_bins(len(order), tof, rng))
        cases[f"update, TOF {fwhm_ps} ps, sorted"] = partial(
            project(timed, tof=tof).em_shares, image
        )
    return cases


def _in_order(rays: Rays, order: NDArray[np.int64]) -> Rays:
    """Return the same rays with the memory of their ends in order as well."""
    return Rays(rays.points_mm.reshape(-1, 2, 3)[order].reshape(-1, 3), rays.ends)


def _time_bins(n: int, tof: TofBins, rng: np.random.Generator) -> NDArray[np.int16]:
    """Return bins of sources even in +-SOURCE_MM, seen with the scanner's resolution."""
    s_mm = rng.uniform(-SOURCE_MM, SOURCE_MM, n) + tof.sigma_mm * rng.standard_normal(n)
    bins = np.floor(s_mm / tof.bin_mm + tof.n_bins / 2)
    return np.clip(bins, 0, tof.n_bins - 1).astype(np.int16)


def _parallelproj(rays: Rays) -> tuple[Cases, str]:
    """Return the two passes of parallelproj 1.x over the same events, or why there are none."""
    try:
        parallelproj: Any = import_module("parallelproj")
    except ImportError:
        return {}, "parallelproj is not installed"
    version = getattr(parallelproj, "__version__", "of unknown version")
    if not version.startswith("1."):
        return {}, f"parallelproj {version} is not 1.x"
    start, end = (rays.points_mm[rays.ends[:, i]].astype(np.float32) for i in (0, 1))
    voxel = np.array(GRID.voxel_mm, np.float32)
    where = (GRID.lower_mm.astype(np.float32) + voxel / 2, voxel)
    image, values = np.ones(GRID.shape[::-1], np.float32), np.ones(len(start), np.float32)
    cases: Cases = {
        "parallelproj forward": lambda: parallelproj.joseph3d_fwd(start, end, image, *where),
        "parallelproj back": lambda: parallelproj.joseph3d_back(
            start, end, image.shape, *where, values
        ),
    }
    return cases, f"parallelproj {version}, Joseph, the same events unsorted"


def _time(case: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock, and of the process on all its cores."""
    clock, busy = perf_counter(), process_time()
    case()
    return perf_counter() - clock, process_time() - busy


def _cpu_name() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
