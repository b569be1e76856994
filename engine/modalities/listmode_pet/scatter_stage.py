"""The scatter of a run: supplied, simulated, or what it costs that there is no estimate."""

from __future__ import annotations

import numpy as np

from engine.corrections.attenuation import AttenuationFactor
from engine.corrections.scatter import NEEDS_ATTENUATION, Scatter
from engine.data.listmode import ListMode
from engine.errors import DataError
from engine.events import Corrected
from engine.modalities import stages
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.scatter_estimate import (
    ScatterEstimate,
    estimate_scatter,
    expected_of,
)
from engine.modalities.listmode_pet.scatter_size import size_of
from engine.modalities.stages import Stage
from engine.reporting.context import RunContext
from engine.scatter.cost import cost_of

Context = RunContext[ListModeProtocol]
ENDS = 0.1
"""Part of the length of the image at each end that tells whether activity goes on beyond."""
GOES_ON = 0.25
"""Activity at an end, as part of that in the rest, from which it is held to go on."""


def correct_scatter(context: Context, scatter: Scatter, prompts: ListMode) -> Stage[ListMode]:
    """Expect the scatter of sorted prompts, or say what it costs that it is not known."""
    if scatter.use == "off":
        text = "switched off in the protocol" + _cost(context, prompts)
        yield context.log.corrected(Corrected(scatter.kind, "off", text))
        return prompts
    obstacle = scatter.obstacle(prompts) or _obstacle(scatter, prompts)
    if obstacle is not None:
        if scatter.use == "on":
            raise DataError(f"{scatter.title} correction is switched on, but {obstacle}.")
        text = obstacle + _cost(context, prompts)
        yield context.log.corrected(Corrected(scatter.kind, "unavailable", text))
        return prompts
    if not scatter.simulates(prompts):
        return (yield from stages.correct(context, [scatter], prompts))
    return (yield from _simulate(context, scatter, prompts))


def needs_simulation(data: ListMode) -> bool:
    """Whether scatter is simulated, or what it costs to leave it in."""
    return data.additive is None and data.scanner.is_round


def _obstacle(scatter: Scatter, prompts: ListMode) -> str | None:
    """Why the image that scatter is simulated from would be wrong."""
    factors = prompts.line_factors
    if scatter.simulates(prompts) and not any(isinstance(f, AttenuationFactor) for f in factors):
        return NEEDS_ATTENUATION
    return None


def _simulate(context: Context, scatter: Scatter, prompts: ListMode) -> Stage[ListMode]:
    yield context.log.start("scatter", "Simulating the scatter")
    reproducible = context.protocol.reproducible
    with context.profiler.span("scatter", events=prompts.n_events):
        estimate = estimate_scatter(
            prompts,
            scatter,
            on=context.on,
            reproducible=reproducible,
            on_tick=context.ticker("scatter"),
        )
        expected = expected_of(estimate.table, prompts, on=context.on, reproducible=reproducible)
    context.log.facts["scatter"] = {
        "fraction": estimate.fraction,
        "scale": estimate.fit.scale if estimate.fit.is_used else None,
        "rounds": estimate.rounds,
    }
    row = Corrected(scatter.kind, "applied", estimate.describe(), estimate.profile)
    yield context.log.corrected(row)
    for warning in _warnings(estimate):
        yield context.log.warn(warning)
    yield context.log.end("scatter", fraction_percent=100 * estimate.fraction)
    yield from context.profiled()
    return prompts.with_background(expected)


def _warnings(estimate: ScatterEstimate) -> list[str]:
    found = []
    if estimate.fit.is_used and not estimate.fit.is_plausible:
        found.append(f"Scatter is {estimate.fit.describe()}.")
    ends = _ends(estimate)
    if ends > GOES_ON:
        found.append(
            f"Activity goes on to the end of the axial field of view ({100 * ends:.0f} % of that "
            "in its middle): scatter from beyond is not simulated, only scaled by what is beside "
            "the object."
        )
    return found


def _ends(estimate: ScatterEstimate) -> float:
    """Activity at the fuller end, as part of the mean of the middle half."""
    profile = estimate.image.values.sum(axis=(1, 2), dtype=np.float64)
    n = len(profile)
    few = max(1, round(ENDS * n))
    middle = profile[n // 4 : n - n // 4].mean()
    return float(max(profile[:few].mean(), profile[-few:].mean()) / middle) if middle > 0 else 0.0


def _cost(context: Context, prompts: ListMode) -> str:
    """What leaving scatter in costs, as the end of a sentence."""
    with context.profiler.span("correct"):
        # what we simulate scatters as its column `additive` says, or not at all
        if not prompts.scanner.is_round or prompts.info.get("source") == "simulated":
            return ""
        diameter, length = size_of(prompts)
        cost = cost_of(prompts.scanner, diameter, length, on=context.on)
        return f": {cost.describe()}"
