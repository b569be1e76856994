"""Parse a one-line request for frames or gates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.data.listmode import ListMode
from engine.data.timing.gating import GateRequest
from engine.data.timing.time_division import TimeDivision, length_ms
from engine.data.timing.time_frames import MAX_FRAMES, MS, TimeFrame

_TIMES = re.compile(r"\s*[x×*]\s*")
_PART = re.compile(r"(?:(?P<n>\d+)x)?(?P<seconds>\d+(?:\.\d*)?|\.\d+)")
_EQUAL = re.compile(r"n\s*=\s*(?P<n>\d+)")
_DASH = re.compile(r"\s*[-\N{EN DASH}]\s*")
_SPAN = re.compile(r"(?P<start>\d+(?:\.\d*)?|\.\d+)-(?P<end>\d+(?:\.\d*)?|\.\d+)")
WANTED = (
    "Expected durations in seconds, such as 10x60,5x300, or starts and ends in "
    "seconds since the start of the scan, such as 0-60,120-180, or n=20 for frames "
    "with equal numbers of prompts, or gates=8 for parts of a cycle."
)


@dataclass(frozen=True)
class FrameRequest:
    """Frames that a user requests.

    Attributes
    ----------
    spans_ms : start and end of each frame since the start of the scan, in order, no overlap
    n_equal : number of frames with equal prompts, instead of `spans_ms`
    gates : gates of a cycle, instead of both
    """

    spans_ms: tuple[tuple[int, int], ...] = ()
    n_equal: int = 0
    gates: GateRequest | None = None

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return self.gates.n_gates if self.gates else self.n_equal or len(self.spans_ms)

    def n_frames_within(self, data: ListMode) -> int:
        """Return the number of frames that begin before the end of a scan."""
        if not self.spans_ms or data.time_ms is None:
            return self.n_frames
        end_ms = length_ms(data)
        return sum(start < end_ms for start, _ in self.spans_ms)

    @classmethod
    def of(cls, text: str) -> FrameRequest | None:
        """Parse "10x60,5x300", "0-60,120-180", "n=20" or "gates=8".

        Parameters
        ----------
        text
            the request; spaces, semicolons, "×" and en dashes are accepted

        Returns
        -------
        the request; None for an empty text

        Raises
        ------
        ValueError
            if the text is not a request, or frames overlap
        """
        text = text.strip()
        if not text:
            return None
        # Gates first: only they begin with a letter other than n.
        gates = GateRequest.of(text)
        if gates:
            return cls(gates=gates)
        equal = _EQUAL.fullmatch(text)
        if equal:
            n = int(equal["n"])
            _refuse_number(n)
            return cls(n_equal=n)
        # People paste lists from tables, with commas, semicolons or spaces.
        parts = re.split(r"[,;\s]+", _DASH.sub("-", _TIMES.sub("x", text)))
        return cls(_spans(parts) if _SPAN.fullmatch(parts[0]) else _one_after_the_other(parts))

    def divide(self, data: ListMode) -> TimeDivision:
        """Divide a scan into frames, up to its end, or into gates.

        Parameters
        ----------
        data
            list mode with event times

        Returns
        -------
        the division; frames after the end of the scan are omitted

        Raises
        ------
        DataError
            if the events have no times or too few different ones, the scan ends before the first
            frame, or gates are requested without triggers
        """
        if data.time_ms is None:
            raise DataError(
                "the scan has no event times, so it cannot be divided into frames; "
                "remove the frames, or choose list mode with times."
            )
        if self.gates:
            return self.gates.divide(data.triggers, length_ms(data))
        spans = self.spans_ms or _joined(self._equal_ends(data.prompts.time_ms))
        over_ms = length_ms(data)
        if spans[0][0] >= over_ms:
            raise DataError(
                f"the first frame begins at {spans[0][0] / MS:g} s, but the scan ends "
                f"after {over_ms / MS:g} s; choose frames within the scan."
            )
        # The last frame can be shorter; a note tells the user.
        within = (TimeFrame(start, min(end, over_ms)) for start, end in spans if start < over_ms)
        return TimeDivision.of(tuple(within))

    def warning(self, frames: Sequence[TimeFrame]) -> str:
        """Return a note if the scan ends before all frames; else an empty text.

        Parameters
        ----------
        frames
            frames of the division
        """
        if self.gates:
            return ""  # `GateRequest.warning` describes the cycles
        n, k = self.n_frames, len(frames)
        if self.n_equal or (k == n and frames[-1].end_ms == self.spans_ms[-1][1]):
            return ""
        left_out = f"{n - k} of {n} frames are not used"
        if frames[-1].end_ms == self.spans_ms[k - 1][1]:
            return f"The scan ends before frame {k + 1} begins: {left_out}."
        missing = f", and {left_out}" if k < n else ""
        return (
            f"The scan ends after {frames[-1].end_ms / MS:g} s: frame {k} lasts "
            f"{frames[-1].duration_s:g} s{missing}."
        )

    def _equal_ends(self, time_ms: NDArray[np.uint32] | None) -> tuple[int, ...]:
        # Quantiles of the sorted times divide the prompts equally.
        times = np.sort(np.asarray(time_ms))
        places = np.arange(1, self.n_equal) * len(times) // self.n_equal
        # The end is exclusive, so the last event needs one millisecond more.
        ends = [*times[places].tolist(), int(times[-1]) + 1]
        if any(a >= b for a, b in zip((0, *ends[:-1]), ends, strict=True)):
            raise DataError(
                f"{len(times):,} prompts cannot be divided into {self.n_equal} frames "
                "of whole milliseconds; choose fewer frames."
            )
        return tuple(ends)


def _one_after_the_other(parts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Parse durations of consecutive frames."""
    lengths: list[int] = []
    for part in parts:
        found = _PART.fullmatch(part)
        if found is None:
            raise ValueError(_no_frame(part, span=_SPAN.fullmatch(part) is not None))
        n, ms = int(found["n"] or 1), _whole_ms(found["seconds"])
        _refuse_number(len(lengths) + n)
        if ms < 1:
            raise ValueError(
                f"a frame of {float(found['seconds']):g} s would be empty; enter at least 0.001 s"
            )
        lengths += [ms] * n
    return _joined(tuple(accumulate(lengths)))


