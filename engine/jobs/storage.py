"""All that lies on the disk on our account, jobs and caches, and its end.

An interrupted job goes only where it is named as what it is; what a process uses stays.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.errors import EngineError, ResourceError
from engine.io import audit_log
from engine.io.dead_parts import sweep_parts
from engine.io.locks import after_others, sweep_locks
from engine.jobs.caches import StoredItem, cached, remove_cached
from engine.jobs.checkpoint.job import RECORD, Job
from engine.paths import jobs_dir

INTERRUPTED, ENDED, RUNNING = "interrupted", "ended", "running"
JOBS = (INTERRUPTED, ENDED, RUNNING)
CACHES = "caches"
"""Stands for every kind that is no job."""


def stored() -> list[StoredItem]:
    """Return all that lies there, jobs first, the largest of each kind first."""
    sweep_locks()
    found = [*_jobs(), *cached()]
    order = {kind: i for i, kind in enumerate(dict.fromkeys((*JOBS, *(f.kind for f in found))))}
    return sorted(found, key=lambda item: (order[item.kind], -item.n_bytes))


def kind_title(kind: str) -> str:
    """Return what a kind is called."""
    return f"{kind.capitalize()} jobs" if kind in JOBS else f"Cache: {kind}"


def choose_stored(
    items: Iterable[StoredItem], kinds: Iterable[str], older_than_days: float = 0.0
) -> list[StoredItem]:
    """Return the items of some kinds that were not used for so long; never jobs at work."""
    wanted = set(kinds)
    return [
        item
        for item in items
        if (item.kind in wanted or (CACHES in wanted and item.kind not in JOBS))
        and item.kind != RUNNING
        and item.age_days >= older_than_days
    ]


def remove_stored(item: StoredItem) -> None:
    """Remove an item; refuse what a process uses."""
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
        return f"{folder.name}, {Job(folder).record.title}"
    except EngineError:
        return f"{folder.name}, whose {RECORD} cannot be read"
