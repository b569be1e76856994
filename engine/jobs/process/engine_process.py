"""The window's side of an engine process: it receives events and survives crashes."""

from __future__ import annotations

import atexit
import os
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import wait
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np

from engine.core.errors import EngineError
from engine.data.runs.events import Aborted, Event, Failed, Finished, Planned, Preview, Warned
from engine.data.storage import volume_file
from engine.jobs.checkpoint import Job
from engine.jobs.process.child import main
from engine.jobs.process.exit_reasons import exit_text, saved_state_text
from engine.jobs.process.messages import (
    N_SLOTS,
    Beat,
    Command,
    Free,
    NeedSlots,
    Order,
    Slots,
    Source,
    VolumeFrame,
)
from engine.jobs.process.slots import OwnedSlots, sweep_orphans
from engine.jobs.process.starting import new_process, process_context
from engine.modalities.studies import Study

WAKE_S = 0.25
"""Longest wait between checks of the deadlines."""
SILENCE_S = 10.0
"""Silence after which the user gets a warning."""
GRACE_S, LAST_GRACE_S = 1.5, 0.3
"""Time to stop after an abort; then after SIGTERM."""
EXIT_S = 5.0
"""Time to exit after the last event."""
ENDS = (Finished, Failed, Aborted)


class EngineProcess:
    """One reconstruction in a child process.

    One thread iterates over `events`. Any thread may call the four commands, which never wait.

    Parameters
    ----------
    study
        study to reconstruct
    device, threads
        see `engine.core.backend.named`
    job
        folder for checkpoints; None without checkpoints
    resume
        True to continue from the job's last checkpoint
    source
        function to run instead of `engine.jobs.reconstruction.run`
    warnings
        warnings from before the run, for its record; only with a job
    """

    def __init__(
        self,
        study: Study,
        *,
        device: str = "auto",
        threads: int | None = None,
        job: Job | None = None,
        resume: bool = False,
        source: Source | None = None,
        warnings: tuple[Warned, ...] = (),
    ) -> None:
        folder, text = str(job.folder) if job else None, study.model_dump_json()
        order = Order(text, device, threads, folder, resume, source, os.getpid(), warnings)
        context = process_context()
        self._events, events = context.Pipe(duplex=False)
        commands, self._commands = context.Pipe(duplex=False)
        # open until the process has started, since it receives copies of them
        self._far_ends = (events, commands)
        self._process = new_process(main, order, events, commands, name="isocenter-engine")
        self._job = job
        self._sending = Lock()
        self._pending: deque[Any] = deque()
        self._slots: OwnedSlots | None = None
        self._abort_at: float | None = None
        self._pid: int | None = None
        self._sentinel = -1
        self._exit_code: int | None = None
        self._ended = self._cleaned = False
        self._cleaning = Lock()
        self._heard_at = monotonic()
        self._silent = self._resting = False
        self._last_preview: Preview | None = None
        self._on_gpu = device.startswith("cuda")

    @property
    def last_preview(self) -> Preview | None:
        """The newest image received; it remains when the engine dies."""
        return self._last_preview

    @property
    def pid(self) -> int | None:
        """Number of the process, None before `events` starts it."""
        return self._pid

    @property
    def paused(self) -> bool:
        """True while the engine is paused."""
        return self._resting

    def pause(self) -> None:
        """Pause after the current update."""
        self._command("pause")

    def resume_run(self) -> None:
        """Continue after a pause."""
        self._command("resume")

    def finish_and_keep(self) -> None:
        """Stop after the current iteration and apply the filters; ends a pause too."""
        self._command("finish")

    def abort(self) -> None:
        """Stop as soon as possible, by force if necessary; the last image remains."""
        # The first request counts: a second click must not extend the deadline. It is set before
        # the command is sent, because `events` may be about to start the process
        self._abort_at = self._abort_at or monotonic()
        self._command("abort")

    def events(self) -> Generator[Event, None, None]:
        """Start the process and yield its events up to the last one; call only once."""
        # A killed window leaves its shared memory behind until someone removes it
        sweep_orphans()
        atexit.register(self._clean_up)  # for a thread that still draws when the program ends
        try:
            if self._aborting:
                yield Aborted("Aborted before the start.")
                return
            self._start()
            yield from self._draw()
        finally:
            self._clean_up()

    @property
    def _aborting(self) -> bool:
        return self._abort_at is not None

    def _start(self) -> None:
        self._process.start()
        self._pid, self._sentinel = self._process.pid, self._process.sentinel
        for end in self._far_ends:
            end.close()  # else the death of the engine would go unnoticed on the pipe
        self._heard_at = monotonic()

    def _draw(self) -> Iterator[Event]:
        while True:
            alive = self._collect(WAKE_S)
            while self._pending:
                event = self._received(self._pending.popleft())
                if event is not None:
                    self._ended = isinstance(event, ENDS)
                    yield event
                    if self._ended:
                        return
                    alive = self._collect(0)
            if not alive:
                yield self._final_event()
                return
            self._enforce_abort()
            if not self._silent and monotonic() - self._heard_at > SILENCE_S:
                self._silent = True
                yield Warned(
                    f"The engine has not responded for {SILENCE_S:g} s. Press Abort to stop it."
                )

    def _collect(self, timeout_s: float) -> bool:
        """Move received messages to `_pending`; False once the engine is dead."""
        try:
            # tested before the pipe is emptied, so that messages from before its death are read
            has_ended = self._sentinel in wait([self._events, self._sentinel], timeout_s)
            while self._events.poll(0):
                self._pending.append(self._events.recv())
                self._heard_at = monotonic()
        except (EOFError, OSError):
            return False
        return not has_ended

    def _received(self, message: Any) -> Event | None:
        if isinstance(message, VolumeFrame):
            return self._unpacked(message)
        if isinstance(message, Beat):
            self._resting = message.resting
            return None
        if isinstance(message, NeedSlots):
            self._answer(message)
            return None
        if isinstance(message, Planned):
            self._on_gpu = message.device.startswith("cuda")
        if isinstance(message, Failed) and (message.on_cpu or self._on_gpu):
            return self._with_remedy(message)
        event: Event = message
        return event

    def _with_remedy(self, failed: Failed) -> Failed:
        """Add the saved images to a GPU failure; offer the CPU unless the input is the cause."""
        if failed.user_fault:
            return failed
        safe = saved_state_text(self._last_preview, self._job, on_gpu=True)
        return replace(failed, text=f"{failed.text} {safe}", reason=failed.text, on_cpu=True)

    def _unpacked(self, frame: VolumeFrame) -> Event | None:
        # a slow window receives only the newest image
        newer = any(isinstance(message, VolumeFrame) for message in self._pending)
        event: Event | None = None
        if not (frame.may_be_skipped and newer):
            shape = frame.grid.shape
            if frame.place is not None:
                with suppress(OSError, ValueError):  # it was removed: a later one follows
                    event = frame.event(volume_file.mapped(frame.place, shape))
            elif frame.data is not None:
                event = frame.event(np.frombuffer(frame.data, np.float32).reshape(shape).copy())
            elif self._slots is not None:
                event = frame.event(self._slots.read(frame.slot, shape))
        # after the copy, since the engine may overwrite the slot from now on
        self._command(Free(frame.slot))
        if isinstance(event, Preview):
            self._last_preview = event
        return event

    def _answer(self, need: NeedSlots) -> None:
        with suppress(OSError):  # too little shared memory: volumes go through the pipe
            self._slots = OwnedSlots(N_SLOTS, need.n_bytes)
        self._command(Slots(self._slots.names if self._slots else ()))

    def _command(self, message: Command | Free | Slots) -> None:
        with self._sending, suppress(OSError):  # a dead engine needs no command
            self._commands.send(message)

    def _enforce_abort(self) -> None:
        if self._abort_at is not None:
            waited = monotonic() - self._abort_at
            # SIGTERM first, then SIGKILL: a process that hangs reads no commands
            if waited > GRACE_S + LAST_GRACE_S:
                self._process.kill()
            elif waited > GRACE_S:
                self._process.terminate()

    def _final_event(self) -> Event:
        self._ended = True
        self._clean_up()
        on_gpu = self._on_gpu and not self._aborting
        safe = saved_state_text(self._last_preview, self._job, on_gpu=on_gpu)
        if self._aborting:
            return Aborted(f"Aborted. {safe}")
        why = f"The engine stopped. {exit_text(self._exit_code)}"
        return Failed(f"{why} {safe}", user_fault=False, on_cpu=on_gpu, reason=why, died=True)

    def _clean_up(self) -> None:
        """Leave no process, no shared memory, and no job that seems to be running."""
        with self._cleaning:
            if self._cleaned:
                return
            self._cleaned = True
            if self._pid is not None:
                self._end_process()
            for end in (self._events, self._commands, *self._far_ends):
                end.close()
            if self._slots is not None:
                self._slots.close()
            if self._job is not None:
                self._settle(self._job)
        atexit.unregister(self._clean_up)

    def _end_process(self) -> None:
        if not self._ended:
            self.abort()
        self._process.join(EXIT_S if self._ended and not self._aborting else GRACE_S)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(LAST_GRACE_S)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._exit_code = self._process.exitcode
        self._process.close()

    def _settle(self, job: Job) -> None:
        with suppress(EngineError):
            record = job.record
            if record.status not in ("running", "paused"):
                return
            # another program may have resumed the job: leave its state alone
            if self._aborting and record.owner.pid in (os.getpid(), self._pid):
                job.mark("aborted")
            elif record.owner.pid == os.getpid():
                job.mark("failed", "The engine ended before it started the job.")


def run_isolated(
    study: Study,
    *,
    device: str = "auto",
    threads: int | None = None,
    job: Job | None = None,
    resume: bool = False,
) -> Iterator[Event]:
    """Run a study in a child process; closing the iterator ends the process.

    Parameters
    ----------
    study
        study to reconstruct
    device, threads
        see `engine.core.backend.named`
    job
        folder for checkpoints; None without checkpoints
    resume
        True to continue from the job's last checkpoint

    Yields
    ------
    event
        events up to `Finished`, `Failed` or `Aborted`
    """
    process = EngineProcess(study, device=device, threads=threads, job=job, resume=resume)
    yield from process.events()
