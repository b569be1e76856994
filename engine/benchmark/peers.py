"""Our work and that of other programs, in turn, in one process: how many times as long they take.

ratio = processor time of the peer over ours, for the same work: medians over neighbours in time

A busy machine slows both, so that ratios hold where seconds do not. Where a peer is missing, ours
stands alone beside the limits of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import median
from time import perf_counter, process_time

import numpy as np

from engine.arrays import Array
from engine.backend import Backend
from engine.benchmark import (
    card_cases,
    cone,
    cone_rtk,
    crossing,
    figures,
    machine_limits,
    peer_astra,
    peer_parallelproj,
)
from engine.filtering.fdk import fdk
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import parallel
from engine.operators.rays import RayProjector
from engine.plain import Plain
from engine.simulate.integrals import line_integrals
from engine.simulate.xray_phantoms import shepp_logan

Run = Callable[[], object]
WORKLOAD = "Each work by us and by a peer in turn, in one process on the same threads; medians."
LEAST_LEFT = 2 / 3
"""Part of an earlier ratio below which one counts as fallen."""


@dataclass(frozen=True)
class PeerWork:
    """How much to measure.

    Attributes
    ----------
    events : in list mode, through 128³ voxels
    cone : edge of the cube and of the detector, and views
    slices : their number, edge and views, of parallel beams
    repeats : runs of each
    """

    events: int = 1_000_000
    cone: tuple[int, int] = (256, 60)
    slices: tuple[int, int, int] = (16, 512, 360)
    repeats: int = 3


@dataclass(frozen=True)
class PeerCase:
    """One work; `theirs` is None where no such peer is installed, and None comes of it if it fails.

    Attributes
    ----------
    work, peer : what is done, and who else does it
    build : which one it is, None if none
    ours : does it once
    theirs : readies what does it once
    """

    work: str
    peer: str
    build: str | None
    ours: Run
    theirs: Callable[[], Run] | None


def run(on: Backend, work: PeerWork, say: figures.Say) -> figures.Figures:
    """Measure all cases; what comes back can go into JSON."""
    return figures.collect(figures.PEERS, [on], {"peers": lambda: measure(on, work, say)}, say)


def measure(on: Backend, work: PeerWork, say: figures.Say) -> Plain:
    """Return the rows of all cases, and the limits of the machine before and after them."""
    before = machine_limits.measure(on.threads, work.repeats)
    rows = []
    for make in (_list_mode, _cone, _slices):
        for case in make(on, work):
            say(f"measuring {case.work} ...")
            rows.append(_row(case, work.repeats))
            if rows[-1]["why_not"]:
                say(f"note: {rows[-1]['why_not']}")
    after = machine_limits.measure(on.threads, work.repeats)
    return {
        "workload": WORKLOAD,
        "repeats": work.repeats,
        "threads": on.threads,
        "limits": {name: [before[name], after[name]] for name in before},
        "rows": rows,
        "bars": [],
    }


def fallen(rows: Sequence[Plain], earlier: Sequence[Plain]) -> list[str]:
    """Say of each ratio of an earlier run that fell by more than a third."""
    then = {(row["work"], row["peer"]): row["ratio"] for row in earlier if row["ratio"]}
    found = []
    for row in rows:
        was = then.get((row["work"], row["peer"]))
        if was and row["ratio"] and row["ratio"] < LEAST_LEFT * was:
            found.append(f"{row['work']}: {row['ratio']:.2f} times {row['peer']}, was {was:.2f}")
    return found


def _row(case: PeerCase, repeats: int) -> Plain:
    case.ours()  # compiles, and touches the memory
    peer_run, why_not = _readied(case)
    times = [(_time(case.ours), _time(peer_run) if peer_run else None) for _ in range(repeats)]
    theirs = [peer for _, peer in times if peer is not None]
    pairs = [(own, peer) for own, peer in times if peer is not None]
    return {
        "work": case.work,
        "peer": case.peer,
        "build": case.build,
        "ours_s": median(own[0] for own, _ in times),
        "ours_cpu_s": median(own[1] for own, _ in times),
        "peer_s": median(peer[0] for peer in theirs) if theirs else None,
        "peer_cpu_s": median(peer[1] for peer in theirs) if theirs else None,
        "ratio": median(peer[1] / own[1] for own, peer in pairs) if pairs else None,
        "why_not": why_not,
    }


def _readied(case: PeerCase) -> tuple[Run | None, str]:
    """Return what runs the peer, which ran once; or why it cannot."""
    if case.theirs is None:
        return None, ""
    try:
        run = case.theirs()
        run()
    except card_cases.FAULTS as e:
        return None, card_cases.sentence(case.peer, e)
    return run, ""


def _time(run: Run) -> tuple[float, float]:
    """Seconds by the clock, and of the process on all its cores."""
    clock, busy = perf_counter(), process_time()
    run()
    return perf_counter() - clock, process_time() - busy


def _list_mode(on: Backend, work: PeerWork) -> list[PeerCase]:
    rays = crossing.events(work.events, np.random.default_rng(1))
    grid = crossing.cube(128)
    image = np.ones(grid.shape, np.float32)
    build = peer_parallelproj.build()

    def theirs() -> Run:
        forward, back = peer_parallelproj.passes(rays, grid)
        return lambda: (forward(), back())

    named = f"list mode, {work.events} events unsorted, 128³, projection and back"
    projector = RayProjector(rays, grid, on=on)
    ours: Run = lambda: projector.em_numerator(image)  # noqa: E731
    return [PeerCase(named, "parallelproj", build, ours, theirs if build else None)]


def _cone(on: Backend, work: PeerWork) -> list[PeerCase]:
    size, n_views = work.cone
    scan = cone.ConeWork(size, n_views, size)
    head, views = cone.head_and_scan(scan)
    ours = cone.our_cases(scan, on, head, views)
    build = f"{cone_rtk.note().partition(';')[0]}, as distributed" if cone_rtk.is_there() else None

    peer = cache(partial(cone_rtk.cases, scan.geometry, scan.grid, head, views, on.threads))

    def theirs(name: str) -> Run:
        return peer()[name]

    return [
        PeerCase(
            f"cone {name}, {size}³, {n_views} views of {size}²",
            cone_rtk.NAME, build, ours[name], partial(theirs, name) if build else None,
        )
        for name in (cone.BACK, cone.FORWARD, cone.FDK)
    ]  # fmt: skip


def _slices(on: Backend, work: PeerWork) -> list[PeerCase]:
    n_slices, size, n_views = work.slices
    angles = np.arange(n_views) * np.pi / n_views
    grid = ImageGrid((n_slices, size, size), (1.0, 1.0, 1.0))
    geometry = parallel(angles, shape=(n_slices, size), pixel_mm=1.0)
    scan: Array = line_integrals(shepp_logan(), geometry).astype(np.float32)
    build = peer_astra.build()
    theirs = partial(peer_astra.filtered_back_projection, scan, angles, size) if build else None
    named = f"parallel FBP, {n_slices} slices of {size}², {n_views} views"
    return [PeerCase(named, "ASTRA, CPU", build, lambda: fdk(scan, geometry, grid, on=on), theirs)]
