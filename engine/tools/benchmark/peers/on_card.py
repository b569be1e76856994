"""Cases on a GPU: list mode with libparallelproj, cone beams with ASTRA and TIGRE.

Each row has `work`, `peer`, `build`, `ours_s` and `peer_s` (medians of wall-clock time with an idle
GPU before and after), `ratio` (theirs / ours), `agreement` (means and correlation of both results)
and `why_not`, the reason if the peer could not be measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.backend.gpu import Gpu
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.operators.rays import RayProjector, Rays
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk
from engine.tools.benchmark import crossing, figures
from engine.tools.benchmark.cone import suite as cone
from engine.tools.benchmark.peers import card_cases
from engine.tools.benchmark.peers.astra_cuda import ASTRA, AstraCone
from engine.tools.benchmark.peers.card_cases import CardCase
from engine.tools.benchmark.peers.parallelproj_2 import NAME, ListModePeer, numerator
from engine.tools.benchmark.peers.peer_run import FORWARD_SUMS, VOLUMES
from engine.tools.benchmark.peers.tigre_cuda import TIGRE, TigreCone

PARALLELPROJ = f"{NAME}, CUDA"
CLOCK = "wall-clock time of the host, with an idle GPU before and after each run"
WORKLOAD = (
    "Isocenter and a peer run each work in turn, in one process, with data on the GPU (TIGRE: in "
    f"host memory); medians, ratios of medians. List mode: sorted {crossing.ORIGIN}, between "
    "crystals; an image of random values. Cone beams: source "
    f"{cone.SOURCE_AXIS_MM:g} mm from the axis and "
    f"{cone.SOURCE_DETECTOR_MM:g} mm from a detector of {cone.DETECTOR_MM:g} mm, full circle, a "
    f"cube of {crossing.FOV_MM:g} mm; the head of Shepp and Logan."
)
FWHM_PS, SEED = 385.0, 4


@dataclass(frozen=True)
class CardWork:
    """Amount of measurements.

    Attributes
    ----------
    events : numbers of events in list mode, one case each
    size : edge of the cube in list mode
    cone : edge of the cube and of the detector, and number of views
    repeats : runs of each program
    """

    events: tuple[int, ...] = (1_000_000, 16_000_000)
    size: int = 128
    cone: tuple[int, int] = (256, 360)
    repeats: int = 9


def run(on: Backend, work: CardWork, log: figures.Log) -> figures.Figures:
    """Measure all cases.

    Parameters
    ----------
    on
        GPU
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


def measure(on: Backend, work: CardWork, log: figures.Log) -> Plain:
    """Return the rows of all cases, and if results agree.

    Parameters
    ----------
    on
        GPU
    work
        amount of measurements
    log
        called with messages

    Raises
    ------
    ResourceError
        if the device is not a GPU
    """
    if on.gpu is None:
        raise ResourceError(
            f"{on.label} is not a GPU, so other GPU programs cannot be measured on it; choose a "
            "GPU."
        )
    rows = []
    for case in _cases(on, on.gpu, work):
        log(f"measuring {case.work} ...")
        rows.append(card_cases.row(case, on.gpu, work.repeats))
        if rows[-1]["why_not"]:
            log(f"note: {rows[-1]['why_not']}")
        # Memory pools of both programs would otherwise add up over the cases
        on.gpu.release()
    return {
        "workload": WORKLOAD,
        "clock": CLOCK,
        "repeats": work.repeats,
        "rows": rows,
        "bars": [bar.as_row() for bar in card_cases.agreed(rows)],
    }


def _cases(on: Backend, gpu: Gpu, work: CardWork) -> Iterator[CardCase]:
    for n_events in work.events:
        yield from _list_mode(on, n_events, work.size)
    yield from _cone(on, gpu, *work.cone)


def _list_mode(on: Backend, n_events: int, size: int) -> Iterator[CardCase]:
    grid, timing, rng = crossing.cube(size), crossing.timing(FWHM_PS), np.random.default_rng(SEED)
    untimed, timed = crossing.sorted_crystals(n_events, timing, rng)
    host = (0.1 + rng.random(grid.shape)).astype(np.float32)
    for rays, tof in ((untimed, None), (timed, timing)):
        yield _events(on, grid, rays, tof, host)


def _events(on: Backend, grid: ImageGrid, rays: Rays, tof: TofBins | None, host: Array) -> CardCase:
    A, image = RayProjector(rays, grid, on=on, tof=tof), on.to_device(host)
    return CardCase(
        numerator(len(rays.ends), grid, tof),
        lambda: A.em_numerator(image)[1],
        PARALLELPROJ,
        lambda: ListModePeer(on, rays, grid, host, tof).peer_run(),
        FORWARD_SUMS,
    )


def _cone(on: Backend, gpu: Gpu, size: int, n_views: int) -> Iterator[CardCase]:
    work = cone.ConeWork(size, n_views, size)
    head, views = (on.to_device(values) for values in cone.head_and_scan(work))
    exact = XrayTransform(work.geometry, work.grid, on=on)
    # ASTRA interpolates in textures, so this is the fair comparison
    # The exact projector and the one with textures are both available to users
    textures = XrayTransform(work.geometry, work.grid, on=on, adjoint="voxel")
    peer = AstraCone(gpu, work, head, views)
    named = f"{size}³, {n_views} views of {size}²"
    forward = f"cone forward projection, {named}"
    back = lambda: exact.back_project(views, weighting="fdk")  # noqa: E731
    yield CardCase(f"cone back projection, {named}", back, ASTRA, peer.back, VOLUMES)
    yield CardCase(forward, lambda: exact.forward(head), ASTRA, peer.forward, FORWARD_SUMS)
    textured = f"{forward}, ours by textures"
    yield CardCase(textured, lambda: textures.forward(head), ASTRA, peer.forward, FORWARD_SUMS)
    whole = lambda: fdk(views, work.geometry, work.grid, on=on)  # noqa: E731
    yield CardCase(f"cone FDK, {named}", whole, ASTRA, peer.fdk, VOLUMES)
    yield from _from_host(on, work, named, *(on.to_host(values) for values in (head, views)))


def _from_host(
    on: Backend, work: cone.ConeWork, named: str, head: Array, views: Array
) -> Iterator[CardCase]:
    """Yield the cases that begin and end in host memory, as TIGRE works."""
    # Results on the host, like those of TIGRE
    exact = XrayTransform(work.geometry, work.grid, on=on, streams=True)
    peer = TigreCone(work, head, views)
    yield CardCase(
        f"cone forward projection, {named}, from host to host",
        lambda: exact.forward(head), TIGRE, peer.forward, FORWARD_SUMS,
    )  # fmt: skip
    yield CardCase(
        f"cone FDK, {named}, from host to host",
        lambda: on.to_host(fdk(views, work.geometry, work.grid, on=on)), TIGRE, peer.fdk, VOLUMES,
    )  # fmt: skip
