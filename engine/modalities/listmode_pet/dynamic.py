"""Reconstruct time frames or gates, and share the work that they have in common.

Events are corrected and sorted for the whole scan, the sensitivity is the same for all; a frame
takes its events and its parts of the background (`engine.data.timing.time_division`). In Bq/mL,
values are those at the moment of reference of the whole scan: of a frame with parts from t_i, d_i
long,

    C_f = (per count/mm of its length d = Σ d_i and decay within that) x_f / (l_f r_f)
    l_f = Σ d_i 2^(−t_i / T½) / F(d_i) · F(d) / d,    F as in `engine.data.timing.decay`

with r_f the part of it that was alive, against the scan (`engine.data.timing.live_time`). Of one
part, l = 2^(−t / T½).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.corrections.calibration import ActivityConcentration, concentration_of
from engine.corrections.normalisation import Normalisation
from engine.data.calibration import CONCENTRATION
from engine.data.listmode import ListMode
from engine.data.runs.events import Measured, Preview
from engine.data.timing.time_division import FrameShares, TimeDivision, length_ms
from engine.data.timing.time_frames import TimeFrame, join_up
from engine.data.volume import Volume
from engine.modalities import stages
from engine.modalities.fit_subsets import with_algorithm
from engine.modalities.listmode_pet.iterations import Context, in_units, iterated
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import ImageSpace, Resume
from engine.recon.algorithms import Algorithm

Image = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FramedScan:
    """Corrected prompts of a whole scan, and its frames.

    Attributes
    ----------
    prompts : sorted, with all corrections
    unscattered : (n,) their expected background without scatter; None: nothing
    division : division of its time
    shares : shares of the background
    algorithms : algorithms of each frame; all make the same number of updates
    """

    prompts: ListMode
    unscattered: NDArray[np.float32] | None
    division: TimeDivision
    shares: FrameShares
    algorithms: tuple[Algorithm, ...]

    @property
    def frames(self) -> tuple[TimeFrame, ...]:
        """One after the other."""
        return self.division.frames

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """(n,) frame of each prompt, -1 where none holds it."""
        prompts = self.prompts
        times = np.asarray(prompts.time_ms)
        return prompts.storage.filled(
            prompts.n_events, np.int32, lambda rows: self.division.place_of(times[rows])
        )

    def part(self, k: int) -> ListMode:
        """Return the prompts of a frame, with what they expect of the background."""
        frame, prompts, early = self.frames[k], self.prompts, self.unscattered

        def is_in(rows: slice) -> NDArray[np.bool_]:
            return np.asarray(self.places[rows] == k)

        shares = self.shares.randoms[k], self.shares.scatter[k]
        if prompts.background is not None:
            whole = np.asarray(prompts.background)

            def expected(rows: slice) -> NDArray[np.float64]:
                unscattered = 0.0 if early is None else early[rows]
                return shares[0] * unscattered + shares[1] * (whole[rows] - unscattered)

            prompts = replace(prompts, background=prompts.column(expected))
        return replace(prompts.select_where(is_in), duration_s=frame.duration_s)

    @property
    def n_left_out(self) -> int:
        """Prompts that no frame holds."""
        return int(np.count_nonzero(self.places < 0))

    def left_out(self) -> str:
        """Say what no frame holds; empty if they hold all."""
        n = self.n_left_out
        if not n:
            return ""
        return f"{n:,} of {self.prompts.n_events:,} prompts {self._where_left()} and are not used."

    def _where_left(self) -> str:
        last = self.frames[-1]
        if last.gate:
            return "lie outside the accepted cycles"
        if join_up(self.frames):
            return f"came after the last frame ({last.describe()})"
        return f"lie outside the {len(self.frames)} frames"


def dynamic(
    context: Context,
    space: ImageSpace,
    scan: FramedScan,
    sensitivity: Sensitivity,
    resume: Resume | None,
    finish_early: Callable[[], bool] | None,
) -> Stage[Volume]:
    """Reconstruct one frame after the other; the last preview of each is its finished image.

    Returns the sum of the frames, or in Bq/mL their mean weighted by their lengths.
    """
    context = replace(context, progress=None)  # it counts the updates of one image
    n, per_frame = len(scan.frames), _updates(scan.algorithms[0])
    left_out = scan.left_out()
    if left_out:
        yield context.log.warn(left_out)
    images = [found.volume.values for found in resume.frames] if resume else []
    images = images[: resume.done // per_frame] if resume else []
    units = in_units(space, scan.prompts)
    if units.finished_unit:
        _refuse_dead(context, scan)
    for k in range(len(images), n):
        rest = resume.done - k * per_frame if resume else 0
        start = replace(resume, done=rest) if resume and 0 < rest < per_frame else None
        image, preview = yield from _frame(context, units, scan, k, sensitivity, start)
        images.append(image)
        yield preview
        if finish_early is not None and k + 1 < n and finish_early():
            break
    n_events = scan.prompts.n_events - scan.n_left_out
    spent = max(context.log.history.seconds.get("reconstruct", 0.0), 1e-9)
    passes = sum(each.n_iterations for each in scan.algorithms[: len(images)]) / n
    rate = n_events * passes / spent
    yield context.log.measured("reconstruct", events=n_events, events_per_second=rate)
    yield context.log.start("finish", "Adding up the frames")
    whole = _whole(scan.frames[: len(images)], images, units)
    yield context.log.end("finish")
    context.log.facts["frames"] = [frame.facts() for frame in scan.frames[: len(images)]]
    context.log.conclude("done" if len(images) == n else "stopped")
    run = context.record(context.protocol.algorithm.n_iterations).in_frames(len(images), n)
    return (yield from stages.conclude(context, units.finished, whole, run))


def _updates(algorithm: Algorithm) -> int:
    return algorithm.n_iterations * algorithm.n_subsets


def _frame(
    context: Context,
    units: ImageSpace,
    scan: FramedScan,
    k: int,
    sensitivity: Sensitivity,
    resume: Resume | None,
) -> Stage[tuple[Image, Preview]]:
    """Reconstruct frame `k`; returns its finished image, and the preview that shows it."""
    n, algorithm, frame = len(scan.frames), scan.algorithms[k], scan.frames[k]
    per_frame, part, shape = _updates(algorithm), scan.part(k), units.grid.shape
    if part.n_events < algorithm.n_subsets:
        algorithm = algorithm.model_copy(update={"iterations": per_frame, "subsets": 1})
    context = with_algorithm(context, algorithm)
    if resume is None:
        history = context.log.history
        context.log.history = replace(
            history, log_likelihoods=(), residuals=(), so_far=(0.0, 0), n_skipped=0
        )
    seconds, image = 0.0, np.zeros(shape, np.float32)
    if not part.n_events:
        yield context.log.warn(
            f"Frame {k + 1} ({frame.describe()}) has no prompts, so its image is empty."
        )
    else:
        units = _units_of(context, units, part, scan, k)
        events = iterated(context, units, part, sensitivity, resume, None)
        while True:
            try:
                event = next(events)
            except StopIteration as end:
                image = end.value[0]
                break
            if isinstance(event, Preview):
                seconds = event.seconds
                if event.update < per_frame:
                    yield _placed(event, k, n, per_frame, frame)
            elif not isinstance(event, Measured):
                yield event
        image = stages.finished_image(context, units, image)
        context.log.conclude("running")  # the run goes on with the next frame
    volume, history = units.finished.volume(image), context.log.history
    run = context.record(context.protocol.algorithm.n_iterations).in_frames(k + 1, n)
    shown = Preview(
        volume, k + 1, n, per_frame, per_frame, seconds, history=history, frame=frame, run=run
    )
    return image, shown


def _placed(event: Preview, k: int, n: int, per_frame: int, frame: TimeFrame) -> Preview:
    """Return a preview of an update within a frame as one within the run."""
    return replace(
        event,
        iteration=k + 1,
        iterations=n,
        subset=event.update,
        subsets=per_frame,
        frame=frame,
        run=None if event.run is None else event.run.in_frames(k, n),
    )


def _alive(context: Context, scan: FramedScan, k: int) -> float:
    """Return how much of a frame was alive against the scan, where lines are weighted by that."""
    live = scan.prompts.live_times
    if live is None or Normalisation.kind not in context.log.kinds_applied:
        return 1.0
    return live.ratio(scan.division.parts_ms(k), over_ms=length_ms(scan.prompts))


def _refuse_dead(context: Context, scan: FramedScan) -> None:
    """Refuse, before the first frame, what has no activity in Bq/mL."""
    dead = [frame for k, frame in enumerate(scan.frames) if not _alive(context, scan, k) > 0]
    if dead:
        raise DataError(
            "the scan records that the scanner did not count from "
            f"{dead[0].describe()}, so the activity of a frame is not known there; "
            "choose frames without that time."
        )


def _units_of(
    context: Context, units: ImageSpace, part: ListMode, scan: FramedScan, k: int
) -> ImageSpace:
    """Return what the numbers of a frame's image mean, at the moment that the scan's do."""
    if not units.finished_unit:
        return units
    choice = context.protocol.corrections.of(ActivityConcentration)
    found = concentration_of(choice.apply(part, on=context.on))
    if found is None:
        raise DataError("the unit of a frame is not known.")
    left = scan.division.decayed(k, float(found.facts["half_life_s"]))
    return replace(units, per_value=found.per_count / left / _alive(context, scan, k))


def _whole(frames: tuple[TimeFrame, ...], images: list[Image], units: ImageSpace) -> Image:
    weights = np.ones(len(images))
    if units.finished_unit == CONCENTRATION:
        weights = np.array([frame.duration_s for frame in frames])
        weights /= weights.sum()
    total = np.zeros(units.grid.shape, np.float64)
    for weight, image in zip(weights, images, strict=True):
        total += weight * image
    return total.astype(np.float32)
