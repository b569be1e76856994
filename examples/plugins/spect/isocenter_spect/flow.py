"""Stages of a SPECT run, from file to volume. Each stage yields events."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.core.errors import DataError
from engine.data.patient_position import STATED_AXES
from engine.data.runs.events import Loaded
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities import stages
from engine.modalities.attaching import attach_inputs
from engine.modalities.count_demand import ring_demand
from engine.modalities.fit_subsets import fit_subsets
from engine.modalities.kernel_steps import prepare_kernels
from engine.modalities.requirements import plan_of, refuse_if_too_large
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.recon.model import BinnedModel
from isocenter_spect.camera import ROLES
from isocenter_spect.model import projector
from isocenter_spect.protocol import SpectProtocol, estimate
from isocenter_spect.scan import SpectScan, SpectSummary, read_scan

Context = RunContext[SpectProtocol]


def flow(
    context: Context, resume: Resume | None, finish_early: Callable[[], bool] | None
) -> Stage[Volume]:
    """Read, correct, compute the sensitivity, iterate, finish."""
    scan, grid = yield from read(context)
    yield from prepare_kernels(context, [])
    yield context.log.start("correct", "Applying the corrections")
    scan = yield from stages.correct(context, context.protocol.corrections.steps(), scan)
    yield context.log.end("correct")
    demand = ring_demand(float(scan.counts.sum(dtype=float)), grid, None)
    context = yield from fit_subsets(context, demand)
    yield context.log.start("sensitivity", "Computing the sensitivity")
    A = projector(scan, context.protocol, grid, context.on.threads)
    start, none = np.asarray(A.inside, np.float32), np.zeros(scan.counts.shape, np.float32)
    # Each subset has its own sensitivity, so none is computed for all of them.
    model = BinnedModel(A, none, np.zeros((), np.float32), scan.counts)
    protocol = context.protocol
    if protocol.algorithm.n_parts == 1:
        model = BinnedModel.of(A, none, scan.counts)
    sides = str(scan.info.get(STATED_AXES, ""))
    space = ImageSpace(grid, "photons/view", "xyz", sides, protocol.unit, protocol.factor)
    ready = stages.with_sensitivities(context, space, model, start, resume)
    yield context.log.end("sensitivity", bins=scan.counts.size)
    yield stages.begin(context, resume)
    image, done = yield from stages.iterate(
        context, space, ready, start, resume, finish_early, n_rows=scan.counts.size, rows="bins"
    )
    return (yield from stages.finish(context, space, image, done))


def read(context: Context) -> Stage[tuple[SpectScan, ImageGrid]]:
    """Read scan and auxiliary files, and refuse a run that needs more memory than is free."""
    yield context.log.start("read", "Reading the scan")
    data, protocol = context.study.data, context.protocol
    with context.profiler.span("read"):
        scan = attach_inputs(context, ROLES, read_scan(data)).checked()
    summary = SpectSummary.of(scan)
    if summary.fault:
        raise DataError(f"{data.name}: all counts are 0; choose another scan.")
    usual = protocol.usual(scan.pixel_mm, summary.shape, scan.holes, summary.radius_mm)
    grid = protocol.grid.grid_for(usual)
    needs = estimate(protocol, grid, summary.shape)
    refuse_if_too_large(needs, grid)
    yield plan_of(context.on, needs, grid)
    holes = protocol.parallel if scan.holes is None else scan.holes
    facts = {"views": len(scan.counts), "collimator": holes.describe(), **scan.info}
    context.log.facts = {"counts": summary.n_counts, **facts}
    yield Loaded(summary.text, context.log.facts)
    yield from stages.report_reader_notes(context, scan)
    yield context.log.end("read", bins=scan.counts.size)
    return scan, grid
