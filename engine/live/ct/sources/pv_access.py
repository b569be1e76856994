"""Frames of a detector over PVAccess of EPICS, pva://CHANNEL; requires the library pvapy."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from importlib.util import find_spec
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from engine.core.errors import DataError, EngineError, SettingsError
from engine.live.core.frame import Arrival, Frame, FrameKind, Noticed, Resumed, SourceLost, Waiting
from engine.live.ct.sequence import Sequence
from engine.live.ct.sources.array_fields import (
    ArrayFields,
    angle_of,
    kind_of_array,
    number_of,
    values_of,
)

if TYPE_CHECKING:
    import pvaccess

    from engine.geometry.xray import XrayGeometry

SCHEME = "pva://"
WAITING = 64
"""Most arrays in the queue; the oldest are lost if reading is too slow."""
POLL_S = 0.005
ASK_S = 0.5
QUIET_S = 5.0
"""Time without a frame after which the user is informed."""
AT_ZERO = np.pi / 2
"""At angle 0 the source of rays is at −y."""
MAX_REFUSALS = 5


class PvAccessSource:
    """Receives the arrays of one channel.

    Parameters
    ----------
    channel : name of the array, such as 13SIM1:Pva1:Image

    Raises
    ------
    SettingsError
        if pvapy is not installed
    """

    def __init__(self, channel: str) -> None:
        if find_spec("pvaccess") is None:
            raise SettingsError(
                f"{SCHEME}{channel}: PVAccess needs the pvapy package; install it with `pip "
                "install 'isocenter[epics]'`."
            )
        self._channel = channel

    @property
    def name(self) -> str:
        """Address of the channel."""
        return f"{SCHEME}{self._channel}"

    @property
    def geometry(self) -> XrayGeometry | None:
        """None: a channel has no geometry."""
        return None

    @property
    def can_wait(self) -> bool:
        """False: a detector cannot wait."""
        return False

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield frames until it is stopped, since EPICS has no end of a scan.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        yield Waiting(f"{self.name}: waiting for the channel.")
        channel = _connected(self._channel, stop)
        if channel is not None:
            yield from _Arrays(self.name).of(channel, stop)

    def close(self) -> None:
        """Do nothing: no connection stays open after `frames`."""


class _Arrays:
    """Arrays of one channel as frames."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sequence = Sequence(name)
        self._first: int | None = None
        self._last = 0
        self._counts = dict.fromkeys(FrameKind, 0)
        self._refused = 0

    def of(self, channel: pvaccess.Channel, stop: Event) -> Iterator[Arrival]:
        """Yield the frames of a channel, which can disconnect and return.

        Parameters
        ----------
        channel
            connected channel
        stop
            set by the consumer to end the iteration
        """
        # The library calls `append` in its own thread; a deque is safe for that
        waiting: deque[ArrayFields] = deque(maxlen=WAITING)
        channel.setMonitorMaxQueueLength(WAITING)
        channel.subscribe("frames", waiting.append)
        channel.startMonitor("field()")  # continues by itself when the channel returns
        last_s, is_quiet, is_there = monotonic(), True, True
        try:
            while not stop.is_set():
                if waiting:
                    if not is_there:
                        is_there = True
                        yield Resumed(f"{self._name}: the channel is available again.")
                    last_s, is_quiet = monotonic(), False
                    yield from self._frame(waiting.popleft(), last_s)
                    continue
                if is_there and not channel.isConnected():
                    is_there = False
                    yield SourceLost(
                        f"{self._name}: the channel is lost. Frames continue when it returns."
                    )
                elif is_there and not is_quiet and monotonic() - last_s > QUIET_S:
                    is_quiet = True
                    yield Waiting(f"{self._name}: no frame for {QUIET_S:g} s. Waiting for more.")
                stop.wait(POLL_S)
        finally:
            channel.stopMonitor()

    def _frame(self, array: ArrayFields, now_s: float) -> Iterator[Arrival]:
        if "dimension" in array and not array["dimension"]:
            return  # content of a channel before the first frame
        try:
            number, kind, values = number_of(array), kind_of_array(array), values_of(array)
        except EngineError as e:
            yield from self._notices(str(e))
            return
        # Other types of EPICS lack these fields, in ways that differ by type
        except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as e:
            yield from self._notices(str(DataError(f"the message is not an NTNDArray ({e}).")))
            return
        angle = angle_of(array)
        index = self._index(kind, number)
        # EPICS angles are those of the sample stage, ours those of the source
        at = None if angle is None else angle - AT_ZERO
        yield from self._sequence.followed(Frame(kind, index, at, values, now_s))

    def _index(self, kind: FrameKind, number: int) -> int:
        """Return the number among its kind; projections keep gaps in the detector's numbers."""
        if kind != FrameKind.PROJECTION:
            self._counts[kind] += 1
            # Darks and flats use up numbers of the detector, which are not missing projections
            self._first = None if self._first is None else self._first + 1
            return self._counts[kind] - 1
        if self._first is None or number < self._last:
            self._first = number
        self._last = number
        return number - self._first

    def _notices(self, text: str) -> Iterator[Noticed]:
        self._refused += 1
        if self._refused <= MAX_REFUSALS:
            more = " Further ones are not reported." if self._refused == MAX_REFUSALS else ""
            yield Noticed(f"{self._name}: frame refused: {text}{more}")


def _connected(name: str, stop: Event) -> pvaccess.Channel | None:
    """Wait for a channel that answers; return None if it is stopped before."""
    import pvaccess

    channel = pvaccess.Channel(name)
    channel.setTimeout(ASK_S)
    while not stop.is_set():
        try:
            channel.get("field(uniqueId)")
        except pvaccess.PvaException:
            stop.wait(POLL_S)
        else:
            return channel
    return None
