"""The engine process: it runs one study, follows commands, and exits with the window."""

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
    WorkersLostError,
)
from engine.core.plugins import at_fault
from engine.data.runs.events import Event, Failed, Finished, Preview, Warned
from engine.jobs.checkpoint import Job, keep
from engine.jobs.process.link import Controls, Outbox
from engine.jobs.process.messages import Order, Source
from engine.modalities.studies import Study, study_of_json
from engine.selftest import named

if TYPE_CHECKING:
    from engine.jobs.reconstruction import Resume

NO_MEMORY = (
    "Not enough memory. Choose larger voxels, a smaller field of view or a shorter "
    "scan, or close other programs."
)


def main(order: Order, events: Connection, commands: Connection) -> None:
    """Run an order to its end, and report every end except an abort as an event.

    Parameters
    ----------
    order
        study, device and job
    events
        pipe to the window
    commands
        pipe from the window
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches us too; the parent decides
    controls = Controls(commands)
    serve(order, Outbox(events, controls), controls)


def serve(order: Order, outbox: Outbox, controls: Controls) -> None:
    """Run an order and report everything that happens. No exception leaves this function.

    Parameters
    ----------
    order
        study, device and job
    outbox
        sends events to the window; closed at the end
    controls
        commands of the window
    """
    try:
        _work(order, outbox, controls)
    # raised by this process, not by the keyboard: no `except Exception` in a stage can catch it, so
    # an abort always arrives here
    except KeyboardInterrupt:
        pass  # the parent has requested the abort, so no message is needed
    except DeviceError as e:
        detail = traceback.format_exc()
        outbox.send(Failed(str(e), user_fault=False, detail=detail, on_cpu=True))
    except EngineError as e:
        rests = isinstance(e, WorkersLostError)
        outbox.send(Failed(str(e), user_fault=True, rests=rests))
    except MemoryError:
        outbox.send(Failed(NO_MEMORY, user_fault=True))
    except Exception as e:  # noqa: BLE001  the last door: nothing may end without a word
        plug_in = at_fault(e)
        place = f"Error in the plug-in {plug_in}" if plug_in else "Internal error"
        text = f"{place} ({type(e).__name__}: {e})"
        outbox.send(Failed(f"{text}.", user_fault=False, detail=traceback.format_exc()))
    finally:
        outbox.close()


def _work(order: Order, outbox: Outbox, controls: Controls) -> None:
    study = study_of_json(order.study)
    job = Job.open(order.job) if order.job else None
    latest: Preview | None = None
    # closed before the exit, so that the code that saves checkpoints can finish
    with closing(_events(order, study, job, outbox, controls)) as events:
        for event in events:
            outbox.send_event(event)
            if isinstance(event, Preview):
                latest = event
            if isinstance(event, Finished):
                # shared memory ends with this process: an early exit would lose the last volume
                outbox.wait_until_received()
            elif controls.pause_wanted:
                _wait_in_pause(job, latest, controls, outbox)
            controls.stop_if_aborted()


def _settings_of(study: Study) -> Study:
    """Return the study with its files and settings only.

    The job adds `saved`, the differences from the protocols that were saved at that time.
    """
    protocol = study.protocol.model_copy(update={"saved": None})
    # The checkpoint compares the digests of all files, so fingerprints do not count
    update = {"protocol": protocol, "fingerprints": {}}
    return study.with_absolute_paths().model_copy(update=update)


def _events(
    order: Order, study: Study, job: Job | None, outbox: Outbox, controls: Controls
) -> Generator[Event, None, None]:
    source = order.source or _default_source()
    resume: Resume | None = None
    if order.resume and job is not None:
        if _settings_of(study) != _settings_of(job.study):
            raise SettingsError(
                f"job {job.id} belongs to another study. Resume it with its own study, or start "
                "this study again."
            )
        resume = job.latest()
        if resume is None:
            yield Warned(
                "No checkpoint was saved before the interruption. The run starts from "
                "the beginning."
            )
    on = _device(order, job)
    if on.note:
        yield Warned(on.note)
    events = source(
        study,
        on=on,
        resume=resume,
        on_progress=outbox.on_progress,
        finish_early=controls.finish_wanted,
        **({} if job is None else {"folder": job.folder}),
    )
    if job is not None:
        # the window has created the job: only the process that sent the order can pass it on
        events = keep(events, job, heir_of=order.from_pid, warnings=order.warnings)
    yield from events


def _device(order: Order, job: Job | None) -> Backend:
    threads = order.threads if job is None else job.threads(order.threads, resumes=order.resume)
    try:
        on = named(order.device, threads)
    except ResourceError as e:
        # the requested GPU is missing: the remedy is the CPU, as for one that fails
        if order.device.startswith("cuda"):
            raise DeviceError(str(e)) from e
        raise
    if job is not None:
        job.note_device(on)
    return on


def _default_source() -> Source:
    from engine.jobs.reconstruction import run

    return run


def _wait_in_pause(
    job: Job | None, latest: Preview | None, controls: Controls, outbox: Outbox
) -> None:
    """Wait until a pause ends, with the image saved on disk."""
    # a pause may last for days: the machine sleeps, or the user is away
    if job is not None and latest is not None:
        job.save(latest)
    if job is not None:
        job.mark("paused")
    controls.rest(outbox.beat)
    if job is not None:
        job.mark("running")
