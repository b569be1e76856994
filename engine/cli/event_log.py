"""Write the events of a run as JSON lines (`--json`)."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from engine.cli.console import Console
from engine.cli.outputs import STANDARD_OUTPUT
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.data.runs.events import Corrected, Event, Noted, Profiled, Warned
from engine.data.runs.history import RunHistory
from engine.data.runs.record import RecordedRun
from engine.data.scatter_profile import ScatterProfile
from engine.data.timing.time_frames import TimeFrame
from engine.data.volume import Volume


class EventLog:
    """Writes each event as a JSON line. A full disk ends the log, not the run.

    Parameters
    ----------
    path
        file for messages
    file
        open file; None to write nothing
    console
        receives a note if the log ends early
    """

    def __init__(self, path: Path, file: IO[str] | None, console: Console) -> None:
        self._path, self._file, self._console = path, file, console

    def write(self, event: Event) -> None:
        """Write one event."""
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(_to_json(event), sort_keys=True) + "\n")
            # Another program may follow the log during the run
            self._file.flush()
        except OSError as e:
            # One note, then silence: every later line would fail too
            self._file = None
            if self._path == STANDARD_OUTPUT:
                raise
            free = shutil.disk_usage(self._path.parent).free
            self._console.note(
                f"{self._path.name}: the event log stops here ({e.strerror or e}; {free:,} "
                f"bytes free in {self._path.parent}). The run continues."
            )


@contextmanager
def log_lines(path: Path | None, console: Console) -> Iterator[EventLog]:
    """Open the event log.

    Parameters
    ----------
    path
        file to write, or "-" for standard output; None to write nothing
    console
        receives a note if the log ends early

    Yields
    ------
    log
        log that `isocenter ... --json` writes

    Raises
    ------
    ResourceError
        if the file cannot be created
    """
    if path is None:
        yield EventLog(Path(), None, console)
        return
    if path == STANDARD_OUTPUT:
        yield EventLog(path, sys.stdout, console)
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as e:
        raise ResourceError(
            f"{path}: this file cannot be written ({e.strerror}). Choose another path for --json."
        ) from e
    try:
        yield EventLog(path, file, console)
    finally:
        with suppress(OSError):  # a failed write was reported already
            file.close()


def _to_json(event: Event) -> Plain:
    """Return an event as JSON values, without images and the history of the run."""
    if isinstance(event, Profiled):
        return {"event": "Profiled", "profile": event.profile.as_dict()}
    values = {f.name: getattr(event, f.name) for f in dataclasses.fields(event)}
    record = {
        name: dataclasses.asdict(value) if isinstance(value, ScatterProfile | TimeFrame) else value
        # Images and the whole history would repeat in each of thousands of lines
        for name, value in values.items()
        if not isinstance(value, Volume | RunHistory | RecordedRun) and name != "frames"
    }
    level = {"level": event.level} if isinstance(event, Corrected | Noted | Warned) else {}
    return {"event": type(event).__name__, **level, **record}
