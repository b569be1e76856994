"""Steps that compile or load the kernels of a reconstruction, one each, and their stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.geometry.grid import ImageGrid
from engine.recon.postprocess import Filter

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import RunContext
    from engine.protocols.study.protocol import Protocol
    from engine.recon.algorithms.prior_choices import PriorChoice

# Compilation depends on types, not on sizes, so a tiny image suffices.
TINY = ImageGrid((4, 4, 4), (2.0, 2.0, 2.0))

Steps = Sequence[Callable[[], object]]


def warm_up(steps: Steps) -> Iterator[tuple[int, int]]:
    """Run steps, and yield the number done and in total after each.

    Parameters
    ----------
    steps
        calls that compile one kernel each
    """
    for number, step in enumerate(steps, 1):
        step()
        yield number, len(steps)


def of_filter(one: Filter) -> Callable[[], object]:
    """Return a call that compiles a filter of images.

    Parameters
    ----------
    one
        filter with its settings
    """
    return partial(one.apply, np.ones(TINY.shape, np.float32), TINY.voxel_mm)


def of_prior(on: Backend, choice: PriorChoice | None = None) -> Steps:
    """Return calls that compile the kernels of a prior.

    Parameters
    ----------
    on
        device
    choice
        prior with its settings; None: the default
    """
    from engine.recon.algorithms.prior_choices import RelativeDifferenceChoice
    from engine.recon.priors.scale import PriorScale

    image = on.to_device(np.ones(TINY.shape, np.float32))
    scale = PriorScale(TINY.voxel_mm, activity=1.0, strength=1.0, kappa=image)
    prior = (choice or RelativeDifferenceChoice()).prior_for(scale)
    return [partial(of, image) for of in (prior.value, prior.gradient, prior.curvature)]


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
    if context.protocol.algorithm.is_penalised:
        steps += of_prior(context.on, getattr(context.protocol.algorithm, "prior", None))
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
