"""The emulated card with a clock that is reckoned: what the program queues, and how long it takes.

Nothing takes the time it takes here. A copy to the card or from it takes its bytes over the bus,
work what a test says; streams do one thing after the other, and wait for stamps and for the host
that queues. A copy beside the kernels holds the host until it is done; small ones among them go
through memory that CuPy keeps for them, and do not.
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
    """One card whose clock is reckoned.

    Parameters
    ----------
    seconds_per_byte : of the bus, each way

    Attributes
    ----------
    host_s : the host's clock
    at_s, busy_s : of each stream, when it will have done all, and how long it worked
    """

    def __init__(self, seconds_per_byte: float) -> None:
        super().__init__()
        self._per_byte, self._stream = seconds_per_byte, MAIN
        self.start()

    def start(self) -> None:
        """Begin with all clocks anew."""
        self.host_s = 0.0
        self.at_s = dict.fromkeys((MAIN, UP, DOWN), 0.0)
        self.busy_s = dict.fromkeys((MAIN, UP, DOWN), 0.0)

    @property
    def seconds(self) -> float:
        """When all is done."""
        return max(self.host_s, *self.at_s.values())

    def spend(self, seconds: float) -> None:
        """Let the current stream work, from when it is free and the host has queued it."""
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
