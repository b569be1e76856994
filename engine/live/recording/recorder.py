"""Record a live scan: one recording for each scan that a source sends."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.io.safety.budget import available_memory
from engine.live.recording.recording_list import enter, new_path, remove_recording
from engine.live.recording.records import Buffer, RecordKind
from engine.live.recording.writer import RecordingWriter

SHARE = 0.25
"""Share of the free memory for data that are not written yet."""


class LiveRecorder:
    """Writes the messages of a scan to a recording, and starts a new one for the next scan.

    Parameters
    ----------
    kind : "frames" or "events"
    source : name of the source
    target : file into which the scan is saved at the end, and after a crash; None: the user chooses

    Attributes
    ----------
    path : file of the current recording
    is_whole : True if all data reached the disk, after `close`
    has_data : True once the current recording has frames or events
    """

    def __init__(self, kind: str, source: str, target: Path | None = None) -> None:
        self._kind, self._source, self._target = kind, source, target
        # Measured once, because the data themselves reduce the free memory later
        self._most = int(SHARE * available_memory())
        self._notices: list[str] = []
        self._endings: list[Thread] = []
        self.is_whole = self.has_data = False
        self._announced: list[Buffer] | None = None
        self._writer = self._new_writer()

    @property
    def path(self) -> Path:
        """File of the current recording."""
        return self._writer.path

    @property
    def synced(self) -> int:
        """Number of frames or events of the current recording that are on the disk."""
        return self._writer.synced

    def announce(self, parts: Sequence[Buffer]) -> None:
        """Record the geometry or the scanner.

        Parameters
        ----------
        parts
            message with the geometry or the scanner
        """
        self._announced = list(parts)
        if self.has_data:
            self._writer.put(RecordKind.ANNOUNCEMENT, 0, parts)

    def put(self, count: int, parts: Sequence[Buffer]) -> None:
        """Record a message with data.

        Parameters
        ----------
        count
            number of frames or events
        parts
            message; its data must not change later
        """
        if not self.has_data:
            self.has_data = True
            if self._announced is not None:
                self._writer.put(RecordKind.ANNOUNCEMENT, 0, self._announced)
        self._writer.put(RecordKind.DATA, count, parts)

    def start_another(self) -> None:
        """End the current recording, which stays on the disk, and start a new one.

        Nothing happens if the current one has no data.
        """
        if not self.has_data:
            return
        # In a thread, so that frames of the next scan do not wait for the disk
        ending = Thread(target=self._end, args=(self._writer,), name="end of a recording")
        ending.start()
        self._endings.append(ending)
        self.has_data, self._announced = False, None
        self._writer = self._new_writer()

    def take_notices(self) -> list[str]:
        """Return messages for the user since the last call."""
        found, self._notices = self._notices + self._writer.take_notices(), []
        return found

    def close(self) -> None:
        """End the recording once all data are on the disk."""
        for each in self._endings:
            each.join()
        self.is_whole = self._writer.finish() and self.has_data

    def note_saved(self, saved: Path) -> None:
        """Store in the list of recordings that an interrupted scan was saved."""
        with suppress(EngineError):  # the recording is listed already
            enter(self.path, str(saved.absolute()))

    def discard(self) -> None:
        """Delete the current recording after its scan was saved."""
        with suppress(EngineError):  # it stays in the list, and nothing is lost
            remove_recording(self.path)

    def _end(self, ended: RecordingWriter) -> None:
        ended.finish()
        self._notices += [
            *ended.take_notices(),
            f"{self._source}: the recording of the earlier scan has ended. Its {ended.synced:,} "
            f"{self._kind} are in {ended.path}; `isocenter live recordings` lists it.",
        ]

    def _new_writer(self) -> RecordingWriter:
        facts: Plain = {
            "kind": self._kind,
            "source": self._source,
            "begun_utc": datetime.now(UTC).isoformat(timespec="seconds"),
            "target": "" if self._target is None else str(self._target.absolute()),
        }
        folder = None if self._target is None else self._target.absolute().parent
        return RecordingWriter(new_path(folder), facts, self._most)
