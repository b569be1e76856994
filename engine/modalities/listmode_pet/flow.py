"""List-mode PET from file to volume, on one screen, and its stages.

Each stage takes a value, tells what it does, and returns the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.backend.devices import device_of
from engine.corrections import CORRECTIONS
from engine.corrections.base import inputs_of
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.errors import DataError
from engine.events import Loaded, Planned
from engine.io import read_listmode
from engine.modalities import stages
from engine.modalities.kernel_stage import prepare_kernels
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.requirements import estimate
from engine.modalities.listmode_pet.sensitivity import Sensitivity, compute_sensitivity
from engine.modalities.listmode_pet.sensitivity_cache import keep, key_of, load
from engine.modalities.listmode_pet.warm_up import of_events
from engine.modalities.requirements import refuse_if_too_large
from engine.modalities.stages import Stage
from engine.modalities.warm_up import Steps
from engine.model import ListModeModel
from engine.paths import cache_dir
from engine.reporting.context import Resume, RunContext

FUSED = 1
"""Passes of an update: forward and back in one go."""


def flow(
    record: RunContext, resume: Resume | None, finish_early: Callable[[], bool] | None
) -> Stage[Volume]:
    """Read, correct, model, iterate, finish."""
    data = yield from read(record)
    yield from prepare_kernels(record, kernels_of(record, data))
    prompts = yield from correct(record, data)
    sensitivity = yield from measure_sensitivity(record, prompts)
    yield stages.begin(record, resume)
    model = build(record, prompts, sensitivity)
    start = listmode_pet.uniform_start(model)
    image, done = yield from stages.iterate(
        record, model, start, resume, finish_early, n_rows=prompts.n_events, passes_of_step=FUSED
    )
    return (yield from stages.finish(record, image, done))


def read(record: RunContext) -> Stage[ListMode]:
    """Read the scan and its auxiliary images, and check that the run fits the memory."""
    yield record.start("read", "Reading the scan")
    study, protocol = record.study, record.protocol
    with record.profiler.span("read") as amounts:
        data = read_listmode(study.data, scanner=study.scanner)
        amounts.events = data.n_events
    if data.n_prompts == 0:
        raise DataError(
            f"{study.data.name}: {data.n_events} events, none of them a prompt; "
            "there is nothing to reconstruct."
        )
    record.grid = protocol.grid.grid_for(data.scanner)
    yield _plan(record, data)
    data = stages.attach_inputs(record, inputs_of(CORRECTIONS), data)
    if not protocol.time_of_flight:
        data = listmode_pet.without_tof(data)
    record.facts = facts_of(data)
    record.scanner = data.scanner.fingerprint()
    record.axes = data.info.get("axes", record.axes)
    yield Loaded(f"{data.n_prompts:,} prompts, {data.scanner.describe()}", record.facts)
    for note in data.notes:
        yield record.warn(note)
    yield record.end("read", events=data.n_events)
    yield from record.profiled()
    return data


def _plan(record: RunContext, data: ListMode) -> Planned:
    """Say what the run will take; raise if the memory is not there."""
    on, n_lors = device_of(record.on), data.scanner.n_lors
    requirements = estimate(record.protocol, record.grid, data.n_events, on=on, n_lors=n_lors)
    refuse_if_too_large(requirements, record.grid)
    return Planned(record.on.name, f"{record.on.label}: {requirements.describe()}")


def kernels_of(record: RunContext, data: ListMode) -> Steps:
    """What compiles the kernels of this run."""
    return of_events(
        record.on,
        record.grid,
        None if data.tof_bins is None else data.scanner.tof,
        reproducible=record.protocol.reproducible,
        mu_map=None if data.mu_map is None else data.mu_map.grid,
    )


def correct(record: RunContext, data: ListMode) -> Stage[ListMode]:
    """Describe each effect in the data, then keep the prompts a model can explain, sorted."""
    yield record.start("correct", "Preparing the corrections")
    data = yield from stages.correct(record, record.protocol.corrections.steps(), data)
    with record.profiler.span("sort", events=data.n_prompts):
        prepared = listmode_pet.prepare(data, on=record.on)
    if prepared.n_dropped:
        yield record.warn(
            f"{prepared.n_dropped:,} prompts lie on gaps, dead crystals or outside the "
            "scanner's field of view and are left out."
        )
    yield record.end("correct")
    yield from record.profiled()
    return prepared.data


def measure_sensitivity(record: RunContext, prompts: ListMode) -> Stage[Sensitivity]:
    """Compute the sensitivity image, or find it in the cache."""
    yield record.start("sensitivity", "Computing the sensitivity of the scanner")
    settings, exact_sums = record.protocol.sensitivity, record.protocol.reproducible
    folder = cache_dir() / "sensitivity"
    rounds = None if exact_sums else record.on  # integer sums are the same on any device
    key = key_of(prompts, record.grid, settings, on=rounds)
    with record.profiler.span("sensitivity"):
        found = load(folder, key, record.grid)
        sensitivity = found or compute_sensitivity(
            prompts,
            record.grid,
            settings,
            on=record.on,
            reproducible=exact_sums,
            on_progress=record.ticker("sensitivity"),
        )
    if found is None:
        keep(folder, key, sensitivity)
    record.facts["sensitivity"] = sensitivity.describe()
    yield record.end(
        "sensitivity",
        lines=sensitivity.n_traced,
        error_percent=sensitivity.error_percent,
        from_cache=found is not None,
    )
    return sensitivity


def build(record: RunContext, prompts: ListMode, sensitivity: Sensitivity) -> ListModeModel:
    """Compose the model of the corrected prompts."""
    return listmode_pet.build(
        prompts,
        record.grid,
        sensitivity,
        on=record.on,
        reproducible=record.protocol.reproducible,
        on_progress=record.progress,
        profiler=record.profiler,
    )


def facts_of(data: ListMode) -> dict[str, Any]:
    """Plain facts of a scan for the window and for provenance."""
    return {
        "scanner": data.scanner.name,
        "crystals": data.scanner.describe(),
        "prompts": data.n_prompts,
        "delayeds": data.n_delayed,
        "duration_s": data.duration_s,
        "time_of_flight": data.tof_bins is not None,
        **data.info,
    }
