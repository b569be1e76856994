"""Collect the list of studies from results, jobs and the queue, without changing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from engine.core.errors import EngineError
from engine.jobs.caches import StoredItem
from engine.jobs.checkpoint.job import jobs
from engine.jobs.checkpoint.job_record import QUEUED_RUN, JobInfo
from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.store import StudyQueue
from engine.jobs.study_index.indexed_study import KnownStudy, State
from engine.results import Result, Results
from engine.results.reports.signature import signature_warnings, signatures_of

T = TypeVar("T")


def known_studies() -> list[KnownStudy]:
    """Return all studies, the newest first."""
    # A run of the queue is listed once: as its entry, and as a result once it has one
    found = [*_results(), *_jobs(), *_queued()]
    return sorted(found, key=lambda each: (each.when, each.id), reverse=True)


def _results() -> Iterator[KnownStudy]:
    for result in Results().newest_first():
        yield _of_result(result)


def _of_result(result: Result) -> KnownStudy:
    record = result.record
    state: State = "part" if record.run_record.is_partial else "finished"
    standing = record.run_record.describe_ending()
    if result.exported:
        state, standing = "exported", f"{standing}, exported"
    # a manipulated order or signature is left out, and does not hide the study
    order, no_order = _or_fault(lambda: result.order)
    signatures, unsigned = _or_fault(lambda: signatures_of(result))
    warnings = signature_warnings(result, signatures or ())
    if signatures:
        state, standing = "signed off", signatures[-1].describe()
    return KnownStudy(
        result.id, result.scan, record.protocol, state, standing, result.created, result.n_bytes,
        order, result, " ".join(filter(None, (no_order, unsigned, *warnings))),
    )  # fmt: skip


def _or_fault(read: Callable[[], T]) -> tuple[T | None, str]:
    """Return the value, or the message of the error."""
    try:
        return read(), ""
    except EngineError as e:
        return None, str(e)


def _jobs() -> Iterator[KnownStudy]:
    """Yield interrupted and running jobs without a result, except those of the queue."""
    for info in jobs():
        state = _state_of(info)
        if state is not None and not info.id.startswith(QUEUED_RUN):
            yield _of_job(info, state)


def _state_of(info: JobInfo) -> State | None:
    if info.resumable and (info.interrupted or info.status != "finished"):
        return "interrupted"
    at_work = info.status in ("running", "paused") and not info.interrupted
    return "running" if at_work else None


def _of_job(info: JobInfo, state: State) -> KnownStudy:
    scan, _, protocol = info.local_title.partition(", ")
    done = f"{info.done or 0:,} of {info.updates:,} updates"
    standing = f"{info.text or 'interrupted'}; {done}" if state == "interrupted" else done
    n_bytes = StoredItem.of(state, info.id, info.folder).n_bytes
    # Records are in UTC, and the list shows local time
    when = info.created.astimezone()
    return KnownStudy(info.id, scan, protocol, state, standing, when, n_bytes)


def _queued() -> Iterator[KnownStudy]:
    """Yield the studies of the queue that have no image yet."""
    for entry in StudyQueue().entries():
        if entry.state != "finished":
            yield _of_entry(entry)


def _of_entry(entry: QueueEntry) -> KnownStudy:
    scan, protocol = _names_of(entry)
    # The runner takes an abandoned study up again by itself
    state: State = "waiting" if entry.is_abandoned else entry.state
    standing = entry.text or (f"{100 * entry.done:.0f} %" if state == "running" else state)
    when = (entry.begun_utc or entry.added_utc).astimezone()
    return KnownStudy(entry.id, scan, protocol, state, standing, when, order=entry.imaging_order)


def _names_of(entry: QueueEntry) -> tuple[str, str]:
    """Return scan and protocol; for a damaged entry its file name."""
    try:
        study = entry.to_study()
        return study.data.name, study.protocol_label
    except (EngineError, ValueError):
        return entry.title, ""
