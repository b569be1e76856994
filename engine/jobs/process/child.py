"""The engine process: runs one study, obeys commands, and ends itself when the window is gone."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Generator
from contextlib import closing
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from engine.core.backend import Backend
from engine.core.errors import (
    DeviceError,
    EngineError,
    ResourceError,
    SettingsError,
    WorkersGoneError,
)
from engine.data.runs.events import Event, Failed, Finished, Preview, Warned
from engine.jobs.checkpoint import Job, keep
from engine.jobs.process.link import Controls, Outbox
from engine.jobs.process.messages import Order, Source
from engine.modalities.studies import Study, study_of_json
from engine.selftest import named

if TYPE_CHECKING:
    from engine.jobs.reconstruction import Resume

NO_MEMORY = (
    "The memory is used up; choose larger voxels, a smaller field of view or a shorter scan, "
    "or close other programs."
)


def main(order: Order, events: Connection, commands: Connection) -> None:
    """Run an order to its end; every end but an abort is told as an event."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches us too; the parent decides
    controls = Controls(commands)
    serve(order, Outbox(events, controls), controls)


def serve(order: Order, outbox: Outbox, controls: Controls) -> None:
    """Run an order, tell all that happens, and let nothing escape."""
    try:
        _work(order, outbox, controls)
    # raised by ourselves, never by the keyboard: it passes every `except Exception` on its way
    # here, so that no stage can swallow an abort
    except KeyboardInterrupt:
        pass  # aborted: the parent asked for it, and knows what it has
    except DeviceError as e:
        detail = traceback.format_exc()
        outbox.send(Failed(str(e), user_fault=False, detail=detail, on_cpu=True))
    except EngineError as e:
        rests = isinstance(e, WorkersGoneError)
        outbox.send(Failed(str(e), user_fault=True, rests=rests))
    except MemoryError:
        outbox.send(Failed(NO_MEMORY, user_fault=True))
    except Exception as e:  # noqa: BLE001  the last door: nothing may end without a word
        text = f"The engine met a fault of its own ({type(e).__name__}: {e})"
        outbox.send(Failed(f"{text}.", user_fault=False, detail=traceback.format_exc()))
    finally:
        outbox.close()


def _work(order: Order, outbox: Outbox, controls: Controls) -> None:
    study = study_of_json(order.study)
    job = Job.open(order.job) if order.job else None
    latest: Preview | None = None
    # closed before we exit, so that what keeps checkpoints can end its work
    with closing(_events(order, study, job, outbox, controls)) as events:
        for event in events:
            outbox.send_event(event)
            if isinstance(event, Preview):
                latest = event
            if isinstance(event, Finished):
                # our memory goes with us: an exit before the window has copied the last volume
                # would lose it
                outbox.wait_until_taken()
            elif controls.pause_wanted:
                _rest(job, latest, controls, outbox)
            controls.stop_if_aborted()


def _settings_of(study: Study) -> Study:
    """Return the files and settings of a study alone.

    The job adds to `saved` how the protocol differs from the saved ones of its day.
    """
    protocol = study.protocol.model_copy(update={"saved": None})
    return study.with_absolute_paths().model_copy(update={"protocol": protocol})


def _events(
    order: Order, study: Study, job: Job | None, outbox: Outbox, controls: Controls
) -> Generator[Event, None, None]:
    source = order.source or _default_source()
    resume: Resume | None = None
    if order.resume and job is not None:
        if _settings_of(study) != _settings_of(job.study):
            raise SettingsError(
                f"job {job.id}: was started with another study; resume it with its own, "
                "or start this one anew."
            )
        resume = job.latest()
        if resume is None:
            yield Warned("Nothing was saved before the interruption; starting anew.")
    on = _device(order)
    if on.remark:
        yield Warned(on.remark)
    events = source(
        study,
        on=on,
        resume=resume,
        on_progress=outbox.on_progress,
        finish_early=controls.finish_wanted,
        **({} if job is None else {"folder": job.folder}),
    )
    if job is not None:
        # the window made the job and hands it over: only from who ordered may we take it
        events = keep(events, job, heir_of=order.from_pid)
    yield from events


def _device(order: Order) -> Backend:
    try:
        return named(order.device, order.threads)
    except ResourceError as e:
        # a GPU that was asked for and is absent: the way out is the CPU, as for one that fails
        if order.device.startswith("cuda"):
            raise DeviceError(str(e)) from e
        raise


def _default_source() -> Source:
    from engine.jobs.reconstruction import run

    return run


def _rest(job: Job | None, latest: Preview | None, controls: Controls, outbox: Outbox) -> None:
    """Wait out a pause, with the image safe on disk."""
    # a pause may be forever: the machine goes to sleep, or the user goes home
    if job is not None and latest is not None:
        job.save(latest)
    if job is not None:
        job.mark("paused")
    controls.rest(outbox.beat)
    if job is not None:
        job.mark("running")
