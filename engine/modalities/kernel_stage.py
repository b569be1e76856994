"""Run stage that compiles all kernels, so that no later stage waits for them."""

from __future__ import annotations

from engine.modalities.kernel_steps import Steps, of_filter, warm_up
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import RunContext
from engine.protocols.study.protocol import Protocol


def prepare_kernels(context: RunContext[Protocol], steps: Steps) -> Stage[None]:
    """Load the kernels, or compile them on first use on this computer.

    Parameters
    ----------
    context
        run with its log
    steps
        calls that compile the kernels of the modality
    """
    # Filters of the protocol are known here only, not to the modality.
    steps = [*steps, *_of_filters(context)]
    yield context.log.start("kernels", "Preparing the kernels (they are compiled once and stored)")
    on_progress = context.ticker("kernels") or (lambda done, total: None)
    with context.profiler.span("kernels"):
        on_progress(0, len(steps))
        for done, total in warm_up(steps):
            on_progress(done, total)
    yield context.log.end("kernels")


def _of_filters(context: RunContext[Protocol]) -> Steps:
    """Return calls that compile the filters of a run on the CPU."""
    filters = (*context.protocol.between, *context.protocol.finishing)
    # On a GPU, filters use CuPy, which compiles its own kernels on demand.
    return [] if context.on.is_cuda else [of_filter(each) for each in filters]
