"""Fit empty subsets, iterations and filters of a protocol to the scan, and report them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from engine.core.json_types import Plain
from engine.corrections.resolution import ResolutionModel
from engine.data.runs.events import Event
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import RunContext
from engine.protocols.study.protocol import Protocol
from engine.recon.algorithms import Algorithm
from engine.recon.algorithms.subsets import CountDemand

P = TypeVar("P", bound=Protocol)
FILTERS = "filters"
"""Key of the final filters in the log of a run."""


def fit_subsets(context: RunContext[P], demand: CountDemand) -> Stage[RunContext[P]]:
    """Complete subsets and iterations that the protocol leaves open, and report them.

    Parameters
    ----------
    context
        run with its algorithm
    demand
        counts of the data, and counts that subsets and images need
    """
    before = context.protocol.algorithm
    algorithm = before.for_counts(demand)
    yield from report_subsets(context, before, algorithm, demand)
    return (yield from without_open_filters(with_algorithm(context, algorithm)))


def without_open_filters(context: RunContext[P]) -> Stage[RunContext[P]]:
    """Leave out final Gaussians without a width after a penalised algorithm, and report it.

    With the resolution in the model they stay, with their own 1.5 voxels: such images overshoot
    at sharp edges.

    Parameters
    ----------
    context
        run with its algorithm and filters
    """
    protocol = context.protocol
    finishing = tuple(each for each in protocol.finishing if not each.is_open)
    if not protocol.algorithm.is_penalised or finishing == protocol.finishing:
        return context
    corrections = getattr(protocol, "corrections", None)
    steps = () if corrections is None else corrections.steps()
    if any(isinstance(step, ResolutionModel) and step.use != "off" for step in steps):
        words = " and ".join(each.describe() for each in protocol.finishing if each.is_open)
        yield context.log.applied(FILTERS, f"{words}, because the resolution is in the model")
        return context
    text = f"none, because {protocol.algorithm.title} limits the noise itself"
    yield context.log.applied(FILTERS, text)
    return _with(context, {"finishing": finishing})


def with_algorithm(context: RunContext[P], algorithm: Algorithm) -> RunContext[P]:
    """Return the context of a run with another algorithm.

    Parameters
    ----------
    context
        run to change
    algorithm
        algorithm with its subsets and iterations
    """
    return _with(context, {"algorithm": algorithm})


def _with(context: RunContext[P], settings: Plain) -> RunContext[P]:
    # Study and protocol are immutable, so copies record exactly the settings of the run.
    protocol = context.protocol.model_copy(update=settings)
    return replace(context, study=context.study.model_copy(update={"protocol": protocol}))


def report_subsets(
    context: RunContext[P], before: Algorithm, after: Algorithm, demand: CountDemand
) -> Iterator[Event]:
    """Report how the counts changed an algorithm, and warn if they are too few.

    Parameters
    ----------
    context
        run with its log
    before
        algorithm of the protocol
    after
        algorithm with the subsets and iterations of the run
    demand
        counts of the data, and counts that subsets and images need
    """
    text = fewer_subsets(before, after, demand)
    if text:
        yield context.log.applied("subsets", text)
    for warning in (too_many_subsets(before, demand), too_few_counts(demand)):
        if warning:
            yield context.log.warn(warning)


def fewer_subsets(before: Algorithm, after: Algorithm, demand: CountDemand) -> str:
    """Return why an algorithm has fewer subsets than the default; empty if it does not.

    Parameters
    ----------
    before
        algorithm of the protocol
    after
        algorithm with the subsets and iterations of the run
    demand
        counts of the data, and counts that subsets and images need
    """
    # Compare with the choice for unlimited counts, at the same number of updates.
    n_updates = after.n_iterations * after.n_subsets
    enough = replace(demand, n_counts=demand.in_subset * n_updates)
    unlimited = before.for_counts(enough, n_updates=n_updates).n_subsets
    if after.n_subsets >= unlimited:
        return ""
    return (
        f"{after.describe()}: {demand.n_counts:,.0f} counts are too few for {unlimited} subsets, "
        f"which need about {demand.in_subset:,.0f} each"
    )


def too_many_subsets(algorithm: Algorithm, demand: CountDemand) -> str:
    """Return a warning if a protocol sets more subsets than the counts allow; otherwise empty.

    Parameters
    ----------
    algorithm
        algorithm of the protocol
    demand
        counts of the data, and counts that subsets and images need
    """
    # An empty number of subsets is fitted to the counts, so only a number can be too large.
    subsets, most = getattr(algorithm, "subsets", None) or 1, max(demand.max_subsets, 1)
    if subsets <= most:
        return ""
    return (
        f"{subsets} subsets have {demand.n_counts / subsets:,.0f} counts each but need "
        f"about {demand.in_subset:,.0f}, so the image depends on the choice of "
        f"subsets; leave the number of subsets empty, or set at most {most}."
    )


def too_few_counts(demand: CountDemand) -> str:
    """Return a warning if the counts are too few for any image; otherwise empty.

    Parameters
    ----------
    demand
        counts of the data, and counts that subsets and images need
    """
    if demand.n_counts >= demand.for_image:
        return ""
    return (
        f"{demand.n_counts:,.0f} counts are few: an image of this field of view needs about "
        f"{demand.for_image:,.0f} to show more than noise; measure longer or smooth more."
    )
