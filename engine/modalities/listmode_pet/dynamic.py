"""Reconstruct time frames or gates, and share their common work.

Events are corrected and sorted for the whole scan, and all frames share one sensitivity. A frame
uses its events and its shares of the background (`engine.data.timing.time_division`). In Bq/mL,
values refer to the reference time of the whole scan. For a frame with parts from t_i of length d_i,

    C_f = (per count/mm of its length d = Σ d_i and decay within that) x_f / (l_f r_f)
    l_f = Σ d_i 2^(−t_i / T½) / F(d_i) · F(d) / d,    F as in `engine.data.timing.decay`

where r_f is its live fraction relative to the scan (`engine.data.timing.live_time`). For a single
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
    unscattered : (n,) their expected background without scatter; None for none
    division : division of the scan in time
    shares : shares of the background
    algorithms : algorithm of each frame; all make the same number of updates
    """

    prompts: ListMode
    unscattered: NDArray[np.float32] | None
    division: TimeDivision
    shares: FrameShares
    algorithms: tuple[Algorithm, ...]

    @property
    def frames(self) -> tuple[TimeFrame, ...]:
        """Frames in order."""
        return self.division.frames

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """Frame of each prompt, (n,); -1 if no frame contains it."""
        prompts = self.prompts
        times = np.asarray(prompts.time_ms)
        return prompts.storage.filled(
            prompts.n_events, np.int32, lambda rows: self.division.place_of(times[rows])
        )

    def part(self, k: int) -> ListMode:
        """Return the prompts of a frame, with their expected background.

        Parameters
        ----------
        k
            number of the frame

        Returns
        -------
        part
            an event in the list keeps its line; its background is the frame's share of that of the
            scan
        """
        frame, prompts, early = self.frames[k], self.prompts, self.unscattered

        def is_in(rows: slice) -> NDArray[np.bool_]:
            return np.asarray(self.places[rows] == k)

        # Randoms follow the square of the singles, scatter the trues, so their shares differ.
        shares = self.shares.randoms[k], self.shares.scatter[k]
        if prompts.background is not None:
            whole = np.asarray(prompts.background)

            # Scatter was simulated for the whole scan: its share applies to the background without
            # randoms.
            def expected(rows: slice) -> NDArray[np.float64]:
                unscattered = 0.0 if early is None else early[rows]
                return shares[0] * unscattered + shares[1] * (whole[rows] - unscattered)

            prompts = replace(prompts, background=prompts.column(expected))
        # The length of the frame, not of the scan, calibrates its image.
        return replace(prompts.select_where(is_in), duration_s=frame.duration_s)

    @property
    def n_left_out(self) -> int:
        """Number of prompts that no frame contains."""
        return int(np.count_nonzero(self.places < 0))

    def left_out(self) -> str:
        """Return a sentence about prompts outside all frames; empty if there are none."""
        n, last = self.n_left_out, self.frames[-1]
        if not n:
            return ""
        total = self.prompts.n_events
        if last.gate:
            return f"{n:,} of {total:,} prompts are outside the accepted cycles and are not used."
        if join_up(self.frames):
            return (
                f"{n:,} of {total:,} prompts are after the last frame ({last.describe()}) and are "
                "not used."
            )
        return (
            f"{n:,} of {total:,} prompts are outside the {len(self.frames)} frames and are not "
            "used."
        )


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

    Parameters
    ----------
    context
        run with its protocol
    space
        grid and unit of the images
    scan
        prompts and frames
    sensitivity
        sensitivity of the whole scan
    resume
        state of an interrupted run; None for a new run
    finish_early
        returns True if the user wants to stop after this frame; None: never
    """
    # That progress counts the updates of one image only.
    context = replace(context, progress=None)
    n, per_frame = len(scan.frames), _updates(scan.algorithms[0])
    left_out = scan.left_out()
    if left_out:
        yield context.log.warn(left_out)
    # Finished frames of an interrupted run are read back, not reconstructed again.
    images = [found.volume for found in resume.frames] if resume else []
    images = images[: resume.done // per_frame] if resume else []
    units = in_units(space, scan.prompts)
    if units.finished_unit:
        # Before the first frame, because otherwise an hour of work could end in an error.
        _refuse_dead(context, scan)
    for k in range(len(images), n):
        # An interrupted frame continues at its own update; a finished one is skipped.
        rest = resume.done - k * per_frame if resume else 0
        start = replace(resume, done=rest) if resume and 0 < rest < per_frame else None
        preview = yield from _frame(context, units, scan, k, sensitivity, start)
        images.append(preview.volume)
        yield preview
        # After a complete frame only: an unfinished one would be quantitatively wrong.
        if finish_early is not None and k + 1 < n and finish_early():
            break
    n_events = scan.prompts.n_events - scan.n_left_out
    spent = max(context.log.history.seconds.get("reconstruct", 0.0), 1e-9)
    passes = sum(each.n_iterations for each in scan.algorithms[: len(images)]) / n
    rate = n_events * passes / spent
    yield context.log.measured("reconstruct", events=n_events, events_per_second=rate)
    yield context.log.start("finish", "Adding up the frames")
    whole = _combined_frames(scan.frames[: len(images)], images, units)
    yield context.log.end("finish")
    if context.protocol.error_replicates is not None:
        from engine.modalities.error_maps.stage import frames_noted  # few runs have an error map

        yield from frames_noted(context, images)
    context.log.facts["frames"] = [frame.facts() for frame in scan.frames[: len(images)]]
    context.log.conclude("done" if len(images) == n else "stopped")
    run = context.record(context.protocol.algorithm.n_iterations).in_frames(len(images), n)
    volume = yield from stages.conclude(context, units.finished, whole, run)
    if any(image.error is None for image in images):
        return volume
    from engine.modalities.error_maps.stage import sum_of_errors  # few runs have an error map

    weights = _weights(scan.frames[: len(images)], units)
    return replace(volume, error=sum_of_errors(volume.values, images, weights))


def _updates(algorithm: Algorithm) -> int:
    return algorithm.n_iterations * algorithm.n_subsets


def _frame(
    context: Context,
    units: ImageSpace,
    scan: FramedScan,
    k: int,
    sensitivity: Sensitivity,
    resume: Resume | None,
) -> Stage[Preview]:
    """Reconstruct frame `k`; return the preview that shows its finished image."""
    n, algorithm, frame = len(scan.frames), scan.algorithms[k], scan.frames[k]
    per_frame, part, shape = _updates(algorithm), scan.part(k), units.grid.shape
    # A frame with hardly any events has one subset, because an empty subset clears the image.
    if part.n_events < algorithm.n_parts:
        algorithm = algorithm.in_one_subset()
    context = with_algorithm(context, algorithm)
    if resume is None:
        # Convergence figures of the previous frame would continue in the plot of this one.
        context.log.history = context.log.history.for_next_image()
    # Without prompts the likelihood has its maximum at zero activity.
    seconds, image, error = 0.0, np.zeros(shape, np.float32), None
    if not part.n_events:
        yield context.log.warn(
            f"Frame {k + 1} ({frame.describe()}) has no prompts, so its image is empty."
        )
        if context.protocol.error_replicates is not None:
            from engine.modalities.error_maps.stage import zero_error

            error = zero_error(context, image)
    else:
        units = _units_of(context, units, part, scan, k)
        events = iterated(context, units, part, sensitivity, resume, None, part=k)
        # Driven by hand, because previews of a frame must be renumbered for the whole run.
        while True:
            try:
                event = next(events)
            except StopIteration as end:
                image, _, error = end.value
                break
            if isinstance(event, Preview):
                seconds = event.seconds
                # Previews within a frame are shown; the last one is replaced by the finished image.
                if event.update < per_frame:
                    yield _placed(event, k, n, per_frame, frame)
            elif not isinstance(event, Measured):
                yield event
        image = stages.finished_image(context, units, image)
        # The run continues with the next frame.
        context.log.conclude("running")
    volume, history = units.finished.volume(image), context.log.history
    if error is not None:
        volume = replace(volume, error=error.of_values(volume.values))
    run = context.record(context.protocol.algorithm.n_iterations).in_frames(k + 1, n)
    return Preview(
        volume, k + 1, n, per_frame, per_frame, seconds, history=history, frame=frame, run=run
    )


def _placed(event: Preview, k: int, n: int, per_frame: int, frame: TimeFrame) -> Preview:
    """Return a preview of an update within a frame as one of the whole run."""
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
    """Return the live fraction of a frame relative to the scan, if lines are weighted by it."""
    live = scan.prompts.live_times
    if live is None or Normalisation.kind not in context.log.kinds_applied:
        return 1.0
    return live.ratio(scan.division.parts_ms(k), over_ms=length_ms(scan.prompts))


def _refuse_dead(context: Context, scan: FramedScan) -> None:
    """Refuse frames without live time in Bq/mL, before the first one is reconstructed."""
    dead = [frame for k, frame in enumerate(scan.frames) if not _alive(context, scan, k) > 0]
    if dead:
        raise DataError(
            f"the scanner had no live time in the frame ({dead[0].describe()}), so the activity "
            "of this frame cannot be computed; choose frames that exclude this time."
        )


def _units_of(
    context: Context, units: ImageSpace, part: ListMode, scan: FramedScan, k: int
) -> ImageSpace:
    """Return the meaning of the values of a frame's image, at the reference time of the scan."""
    if not units.finished_unit:
        return units
    choice = context.protocol.corrections.of(ActivityConcentration)
    found = concentration_of(choice.apply(part, on=context.on))
    if found is None:
        raise DataError(
            "the activity concentration of a frame cannot be computed; check the calibration of "
            "the scan."
        )
    # Decay and live time relative to the scan, so that all frames share one reference time.
    left = scan.division.decayed(k, float(found.facts["half_life_s"]))
    return replace(units, per_value=found.per_count / left / _alive(context, scan, k))


def _weights(frames: tuple[TimeFrame, ...], units: ImageSpace) -> NDArray[np.float64]:
    """Return the weight of each frame in the whole: concentrations are averaged, counts added."""
    if units.finished_unit != CONCENTRATION:
        return np.ones(len(frames))
    weights = np.array([frame.duration_s for frame in frames], np.float64)
    return weights / weights.sum()


def _combined_frames(
    frames: tuple[TimeFrame, ...], images: list[Volume], units: ImageSpace
) -> Image:
    # float64, so that the rounding of many frames does not add up.
    total = np.zeros(units.grid.shape, np.float64)
    for weight, image in zip(_weights(frames, units), images, strict=True):
        total += weight * image.values
    return total.astype(np.float32)
