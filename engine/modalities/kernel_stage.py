"""The stage that has the kernels of a run compiled, so that no later one waits for it."""

from __future__ import annotations

from engine.modalities.stages import Stage
from engine.modalities.warm_up import Steps, warm_up
from engine.reporting.context import RunContext


def prepare_kernels(record: RunContext, steps: Steps) -> Stage[None]:
    """Load the kernels, or compile them where this machine has not done so yet."""
    yield record.start("kernels", "Preparing the kernels (compiled once, then kept)")
    on_progress = record.ticker("kernels") or (lambda done, total: None)
    with record.profiler.span("kernels"):
        on_progress(0, len(steps))
        for done, total in warm_up(steps):
            on_progress(done, total)
    yield record.end("kernels")
