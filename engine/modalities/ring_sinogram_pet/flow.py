"""Steps of a run on sinograms, from file to volume."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.core.arrays import Array
from engine.core.backend.devices import device_of
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.corrections.base import inputs_of
from engine.corrections.sinogram import SINOGRAM_CORRECTIONS, BinScatter
from engine.data.histogram import total
from engine.data.patient_position import STATED_AXES, position_facts
from engine.data.runs.events import Loaded
from engine.data.sinogram import Sinogram
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_sinogram
from engine.modalities import stages
from engine.modalities.attaching import attach_inputs
from engine.modalities.count_demand import ring_demand
from engine.modalities.fit_subsets import fit_subsets
from engine.modalities.kernel_steps import prepare_kernels
from engine.modalities.requirements import plan_of, refuse_if_too_large
from engine.modalities.ring_scatter.stage import correct_scatter
from engine.modalities.ring_sinogram_pet import model as ring_sinogram_pet
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.ring_sinogram_pet.requirements import SMALLER, estimate, n_columns_of
from engine.modalities.ring_sinogram_pet.scatter_scan import ScatteringBins, is_supplied
from engine.modalities.ring_sinogram_pet.time_order import found_order
from engine.modalities.ring_sinogram_pet.warm_up import of_bins
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.recon.algorithms.subsets import CountDemand
from engine.recon.model import Model, SystemModel

Context = RunContext[RingSinogramProtocol]


def flow(
    context: Context, resume: Resume | None, finish_early: Callable[[], bool] | None
) -> Stage[Volume]:
    """Read, correct, model, iterate, finish.

    Parameters
    ----------
    context
        inputs and log of the run
    resume
        state of an interrupted run; None for a new run
    finish_early
        returns True if the user wants to stop; None: never
    """
    data, space = yield from read(context)
    mu_grid = None if data.mu_map is None else data.mu_map.grid
    tof = None if data.timed is None else data.scanner.tof
    scatter = context.protocol.corrections.of(BinScatter)
    # Supplied scatter is an ordinary correction, so its kernels are not needed.
    supplied = is_supplied(scatter, data)
    # Without a simulation its bias is reported, unless the counts contain no scatter.
    simulates = scatter.obstacle(data) is None or not ScatteringBins(data).is_clean
    kernels = of_bins(context.on, space.grid, mu_grid, tof, scatter=simulates and not supplied)
    yield from prepare_kernels(context, kernels)
    data = yield from correct(context, data)
    # The order of TOF bins is found after the corrections, which change the likelihood.
    data = yield from ordered(context, data, space)
    if not supplied:  # else it was among the corrections
        data = yield from correct_scatter(context, scatter, ScatteringBins(data))
    # Subsets are fitted after all corrections, because background counts do not help a subset.
    context = yield from fit_subsets(context, demand_of(data, space.grid))
    n_subsets = context.protocol.algorithm.n_parts
    yield context.log.start("sensitivity", _sensitivity_text(n_subsets))
    model = ring_sinogram_pet.build(
        data,
        space.grid,
        n_subsets=n_subsets,
        on=context.on,
        on_progress=context.progress,
        profiler=context.profiler,
    )
    start = ring_sinogram_pet.uniform_start(data, space.grid, model)
    n_lines = len(ring_sinogram_pet.rows_of(data))
    ready = yield from prepare(context, space, model, start, resume, n_lines)
    yield stages.begin(context, resume)
    image, done = yield from stages.iterate(
        context, space, ready, start, resume, finish_early, n_rows=model.A.out_shape[0], rows="bins"
    )
    if context.protocol.error_replicates is None:
        return (yield from stages.finish(context, space, image, done))
    from engine.modalities.error_maps.stage import computed_error  # few runs have an error map

    error = yield from computed_error(
        context, space, model, start, image, done, counts=[model.counts]
    )
    return (yield from stages.finish(context, space, image, done, error))


def _sensitivity_text(n_subsets: int) -> str:
    if n_subsets > 1:
        return f"Computing the sensitivity of each of {n_subsets} subsets"
    return "Computing the sensitivity of all bins"


def read(context: Context) -> Stage[tuple[Sinogram, ImageSpace]]:
    """Read the counts and their auxiliary files, and check that the run fits in memory.

    Parameters
    ----------
    context
        inputs and log of the run

    Raises
    ------
    DataError
        if all bins are zero
    """
    yield context.log.start("read", "Reading the sinograms")
    study, roles = context.study, inputs_of(SINOGRAM_CORRECTIONS)
    with context.profiler.span("read"):
        given = context.scan
        scan = given if isinstance(given, Sinogram) else read_sinogram(study.data)
        if not context.protocol.time_of_flight:
            scan = replace(scan, timed=None)
        data = attach_inputs(context, roles, scan)
    if not data.n_prompts > 0:
        raise DataError(
            f"{study.data.name}: the sinogram has no counts in any bin; choose a sinogram with "
            "counts."
        )
    grid = context.protocol.grid.grid_for(data.scanner)
    needs = estimate(
        context.protocol,
        grid,
        data.layout.n_bins,
        on=device_of(context.on),
        n_columns=n_columns_of(data.auxiliary),
        n_timed=0 if data.timed is None else len(data.timed.counts),
        scan=data,
    )
    # Refuse before the expensive stages, with numbers.
    refuse_if_too_large(needs, grid, SMALLER)
    yield plan_of(context.on, needs, grid)
    context.log.facts = facts_of(data)
    context.log.scanner = data.scanner.fingerprint()
    yield Loaded(f"{data.n_prompts:,.0f} counts, {data.layout.describe()}", context.log.facts)
    yield from stages.report_reader_notes(context, data)
    yield from stages.warn_of_misfit(context, context.protocol.grid.misfit(data.scanner))
    warning = _beyond_times(data, grid)
    if warning:
        yield context.log.warn(warning)
    yield context.log.end("read", bins=data.layout.n_bins)
    axes, stated = data.info.get("axes", "LPS"), data.info.get(STATED_AXES, "")
    return data, ImageSpace(grid, axes=axes, stated_axes=stated)


def correct(context: Context, data: Sinogram) -> Stage[Sinogram]:
    """Describe each effect in the bins, and keep the counts that a model can explain.

    Parameters
    ----------
    context
        run with its protocol
    data
        counts with their auxiliary files
    """
    yield context.log.start("correct", "Preparing the corrections")
    steps = context.protocol.corrections.steps()
    # A simulation needs the result of the other corrections, so it runs in a stage of its own.
    early = [s for s in steps if not isinstance(s, BinScatter) or is_supplied(s, data)]
    data = yield from stages.correct(context, early, data)
    found = ring_sinogram_pet.usable(data)
    if found.n_negative:
        yield context.log.warn(
            "Negative bins are set to 0 (number of bins: "
            f"{found.n_negative:,}, sum: {found.negative:,.0f} counts). The sinogram was corrected "
            "before, so its noise is no longer Poisson noise."
        )
    if found.n_dropped:
        yield context.log.warn(f"{found.n_dropped:,.0f} counts in dead bins are not used.")
    yield context.log.end("correct")
    yield from context.profiled()
    return found.data


def ordered(context: Context, data: Sinogram, space: ImageSpace) -> Stage[Sinogram]:
    """Find the direction of the TOF bins if the file does not state it.

    Parameters
    ----------
    context
        run with its log
    data
        corrected counts
    space
        grid of the image
    """
    if data.timed is None or data.timed.is_ordered:
        return data
    with context.profiler.span("correct"):
        found = found_order(data, space.grid, on=context.on)
    yield context.log.applied(
        "time_of_flight",
        f"TOF bins run {found.text}, as found from the counts (log-likelihood "
        f"{found.gain:,.0f} above the second best order)",
    )
    if not found.is_sure:
        yield context.log.warn(
            "The file does not state the direction of its TOF bins, and the counts "
            "do not show it reliably. Compare the image with one that is reconstructed without "
            "TOF data.",
            is_assumption=True,
        )
    return replace(data, timed=data.timed.in_order(found.numbers))


def demand_of(data: Sinogram, grid: ImageGrid) -> CountDemand:
    """Return the counts of a corrected sinogram, and the counts that subsets need.

    Parameters
    ----------
    data
        corrected counts, whose background is subtracted
    grid
        grid of the image
    """
    background = 0.0 if data.background is None else total(data.background)
    tof = None if data.timed is None else data.scanner.tof
    return ring_demand(max(data.n_prompts - background, 0.0), grid, tof)


def _beyond_times(data: Sinogram, grid: ImageGrid) -> str | None:
    """Return a warning if the image is wider than the TOF bins reach; None if it is not."""
    tof = data.scanner.tof
    if data.timed is None or tof is None:
        return None
    # Bins of a narrow range lose the counts outside it, so these voxels read too low.
    reach, wide = tof.n_bins * tof.bin_mm, max(grid.size_mm[:2])
    if reach >= wide:
        return None
    return (
        f"The TOF bins cover {reach:.0f} mm along a line, the image is {wide:.0f} mm "
        "wide. Activity outside them reads too low. Choose a smaller diameter, or "
        "switch off time of flight."
    )


def prepare(
    context: Context,
    space: ImageSpace,
    model: SystemModel,
    start: Array,
    resume: Resume | None,
    n_lines: int,
) -> Stage[Model]:
    """Compute the sensitivity of every subset.

    Parameters
    ----------
    context
        run with its log
    space
        grid of the image
    model
        system model
    start
        start image of a new run
    resume
        state of an interrupted run; None for a new run
    n_lines
        number of live lines, for the log
    """
    if context.progress is not None:
        context.progress.begin("sensitivity", 1, context.protocol.algorithm.n_parts)
    ready = stages.with_sensitivities(context, space, model, start, resume)
    yield context.log.end("sensitivity", lines=n_lines)
    yield from context.profiled()
    return ready


def facts_of(data: Sinogram) -> Plain:
    """Return facts of a scan for the window and the provenance, as JSON values.

    Parameters
    ----------
    data
        counts as read
    """
    return {
        "scanner": data.scanner.name,
        "crystals": data.scanner.describe(),
        "bins": data.layout.describe(),
        "prompts": data.n_prompts,
        "duration_s": data.duration_s,
        **({} if data.timed is None else {"tof_bins": data.timed.n_times}),
        **data.info,
        **position_facts(data.info),
    }
