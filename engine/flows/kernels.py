"""The stage that has the kernels of a run compiled, so that no later one waits for it."""

from __future__ import annotations

from engine.flows.common import Stage
from engine.record import Record
from engine.warmup import Steps, warm_up


def prepare_kernels(record: Record, steps: Steps) -> Stage[None]:
    """Load the kernels, or compile them where this machine has not done so yet."""
    yield record.start("kernels", "Preparing the kernels (compiled once, then kept)")
    tick = record.ticker("kernels") or (lambda done, total: None)
    with record.profiler.span("kernels"):
        tick(0, len(steps))
        for done, total in warm_up(steps):
            tick(done, total)
    yield record.end("kernels")
