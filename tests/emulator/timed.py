"""An emulated GPU with a simulated clock: how long would the queued work take?

Real time does not count. A copy to or from the GPU takes the time of its bytes on the bus, and
work takes the time that a test sets. Each stream does one thing at a time, and waits for stamps
and for the host that queues. A copy on a second stream blocks the host until it is done. On a
real GPU, small ones use CuPy's pinned memory and do not block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine.core.backend.gpu import Stamp
from tests.emulator.arrays import DeviceArray
from tests.emulator.gpu import EmulatedGpu

MAIN, UP, DOWN = "main", "up", "down"


class TimedGpu(EmulatedGpu):
    """One GPU with a simulated clock.

    Parameters
    ----------
    seconds_per_byte : of the bus, in each direction

    Attributes
    ----------
    host_s : time on the host's clock
    at_s, busy_s : for each stream, the time when it becomes idle and the time it worked
    """

    def __init__(self, seconds_per_byte: float) -> None:
        super().__init__()
        self._per_byte, self._stream = seconds_per_byte, MAIN
        self.start()

    def start(self) -> None:
        """Reset all clocks."""
        self.host_s = 0.0
        self.at_s = dict.fromkeys((MAIN, UP, DOWN), 0.0)
        self.busy_s = dict.fromkeys((MAIN, UP, DOWN), 0.0)

    @property
    def seconds(self) -> float:
        """Return the time when all work is done."""
        return max(self.host_s, *self.at_s.values())

    def spend(self, seconds: float) -> None:
        """Occupy the current stream, from the time when it is idle and the host has queued work."""
        stream = self._stream
        self.at_s[stream] = max(self.at_s[stream], self.host_s) + seconds
        self.busy_s[stream] += seconds

    def upload(self, values: np.ndarray, out: DeviceArray | None = None) -> DeviceArray:
        self.spend(values.nbytes * self._per_byte)
        if self._stream != MAIN:
            self.host_s = self.at_s[self._stream]
        return super().upload(values, out)

    def download(self, values: DeviceArray, out: np.ndarray | None = None) -> np.ndarray:
        self.spend(values.nbytes * self._per_byte)
        self.host_s = self.at_s[self._stream]
        return super().download(values, out)

    @contextmanager
    def copying(self, *, to_host: bool = False) -> Iterator[None]:
        self._stream = DOWN if to_host else UP
        try:
            with super().copying(to_host=to_host):
                yield
        finally:
            self._stream = MAIN

    def stamp(self) -> Stamp:
        self.check()
        return _Reached(self, self.at_s[self._stream])

    def wait_for(self, stamp: Stamp) -> None:
        self.at_s[self._stream] = max(self.at_s[self._stream], _time(stamp))

    def wait(self) -> None:
        super().wait()
        self.host_s = self.seconds


class _Reached(Stamp):
    def __init__(self, gpu: TimedGpu, at_s: float) -> None:
        self.at_s, self._gpu = at_s, gpu

    def seconds_since(self, earlier: Any) -> float:
        self._gpu.host_s = max(self._gpu.host_s, self.at_s)
        return self.at_s - float(earlier.at_s)


def _time(stamp: Stamp) -> float:
    if not isinstance(stamp, _Reached):
        raise TypeError(f"expected a timestamp from this GPU, got {stamp!r}")
    return stamp.at_s
