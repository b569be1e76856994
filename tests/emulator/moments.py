"""Places in the queue of an emulated GPU, and recorded work that can be queued again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.core.backend.gpu import Graph, Stamp

if TYPE_CHECKING:
    from tests.emulator.gpu import EmulatedGpu


class Moment(Stamp):
    def __init__(self, gpu: EmulatedGpu, place: int, n_copies: int = 0) -> None:
        self.at_s = time.perf_counter()
        self._gpu, self._place, self._n_copies = gpu, place, n_copies

    def land(self) -> None:
        """Do the copies that were queued before this moment."""
        self._gpu.land(self._n_copies)

    def seconds_since(self, earlier: Any) -> float:
        self._gpu.settle(self._place)
        self.land()
        return self.at_s - earlier.at_s


class Recording(Graph):
    def __init__(self, gpu: EmulatedGpu, work: list[Callable[[], object]]) -> None:
        self._gpu, self._work = gpu, work

    def launch(self) -> None:
        self._gpu.check()
        self._gpu.refuse_while_recording("a graph")
        for step in self._work:
            self._gpu.queue(step, self)
