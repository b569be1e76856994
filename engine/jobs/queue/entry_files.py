"""The files of a queue: one for each study, read again only after a change."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from engine.core.errors import ResourceError, SettingsError
from engine.core.private_files import is_own
from engine.core.settings import explain
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import sweep_parts
from engine.jobs.queue.entry import QueueEntry

Stamp = tuple[int, int, int]
"""Inode number, time and size of a file."""


class EntryFiles:
    """The files in a folder. Changing one requires the lock of the queue."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[Path, tuple[Stamp, QueueEntry]] = {}

    def all(self) -> list[QueueEntry]:
        """Return every study; one with a damaged file has the state "failed"."""
        found = (self._entry_in(file) for file in self._folder.glob("[0-9a-z]*.json"))
        return [entry for entry in found if entry is not None]

    def read(self, id: str) -> QueueEntry | None:
        """Return a study, None if it has no file."""
        return self._entry_in(self._path(id))

    def write(self, entry: QueueEntry) -> None:
        """Write the file of a study, replacing an older one."""
        # A killed writer leaves a partial file; the lock excludes other writers
        sweep_parts(self._folder)
        write_atomically(entry.to_text().encode(), self._path(entry.id), private=True)

    def remove(self, id: str) -> None:
        """Delete the file of a study."""
        self._path(id).unlink(missing_ok=True)

    def _path(self, id: str) -> Path:
        # The name comes from the command line: it must not lead out of the folder
        if not id.isalnum():
            raise SettingsError(
                f"{id!r} is not the ID of a study. `isocenter queue list` shows all IDs."
            )
        return self._folder / f"{id}.json"

    def _entry_in(self, file: Path) -> QueueEntry | None:
        try:
            if not is_own(file):
                return QueueEntry.damaged(file, "another user can change it, or owns it")
            at = file.stat()
            stamp = (at.st_ino, at.st_mtime_ns, at.st_size)  # every write creates a new file
            if self._seen.get(file, (None,))[0] != stamp:
                self._seen[file] = (stamp, QueueEntry.from_text(file.read_bytes()))
            entry = self._seen[file][1]
        except FileNotFoundError:
            self._seen.pop(file, None)
            return None
        except ValidationError as e:
            return QueueEntry.damaged(file, explain(e))
        except ValueError as e:
            return QueueEntry.damaged(file, str(e))
        except OSError as e:
            raise ResourceError(
                f"{file}: this file cannot be read ({e.strerror or e}). Check its permissions."
            ) from e
        # A copy under another name would run the same study twice
        return entry if entry.id == file.stem else QueueEntry.damaged(file, "the file was renamed")
