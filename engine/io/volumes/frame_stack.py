"""Times of the frames in a four-axis file, and the summed image of all frames.

    counts          sum    Σ_t f_t
    other units     mean   Σ_t f_t d_t / Σ_t d_t,   d_t: duration of frame t

If a file with four axes does not state frame times, each frame counts as 1 s, with a note.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import EngineError, GeometryError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import MAX_FRAMES, MS, FrameVolume, Gate, TimeFrame
from engine.data.volume import Volume
from engine.io.folder import is_file
from engine.io.safety.open_input import read_text
from engine.io.text.json_text import from_json

SUMMED = ("counts", "counts/mm")
"""Units whose frames are added up; frames in other units are averaged."""
STARTS, LENGTHS, GATES = "FrameTimesStart", "FrameDuration", "GateDuration"
"""BIDS keys of frame times [s], and our key of gate durations [s]."""
MAX_BYTES = 1 << 20
LONGEST_S = 1e9
"""Longer than any scan [s]."""


@dataclass(frozen=True)
class FrameClock:
    """Frame times that a header states.

    Attributes
    ----------
    start_s : start of the first frame [s]
    step_s : from one start to the next [s]; None if not stated
    """

    start_s: float = 0.0
    step_s: float | None = None


NO_CLOCK = FrameClock()
"""Clock of a header that states no times."""


def frame_times(
    path: Path, n: int, provenance: Plain, clock: FrameClock
) -> tuple[tuple[TimeFrame, ...], str]:
    """Return the frame times of a file, and a note if they are unknown.

    Parameters
    ----------
    path
        the file; a BIDS sidecar can be next to it
    n
        number of frames
    provenance
        provenance from our sidecar, {} without one
    clock
        times stated in the header

    Raises
    ------
    GeometryError
        if there are more than `MAX_FRAMES` frames
    """
    if n > MAX_FRAMES:
        raise GeometryError(
            f"{path.name}: contains {n:,} time frames, expected at most {MAX_FRAMES:,}; export "
            "fewer frames per file."
        )
    # Sidecars first: a header can only state equal steps.
    for stated in (provenance, _adjacent_bids(path)):
        frames = _listed(stated, n)
        if frames:
            return frames, ""
    step = clock.step_s
    if step is not None and 1 / MS <= step <= LONGEST_S and abs(clock.start_s) <= LONGEST_S:
        # Some headers state a negative offset, but no frame begins before the scan.
        start = max(clock.start_s, 0.0)
        return _frames([start + k * step for k in range(n)], [step] * n), ""
    note = f"{path.name}: the times of its {n} frames are unknown; 1 s each is used."
    return _frames([float(k) for k in range(n)], [1.0] * n), note


def framed(
    path: Path, stack: NDArray[np.float32], like: Volume, clock: FrameClock = NO_CLOCK
) -> tuple[FrameVolume, ...]:
    """Return one image for each frame of [z, y, x] or [t, z, y, x] values.

    Parameters
    ----------
    path
        the file
    stack
        values of all frames
    like
        first image; its grid, unit and notes are those of all
    clock
        times stated in the header
    """
    if stack.ndim == 3:
        return (FrameVolume(TimeFrame(0, MS), like),)
    times, note = frame_times(path, len(stack), like.info, clock)
    notes = (*like.notes, *([note] if note else ()))
    return tuple(
        FrameVolume(frame, replace(like, values=np.ascontiguousarray(values), notes=notes))
        for frame, values in zip(times, stack, strict=True)
    )


def whole(frames: Sequence[FrameVolume]) -> Volume:
    """Return the summed image: the sum of frames in counts, otherwise their mean.

    Parameters
    ----------
    frames
        on the same grid, in the same unit; gates count with the same duration

    Returns
    -------
    image
        float32 in the unit of the frames, with a note
    """
    first = frames[0].volume
    is_sum = first.unit in SUMMED
    counted_s = sum(each.frame.duration_s for each in frames)
    # float64: single precision loses counts when many frames are added.
    total = np.zeros(first.grid.shape, np.float64)
    for frame, volume in frames:
        total += (1.0 if is_sum else frame.duration_s / counted_s) * volume.values
    note = (
        f"{len(frames)} time frames; the summed image is their sum."
        if is_sum
        else f"{len(frames)} time frames; the summed image is their mean, weighted by duration."
    )
    return replace(first, values=total.astype(np.float32)).informed(note)


def _adjacent_bids(path: Path) -> Plain:
    """Return the content of the BIDS sidecar, {} if there is none."""
    # BIDS names the sidecar of `x.nii.gz` `x.json`.
    stem = path.name.removesuffix(".gz")
    sidecar = path.with_name(f"{stem.rpartition('.')[0]}.json")
    if not is_file(sidecar):
        return {}
    try:
        return from_json(read_text(sidecar, MAX_BYTES))
    # Another program's JSON file can have the same name.
    except (EngineError, ValueError):
        return {}


def _listed(stated: Plain, n: int) -> tuple[TimeFrame, ...]:
    """Return the frames that a text lists; () if it lists another number or is damaged."""
    gate_ms = _numbers(stated.get(GATES), n)
    if gate_ms:
        # Gates overlap in time: each lasts as long as the whole scan, and uses a part of it.
        ends = [round(MS * sum(gate_ms))] * n
        gates = [Gate(k, n, round(MS * length)) for k, length in enumerate(gate_ms, 1)]
        return tuple(TimeFrame(0, end, gate) for end, gate in zip(ends, gates, strict=True))
    starts, lengths = _numbers(stated.get(STARTS), n), _numbers(stated.get(LENGTHS), n)
    return _frames(starts, lengths) if starts and lengths and min(lengths) > 0 else ()


def _numbers(stated: object, n: int) -> list[float]:
    if not isinstance(stated, list) or len(stated) != n:
        return []
    if not all(isinstance(each, int | float) and math.isfinite(each) for each in stated):
        return []
    return [float(each) for each in stated] if max(map(abs, stated)) <= LONGEST_S else []


def _frames(starts_s: Sequence[float], lengths_s: Sequence[float]) -> tuple[TimeFrame, ...]:
    spans = zip(starts_s, lengths_s, strict=True)
    return tuple(
        # Rounding must not leave a frame without duration.
        TimeFrame(round(MS * start), max(round(MS * (start + length)), round(MS * start) + 1))
        for start, length in spans
    )
