"""Stages of a gamma camera run, from file to volume. Each stage yields events."""

from __future__ import annotations

from collections.abc import Callable

from engine.core.errors import DataError
from engine.data.runs.events import Loaded, Planned
from engine.data.volume import Volume
from engine.modalities import stages
from engine.modalities.count_demand import ring_demand
from engine.modalities.fit_subsets import fit_subsets
from engine.modalities.gamma_camera import model as camera
from engine.modalities.gamma_camera.protocol import GammaCameraProtocol
from engine.modalities.gamma_camera.requirements import estimate
from engine.modalities.gamma_camera.scan import GammaScan, read_scan
from engine.modalities.gamma_camera.summary import GammaSummary
from engine.modalities.kernel_steps import prepare_kernels
from engine.modalities.requirements import refuse_if_too_large
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.recon.model import ReadyModel

Context = RunContext[GammaCameraProtocol]


def flow(
    context: Context, resume: Resume | None, finish_early: Callable[[], bool] | None
) -> Stage[Volume]:
    """Read, compute the sensitivity, iterate, finish."""
    scan = yield from read(context)
    yield from prepare_kernels(context, [])  # the filters have some; the projector has none
    # A subset is some of the views. With few counts, a view alone shows too little of the object.
    demand = ring_demand(float(scan.counts.sum(dtype=float)), scan.grid, None)
    context = yield from fit_subsets(context, demand)
    n_subsets = context.protocol.algorithm.n_subsets
    yield context.log.start("sensitivity", "Computing the sensitivity")
    start = camera.uniform_start(scan)
    model = ReadyModel.of(camera.build(scan, n_subsets=n_subsets), start, n_subsets)
    yield context.log.end("sensitivity", lines=scan.counts.size)
    yield stages.begin(context, resume)
    space = ImageSpace(scan.grid, "counts", axes="xyz")  # no patient position
    rows = scan.counts.size
    image, done = yield from stages.iterate(
        context, space, model, start, resume, finish_early, n_rows=rows, rows="bins"
    )
    return (yield from stages.finish(context, space, image, done))


def read(context: Context) -> Stage[GammaScan]:
    """Read the scan, and refuse a run that needs more memory than is free."""
    yield context.log.start("read", "Reading the scan")
    data = context.study.data
    with context.profiler.span("read"):
        scan = read_scan(data)
    summary = GammaSummary.of(scan)
    if summary.fault:
        raise DataError(f"{data.name}: all counts are 0; choose another scan.")
    # Refuse now: a process that runs out of memory later is ended by the system without a word.
    needs = estimate(context.protocol, scan.grid, summary.n_views)
    refuse_if_too_large(needs, scan.grid, "sum neighbouring pixels")
    yield Planned(context.on.name, f"{context.on.label}: {needs.describe()}")
    context.log.facts = {"counts": summary.n_counts, "views": summary.n_views, **scan.info}
    yield Loaded(summary.text, context.log.facts)
    yield from stages.report_reader_notes(context, scan)
    yield context.log.end("read", bins=scan.counts.size)
    return scan
