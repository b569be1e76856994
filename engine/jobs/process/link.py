"""The engine's end of the line: commands in, events, volumes and heartbeats out."""

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

from engine.data.runs.events import Event, Finished, Preview, Progressed
from engine.data.storage.volume_file import place_of
from engine.jobs.process.messages import (
    N_SLOTS,
    Beat,
    Command,
    Free,
    NeedSlots,
    Slots,
    VolumeFrame,
    must_arrive,
)
from engine.jobs.process.slots import AttachedSlots

BEAT_S = 0.5
PROGRESS_S = 0.1
"""Least time between two reports of progress."""
ORPHANED = 3
"""Exit code when the window is gone."""


class Controls:
    """What the user wants, as last heard; a thread of its own listens."""

    def __init__(self, commands: Connection) -> None:
        self._commands = commands
        self._changed = Condition()
        self._heard: set[Command] = set()
        self._slots: Slots | None = None
        # the engine hands out slots and the window gives them back: no lock crosses the processes,
        # and none can be left locked by one that died
        self._free = deque(range(N_SLOTS))
        self.resting = False
        # a thread of its own, since the engine hears nothing while a kernel runs
        Thread(target=self._listen, name="commands", daemon=True).start()

    @property
    def pause_wanted(self) -> bool:
        """Whether to rest after this update."""
        return "pause" in self._heard

    def finish_wanted(self) -> bool:
        """Whether to end after this iteration."""
        return "finish" in self._heard

    def stop_if_aborted(self) -> None:
        """Raise `KeyboardInterrupt` once the user has aborted."""
        if "abort" in self._heard:
            raise KeyboardInterrupt

    def rest(self, report: Callable[[], None]) -> None:
        """Wait while paused; to finish or to abort ends the pause too."""
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
        """Return a free slot; without `wait` None if there is none."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._free or "abort" in self._heard)
                self.stop_if_aborted()
            return self._free.popleft() if self._free else None

    def wait_all_free(self) -> None:
        """Wait until the window has copied everything."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._free) == N_SLOTS or "abort" in self._heard)

    def _listen(self) -> None:
        try:
            while True:
                self._obey(self._commands.recv())
        except (EOFError, OSError):
            os._exit(ORPHANED)  # as if killed: the last checkpoint is whole, the job interrupted

    def _obey(self, message: Command | Free | Slots) -> None:
        with self._changed:
            if isinstance(message, Free):
                self._free.append(message.slot)
            elif isinstance(message, Slots):
                self._slots = message
            elif message == "resume":
                self._heard.discard("pause")
            else:
                self._heard.add(message)
                # whoever aborts or finishes wants no more pause
                if message != "pause":
                    self._heard.discard("pause")
            self._changed.notify_all()


class Outbox:
    """Sends events; a volume goes into a free slot, or is left out when a newer one will come."""

    def __init__(self, pipe: Connection, controls: Controls) -> None:
        self._pipe = pipe
        self._lock = Lock()
        self._controls = controls
        self._memory: AttachedSlots | None = None
        self._progressed = ("", -PROGRESS_S)
        Thread(target=self._beat_on, name="heart", daemon=True).start()

    def send(self, message: Any) -> None:
        """Send a message from any thread."""
        with self._lock:
            self._pipe.send(message)

    def send_event(self, event: Event) -> None:
        """Send an event, its volume by shared memory."""
        if isinstance(event, Preview | Finished):
            self._send_volume(event)
        else:
            self.send(event)

    def on_progress(self, progress: Progressed) -> None:
        """Send progress from inside a long step, at most ten times a second."""
        self._controls.stop_if_aborted()
        stage, when = self._progressed
        now = monotonic()
        if progress.stage != stage or now - when >= PROGRESS_S or progress.done >= progress.total:
            self._progressed = (progress.stage, now)
            self.send(progress)

    def wait_until_taken(self) -> None:
        """Wait until the window has all volumes."""
        self._controls.wait_all_free()

    def close(self) -> None:
        """Detach from the shared memory."""
        if self._memory is not None:
            self._memory.close()

    def _send_volume(self, event: Preview | Finished) -> None:
        # an image within an iteration is left out while both slots are full; those that end one
        # wait
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
        """Tell that the engine lives, and whether it rests."""
        self.send(Beat(self._controls.resting))

    def _beat_on(self) -> None:
        with suppress(OSError):  # the line is closed
            while True:
                self.beat()
                sleep(BEAT_S)
