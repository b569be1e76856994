"""Steps of a list-mode PET run, from file to volume.

Each stage takes a value, reports its work, and returns the next value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from engine.core.errors import DataError, SettingsError
from engine.core.json_types import Plain
from engine.core.paths import cached_dir
from engine.corrections import CORRECTIONS
from engine.corrections.base import inputs_of
from engine.corrections.calibration import (
    APPLIED,
    ActivityConcentration,
    concentration_of,
    efficiencies_digest,
)
from engine.corrections.resolution import Resolution
from engine.corrections.scatter import Scatter
from engine.data.calibration import scanner_digest
from engine.data.input_role import with_auxiliary
from engine.data.listmode import ListMode
from engine.data.patient_position import STATED_AXES, position_facts
from engine.data.runs.events import Loaded
from engine.data.timing.frame_request import FrameRequest
from engine.data.timing.time_division import FrameShares, TimeDivision, counts_of_frames, length_ms
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities import stages
from engine.modalities.attaching import attach_inputs
from engine.modalities.fit_subsets import report_subsets, without_open_filters
from engine.modalities.kernel_steps import Steps, prepare_kernels
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.auto_settings import demand_of, fitted
from engine.modalities.listmode_pet.iterations import in_units, iterated
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.reading import in_files, needs_of, stored
from engine.modalities.listmode_pet.scatter_scan import ScatteringEvents, needs_simulation
from engine.modalities.listmode_pet.sensitivity import Sensitivity, compute_sensitivity
from engine.modalities.listmode_pet.sensitivity_cache import keep, key_of, load
from engine.modalities.listmode_pet.sieve import RIM_WARNING, sieved
from engine.modalities.listmode_pet.trigger_times import TRIGGERS
from engine.modalities.listmode_pet.warm_up import of_events
from engine.modalities.requirements import plan_of, refuse_if_too_large
from engine.modalities.ring_scatter.stage import correct_scatter
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.recon.algorithms import Algorithm

Context = RunContext[ListModeProtocol]


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
    _refuse_distributed(context)
    data, space = yield from read(context)
    yield from prepare_kernels(context, kernels_of(context, data, space.grid))
    # Frames come first: a request that does not match the scan fails before the long stages.
    division = yield from divide(context, data)
    lines = yield from correct_lines(context, data)
    prompts = yield from correct_counts(context, lines)
    context, of_frames = yield from fit(context, data, prompts, division)
    # The filter in the model widens the point spread, so it comes before the sensitivity.
    prompts = yield from model_filter(context, prompts, space.grid)
    sensitivity = yield from measure_sensitivity(context, prompts, space.grid)
    if context.divide is not None:
        yield context.log.applied("updates", _shared_out(context.divide.n_parts))
    yield stages.begin(context, resume)
    if division is not None:
        # Only a dynamic run loads these modules.
        from engine.modalities.listmode_pet.dynamic import FramedScan, dynamic

        shares = FrameShares.of(data, division)
        scan = FramedScan(prompts, lines.background, division, shares, of_frames)
        return (yield from dynamic(context, space, scan, sensitivity, resume, finish_early))
    units = in_units(space, prompts)
    image, done, error = yield from iterated(
        context, units, prompts, sensitivity, resume, finish_early
    )
    return (yield from stages.finish(context, units, image, done, error))


def _refuse_distributed(context: Context) -> None:
    """Refuse an algorithm that workers of a cluster cannot compute."""
    algorithm = context.protocol.algorithm
    if context.divide is not None and algorithm.is_penalised:
        raise SettingsError(
            f"{algorithm.title} cannot run on a cluster; choose OSEM, or reconstruct the study on "
            "one machine."
        )


def _shared_out(n_parts: int) -> str:
    parts = "part" if n_parts == 1 else "parts"
    return (
        f"distributed to the workers of a cluster in {n_parts} {parts} and added in "
        "integers; the values equal those of one machine"
    )


def read(context: Context) -> Stage[tuple[ListMode, ImageSpace]]:
    """Read a scan and its auxiliary files, and check that the run fits in memory.

    Parameters
    ----------
    context
        inputs and log of the run

    Returns
    -------
    read
        the scan, and the space of its image

    Raises
    ------
    DataError
        if the scan has no prompts
    """
    yield context.log.start("read", "Reading the scan")
    study, protocol = context.study, context.protocol
    with context.profiler.span("read") as amounts:
        # A scan that is already in memory, such as a simulated one, is not read again.
        data = context.scan if isinstance(context.scan, ListMode) else stored(context)
        amounts.events = data.n_events
    if data.n_prompts == 0:
        raise DataError(
            f"{study.data.name}: none of the {data.n_events} events is a prompt; choose a scan "
            "with prompts."
        )
    grid = protocol.grid.grid_for(data.scanner)
    data = attach_inputs(context, (*inputs_of(CORRECTIONS), TRIGGERS), data)
    requirements = needs_of(context, data, grid)
    refuse_if_too_large(requirements, grid)
    # Auxiliary files can raise the need for memory, so events may still have to move to files.
    if requirements.disk_bytes and data.n_ordered is None:
        from engine.modalities.listmode_pet.spatial_sort import ScanInMemory  # few scans need it

        data = in_files(context, ScanInMemory(data))
    wanted = FrameRequest.of(protocol.frames)
    n_frames = 0 if wanted is None else wanted.n_frames_within(data)
    yield plan_of(context.on, requirements, grid, n_frames)
    if not protocol.time_of_flight:
        data = listmode_pet.without_tof(data)
    context.log.facts = facts_of(data)
    context.log.scanner = data.scanner.fingerprint()
    yield Loaded(f"{data.n_prompts:,} prompts, {data.scanner.describe()}", context.log.facts)
    yield from stages.report_reader_notes(context, data)
    yield from stages.warn_of_misfit(context, protocol.grid.misfit(data.scanner))
    yield context.log.end("read", events=data.n_events)
    yield from context.profiled()
    axes, stated = data.info.get("axes", "LPS"), data.info.get(STATED_AXES, "")
    return data, ImageSpace(grid, axes=axes, stated_axes=stated)


def kernels_of(context: Context, data: ListMode, grid: ImageGrid) -> Steps:
    """Return calls that compile the kernels of a run.

    Parameters
    ----------
    context
        run with its protocol
    data
        scan with its μ-map
    grid
        grid of the image
    """
    return of_events(
        context.on,
        grid,
        None if data.tof_bins is None else data.scanner.tof,
        reproducible=context.protocol.reproducible,
        mu_map=None if data.mu_map is None else data.mu_map.grid,
        scatter=needs_simulation(data),
    )


def divide(context: Context, data: ListMode) -> Stage[TimeDivision | None]:
    """Return the frames or gates of the protocol; None for a single image.

    Parameters
    ----------
    context
        run with its protocol
    data
        scan in the order of time
    """
    wanted = FrameRequest.of(context.protocol.frames)
    if wanted is None:
        return None
    division = wanted.divide(data)
    warning = wanted.warning(division.frames)
    if warning:
        yield context.log.warn(warning)
    return division


def correct_lines(context: Context, data: ListMode) -> Stage[ListMode]:
    """Describe each effect in the data, then sort the prompts that a model can explain.

    Parameters
    ----------
    context
        run with its protocol
    data
        scan with its auxiliary files

    Returns
    -------
    correct_lines
        prompts on live lines, sorted in space
    """
    yield context.log.start("correct", "Preparing the corrections")
    data = yield from _effects(context, data)
    # Corrections of lines come before sorting: prompts on dead lines are then removed.
    with context.profiler.span("sort", events=data.n_prompts):
        # Neither reproducible results nor an optimum may depend on the order in the file.
        protocol = context.protocol
        by_content = protocol.reproducible or protocol.algorithm.is_penalised
        prepared = listmode_pet.prepare(data, on=context.on, by_content=by_content)
    if prepared.n_dropped:
        yield context.log.warn(
            f"{prepared.n_dropped:,} prompts on gaps, on dead crystals or outside the "
            "field of view of the scanner are not used."
        )
    yield context.log.end("correct")
    yield from context.profiled()
    return prepared.data


def correct_counts(context: Context, lines: ListMode) -> Stage[ListMode]:
    """Estimate the scatter of sorted prompts, and determine the unit of their image.

    Parameters
    ----------
    context
        run with its protocol
    lines
        sorted prompts with all other corrections
    """
    scatter = context.protocol.corrections.of(Scatter)
    scan = ScatteringEvents(lines, reproducible=context.protocol.reproducible)
    prompts = yield from correct_scatter(context, scatter, scan)
    return (yield from _units(context, prompts))


def _effects(context: Context, data: ListMode) -> Stage[ListMode]:
    """Apply all corrections but scatter, which needs sorted prompts, and the unit after it."""
    steps = context.protocol.corrections.steps()
    early = [step for step in steps if not isinstance(step, Scatter | ActivityConcentration)]
    return (yield from stages.correct(context, early, data))


def _units(context: Context, prompts: ListMode) -> Stage[ListMode]:
    """Determine the unit, which depends on the corrections that were applied."""
    units = context.protocol.corrections.of(ActivityConcentration)
    # A calibration is only valid with the corrections of its own cylinder scan.
    prompts = with_auxiliary(prompts, APPLIED, context.log.kinds_applied)
    prompts = yield from stages.correct(context, [units], prompts)
    found = concentration_of(prompts)
    if found is not None:
        context.log.facts["concentration"] = found.facts
        # Remarks about the calibration belong to the units, whose mark then turns yellow.
        for note in found.notes:
            yield context.log.warn(note, about=units.kind)
    return prompts


def fit(
    context: Context, data: ListMode, prompts: ListMode, division: TimeDivision | None
) -> Stage[tuple[Context, tuple[Algorithm, ...]]]:
    """Complete the settings that the protocol leaves to the scan, and report them.

    Parameters
    ----------
    context
        run with its protocol
    data
        scan as read
    prompts
        corrected prompts
    division
        frames of the scan; None for a single image

    Returns
    -------
    context, algorithms
        the run with the completed protocol, and the algorithm of each frame
    """
    sharpened, of_frame, of_frames = prompts.point_spread is not None, None, None
    wanted = FrameRequest.of(context.protocol.frames)
    # The report states how cycles were accepted, because it decides which events count.
    if wanted is not None and wanted.gates is not None:
        words = wanted.gates.warning(data.triggers, length_ms(data))
        yield context.log.applied("gates", words)
    if division is not None:
        # The median frame decides, so that a long last frame does not set the filter of all.
        of_frames = counts_of_frames(data, division)
        of_frame = int(np.median(of_frames))
    context = yield from without_open_filters(context)
    protocol, words = fitted(context.protocol, data, sharpened=sharpened, of_frame=of_frame)
    if words:
        context.log.fitted = words
        yield context.log.applied("defaults", words)
    before, demand = context.protocol.algorithm, partial(demand_of, protocol, data)
    study = context.study.model_copy(update={"protocol": protocol})
    context = replace(context, study=study)
    if of_frames is not None:
        from engine.modalities.listmode_pet.frame_subsets import fit_frames  # dynamic scans only

        demands = [demand(float(n)) for n in of_frames]
        return context, (yield from fit_frames(context, before, demands))
    # Fewer prompts than subsets would leave a subset empty, which clears the image.
    listmode_pet.refuse_empty_subsets(prompts, protocol.algorithm.n_parts)
    n_counts = max(data.n_prompts - data.n_delayed, 0)
    yield from report_subsets(context, before, protocol.algorithm, demand(n_counts))
    return context, ()


def model_filter(context: Context, prompts: ListMode, grid: ImageGrid) -> Stage[ListMode]:
    """Add the final filter to the model if the protocol requires it, and warn of its artefact.

    Parameters
    ----------
    context
        run with its protocol
    prompts
        corrected prompts
    grid
        grid of the image
    """
    filtered = sieved(context.protocol, prompts, grid.voxel_mm)
    if filtered is not prompts:
        yield context.log.warn(RIM_WARNING, about=Resolution.kind)
    return filtered


def measure_sensitivity(context: Context, prompts: ListMode, grid: ImageGrid) -> Stage[Sensitivity]:
    """Compute the sensitivity image, or read it from the cache.

    Parameters
    ----------
    context
        run with its protocol
    prompts
        corrected prompts, for their line factors
    grid
        grid of the image
    """
    yield context.log.start("sensitivity", "Computing the sensitivity of the scanner")
    settings, exact_sums = context.protocol.sensitivity, context.protocol.reproducible
    folder = cached_dir("sensitivity")
    # Integer sums are the same on every device; other sums depend on its rounding.
    rounds = None if exact_sums else context.on
    key = key_of(prompts, grid, settings, on=rounds)
    # The cache saves minutes for scanners with many lines.
    with context.profiler.span("sensitivity"):
        found = load(folder, key, grid)
        sensitivity = found or compute_sensitivity(
            prompts,
            grid,
            settings,
            on=context.on,
            reproducible=exact_sums,
            on_progress=context.ticker("sensitivity"),
        )
    if found is None:
        keep(folder, key, sensitivity)
    context.log.facts["sensitivity"] = sensitivity.describe()
    yield context.log.end(
        "sensitivity",
        lines=sensitivity.n_traced,
        error_percent=sensitivity.error_percent,
        from_cache=found is not None,
    )
    return sensitivity


def facts_of(data: ListMode) -> Plain:
    """Return facts of a scan for the window and the provenance, as JSON values.

    Parameters
    ----------
    data
        scan as read
    """
    return {
        "scanner": data.scanner.name,
        "crystals": data.scanner.describe(),
        "prompts": data.n_prompts,
        "delayeds": data.n_delayed,
        "duration_s": data.duration_s,
        "time_of_flight": data.tof_bins is not None,
        "scanner_sha256": scanner_digest(data.scanner),
        "efficiencies_sha256": efficiencies_digest(data),
        **data.info,
        **position_facts(data.info),
    }
