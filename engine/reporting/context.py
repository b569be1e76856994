"""What a run keeps of itself while it goes: inputs, clock, and all that provenance will say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backend import Backend
from engine.data.run_history import RunHistory
from engine.events import Measured, Profiled, Progressed, StageStarted, Warned
from engine.geometry.grid import ImageGrid
from engine.profiling import Profiler
from engine.reporting.progress import PassProgress
from engine.study.study import Study

OnProgress = Callable[[Progressed], None]
PREVIEW_S = 0.1
"""Least time between two images copied off a GPU within an iteration."""
PROFILE_S = 0.5
"""The profile is told no more often than this."""


@dataclass(frozen=True)
class Resume:
    """State from which an interrupted run goes on.

    Attributes
    ----------
    image : (n_z, n_y, n_x) the iterate
    done : updates behind it
    history : of the run up to there
    """

    image: NDArray[np.float32]
    done: int
    history: RunHistory


@dataclass
class RunContext:
    """One run: its inputs, and what becomes its provenance."""

    study: Study
    on: Backend
    on_progress: OnProgress | None = None
    history: RunHistory = field(default_factory=RunHistory)
    clock: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)
    scanner: dict[str, Any] = field(default_factory=dict)
    corrections: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    axes: str = "LPS"
    unit: str = "counts/mm"
    grid: ImageGrid = field(default_factory=lambda: ImageGrid((1, 1, 1), (1.0, 1.0, 1.0)))
    profiler: Profiler = field(init=False)
    progress: PassProgress | None = field(init=False)
    _profiled_at: float = 0.0
    _previewed_at: float = 0.0

    def __post_init__(self) -> None:
        self.profiler = Profiler(self.on)
        self.progress = None if self.on_progress is None else PassProgress(self.on_progress)

    @property
    def protocol(self) -> Any:
        """How to reconstruct: the protocol of the flow that runs."""
        return self.study.protocol

    def start(self, stage: str, text: str) -> StageStarted:
        """Begin a stage and its clock."""
        self.clock = perf_counter()
        return StageStarted(stage, text)

    def end(self, stage: str, **figures: float) -> Measured:
        """End the stage, which took the time since its start."""
        self.spend(stage, perf_counter() - self.clock)
        return self.measured(stage, **figures)

    def spend(self, stage: str, seconds: float) -> None:
        """Count time for a stage."""
        self.history = self.history.spent(stage, seconds)

    def measured(self, stage: str, **figures: float) -> Measured:
        """Tell of a stage, with the time it took before an interruption."""
        return Measured(stage, self.history.seconds.get(stage, 0.0), figures)

    def warn(self, text: str) -> Warned:
        """Keep a warning for the provenance."""
        self.warnings.append(text)
        return Warned(text)

    def may_preview(self) -> bool:
        """Whether to copy an image off the device between the ends of iterations."""
        now = perf_counter()
        if self.on.is_cuda and now - self._previewed_at < PREVIEW_S:
            return False
        self._previewed_at = now
        return True

    def profiled(self) -> Iterator[Profiled]:
        """Tell the profile, unless it was told just now."""
        now = perf_counter()
        if now - self._profiled_at >= PROFILE_S:
            self._profiled_at = now
            yield Profiled(self.profiler.snapshot())

    def ticker(self, stage: str) -> Callable[[int, int], None] | None:
        """Return what long steps call with (done, total)."""
        on_progress = self.on_progress
        if on_progress is None:
            return None
        return lambda done, total: on_progress(Progressed(stage, done, total))
