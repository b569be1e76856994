"""List mode on a CPU with our program and parallelproj 1.x and 2: unsorted, sorted, TOF, large.

With version 1 both project ones forward and back. With version 2 both compute the numerator of EM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.geometry.order import ray_order
from engine.geometry.tof import TofBins
from engine.operators.rays import RayProjector, Rays
from engine.tools.benchmark import crossing
from engine.tools.benchmark.bars import Bar, at_most
from engine.tools.benchmark.peers import parallelproj, parallelproj_library
from engine.tools.benchmark.peers.cases import PeerCase
from engine.tools.benchmark.peers.parallelproj_2 import NAME, ListModePeer, numerator
from engine.tools.benchmark.peers.peer_run import FORWARD_SUMS, PeerRun, returning

FWHM_PS = (385.0, 200.0)
SEED = 1
MAX_GROWTH = 1.5
"""Limit for the CPU time per event and plane of the large image relative to the small one."""


def cases(on: Backend, n_events: int, edges: tuple[int, int]) -> Iterator[PeerCase]:
    """Yield the cases one by one.

    Parameters
    ----------
    on
        CPU
    n_events
        number of events
    edges
        edges of the cube for all cases, and of a larger one for sorted events [voxels]
    """
    rng = np.random.default_rng(SEED)
    rays = crossing.events(n_events, rng)
    small, large = (crossing.cube(edge) for edge in edges)
    yield _first_kind(on, rays, small)
    # The peer gets the sorted events too, because the comparison does not include sorting
    ordered = crossing.in_order(rays, ray_order(rays.points_mm, rays.ends))
    image = _image(small, rng)
    yield from _second_kind(on, rays, image, order="unsorted")
    yield from _second_kind(on, ordered, image)
    for fwhm_ps in FWHM_PS:
        tof = crossing.timing(fwhm_ps)
        bins = crossing.time_bins(n_events, tof, rng)
        timed = Rays(ordered.points_mm, ordered.ends, bins)
        yield from _second_kind(on, timed, image, tof)
    # A larger image exceeds the cache, where the order of events matters most
    yield from _second_kind(on, ordered, _image(large, rng))


def bars(rows: Sequence[Plain], n_events: int, edges: tuple[int, int]) -> list[Bar]:
    """Return the limit for the time per plane of the larger image relative to the smaller one.

    Parameters
    ----------
    rows
        measured cases
    n_events
        number of events
    edges
        as in `cases`
    """
    small, large = (_plane_s(rows, n_events, edge) for edge in edges)
    name = f"list mode sorted, processor time for a plane of {edges[1]}³ over one of {edges[0]}³"
    return [at_most(name, large / small, MAX_GROWTH)]


def _plane_s(rows: Sequence[Plain], n_events: int, edge: int) -> float:
    work = numerator(n_events, crossing.cube(edge), None)
    # A ray crosses as many planes as the edge has voxels
    return median(row["ours_cpu_s"] for row in rows if row["work"] == work) / edge


def _image(grid: ImageGrid, rng: np.random.Generator) -> Array:
    return (0.1 + rng.random(grid.shape)).astype(np.float32)


def _first_kind(on: Backend, rays: Rays, grid: ImageGrid) -> PeerCase:
    build = parallelproj.build()
    image = np.ones(grid.shape, np.float32)

    def theirs(build: str) -> PeerRun:
        forward, back = parallelproj.passes(rays, grid)

        def both() -> Array:
            sums = forward()
            back()
            return sums

        return returning(build, both)

    edge, n_events = grid.shape[0], len(rays.ends)
    work = f"list mode, {n_events} events unsorted, {edge}³, projection and back"
    A = RayProjector(rays, grid, on=on)
    peer = partial(theirs, build) if build else None
    return PeerCase(work, "parallelproj", lambda: A.em_numerator(image)[1], peer, FORWARD_SUMS)


def _second_kind(
    on: Backend, rays: Rays, image: Array, tof: TofBins | None = None, *, order: str = "sorted"
) -> Iterator[PeerCase]:
    """Yield one case for each available build, or ours alone."""
    grid = crossing.cube(len(image))
    A = RayProjector(rays, grid, on=on, tof=tof)

    def theirs(path: str) -> PeerRun:
        return ListModePeer(on, rays, grid, image, tof, path=path).peer_run()

    work = numerator(len(rays.ends), grid, tof, order)
    for path in parallelproj_library.paths() or (None,):
        peer = partial(theirs, path) if path else None
        yield PeerCase(work, NAME, lambda: A.em_numerator(image)[1], peer, FORWARD_SUMS)
