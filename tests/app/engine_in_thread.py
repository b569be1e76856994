"""Run the engine in a thread: the same events as `EngineProcess`, without its start time.

Tests of effects that need a process, such as a crash, use `EngineProcess`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from queue import SimpleQueue
from threading import Condition, Thread

from engine.data.runs.events import Aborted, Event, Finished, Preview, Progressed
from engine.jobs.process import child
from engine.jobs.process.engine_process import ENDS
from engine.jobs.process.exit_reasons import saved_state_text
from engine.jobs.process.messages import Order, Source
from engine.modalities.studies import Study


class Requests:
    """Requests of the user; the engine polls them as it polls `Controls`."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._pending: set[str] = set()
        self.resting = False

    def request(self, word: str) -> None:
        with self._changed:
            self._pending -= {"pause"}
            self._pending |= {word} - {"resume"}
            self._changed.notify_all()

    @property
    def pause_wanted(self) -> bool:
        return "pause" in self._pending

    def finish_wanted(self) -> bool:
        return "finish" in self._pending

    def stop_if_aborted(self) -> None:
        if "abort" in self._pending:
            raise KeyboardInterrupt

    def rest(self, report: Callable[[], None]) -> None:
        self.resting = True
        with self._changed:
            self._changed.wait_for(lambda: not self.pause_wanted)
        self.resting = False


class Queue:
    """Send events as `Outbox` does, with copies of the images."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self.sent: SimpleQueue[Event | None] = SimpleQueue()

    def send(self, event: Event) -> None:
        self.sent.put(event)

    def send_event(self, event: Event) -> None:
        if isinstance(event, Preview | Finished):
            volume = event.volume
            event = replace(event, volume=replace(volume, values=volume.values.copy()))
        self.sent.put(event)

    def on_progress(self, progress: Progressed) -> None:
        self._requests.stop_if_aborted()
        self.sent.put(progress)

    def beat(self) -> None:
        """Do nothing: no process checks for a sign of life."""

    def wait_until_received(self) -> None:
        """Return at once: the images are copies."""

    def close(self) -> None:
        self.sent.put(None)


class EngineInThread:
    """A replacement for `EngineProcess`: one thread reads its events, another sends requests."""

    pid = None

    def __init__(
        self,
        study: Study,
        *,
        device: str = "auto",
        threads: int | None = None,
        job=None,
        resume: bool = False,
        source: Source | None = None,
    ) -> None:
        folder = str(job.folder) if job else None
        self._order = Order(
            study.model_dump_json(), device, threads, folder, resume, source, os.getpid()
        )
        self._job, self._requests = job, Requests()
        self.last_preview: Preview | None = None

    @property
    def paused(self) -> bool:
        return self._requests.resting

    def pause(self) -> None:
        self._requests.request("pause")

    def resume_run(self) -> None:
        self._requests.request("resume")

    def finish_and_keep(self) -> None:
        self._requests.request("finish")

    def abort(self) -> None:
        self._requests.request("abort")

    def events(self) -> Iterator[Event]:
        queue = Queue(self._requests)
        order = (self._order, queue, self._requests)
        thread = Thread(target=child.serve, args=order, name="engine")
        thread.start()
        try:
            yield from self._draw(queue)
        finally:
            self.abort()
            thread.join()

    def _draw(self, queue: Queue) -> Iterator[Event]:
        ended = False
        while (event := queue.sent.get()) is not None:
            ended = ended or isinstance(event, ENDS)
            self.last_preview = event if isinstance(event, Preview) else self.last_preview
            yield event
        if not ended:
            safe = saved_state_text(self.last_preview, self._job, on_gpu=False)
            yield Aborted(f"Aborted. {safe}")
