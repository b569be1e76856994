"""Our program and others on the same cases, alternating, and the ratio of their times.

    ratio = CPU time of the peer / ours, for the same case: median over neighbours in time

A busy machine slows down both, so ratios are valid when seconds are not. If a peer is missing, our
time can be compared with the limits of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import parallel
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.settings import FilterSettings
from engine.simulate.integrals import line_integrals
from engine.simulate.xray_phantoms import shepp_logan
from engine.tools.benchmark import figures, machine_limits
from engine.tools.benchmark.cone import rtk
from engine.tools.benchmark.cone import suite as cone
from engine.tools.benchmark.peers import astra, cases, gridrec, leap, list_mode
from engine.tools.benchmark.peers.cases import PeerCase
from engine.tools.benchmark.peers.peer_run import (
    FORWARD_SUMS,
    VOLUMES,
    PeerRun,
    returning,
)

WORKLOAD = (
    "Isocenter and a peer run each work in turn, in one process on the same threads; medians."
)
MIN_REMAINING = 2 / 3
"""Share of an earlier ratio below which it counts as reduced."""


@dataclass(frozen=True)
class PeerWork:
    """Amount of measurements.

    Attributes
    ----------
    events : events in list mode
    cubes : edges of the images in list mode: for all cases, and of a larger one
    cone : edge of the cube and of the detector, and number of views
    slices : number, edge and views of slices with parallel beams
    gridded_views : views of the same slices by gridding
    repeats : runs of each program
    """

    events: int = 1_000_000
    cubes: tuple[int, int] = (128, 256)
    cone: tuple[int, int] = (256, 60)
    slices: tuple[int, int, int] = (16, 512, 360)
    gridded_views: tuple[int, ...] = (360, 720, 1440)
    repeats: int = 3


def run(on: Backend, work: PeerWork, log: figures.Log) -> figures.Figures:
    """Measure all cases.

    Parameters
    ----------
    on
        CPU
    work
        amount of measurements
    log
        called with messages

    Returns
    -------
    figures
        JSON values for the report
    """
    return figures.collect(figures.PEERS, [on], {"peers": lambda: measure(on, work, log)}, log)


def measure(on: Backend, work: PeerWork, log: figures.Log) -> Plain:
    """Return the rows of all cases, and the limits of the machine before and after them.

    Parameters
    ----------
    on
        CPU
    work
        amount of measurements
    log
        called with messages
    """
    # Before and after: if both differ, the machine was busy during the measurement
    before = machine_limits.measure(on.threads, work.repeats)
    rows = []
    # Data of one kind are freed before the next
    for make in (_list_mode, _cone, _slices, _gridded_slices):
        for case in make(on, work):
            log(f"measuring {case.work} ...")
            rows.append(cases.row(case, work.repeats))
            if rows[-1]["why_not"]:
                log(f"note: {rows[-1]['why_not']}")
    after = machine_limits.measure(on.threads, work.repeats)
    return {
        "workload": WORKLOAD,
        "repeats": work.repeats,
        "threads": on.threads,
        "limits": {name: [before[name], after[name]] for name in before},
        "rows": rows,
        "bars": [bar.as_row() for bar in list_mode.bars(rows, work.events, work.cubes)],
    }


def regressions(rows: Sequence[Plain], earlier: Sequence[Plain]) -> list[str]:
    """Return work, peer and both ratios for each ratio that fell by more than a third.

    Parameters
    ----------
    rows
        measured cases
    earlier
        cases of an earlier run
    """
    then = {_same(row): row["ratio"] for row in earlier if row["ratio"]}
    found = []
    for row in rows:
        was = then.get(_same(row))
        if was and row["ratio"] and row["ratio"] < MIN_REMAINING * was:
            found.append(f"{row['work']} / {row['peer']}: {row['ratio']:.2f} / {was:.2f}")
    return found


def _same(row: Plain) -> tuple[str, str, str]:
    """Return the key by which ratios are comparable; another build of the peer is another key."""
    return row["work"], row["peer"], row["build"]


def _list_mode(on: Backend, work: PeerWork) -> Iterator[PeerCase]:
    return list_mode.cases(on, work.events, work.cubes)


def _cone(on: Backend, work: PeerWork) -> list[PeerCase]:
    size, n_views = work.cone
    scan = cone.ConeWork(size, n_views, size)
    head, views = cone.head_and_scan(scan)
    ours = cone.our_cases(scan, on, head, views)
    build = f"{rtk.note().partition(';')[0]}, as distributed" if rtk.is_there() else None

    # Cached: reading the images into ITK is not part of a case
    peer = cache(partial(rtk.cases, scan.geometry, scan.grid, head, views, on.threads))

    def theirs(build: str, name: str) -> PeerRun:
        return returning(build, peer()[name])

    return [
        PeerCase(
            f"cone {name}, {size}³, {n_views} views of {size}²", rtk.NAME, ours[name],
            partial(theirs, build, name) if build else None, compared,
        )
        for name, compared in (
            (cone.BACK, VOLUMES), (cone.FORWARD, FORWARD_SUMS), (cone.FDK, VOLUMES),
        )
    ] + _leap(scan, ours, head, views, on.threads)  # fmt: skip


def _leap(
    scan: cone.ConeWork, ours: dict[str, cone.Case], head: Array, views: Array, threads: int
) -> list[PeerCase]:
    """Return the cases of LEAP; its back projection covers another volume than ours."""
    build, size = leap.build(), scan.size
    peer = cache(partial(leap.cases, scan, head, views, threads))

    def theirs(build: str, name: str) -> PeerRun:
        return returning(build, peer()[name])

    return [
        PeerCase(
            f"cone {name}, {size}³, {scan.n_views} views of {size}²", leap.NAME, ours[name],
            partial(theirs, build, name) if build else None, compared,
        )
        for name, compared in ((cone.FORWARD, FORWARD_SUMS), (cone.FDK, VOLUMES))
    ]  # fmt: skip


def _slices(on: Backend, work: PeerWork) -> list[PeerCase]:
    n_slices, size, n_views = work.slices
    angles, scan, geometry, grid = _parallel_scan(work, n_views)
    build = astra.build()

    def theirs(build: str) -> PeerRun:
        return returning(build, astra.filtered_back_projection(scan, angles, size))

    named = f"parallel FBP, {n_slices} slices of {size}², {n_views} views"
    ours = partial(fdk, scan, geometry, grid, on=on)
    return [PeerCase(named, "ASTRA, CPU", ours, partial(theirs, build) if build else None, VOLUMES)]


def _gridded_slices(on: Backend, work: PeerWork) -> Iterator[PeerCase]:
    n_slices, size, _ = work.slices
    build = gridrec.build()
    settings = FilterSettings(method="gridding")
    for n_views in work.gridded_views:
        angles, scan, geometry, grid = _parallel_scan(work, n_views)

        def theirs(build: str, angles: Array = angles, scan: Array = scan) -> PeerRun:
            run = gridrec.filtered_back_projection(scan, angles, size, on.threads)
            return returning(build, run)

        named = f"parallel FBP by gridding, {n_slices} slices of {size}², {n_views} views"
        ours = partial(fdk, scan, geometry, grid, settings=settings, on=on)
        peer = partial(theirs, build) if build else None
        yield PeerCase(named, gridrec.NAME, ours, peer, VOLUMES)


def _parallel_scan(work: PeerWork, n_views: int) -> tuple[Array, Array, XrayGeometry, ImageGrid]:
    """Return angles, line integrals, geometry and grid of slices with parallel beams."""
    n_slices, size, _ = work.slices
    # Half a rotation, which is complete for parallel beams
    angles = np.arange(n_views) * np.pi / n_views
    grid = ImageGrid((n_slices, size, size), (1.0, 1.0, 1.0))
    geometry = parallel(angles, shape=(n_slices, size), pixel_mm=1.0)
    scan: Array = line_integrals(shepp_logan(), geometry).astype(np.float32)
    return angles, scan, geometry, grid