def _spans(parts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Parse starts and ends of frames."""
    _refuse_number(len(parts))
    spans: list[tuple[int, int]] = []
    for part in parts:
        found = _SPAN.fullmatch(part)
        if found is None:
            raise ValueError(_no_frame(part, span=_PART.fullmatch(part) is not None))
        start, end = _whole_ms(found["start"]), _whole_ms(found["end"])
        if start >= end:
            raise ValueError(f"frame {part} s must end after it begins")
        # Overlap would count events twice, and the sum of frames would exceed the scan.
        if spans and start < spans[-1][1]:
            raise ValueError(
                f"frame {part} s begins before the previous one ends at "
                f"{spans[-1][1] / MS:g} s; give frames in order and without overlap"
            )
        spans.append((start, end))
    return tuple(spans)


def _no_frame(part: str, *, span: bool) -> str:
    mixed = "Durations and times cannot be mixed. " if span else ""
    return f"{part!r} is not a frame of this list. {mixed}{WANTED}"


def _whole_ms(text: str) -> int:
    # Rounding before the comparison: 0.1 s is not exact in binary.
    ms = round(float(text) * MS)
    if abs(ms - float(text) * MS) > 1e-6:
        raise ValueError(
            f"{text} s is finer than the time resolution of the events; enter whole milliseconds"
        )
    return ms


def _joined(ends: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    return tuple(zip((0, *ends[:-1]), ends, strict=True))


def _refuse_number(n: int) -> None:
    if not 1 <= n <= MAX_FRAMES:
        raise ValueError(f"got {n} frames, expected 1 to {MAX_FRAMES}")
