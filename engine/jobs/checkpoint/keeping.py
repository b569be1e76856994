"""Saving checkpoints while a reconstruction goes by, without slowing it down."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from time import monotonic

from engine.errors import EngineError
from engine.events import Checkpointed, Event, Finished, Preview, Warned
from engine.jobs.checkpoint.job import Job
from engine.jobs.checkpoint.job_record import Status

INTERVAL_S = 2.0
"""Least time between checkpoints within an iteration."""
SHARE = 0.05
"""Part of the time that saving may take."""

log = logging.getLogger(__name__)


def keep(
    events: Iterator[Event], job: Job, *, heir_of: int | None = None
) -> Generator[Event, None, None]:
    """Pass on `events`, save their images in `job`, and write down how the run ends.

    An image is saved at the end of an iteration, or when `INTERVAL_S` have passed, as long as
    saving stays within `SHARE` of the time; the last image before any end is always saved.
    """
    job.claim(heir_of=heir_of)
    saver = _Saver(job)
    finished = False
    try:
        for event in events:
            finished = finished or isinstance(event, Finished)
            saver.latest = event if isinstance(event, Preview) else saver.latest
            yield event
            if isinstance(event, Preview) and saver.due:
                yield from saver.save()
    except (GeneratorExit, KeyboardInterrupt):
        _end(job, saver, finished=finished)
        raise
    except Exception as e:
        saver.save_last()
        _mark(job, "failed", str(e))
        raise
    finally:
        if isinstance(events, Generator):
            events.close()
    _end(job, saver, finished=finished)


def _end(job: Job, saver: _Saver, *, finished: bool) -> None:
    if finished:
        _mark(job, "finished")
    else:
        saver.save_last()
        _mark(job, "aborted")


def _mark(job: Job, status: Status, text: str = "") -> None:
    try:
        job.mark(status, text)
    except EngineError as e:  # a lost folder must not hide how the run ended
        log.warning("job %s: %s", job.id, e)


class _Saver:
    def __init__(self, job: Job) -> None:
        self.job = job
        self.latest: Preview | None = None
        self._saved: Preview | None = None
        self._started = self._saved_at = monotonic()
        self._spent_s = self._cost_s = 0.0
        self._warned = False

    @property
    def due(self) -> bool:
        now = monotonic()
        affordable = self._spent_s + self._cost_s <= SHARE * (now - self._started)
        wanted = self.latest is not None and self.latest.ends_iteration
        return affordable and (wanted or now - self._saved_at >= INTERVAL_S)

    def save(self) -> Iterator[Event]:
        preview, before = self.latest, monotonic()
        if preview is None or preview is self._saved:
            return
        try:
            self.job.save(preview)
        except EngineError as e:
            if not self._warned:
                yield Warned(f"No checkpoint could be saved, the run goes on without: {e}")
            self._warned = True
            return
        finally:
            self._saved_at = monotonic()
            self._cost_s = self._saved_at - before
            self._spent_s += self._cost_s
        self._saved = preview
        yield Checkpointed(self.job.id, preview.iteration, preview.subset)

    def save_last(self) -> None:
        for _ in self.save():
            pass
