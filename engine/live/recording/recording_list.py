"""Recordings of this user that have not been converted or discarded."""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.core.errors import EngineError, ResourceError
from engine.core.json_types import Plain
from engine.core.paths import state_dir
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import is_in_use
from engine.live.recording.records import SUFFIX, RecordingFile

NAME = "recordings"


@dataclass(frozen=True)
class Unfinished:
    """A recording on the disk.

    Attributes
    ----------
    path : its file
    kind : "frames" of X-ray projections, or "events" of list-mode PET
    count : number of recorded frames or events
    source : address, folder or file of the source
    begun_utc : start of the recording, in ISO form
    is_running : True if a process still writes it
    saved : file into which it was saved when the program crashed or was ended; empty if it was not
    """

    path: Path
    kind: str
    count: int
    source: str
    begun_utc: str
    is_running: bool
    saved: str = ""

    @property
    def text(self) -> str:
        """The number of frames or events, as text."""
        kind = self.kind if self.count != 1 else self.kind.removesuffix("s")
        return f"{self.count:,} {kind} recorded"


def recordings_dir() -> Path:
    """Return the folder of the list of recordings, made if missing."""
    folder = state_dir() / NAME
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{folder}: the folder for recordings cannot be created ({e.strerror or e}); free some "
            "disk space or check the permissions."
        ) from e
    return folder


def new_path(folder: Path | None) -> Path:
    """Return an unused file for a recording.

    Parameters
    ----------
    folder
        folder of the file; None: that of this user
    """
    name = f"live-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}{SUFFIX}"
    return (folder or recordings_dir()).absolute() / name


def enter(path: Path, saved: str = "") -> None:
    """Add a recording to the list.

    Parameters
    ----------
    path
        file of the recording
    saved
        file into which its scan was saved when it was interrupted
    """
    entry = {"path": str(path), "saved": saved}
    write_atomically(json.dumps(entry).encode(), _entry(path), private=True)


def prepared_file(path: Path, suffix: str) -> Path:
    """Return the hidden file for the scan of a recording that is still written.

    Parameters
    ----------
    path
        file of the recording
    suffix
        suffix of the scan
    """
    return path.with_name(f".{path.stem}{suffix}")


def remove_recording(path: Path) -> None:
    """Delete a recording and its entry in the list.

    Parameters
    ----------
    path
        file of the recording

    Raises
    ------
    ResourceError
        if a process still writes it, or it cannot be deleted
    """
    if is_in_use(path):
        raise ResourceError(
            f"{path.name}: this scan is still being recorded; wait until the recording ends."
        )
    try:
        path.unlink(missing_ok=True)
        for left in path.parent.glob(prepared_file(path, ".*").name):
            left.unlink(missing_ok=True)
        _entry(path).unlink(missing_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{path.name}: the recording cannot be deleted ({e.strerror or e}); check the "
            "permissions of its folder."
        ) from e


def unfinished_recordings() -> list[Unfinished]:
    """Return all recordings of this user, the oldest first.

    A recording in a folder that cannot be reached now, such as a network drive, stays in the list
    of a later call.
    """
    found = []
    for entry in sorted(recordings_dir().glob("*.json")):
        path = _path_in(entry)
        if path is None or not path.is_file():
            continue
        with suppress(EngineError):
            found.append(described(path))
    return sorted((each for each in found if each.count), key=lambda each: each.begun_utc)


def described(path: Path) -> Unfinished:
    """Return the description of a recording.

    Parameters
    ----------
    path
        its file

    Raises
    ------
    FileFormatError
        if the file is not a recording
    """
    file = RecordingFile(path)
    facts = file.facts
    return Unfinished(
        path,
        _text(facts, "kind"),
        file.count,
        _text(facts, "source"),
        _text(facts, "begun_utc"),
        is_in_use(path),
        _text(facts, "saved") or _text(_values_in(_entry(path)), "saved"),
    )


def _text(facts: Plain, key: str) -> str:
    value = facts.get(key)
    return value if isinstance(value, str) else ""


def _entry(path: Path) -> Path:
    return recordings_dir() / f"{path.stem}.json"


def _path_in(entry: Path) -> Path | None:
    path = Path(_text(_values_in(entry), "path"))
    return path if path.is_absolute() else None


def _values_in(entry: Path) -> Plain:
    try:
        values = json.loads(entry.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
