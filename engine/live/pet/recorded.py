"""Record the events of a source, and read them back as a scan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

from engine.core.errors import DataError, SettingsError
from engine.data.listmode import ListMode
from engine.live.core.frame import Noticed, Resumed
from engine.live.pet.event_batch import EventArrival, EventBatch, EventSource, head_of, joined
from engine.live.pet.event_message import message_of_events, message_of_head, read_event_message
from engine.live.recording.recorder import LiveRecorder
from engine.live.recording.records import RecordingFile, RecordKind


class RecordedEvents:
    """A source that records the events of another one before it passes them on.

    Parameters
    ----------
    source : source of the events
    recorder : writes the recordings
    """

    def __init__(self, source: EventSource, recorder: LiveRecorder) -> None:
        self._source, self.recorder = source, recorder
        self._is_announced = self._is_impossible = False

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._source.name

    @property
    def head(self) -> ListMode | None:
        """The scan without events."""
        return self._source.head

    @property
    def can_wait(self) -> bool:
        """True if the source can wait."""
        return self._source.can_wait

    def batches(self, stop: Event) -> Iterator[EventArrival]:
        """Yield everything from the source, after its events were sent to the recording.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        for arrival in self._source.batches(stop):
            if isinstance(arrival, EventBatch):
                yield from self._recorded(arrival)
            elif isinstance(arrival, Resumed) and arrival.is_new_scan:
                self._is_announced = False
                self.recorder.start_another()
            yield arrival
            for text in self.recorder.take_notices():
                yield Noticed(text)

    def close(self) -> None:
        """Close the source; the recording ends separately."""
        self._source.close()

    def _recorded(self, batch: EventBatch) -> Iterator[Noticed]:
        if self._is_impossible:
            return
        try:
            if not self._is_announced:
                head = self._source.head or head_of(batch.events)
                self.recorder.announce(message_of_head(head))
                self._is_announced = True
            message = message_of_events(batch.events, batch.first)
        except SettingsError as e:
            self._is_impossible = True
            yield Noticed(f"{self.name}: the events are stored in memory only ({e})")
            return
        self.recorder.put(batch.events.n_events, message)


def recorded_events(file: RecordingFile) -> ListMode:
    """Return the scan of a recording.

    Parameters
    ----------
    file
        recording of events

    Raises
    ------
    DataError
        if it has no events
    """
    head: ListMode | None = None
    parts: list[ListMode] = []
    for record in file.records():
        if record.kind not in (RecordKind.ANNOUNCEMENT, RecordKind.DATA):
            continue
        message = read_event_message((record.header, record.data), head, 0.0)
        if isinstance(message, ListMode):
            head = head or message
        elif isinstance(message, EventBatch):
            parts.append(message.events)
    if head is None or not parts:
        raise DataError(
            f"{file.path.name}: the scan cannot be saved because no events were recorded; discard "
            "the recording."
        )
    events = joined(parts)
    times = events.time_ms
    last_s = 0.0 if times is None else float(times[-1]) / 1e3
    return replace(
        head,
        crystals=events.crystals,
        delayed=events.delayed,
        tof_bins=events.tof_bins,
        time_ms=times,
        duration_s=head.duration_s or last_s,
    )
