"""The engine's end of the pipes: it receives commands and sends events, volumes and heartbeats."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Condition, Lock, Thread
from time import monotonic, sleep
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.data.runs.events import Event, Progressed
from engine.data.storage.volume_file import place_of
from engine.jobs.process.messages import (
    N_SLOTS,
    Beat,
    Command,
    Free,
    NeedSlots,
    Slots,
    VolumeFrame,
    WithVolume,
    must_arrive,
)
from engine.jobs.process.slots import AttachedSlots

BEAT_S = 0.5
PROGRESS_S = 0.1
"""Shortest time between two progress reports."""
ORPHANED = 3
"""Exit code if the window has closed."""


class Controls:
    """The user's latest commands, received by a separate thread."""

    def __init__(self, commands: Connection) -> None:
        self._commands = commands
        self._changed = Condition()
        self._heard: set[Command] = set()
        self._slots: Slots | None = None
        # the engine assigns slots and the window returns them: no lock crosses the processes, so
        # none can stay locked by a dead one
        self._free = deque(range(N_SLOTS))
        self.resting = False
        # a separate thread, since the engine reads nothing while a kernel runs
        Thread(target=self._listen, name="commands", daemon=True).start()

    @property
    def pause_wanted(self) -> bool:
        """True if the run should pause after this update."""
        return "pause" in self._heard

    def finish_wanted(self) -> bool:
        """Return True if the run should end after this iteration."""
        return "finish" in self._heard

    def stop_if_aborted(self) -> None:
        """Raise `KeyboardInterrupt` once the user has aborted."""
        if "abort" in self._heard:
            raise KeyboardInterrupt

    def rest(self, report: Callable[[], None]) -> None:
        """Wait until the pause ends; finishing or aborting ends it too.

        Parameters
        ----------
        report
            called at the start and the end of the pause
        """
        self.resting = True
        report()
        with self._changed:
            self._changed.wait_for(lambda: not self.pause_wanted)
        self.resting = False
        report()

    def slots(self) -> Slots:
        """Wait for the window's answer to `NeedSlots`."""
        with self._changed:
            self._changed.wait_for(lambda: self._slots is not None or "abort" in self._heard)
            self.stop_if_aborted()
            return self._slots or Slots(())

    def take_slot(self, *, wait: bool) -> int | None:
        """Take a free slot of shared memory.

        Parameters
        ----------
        wait
            True to wait until one is free

        Returns
        -------
        slot
            number of the slot; None without `wait` if all are full

        Raises
        ------
        KeyboardInterrupt
            if the user aborts
        """
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._free or "abort" in self._heard)
                self.stop_if_aborted()
            return self._free.popleft() if self._free else None

    def wait_all_free(self) -> None:
        """Wait until the window has copied every volume."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._free) == N_SLOTS or "abort" in self._heard)

    def _listen(self) -> None:
        try:
            while True:
                self._run_command(self._commands.recv())
        except (EOFError, OSError):
            os._exit(ORPHANED)  # as if killed: the checkpoint is whole, the job is interrupted

    def _run_command(self, message: Command | Free | Slots) -> None:
        with self._changed:
            if isinstance(message, Free):
                self._free.append(message.slot)
            elif isinstance(message, Slots):
                self._slots = message
            elif message == "resume":
                self._heard.discard("pause")
            else:
                self._heard.add(message)
                # aborting or finishing cancels a pause
                if message != "pause":
                    self._heard.discard("pause")
            self._changed.notify_all()


class Outbox:
    """Send events. A volume is put into a free slot, or skipped if a newer one will follow."""

    def __init__(self, pipe: Connection, controls: Controls) -> None:
        self._pipe = pipe
        self._lock = Lock()
        self._controls = controls
        self._memory: AttachedSlots | None = None
        self._progressed = ("", -PROGRESS_S)
        Thread(target=self._beat_on, name="heart", daemon=True).start()

    def send(self, message: Any) -> None:
        """Send a message; any thread may call."""
        with self._lock:
            self._pipe.send(message)

    def send_event(self, event: Event) -> None:
        """Send an event, its volume through shared memory."""
        if isinstance(event, WithVolume):
            self._send_volume(event)
        else:
            self.send(event)

    def on_progress(self, progress: Progressed) -> None:
        """Send progress from a long step, at most ten times a second.

        Parameters
        ----------
        progress
            progress of the stage; its start and end are always sent

        Raises
        ------
        KeyboardInterrupt
            if the user has aborted
        """
        self._controls.stop_if_aborted()
        stage, when = self._progressed
        now = monotonic()
        if progress.stage != stage or now - when >= PROGRESS_S or progress.done >= progress.total:
            self._progressed = (progress.stage, now)
            self.send(progress)

    def wait_until_received(self) -> None:
        """Wait until the window has received every volume."""
        self._controls.wait_all_free()

    def close(self) -> None:
        """Detach from the shared memory."""
        if self._memory is not None:
            self._memory.close()

    def _send_volume(self, event: WithVolume) -> None:
        # an image within an iteration is skipped while both slots are full, one at its end waits
        slot = self._controls.take_slot(wait=must_arrive(event))
        if slot is None:
            return
        place = place_of(event.volume.values)
        if place is not None:
            self.send(VolumeFrame.of(event, slot, None, place))
            return
        values = np.ascontiguousarray(event.volume.values, np.float32)
        memory = self._attached(values)
        if memory.fits(values):
            memory.write(slot, values)
            self.send(VolumeFrame.of(event, slot, None))
        else:
            self.send(VolumeFrame.of(event, slot, values.tobytes()))

    def _attached(self, values: NDArray[np.float32]) -> AttachedSlots:
        if self._memory is None:
            self.send(NeedSlots(values.nbytes))
            self._memory = AttachedSlots(self._controls.slots().names)
        return self._memory

    def beat(self) -> None:
        """Report that the engine is alive, and whether it is paused."""
        self.send(Beat(self._controls.resting))

    def _beat_on(self) -> None:
        with suppress(OSError):  # the pipe is closed
            while True:
                self.beat()
                sleep(BEAT_S)
