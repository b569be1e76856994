"""Names of images and queued runs in the language of the window, equal in every list."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from app.language.keys import name_of_key
from app.language.translation import tr
from engine.core.errors import EngineError
from engine.core.visible_text import visible_line
from engine.data import RecordedRun
from engine.jobs import QueueEntry
from engine.results import Named, NameWords, Result, image_names, unrecorded

WORDS = NameWords(
    quality={
        "fast": name_of_key("fast"),
        "standard": name_of_key("standard"),
        "fine": name_of_key("fine"),
        "changed": tr("Changed"),
    },
    iterations=tr("it."),
    frames=tr("frames"),
    frame=tr("frame"),
    subsets=tr("subsets"),
    subset=tr("subset"),
    off=tr("off"),
    missing=tr("no"),
    endings={
        "stopped": tr("stopped"),
        "aborted": tr("aborted"),
        "failed": tr("failed"),
        "converged": tr("converged"),
    },
)

_PLANS: dict[str, tuple[str, RecordedRun]] = {}
"""Scan and plan by the text of a study. The queue is polled, so each study is parsed once."""


def names_of_results(results: Iterable[Result]) -> dict[str, str]:
    """Return short names of results that differ within each scan.

    Parameters
    ----------
    results
        results on disk

    Returns
    -------
    name by the id of the result
    """
    return _visible_names(image_names([each.named for each in results], WORDS))


def name_of_run(named: Named, results: Iterable[Result]) -> str:
    """Return a name for the current run that no result of the same scan has.

    Parameters
    ----------
    named
        the current run
    results
        other results; one with the key of the run is the run itself
    """
    others = [each.named for each in results if each.id != named.key]
    return visible_line(image_names([*others, named], WORDS)[named.key])


def names_of_entries(entries: Iterable[QueueEntry], results: Iterable[Result]) -> dict[str, str]:
    """Return short names of the studies in the queue.

    Parameters
    ----------
    entries
        entries of the queue; an unreadable study, or one without its own protocol, gets no name
    results
        results on disk; an entry with one has the date and plan of its image

    Returns
    -------
    name by the id of the entry
    """
    made = {each.id: each for each in results}
    found = []
    for entry in entries:
        with suppress(EngineError, ValueError):  # an unreadable study is listed by its title only
            if entry.has_protocol:
                found.append(_named_entry(entry, made.get(entry.result)))
    return _visible_names(image_names(found, WORDS))


def _visible_names(names: dict[str, str]) -> dict[str, str]:
    """Return names with visible control characters: scans and protocols may contain some."""
    return {id: visible_line(name) for id, name in names.items()}


def _named_entry(entry: QueueEntry, result: Result | None) -> Named:
    # The whole path: scans of two patients may have one file name.
    scan, run = _scan_and_plan(entry)
    if result is not None:
        known = result.named
        return Named(entry.id, scan, known.run, known.when, known.voxels)
    return Named(entry.id, scan, run, entry.added_utc.astimezone())


def _scan_and_plan(entry: QueueEntry) -> tuple[str, RecordedRun]:
    """Return scan and plan of a queued study."""
    if entry.study not in _PLANS:
        study = entry.to_study()
        _PLANS[entry.study] = str(study.data), unrecorded(study.protocol, 0).ended("running")
    return _PLANS[entry.study]
