"""All that lies on the disk on our account: jobs, results and caches, and the end of some.

An interrupted job goes only where it is named as what it is; what a process uses stays. Results are
listed with their size alone: `engine.results` ends them, one by one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.core.errors import EngineError, ResourceError
from engine.core.paths import jobs_dir
from engine.io.safety import audit_log
from engine.io.safety.dead_parts import sweep_parts
from engine.io.safety.locks import after_others, sweep_locks
from engine.jobs.caches import StoredItem, cached, remove_cached
from engine.jobs.checkpoint.job import RECORD, Job

INTERRUPTED, ENDED, RUNNING = "interrupted", "ended", "running"
JOBS = (INTERRUPTED, ENDED, RUNNING)
RESULTS = "results"
STAYING = (RUNNING, RESULTS)
"""What is listed, and never removed from here."""
CACHES = "caches"
"""Stands for every kind that is no job and no result."""


def stored() -> list[StoredItem]:
    """Return all that lies there, jobs and results first, the largest of each kind first."""
    sweep_locks()
    found = [*_jobs(), *_results(), *cached()]
    kinds = (*JOBS, RESULTS, *(item.kind for item in found))
    order = {kind: i for i, kind in enumerate(dict.fromkeys(kinds))}
    return sorted(found, key=lambda item: (order[item.kind], -item.n_bytes))


def kind_title(kind: str) -> str:
    """Return what a kind is called."""
    if kind == RESULTS:
        return "Results"
    return f"{kind.capitalize()} jobs" if kind in JOBS else f"Cache: {kind}"


def choose_stored(
    items: Iterable[StoredItem], kinds: Iterable[str], older_than_days: float = 0.0
) -> list[StoredItem]:
    """Return the items of some kinds that were not used for so long; no job at work, no result."""
    wanted = set(kinds)
    return [
        item
        for item in items
        if (item.kind in wanted or (CACHES in wanted and item.kind not in JOBS))
        and item.kind not in STAYING
        and item.age_days >= older_than_days
    ]


def remove_stored(item: StoredItem) -> None:
    """Remove an item; refuse what a process uses, and a result."""
    if item.kind == RESULTS:
        raise ResourceError(
            f"{item.name}: is a result; delete it in the tab Results, or by `isocenter results`."
        )
    if item.kind not in JOBS:
        remove_cached(item)
        return
    with after_others(item.path):  # nobody takes it up meanwhile
        if _state_of(item.path) == RUNNING:
            raise ResourceError(f"{item.name}: a process works on this job; wait until it ends.")
        audit_log.record("run deleted", job=item.path.name, why="asked for")
        try:
            shutil.rmtree(item.path)
        except OSError as e:
            raise ResourceError(
                f"{item.name}: could not be removed ({e.strerror or e}); close what uses it."
            ) from e


def _jobs() -> Iterator[StoredItem]:
    for folder in sorted(jobs_dir().iterdir()):
        if folder.is_dir():
            sweep_parts(folder)
            yield StoredItem.of(_state_of(folder), _name_of(folder), folder)


def _results() -> Iterator[StoredItem]:
    from engine.results import Results

    for result in Results().newest_first():
        name = f"{result.scan}, {result.record.protocol}"
        yield StoredItem.of(RESULTS, name, result.folder)


def _state_of(folder: Path) -> str:
    """Return how a job stands; one that cannot be read has ended."""
    try:
        info = Job(folder).info
    except EngineError:
        return ENDED
    if info.interrupted or (info.status in ("aborted", "failed") and info.done):
        return INTERRUPTED
    return RUNNING if info.status in ("running", "paused") else ENDED


def _name_of(folder: Path) -> str:
    try:
        return f"{Job(folder).info.local_title}, {folder.name}"
    except EngineError:
        return f"{folder.name}, whose {RECORD} cannot be read"
