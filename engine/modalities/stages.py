"""Stages of every run: apply corrections, iterate, finish. Each is a generator of events.

The log of the `RunContext` collects their results for the provenance.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of, to_host
from engine.core.backend import Backend
from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.corrections.base import Correction
from engine.data.runs.events import Corrected, EarlyPreview, Event, Preview, Profiled, StageStarted
from engine.data.runs.history import PenalisedFigures
from engine.data.runs.record import RecordedRun
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.safety.cut_off import EVENTS
from engine.modalities.reader_notes import report_notes, with_lost_inputs
from engine.modalities.run_end import Until, completed
from engine.protocols.run_context import provenance
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.unstated import unstated_in
from engine.recon.algorithms.driver import Step, solve
from engine.recon.model import Model
from engine.recon.postprocess import Filter

if typing.TYPE_CHECKING:
    from engine.data.error_map import ErrorMap
    from engine.recon.model import SystemModel

MAX_LOWERED = 0.05
"""Share of the total that a prior may remove without a warning."""
T = TypeVar("T")
D = TypeVar("D")
Stage = Generator[Event, None, T]


class ScanWithNotes(typing.Protocol):
    """A scan with the notes of its reader."""

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def info(self) -> Plain: ...


def report_reader_notes(context: RunContext[Protocol], data: ScanWithNotes) -> Iterator[Event]:
    """Report the notes of the readers.

    Parameters
    ----------
    context
        run with its log
    data
        scan as read
    """
    # Settings that the file of the protocol leaves open are reported with the notes.
    yield from report_notes(context, (*data.notes, *unstated_in(context.protocol)))
    # A truncated file counts as a correction, because its last events are missing from the image.
    if EVENTS in data.info:
        yield context.log.applied(EVENTS, f"{data.info[EVENTS]:,} from a truncated file")


say_notes = report_reader_notes
"""Name in plug-ins that were copied from earlier templates."""


def warn_of_misfit(context: RunContext[Protocol], why: str) -> Iterator[Event]:
    """Warn that the protocol does not match the scan.

    Parameters
    ----------
    context
        run with its log
    why
        sentence for the user; empty if it matches
    """
    if why:
        yield context.log.warn(why)


def correct(context: RunContext[Protocol], steps: Sequence[Correction[D]], data: D) -> Stage[D]:
    """Apply corrections, and report the effect of each, or the reason if it had none.

    Parameters
    ----------
    context
        run with its log
    steps
        corrections in the order in which they run
    data
        counts or projections

    Raises
    ------
    DataError
        if a correction that is switched on cannot be done
    """
    for step in steps:
        # Corrections return a copy, so the state before is still available for the report.
        before = data
        with context.profiler.span("correct"):
            data, event = _apply(step, data, context.on)
        yield context.log.corrected(event)
        # A doubtful result is still used; the user can look at it and decide.
        if event.state == "applied" and (doubt := step.doubt(before, data)):
            yield context.log.warn(doubt, step.kind, is_assumption=step.doubt_is_assumption)
    return data


def _apply(correction: Correction[D], data: D, on: Backend) -> tuple[D, Corrected]:
    if correction.use == "off":
        return data, Corrected(correction.kind, "off", "switched off in the protocol")
    obstacle = correction.obstacle(data)
    # "off" is checked first: an obstacle does not matter to a correction that is not wanted.
    if obstacle is None:
        after = correction.apply(data, on=on)
        return after, Corrected(correction.kind, "applied", correction.summary(data, after))
    if correction.use == "on":
        # Without an obstacle the user would never learn that a required correction is missing.
        raise correction.refusal(obstacle)
    needless = correction.is_needless(data)
    return data, Corrected(correction.kind, "unavailable", obstacle, is_needless=needless)


def begin(context: RunContext[Protocol], resume: Resume | None) -> StageStarted:
    """Start the iterations, and state where a resumed run continues.

    Parameters
    ----------
    context
        run with its log
    resume
        state of an interrupted run; None for a new run
    """
    algorithm = context.protocol.algorithm
    text = algorithm.describe()
    # Times of the interrupted run are included, so that the rate of updates is right.
    if resume is not None:
        n_updates = algorithm.n_iterations * algorithm.n_subsets
        of = f"{'at most ' if algorithm.may_end_early else ''}{n_updates:,}"
        text += f"; resuming after {resume.done:,} of {of} updates (their time is included)"
    return context.log.start("reconstruct", text)


def iterate(
    context: RunContext[Protocol],
    space: ImageSpace,
    model: Model,
    image: NDArray[np.float32],
    resume: Resume | None,
    finish_early: Callable[[], bool] | None,
    *,
    n_rows: int,
    rows: str = "events",
    is_fused: bool = False,
    support: NDArray[np.bool_] | None = None,
) -> Stage[tuple[NDArray[np.float32], int]]:
    """Run the algorithm from an image, or from the state of an interrupted run.

    Parameters
    ----------
    context
        run with its algorithm and log
    space
        grid and unit of the image
    model
        system model
    image
        start image
    resume
        state of an interrupted run; None for a new run
    finish_early
        returns True if the user wants to stop; None: never
    n_rows
        number of rows of data in an iteration
    rows
        name of these rows, for the log
    is_fused
        True if projection and back projection are one pass over the data
    support
        voxels that may be active; None for all. Filters between iterations move activity that they
        blur out of the support back into it

    Returns
    -------
    image, done
        the final image, and the number of updates
    """
    algorithm, progress, log = context.protocol.algorithm, context.progress, context.log
    model = model_for(context, space, model, image)
    # Frames of one run can have different numbers of subsets.
    log.begin_iterations(algorithm.n_subsets)
    image, done = start_of(image, resume)
    until = Until(finish_early)
    # A resumed run has its first iteration behind it, in which skipped events are counted.
    if done >= algorithm.n_subsets:
        yield from _warn_of_skipped(context)
    if progress is not None:
        n_updates = algorithm.n_iterations * algorithm.n_subsets
        # Estimates of the algorithm count projections and back projections one by one.
        divisor = 2 if is_fused else 1
        # A step of MAP is a pass over all subsets, which report one by one.
        parts = algorithm.n_parts // algorithm.n_subsets
        passes = parts * algorithm.passes // divisor
        subsets = algorithm.n_parts if algorithm.is_penalised else 1
        before = -(-subsets * algorithm.passes_before // divisor)
        progress.begin("reconstruct", n_updates, passes, done=done, before=before)
    if not done:
        yield from _early(context, space, model, image)
    # A run that was interrupted after its last iteration must not add another one.
    steps = () if log.history.ends else solve(
        algorithm,
        model,
        image,
        done=done,
        so_far=context.log.history.so_far,
        between=between(context, space.grid, support),
        finish_early=until,
    )  # fmt: skip
    clock = perf_counter()
    for step in steps:
        done = step.update
        if progress is not None:
            progress.reach(done)
        ends_iteration = step.subset == algorithm.n_subsets
        # The residual belongs to the image before the update, so it is known one update later.
        residual = step.residual if ends_iteration else None
        seconds = perf_counter() - clock
        context.log.add_time("reconstruct", seconds)
        # Copying an image from a GPU takes time, hence not after every subset.
        if ends_iteration or step.ends or context.log.may_preview(context.on):
            image = step.image
            yield from _report(context, space, step, seconds, residual)
            yield from context.profiled()
        # Pauses, drawing and saving do not count as time of the algorithm.
        clock = perf_counter()
    if progress is not None:
        progress.end()
    ends = log.history.ends
    if ends:
        yield _report_stop(context, done // algorithm.n_subsets)
    elif algorithm.is_penalised and not until.is_reached:
        yield from _warn_of_distance(context)
    if algorithm.is_penalised:
        yield from _report_prior(context)
    # Recorded before the final scaling, which can raise a warning.
    log.conclude(*until.ending_of(algorithm, done, ends))
    image = yield from completed(context, model, image)
    spent = context.log.history.seconds.get("reconstruct", 0.0)
    # Guard against a division by zero if a resumed run had nothing left to do.
    rate = n_rows * done / algorithm.n_subsets / max(spent, 1e-9)
    yield context.log.measured("reconstruct", **{rows: n_rows, f"{rows}_per_second": rate})
    return image, done


def model_for(
    context: RunContext[Protocol], space: ImageSpace, model: Model, start: Array
) -> Model:
    """Return the model of a run; a penalised algorithm needs more than that of the data.

    Parameters
    ----------
    context
        run with its algorithm
    space
        grid of the image
    model
        model of the data
    start
        (n_z, n_y, n_x) start image of a new run
    """
    if not context.protocol.algorithm.is_penalised:
        return model
    from engine.recon.model import MapModel

    # It can come from an earlier stage.
    if isinstance(model, MapModel):
        return model
    spacing_mm = space.grid.voxel_mm[::-1]
    return MapModel.of(cast("SystemModel", model), spacing_mm, start, context.on.threads)


def with_sensitivities(
    context: RunContext[Protocol],
    space: ImageSpace,
    model: SystemModel,
    start: Array,
    resume: Resume | None,
) -> Model:
    """Return a model of counts with the sensitivity of each subset.

    Parameters
    ----------
    context
        run with its algorithm
    space
        grid of the image
    model
        model of the counts
    start
        (n_z, n_y, n_x) start image of a new run
    resume
        state of an interrupted run; None for a new run
    """
    algorithm = context.protocol.algorithm
    if algorithm.is_penalised:
        penalised = model_for(context, space, model, start)
        penalised.objective(algorithm.n_parts)  # computes the sensitivities, and stores them
        return penalised
    from engine.recon.model import ReadyModel

    return ReadyModel.of(model, start_of(start, resume)[0], algorithm.n_subsets)


def start_of(uniform: Array, resume: Resume | None) -> tuple[Array, int]:
    """Return the image that iterations start from, and its number of updates.

    Parameters
    ----------
    uniform
        start image of a new run
    resume
        state of an interrupted run; None for a new run

    Raises
    ------
    GeometryError
        if the image of the checkpoint has another shape
    """
    if resume is None:
        return uniform, 0
    if resume.image.shape != uniform.shape:
        raise GeometryError(
            f"the image in the checkpoint has the shape {resume.image.shape} (z, y, x), but the "
            f"grid has {uniform.shape}; resume with the protocol of the original run."
        )
    return resume.image, resume.done


def _early(
    context: RunContext[Protocol], space: ImageSpace, model: Model, start: NDArray[np.float32]
) -> Iterator[Event]:
    """Show an image before the first update if the algorithm offers one."""
    clock = perf_counter()
    algorithm = context.protocol.algorithm
    image = algorithm.early_image(model, start)
    context.log.add_time("reconstruct", perf_counter() - clock)
    # The first update refuses bad values, with advice.
    if image is not None and bool(module_of(image).isfinite(image).all()):
        volume = space.volume(to_host(image))
        yield EarlyPreview(volume, algorithm.early_text, run=context.record(0))


def _report(
    context: RunContext[Protocol],
    space: ImageSpace,
    step: Step,
    seconds: float,
    residual: float | None,
) -> Iterator[Event]:
    algorithm = context.protocol.algorithm
    at = step.optimality
    penalised = None if at is None else PenalisedFigures(*at.figures)
    history = context.log.history.extended(step.log_likelihood, residual, penalised)
    ends = step.ends or (at.reached if at is not None else "")
    # Each iteration counts skipped events again; only the first count is meaningful.
    n_skipped = step.n_skipped if step.iteration == 1 else history.n_skipped
    context.log.history = replace(history, so_far=step.so_far(), n_skipped=n_skipped, ends=ends)
    if step.iteration == 1:
        yield from _warn_of_skipped(context)
    yield Preview(
        space.volume(step.image),
        step.iteration,
        algorithm.n_iterations,
        step.subset,
        algorithm.n_subsets,
        seconds,
        step.log_likelihood,
        residual,
        context.log.history,
        run=context.record(step.update / algorithm.n_subsets),
    )


def _report_stop(context: RunContext[Protocol], n_done: int) -> Corrected:
    """Report that no more iterations follow, and why."""
    of = context.protocol.algorithm.n_iterations
    text = f"ended after {n_done} of at most {of} iterations: {context.log.history.ends}"
    return context.log.applied("iterations", text)


def _report_prior(context: RunContext[Protocol]) -> Iterator[Event]:
    """Report the strength of the prior and its effect on the total; warn if that is large."""
    figures = context.log.history.penalised
    if not figures:
        return
    share = figures[-1].lowered
    strength = figures[-1].strength
    text = f"strength {strength:.2g}; it lowers the total of the image by {100 * share:.2g} %"
    yield context.log.applied("prior", text)
    if share > MAX_LOWERED:
        yield context.log.warn(
            f"The prior lowers the total of the image by {100 * share:.2g} %, because there are "
            "few counts. Measure longer, use larger voxels, or choose a sharper image."
        )


def _warn_of_distance(context: RunContext[Protocol]) -> Iterator[Event]:
    """Warn if the last iteration of a penalised algorithm did not reach its optimum."""
    figures = context.log.history.penalised
    if not figures:
        return
    change, limit = 100 * figures[-1].change, 100 * figures[-1].limit
    if change > limit:
        yield context.log.warn(
            f"The optimum was not reached in {len(figures)} iterations. Regions still change by "
            f"{change:.2g} % per iteration, and the limit is {limit:g} %. Increase the maximum "
            "number of iterations, or choose a smoother image."
        )
        return
    yield context.log.warn(
        f"The optimum was not reached in {len(figures)} iterations. The objective still rises. "
        "Increase the maximum number of iterations, or choose a smoother image."
    )


def _warn_of_skipped(context: RunContext[Protocol]) -> Iterator[Event]:
    """Warn after the first iteration about events that it skipped; later ones skip the same."""
    n_skipped = context.log.history.n_skipped
    if n_skipped:
        yield context.log.warn(
            f"{n_skipped:,} events cross no activity and no background in the first "
            "iteration and are not used."
        )


def between(
    context: RunContext[Protocol], grid: ImageGrid, support: NDArray[np.bool_] | None
) -> Callable[[Array], Array] | None:
    """Return the filter between iterations; None if the protocol has none, or no iterations.

    Parameters
    ----------
    context
        run with its filters
    grid
        grid of the image
    support
        voxels that may be active; None for all. Activity that the filter blurs out of the support
        is moved back into it
    """
    filters = context.protocol.between
    if not filters or context.protocol.algorithm.direct:
        return None

    def change(image: Array) -> Array:
        filtered = _filtered(context, filters, image, grid)
        if support is None:
            return filtered
        # Scaling to the filtered total keeps the number of counts in the image.
        inside = filtered * module_of(image).asarray(support)
        return inside * (filtered.sum() / max(inside.sum(), 1e-30))

    return change


def _filtered(
    context: RunContext[Protocol],
    filters: Sequence[Filter],
    image: Array,
    grid: ImageGrid,
) -> Array:
    if not filters:
        return image
    with context.profiler.span("filter"):
        for each in filters:
            image = each.apply(image, grid.voxel_mm)
    return image


def finish(
    context: RunContext[Protocol],
    space: ImageSpace,
    image: NDArray[np.float32],
    done: int,
    error: ErrorMap | None = None,
) -> Stage[Volume]:
    """Apply the final filters to an image and record its provenance.

    Parameters
    ----------
    context
        run with its log
    space
        grid and unit of the image
    image
        image after the last update
    done
        number of updates
    error
        error of the finished image; None if it is not known
    """
    log = context.log
    # A direct algorithm has no iterations that could set the end.
    if log.ending == "running":
        log.conclude("done")
    yield log.start("finish", "Finishing the image")
    image = finished_image(context, space, image)
    yield log.end("finish")
    run = context.record(done / context.protocol.algorithm.n_subsets)
    volume = yield from conclude(context, space.finished, image, run)
    return volume if error is None else replace(volume, error=error.of_values(volume.values))


def finished_image(context: RunContext[Protocol], space: ImageSpace, image: Array) -> Array:
    """Return an image after the final filters, in the unit of the finished image.

    Parameters
    ----------
    context
        run with its filters
    space
        grid, unit and calibration
    image
        image after the last update
    """
    image = _filtered(context, context.protocol.finishing, image, space.grid)
    if space.finished_unit:
        # Multiplied in float64 and rounded once, so that the calibration adds no error of its own.
        image = (image * np.float64(space.per_value)).astype(np.float32)
    return np.ascontiguousarray(image, np.float32)


def conclude(
    context: RunContext[Protocol], space: ImageSpace, image: NDArray[np.float32], run: RecordedRun
) -> Stage[Volume]:
    """Return a finished image with its provenance.

    Parameters
    ----------
    context
        run with its log
    space
        grid and unit of the image
    image
        finished image
    run
        record of the run
    """
    # The profile is taken before hashing, which is not part of the reconstruction.
    yield Profiled(profile := context.profiler.snapshot())
    info = provenance.build(
        context.study,
        run=run,
        scanner_fingerprint=context.log.scanner,
        facts=context.log.facts,
        history=context.log.history,
        tuned_kernels=context.on.used_variants.words,
        ended_utc=datetime.now(UTC),
        grid=space.grid,
        output_sha256=provenance.hash_array(image),
        read=context.read,
    )
    info = yield from with_lost_inputs(context, info, run)
    return space.volume(image, info | {"profile": profile.as_dict()})
