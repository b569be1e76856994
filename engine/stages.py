"""The stages of a reconstruction: each takes a value, tells what it does, and returns the next.

All are generators of events; `Record` gathers what provenance will say of them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine import provenance
from engine.algorithms import Iterate
from engine.backend import Backend
from engine.corrections import CORRECTIONS, Correction
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.devices import device_of
from engine.errors import DataError, GeometryError
from engine.events import (
    Corrected,
    Event,
    Loaded,
    Planned,
    Preview,
    Profiled,
)
from engine.io import read_efficiencies, read_listmode, read_mu_map
from engine.paths import cache_dir
from engine.postprocess import Filter
from engine.preflight import estimate, refuse_if_too_large
from engine.record import Record, Resume
from engine.systems import listmode_pet
from engine.systems.sensitivity import Sensitivity, compute_sensitivity
from engine.systems.sensitivity_cache import keep, key_of, load
from engine.warmup import warm_up

UNIT = "counts/mm"
T = TypeVar("T")
Stage = Generator[Event, None, T]


def prepare_kernels(record: Record, data: ListMode) -> Stage[None]:
    """Load the kernels, or compile them where this machine has not done so yet."""
    yield record.start("kernels", "Preparing the kernels (compiled once, then kept)")
    tick = record.ticker("kernels")
    tof = None if data.tof_bins is None else data.scanner.tof
    exact = record.protocol.reproducible
    with record.profiler.span("kernels"):
        for done, total in warm_up(record.on, record.grid, tof, reproducible=exact):
            if tick is not None:
                tick(done, total)
    yield record.end("kernels")


def read(record: Record) -> Stage[ListMode]:
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
    if study.attenuation is not None:
        data = replace(data, mu_map=read_mu_map(study.attenuation, data.scanner))
    if study.normalisation is not None:
        data = replace(data, efficiencies=read_efficiencies(study.normalisation, data.scanner))
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


def _plan(record: Record, data: ListMode) -> Planned:
    """Say what the run will take; raise if the memory is not there."""
    on, n_lors = device_of(record.on), data.scanner.n_lors
    needs = estimate(record.protocol, record.grid, data.n_events, on=on, n_lors=n_lors)
    refuse_if_too_large(needs, record.grid)
    return Planned(record.on.name, f"{record.on.label}: {needs.describe()}")


def correct(record: Record, data: ListMode) -> Stage[ListMode]:
    """Describe each effect in the data, then keep the prompts a model can explain, sorted."""
    yield record.start("correct", "Preparing the corrections")
    for kind in CORRECTIONS:
        correction: Correction = getattr(record.protocol.corrections, kind.kind)
        with record.profiler.span("correct"):
            data, event = _apply(correction, data, record.on)
        record.corrections.append({"kind": kind.kind, "state": event.state, "text": event.text})
        yield event
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


def _apply(correction: Correction, data: ListMode, on: Backend) -> tuple[ListMode, Corrected]:
    if correction.use == "off":
        return data, Corrected(correction.kind, "off", "switched off in the protocol")
    obstacle = correction.obstacle(data)
    if obstacle is None:
        after = correction.apply(data, on=on)
        return after, Corrected(correction.kind, "applied", correction.summary(data, after))
    if correction.use == "on":
        raise DataError(f"{correction.title} correction is switched on, but {obstacle}.")
    return data, Corrected(correction.kind, "unavailable", obstacle)


def measure_sensitivity(record: Record, prompts: ListMode) -> Stage[Sensitivity]:
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
            tick=record.ticker("sensitivity"),
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


def iterate(
    record: Record,
    prompts: ListMode,
    sensitivity: Sensitivity,
    resume: Resume | None,
    finish_early: Callable[[], bool] | None,
) -> Stage[tuple[NDArray[np.float32], int]]:
    """Run the algorithm; returns the last image and the updates behind it."""
    algorithm = record.protocol.algorithm
    yield record.start("reconstruct", algorithm.describe())
    model = listmode_pet.build(
        prompts,
        record.grid,
        sensitivity,
        on=record.on,
        reproducible=record.protocol.reproducible,
        tick=record.ticker("reconstruct"),
        profiler=record.profiler,
    )
    image, first = _start(listmode_pet.uniform_start(model), resume)
    done, spent, clock = first, 0.0, perf_counter()
    for step in algorithm.run(model, image, done=first, between=_between(record)):
        done = step.update
        seconds = perf_counter() - clock
        spent += seconds
        ends_iteration = step.subset == algorithm.n_subsets
        if ends_iteration or record.may_preview():
            image = step.image
            yield from _tell(record, step, seconds)
            yield from record.profiled()
        if ends_iteration and finish_early is not None and finish_early():
            break
        clock = perf_counter()  # pauses, drawing and saving are not the algorithm's time
    rate = prompts.n_events * (done - first) / algorithm.n_subsets / max(spent, 1e-9)
    yield record.end("reconstruct", spent, events=prompts.n_events, events_per_second=rate)
    return image, done


def _start(uniform: NDArray[Any], resume: Resume | None) -> tuple[NDArray[Any], int]:
    if resume is None:
        return uniform, 0
    if resume.image.shape != uniform.shape:
        raise GeometryError(
            f"the checkpoint's image is {resume.image.shape}, the grid {uniform.shape} "
            "(z, y, x); resume with the protocol the job was started with."
        )
    return resume.image, resume.done


def _tell(record: Record, step: Iterate, seconds: float) -> Iterator[Event]:
    algorithm = record.protocol.algorithm
    if step.iteration == 1:
        record.n_skipped += step.n_skipped
        if record.n_skipped and step.subset == algorithm.n_subsets:
            yield record.warn(
                f"{record.n_skipped:,} events cross no activity and no background in the first "
                "iteration; they are left out."
            )
    if step.log_likelihood is not None:
        record.likelihoods.append(step.log_likelihood)
    yield Preview(
        Volume(step.image, record.grid, UNIT, {"axes": record.axes}),
        step.iteration,
        algorithm.n_iterations,
        step.subset,
        algorithm.n_subsets,
        seconds,
        step.log_likelihood,
    )


def _between(record: Record) -> Callable[[NDArray[Any]], NDArray[Any]] | None:
    filters = record.protocol.between
    return (lambda image: _filtered(record, filters, image)) if filters else None


def _filtered(record: Record, filters: Sequence[Filter], image: NDArray[Any]) -> NDArray[Any]:
    if not filters:
        return image
    with record.profiler.span("filter"):
        for each in filters:
            image = each.apply(image, record.grid.voxel_mm)
    return image


def finish(record: Record, image: NDArray[np.float32], done: int) -> Stage[Volume]:
    """Filter the finished image and write down what made it."""
    yield record.start("finish", "Finishing the image")
    image = _filtered(record, record.protocol.finishing, image)
    image = np.ascontiguousarray(image, np.float32)
    yield record.end("finish")
    profile = record.profiler.snapshot()
    yield Profiled(profile)
    info = provenance.build(
        record.study,
        scanner_fingerprint=record.scanner,
        facts=record.facts,
        corrections=record.corrections,
        warnings=record.warnings,
        timings=record.timings,
        device=record.on.label,
        started_utc=record.started,
        ended_utc=datetime.now(UTC),
        iterations_done=done / record.protocol.algorithm.n_subsets,
        log_likelihoods=record.likelihoods,
        grid=record.grid,
        output_sha256=provenance.hash_array(image),
    )
    info |= {"axes": record.axes, "profile": profile.as_dict()}
    return Volume(image, record.grid, UNIT, info)


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
