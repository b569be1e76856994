"""List and remove everything that the program stores on disk: jobs, results and caches.

An interrupted job is removed only if the user names that kind. Items in use stay. Results are
listed with their size only, and `engine.results` deletes them one by one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.core.errors import EngineError, ResourceError
from engine.core.paths import jobs_dir
from engine.io.safety import audit_log
from engine.io.safety.locks import after_others, sweep_locks, sweep_parts
from engine.jobs.caches import StoredItem, cached, remove_cached
from engine.jobs.checkpoint.job import RECORD, Job

INTERRUPTED, ENDED, RUNNING = "interrupted", "ended", "running"
JOBS = (INTERRUPTED, ENDED, RUNNING)
RESULTS = "results"
STAYING = (RUNNING, RESULTS)
"""Kinds that are listed, but never removed here."""
CACHES = "caches"
"""Stands for every kind except jobs and results."""


def stored() -> list[StoredItem]:
    """Return everything stored, jobs and results first, the largest of each kind first."""
    sweep_locks()
    found = [*_jobs(), *_results(), *cached()]
    kinds = (*JOBS, RESULTS, *(item.kind for item in found))
    order = {kind: i for i, kind in enumerate(dict.fromkeys(kinds))}
    return sorted(found, key=lambda item: (order[item.kind], -item.n_bytes))


def kind_title(kind: str) -> str:
    """Return the title of a kind for the user.

    Parameters
    ----------
    kind
        kind of a stored item
    """
    if kind == RESULTS:
        return "Results"
    return f"{kind.capitalize()} jobs" if kind in JOBS else f"Cache: {kind}"


def choose_stored(
    items: Iterable[StoredItem], kinds: Iterable[str], older_than_days: float = 0.0
) -> list[StoredItem]:
    """Return the items of some kinds that can be removed.

    Parameters
    ----------
    items
        stored items, from `stored`
    kinds
        names of kinds; `CACHES` stands for all caches
    older_than_days
        least time since the last use

    Returns
    -------
    chosen
        matching items, without running jobs and results
    """
    wanted = set(kinds)
    return [
        item
        for item in items
        if (item.kind in wanted or (CACHES in wanted and item.kind not in JOBS))
        and item.kind not in STAYING
        and item.age_days >= older_than_days
    ]


def remove_stored(item: StoredItem) -> None:
    """Remove an item.

    Parameters
    ----------
    item
        item from `stored`

    Raises
    ------
    ResourceError
        if the item is a result or in use, or the disk refuses
    """
    if item.kind == RESULTS:
        raise ResourceError(
            f"{item.name}: this is a result. Delete it in the panel Results, or with `isocenter "
            "results`."
        )
    if item.kind not in JOBS:
        remove_cached(item)
        return
    with after_others(item.path):  # no process can resume the job meanwhile
        # Read again: the list that the user saw may be old
        if _state_of(item.path) == RUNNING:
            raise ResourceError(
                f"{item.name}: this job is still running. Wait until it has finished."
            )
        audit_log.record("run deleted", job=item.path.name, why="asked for")
        try:
            shutil.rmtree(item.path)
        except OSError as e:
            raise ResourceError(
                f"{item.name}: cannot be removed ({e.strerror or e}). Close all programs that "
                "have it open, and try again."
            ) from e


def _jobs() -> Iterator[StoredItem]:
    for folder in sorted(jobs_dir().iterdir()):
        if folder.is_dir():
            sweep_parts(folder)
            yield StoredItem.of(_state_of(folder), _name_of(folder), folder)


def _results() -> Iterator[StoredItem]:
    # Imported late, since results import reports and readers
    from engine.results import Results

    for result in Results().newest_first():
        name = f"{result.scan}, {result.record.protocol}"
        yield StoredItem.of(RESULTS, name, result.folder)


def _state_of(folder: Path) -> str:
    """Return the state of a job; one that cannot be read has ended."""
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
        return f"{folder.name} ({RECORD} cannot be read)"
