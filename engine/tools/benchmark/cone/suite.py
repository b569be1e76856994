"""Cone-beam CT on a circular orbit: back and forward projection and FDK, all cases interleaved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from time import perf_counter, process_time
from typing import Any

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk
from engine.simulate.integrals import line_integrals
from engine.simulate.xray_phantoms import shepp_logan
from engine.tools.benchmark import figures
from engine.tools.benchmark.bars import Bar, at_least, at_most
from engine.tools.benchmark.cone import images as cone_images
from engine.tools.benchmark.cone import rtk
from engine.tools.benchmark.cone.steps import n_steps
from engine.tools.benchmark.crossing import FOV_MM, cube

Case = Callable[[], Array]
Times = list[tuple[float, float]]

SIZES, VIEWS, PIXELS = (128, 256), 360, 256
SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, DETECTOR_MM = 1000.0, 1500.0, 384.0
WORKLOAD = (
    f"Source {SOURCE_AXIS_MM:g} mm from the axis and {SOURCE_DETECTOR_MM:g} mm from a detector of "
    f"{DETECTOR_MM:g} mm, full circle, a cube of {FOV_MM:g} mm, float32; the head of Shepp and "
    "Logan, 184 mm long. An update is one voxel in one view. A step is one ray in one layer."
)
BACK, FORWARD, MATCHED, FDK = "back projection", "forward projection", "matched back", "FDK"
OURS = "Isocenter"

BAR_SIZE, BAR_THREADS = 256, 2
"""Problem of the speed limits, with the views and pixels above."""
BAR_GUPS, BAR_MRAYS_PER_S, BAR_FDK_S = 1.1, 4.5, 8.0
BAR_MEAN, BAR_RMSE, BAR_FORWARD = 1e-3, 1.5e-3, 0.011
"""Relative error of the mean, RMSE [1/mm] and relative error of forward projections."""


@dataclass(frozen=True)
class ConeWork:
    """A cube of `size`³ voxels and `n_views` views of `pixels`² pixels."""

    size: int
    n_views: int = VIEWS
    pixels: int = PIXELS

    @property
    def grid(self) -> ImageGrid:
        """Grid of the volume."""
        return cube(self.size)

    @cached_property
    def geometry(self) -> XrayGeometry:
        """Geometry of the scan."""
        return circular_cone(
            circle(self.n_views),
            source_axis_mm=SOURCE_AXIS_MM,
            source_detector_mm=SOURCE_DETECTOR_MM,
            shape=(self.pixels, self.pixels),
            pixel_mm=DETECTOR_MM / self.pixels,
        )

    @property
    def n_rays(self) -> int:
        """Number of rays in all views."""
        return self.n_views * self.pixels**2

    @cached_property
    def n_steps(self) -> float:
        """Rays times the layers of voxels that they cross."""
        return n_steps(self.geometry, self.grid)

    @property
    def n_updates(self) -> int:
        """Voxels times views."""
        return self.size**3 * self.n_views


def run(
    on: Backend,
    *,
    sizes: Sequence[int] = SIZES,
    n_views: int = VIEWS,
    pixels: int = PIXELS,
    repeats: int = 3,
    with_peer: bool = True,
    log: figures.Log,
) -> figures.Figures:
    """Measure cubes of several sizes.

    Parameters
    ----------
    on
        device
    sizes
        edges of the cubes [voxels]
    n_views, pixels
        views, and edge of the detector
    repeats
        runs of each case; the median counts
    with_peer
        True to measure RTK in the same run, if installed
    log
        called with the name of each part

    Returns
    -------
    figures
        JSON values for the report
    """
    works = [ConeWork(size, n_views, pixels) for size in sizes]
    measures = {"cone": lambda: measure(works, on, repeats, with_peer)}
    return figures.collect(figures.CONE, [on], measures, log)


def measure(
    works: Sequence[ConeWork], on: Backend, repeats: int, with_peer: bool
) -> figures.Figures:
    """Measure every case of every size, ours and the peer's alternating.

    Parameters
    ----------
    works
        sizes
    on
        device
    repeats
        runs of each case; the median counts
    with_peer
        True to measure RTK too, if installed

    Returns
    -------
    part
        JSON values for the report
    """
    # Compiles on a tiny problem, so that no measurement includes the compiler
    small = ConeWork(size=16, n_views=8, pixels=16)
    for case in our_cases(small, on, *head_and_scan(small)).values():  # compile
        _time(case, on)
    found = [_measure(work, on, repeats, with_peer) for work in works]
    return {
        "workload": WORKLOAD,
        "n_views": works[0].n_views,
        "pixels": works[0].pixels,
        "repeats": repeats,
        "peer": rtk.note() if with_peer else "not asked for",
        **{key: [row for part in found for row in part[key]] for key in found[0]},
    }


def _measure(work: ConeWork, on: Backend, repeats: int, with_peer: bool) -> dict[str, list[Any]]:
    # Exact integrals of the shapes, so that a projector is not tested with itself
    head, scan = head_and_scan(work)
    ours, peer = our_cases(work, on, head, scan), {}
    if with_peer:
        peer = rtk.cases(work.geometry, work.grid, head, scan, on.threads)
    cases = {
        (name, by): from_[name]
        for name in ours
        for by, from_ in ((OURS, ours), (rtk.NAME, peer))
        if name in from_
    }
    times: dict[tuple[str, str], Times] = {key: [] for key in cases}
    # Results are compared too: a fast wrong kernel must not win
    images: dict[str, Array] = {}
    rays: dict[str, Array] = {}
    # Interleaved: a slow spell of the machine affects all cases alike
    for _ in range(repeats):
        for (name, by), case in cases.items():
            seconds, result = _time(case, on)
            times[name, by].append(seconds)
            if name == FDK:
                # Only the two central slices are kept: whole volumes of all sizes would fill the
                # memory
                images[by] = cone_images.middle(result)
            elif name == FORWARD:
                rays[by] = result
    rows = [_row(work, name, by, on, ts) for (name, by), ts in times.items()]
    shown = {"size": work.size}
    agreement = [shown | row for row in cone_images.compared(images, work.grid)]
    integrals = [
        shown | {"by": by, "error_relative": cone_images.error(y, scan)} for by, y in rays.items()
    ]
    bars = [*_speed_bars(work, on, rows), *_image_bars(work, agreement, integrals)]
    return {
        "rows": rows,
        "ratios": [shown | ratio for ratio in _ratios(times)],
        "images": agreement,
        "integrals": integrals,
        "bars": [bar.as_row() for bar in bars],
    }


def head_and_scan(work: ConeWork) -> tuple[Array, Array]:
    """Return the voxelised head and its exact line integrals.

    Parameters
    ----------
    work
        cube and scan

    Returns
    -------
    head
        (n_z, n_y, n_x) [1/mm]
    scan
        (n_views, n_rows, n_columns)
    """
    head = shepp_logan()
    return head.rasterise(work.grid, "mu").values, line_integrals(head, work.geometry)


def our_cases(work: ConeWork, on: Backend, head: Array, scan: Array) -> dict[str, Case]:
    """Return our cases by name. Arrays are on the device before the clock starts.

    Parameters
    ----------
    work
        cube and scan
    on
        device
    head, scan
        from `head_and_scan`
    """
    A = XrayTransform(work.geometry, work.grid, on=on)
    head, scan = on.to_device(head), on.to_device(scan)
    return {
        BACK: lambda: A.back_project(scan, weighting="fdk"),
        FORWARD: lambda: A.forward(head),
        MATCHED: lambda: A.adjoint(scan),
        FDK: lambda: fdk(scan, work.geometry, work.grid, on=on),
    }


def _time(case: Case, on: Backend) -> tuple[tuple[float, float], Array]:
    """Return wall-clock and CPU seconds, and the result on the host."""
    clock, busy = perf_counter(), process_time()
    result = case()
    if on.gpu is not None:
        on.gpu.wait()
    return (perf_counter() - clock, process_time() - busy), on.to_host(result)


def _row(work: ConeWork, name: str, by: str, on: Backend, times: Times) -> Plain:
    """Return medians. The cores in use show if other work distorts the wall clock."""
    seconds, cpu_s = (median(column) for column in zip(*times, strict=True))
    # Ray-driven work is counted in rays, voxel-driven work in updates
    is_rays = name in (FORWARD, MATCHED)
    return {
        "size": work.size,
        "case": name,
        "by": by,
        "device": on.name,
        "threads": on.threads,
        "seconds": seconds,
        "best_seconds": min(t[0] for t in times),
        "cpu_s": cpu_s,
        "cores": cpu_s / seconds,
        "gups": None if is_rays else work.n_updates / seconds / 1e9,
        "mrays_per_s": work.n_rays / seconds / 1e6 if is_rays else None,
        "gsteps_per_s": work.n_steps / seconds / 1e9 if is_rays else None,
    }


def _ratios(times: dict[tuple[str, str], Times]) -> list[Plain]:
    """Return how many times longer the peer takes: medians over neighbours in time."""
    ratios = []
    for (name, by), theirs in times.items():
        if by == OURS:
            continue
        pairs = list(zip(theirs, times[name, OURS], strict=True))
        # Pairs of neighbours: both met the same state of the machine
        clock, cpu = (median(other[i] / own[i] for other, own in pairs) for i in (0, 1))
        ratios.append({"case": name, "by": by, "seconds_ratio": clock, "cpu_s_ratio": cpu})
    return ratios


def _speed_bars(work: ConeWork, on: Backend, rows: Sequence[Plain]) -> list[Bar]:
    # A limit applies to one problem on comparable machines
    if work != ConeWork(BAR_SIZE) or on.is_cuda or on.threads < BAR_THREADS:
        return []
    of = {row["case"]: row for row in rows if row["by"] == OURS}
    where = f"{work.size}³, {on.threads} threads"
    return [
        at_least(f"{BACK}, {where}", of[BACK]["gups"], BAR_GUPS, "GUPS"),
        at_least(f"{FORWARD}, {where}", of[FORWARD]["mrays_per_s"], BAR_MRAYS_PER_S, "Mrays/s"),
        at_most(f"whole FDK, {where}", of[FDK]["seconds"], BAR_FDK_S, "s"),
    ]


def _image_bars(work: ConeWork, images: Sequence[Plain], integrals: Sequence[Plain]) -> list[Bar]:
    if work != ConeWork(max(work.size, SIZES[0])):
        return []
    image = next(row for row in images if (row["first"], row["second"]) == (OURS, "truth"))
    bars = [
        at_most(f"FDK {work.size}³: error of the mean", abs(image["mean_relative"]), BAR_MEAN),
        at_most(f"FDK {work.size}³: RMSE", image["rmse_per_mm"], BAR_RMSE, "1/mm"),
    ]
    if work.size == BAR_SIZE:
        # Only at this size: the error depends on the voxels
        error = next(row["error_relative"] for row in integrals if row["by"] == OURS)
        bars.append(at_most(f"{FORWARD} {work.size}³: error", error, BAR_FORWARD))
    return bars
