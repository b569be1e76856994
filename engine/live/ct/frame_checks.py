"""Checks of every frame before a source yields it: size, number type, values and angle.

A frame of another size is not used. If the next one has that size too, the detector was changed,
and the frames continue with it. The same applies to projections with another number type, because
another bit depth has another scale. Frames with NaN or infinity are not used, nor flats or
projections of zeros. A step of the angle outside half to one and a half times the typical step,
with missing frames taken into account, is used and reported.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from statistics import median
from typing import TypeAlias

import numpy as np

from engine.live.core.frame import Arrival, Frame, FrameKind, Noticed, ShapeChanged

STEPS = 15
"""Number of angle steps whose median is the typical step."""
FEW_STEPS = 3
MAX_JUMPS = 3
"""Reported jumps; a scan with more has random angles."""
FIRST = 256
"""Pixels that are read first."""

DType: TypeAlias = np.dtype[np.generic]


class Screening:
    """Checks the frames of one source in the order of arrival.

    Parameters
    ----------
    name
        name of the source, for messages
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._shape: tuple[int, int] | None = None
        self._other: tuple[int, int] | None = None
        self._type: DType | None = None
        self._other_type: DType | None = None
        self._n_refused = self._scan = 0
        self._steps: deque[float] = deque(maxlen=STEPS)
        self._last: tuple[int, float] | None = None
        self._jumps = 0

    def restart(self) -> None:
        """Forget size and angles: another scan starts."""
        self._scan += 1
        self._shape = self._other = None
        self._type = self._other_type = None
        self._steps.clear()
        self._last = None
        self._jumps = 0

    def passes(self, frame: Frame) -> bool:
        """Return True if a projection without an angle passes all checks like the one before it.

        `screened` would then yield only the frame, and need not be called.

        Parameters
        ----------
        frame
            next frame of the source, a projection
        """
        values = frame.values
        return (
            values.shape == self._shape
            and values.dtype == self._type
            and self._other is None
            and self._other_type is None
            and not self._n_refused
            and frame.angle_rad is None
            and not _fault_of(frame)
        )

    def screened(self, frame: Frame) -> Iterator[Arrival]:
        """Check a frame.

        Parameters
        ----------
        frame
            next frame of the source

        Yields
        ------
        arrival
            messages about the frame, then the frame itself if it can be used
        """
        yield from self._resized(frame)
        if self._shape != frame.values.shape:
            return
        # Only projections: darks and flats are often stored as averages of another type
        if frame.kind == FrameKind.PROJECTION:
            yield from self._retyped(frame)
            if self._type != _type_of(frame):
                return
        fault = _fault_of(frame)
        if fault:
            # One message for many bad frames, and one when they are over
            # Refused frames still count in the numbers of the source, so no gap is reported
            self._n_refused += 1
            if self._n_refused == 1:
                yield Noticed(f"{self._name}: {fault}")
            return
        if self._n_refused > 1:
            yield Noticed(
                f"{self._name}: {self._n_refused:,} frames with invalid values or "
                "only zeros were not used. Frames are valid again."
            )
        self._n_refused = 0
        if frame.kind == FrameKind.PROJECTION and frame.angle_rad is not None:
            yield from self._turned(frame.index, frame.angle_rad)
        # The number of the scan tells late frames from those of the next scan
        yield frame.of_scan(self._scan)

    def _resized(self, frame: Frame) -> Iterator[Arrival]:
        shape = (int(frame.values.shape[0]), int(frame.values.shape[1]))
        want = self._shape
        if want is None or want == shape:
            # One frame of another size is an error of transfer, two are another detector
            self._shape, self._other = shape, None
            return
        if self._other == shape:
            self._shape, self._other = shape, None
            self._type = self._other_type = None
            yield ShapeChanged(
                f"{self._name}: frames now have {shape[0]} x {shape[1]} pixels (rows "
                "x columns). Darks and flats of this size are needed.",
                shape,
            )
            return
        self._other = shape
        yield Noticed(
            f"{self._name}: {_frame_name(frame)} has {shape[0]} x {shape[1]} pixels (rows x "
            f"columns), but earlier frames have {want[0]} x {want[1]}. It is not used."
        )

    def _retyped(self, frame: Frame) -> Iterator[Arrival]:
        found, want = _type_of(frame), self._type
        if want is None or want == found:
            self._type, self._other_type = found, None
            return
        if self._other_type == found:
            self._type, self._other_type = found, None
            yield ShapeChanged(
                f"{self._name}: projections are now {found.name}, before {want.name}. Darks and "
                "flats of the same detector mode are needed.",
                (int(frame.values.shape[0]), int(frame.values.shape[1])),
            )
            return
        self._other_type = found
        yield Noticed(
            f"{self._name}: {_frame_name(frame)} has the type {found.name}, but earlier "
            f"projections have {want.name}. It is not used."
        )

    def _turned(self, index: int, angle: float) -> Iterator[Arrival]:
        last, self._last = self._last, (index, angle)
        # A repeated frame has no step
        if last is None or index == last[0]:
            return
        step = _wrapped(angle - last[1]) / (index - last[0])
        # The median is robust against single jumps, and adapts to a change of speed
        typical = median(self._steps) if len(self._steps) >= FEW_STEPS else None
        self._steps.append(step)
        expected = None if typical is None else _wrapped(typical * (index - last[0]))
        if (
            expected is None
            or typical is None
            or _is_expected_step(angle - last[1], expected, typical)
        ):
            return
        # A scan with random angles would otherwise report every view
        self._jumps += 1
        if self._jumps <= MAX_JUMPS:
            more = " Further ones are not reported." if self._jumps == MAX_JUMPS else ""
            yield Noticed(
                f"{self._name}: the angle jumps from {np.degrees(last[1]):.5g}° "
                f"(projection {last[0]}) to {np.degrees(angle):.5g}° (projection "
                f"{index}); earlier steps were {np.degrees(typical):.4g}°. Check the "
                f"motor.{more}"
            )


def _fault_of(frame: Frame) -> str:
    """Return why a frame cannot be used; empty if it can."""
    values = frame.values
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        n_bad = int(np.count_nonzero(~np.isfinite(values)))
        return (
            f"{n_bad:,} of {values.size:,} values of {_frame_name(frame)} are not finite. "
            "It is not used. Configure the detector to replace bad pixels by a "
            "number."
        )
    # Darks of a good detector may be zero everywhere
    # The first pixels decide for nearly all frames, and the others need not be read
    if frame.kind == FrameKind.DARK or values.item(0):
        return ""
    if not values.flat[:FIRST].any() and not values.any():
        return (
            f"{_frame_name(frame)} has only zeros. It is not used. Check the beam and the "
            "detector readout."
        )
    return ""


def _type_of(frame: Frame) -> DType:
    # In any byte order. The name of a type would need a third of the time of all checks
    kind = frame.values.dtype
    return kind if kind.isnative else kind.newbyteorder("=")


def _frame_name(frame: Frame) -> str:
    return f"{frame.kind.name.lower()} {frame.index}"


def _wrapped(angle: float) -> float:
    # To the range from -π to π, so that the step over 360° is small
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def _is_expected_step(moved: float, expected: float, typical: float) -> bool:
    """Return True if a rotation is within half a typical step of the expected one."""
    return abs(_wrapped(moved - expected)) <= max(0.5 * abs(typical), 1e-6)
