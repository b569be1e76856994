"""Work that a window has begun and not finished, in one file for each window.

A window writes its file whenever such work begins or ends. If the system ends the window, or the
window crashes, the next window finds the file and continues the work or offers it again.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Self

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.core.paths import OWNER_ONLY, made, windows_dir
from engine.core.private_files import is_own
from engine.core.settings import Settings, setting
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import after_others, sweep_parts
from engine.io.safety.seal import sealed_text, sealed_values
from engine.io.text.json_text import to_json
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue.question import InputFile
from engine.modalities.studies import Study, parse_protocol, study_of_json
from engine.protocols.study.protocol import Protocol

ENDING, ASIDE = ".json", ".damaged"
MAX_EDITS = 20
"""Edited studies that are offered; older ones are dropped."""


class UnreadScan(Settings):
    """A scan that the user has added to the queue, and that the window has not read yet.

    Attributes
    ----------
    data : file or folder of the scan
    scanner : name or file of the chosen scanner; None for the one that the scan names
    given : auxiliary files by role
    protocol : chosen protocol as JSON; empty for the protocol of the scan
    is_whole : True if no saved inputs may be added
    complete_events : True to use the complete part of truncated list mode
    files : auxiliary files that were added with the scan and may belong to it
    agreed : sentences about assumed values that the user has accepted
    entry : ID of the queued study that this scan replaces after an answer; empty for a new one
    fingerprints : fingerprints of the files that the answer is for, by role
    """

    data: Path = setting()
    scanner: str | None = setting(None)
    given: dict[str, str] = setting({})
    protocol: str = setting("")
    is_whole: bool = setting(False)
    complete_events: bool = setting(False)
    files: tuple[InputFile, ...] = setting(())
    agreed: tuple[str, ...] = setting(())
    entry: str = setting("", max_length=40)
    fingerprints: dict[str, str] = setting({})

    @property
    def chosen_protocol(self) -> Protocol | None:
        """The chosen protocol; None for that of the scan, or if this version refuses it."""
        if not self.protocol:
            return None
        try:
            return parse_protocol(json.loads(self.protocol), self.data.name)
        except (EngineError, ValueError):
            return None


class UnsentResult(Settings):
    """A signed result that the archive has not accepted yet.

    Attributes
    ----------
    id : ID of the result
    title : scan and protocol, for the screen of this user
    with_image : True to send the image too, False for the report alone
    """

    id: str = setting(max_length=200)
    title: str = setting("", max_length=2000)
    with_image: bool = setting(True)


class EditedStudy(Settings):
    """A study with changed settings that have never run.

    Attributes
    ----------
    study : study as JSON
    changed : time of the last change
    """

    study: str = setting()
    changed: datetime = setting()

    @property
    def fingerprint(self) -> str:
        """Fingerprint of its scan; empty in files of earlier versions."""
        return self.to_study().fingerprints.get("data", "")

    def to_study(self) -> Study:
        """Return the study."""
        return study_of_json(self.study)


class WindowWork(Settings):
    """Unfinished work of one window.

    Attributes
    ----------
    owner : process of the window; None after it has closed
    unsorted : files and folders among which the window still searches for scans
    unread : scans that it still has to read for the queue
    unsent : signed results that it still has to send
    edited : edited studies, the newest first
    """

    format: Literal["isocenter-window-1"] = "isocenter-window-1"
    owner: Owner | None = setting(None)
    unsorted: tuple[Path, ...] = setting(())
    unread: tuple[UnreadScan, ...] = setting(())
    unsent: tuple[UnsentResult, ...] = setting(())
    edited: tuple[EditedStudy, ...] = setting(())

    @property
    def is_empty(self) -> bool:
        """True if nothing is unfinished."""
        return not (self.unsorted or self.unread or self.unsent or self.edited)

    def with_work_of(self, other: WindowWork) -> WindowWork:
        """Return this work and that of another window, each item once.

        Parameters
        ----------
        other
            work of the other window
        """
        unsent = {each.id: each for each in (*self.unsent, *other.unsent)}
        edited = {each.study: each for each in (*other.edited, *self.edited)}
        newest = sorted(edited.values(), key=lambda each: each.changed, reverse=True)
        values: Plain = {
            "unsorted": tuple(dict.fromkeys((*self.unsorted, *other.unsorted))),
            "unread": (*self.unread, *(each for each in other.unread if each not in self.unread)),
            "unsent": tuple(unsent.values()),
            "edited": tuple(newest[:MAX_EDITS]),
        }
        return self.model_copy(update=values)

    def to_text(self) -> str:
        """Return the work as JSON with a seal over its values."""
        return sealed_text(self.model_dump(mode="json"))

    @classmethod
    def from_text(cls, text: bytes) -> Self:
        """Read the work and compare its seal.

        Parameters
        ----------
        text
            UTF-8 JSON

        Raises
        ------
        ValueError
            if the text is no such file, or its values do not match the seal
        """
        return cls.model_validate_json(to_json(sealed_values(text)))


@dataclass(frozen=True)
class RecoveredWork:
    """Work of windows that have ended.

    Attributes
    ----------
    work : work of all these windows
    faults : a sentence for each damaged file; the file stays under another name
    files : their files, which contain the work until this window has saved it
    """

    work: WindowWork
    faults: tuple[str, ...]
    files: tuple[Path, ...]

    def remove_files(self) -> None:
        """Remove the files, after this window has written the work to its own file."""
        for file in self.files:
            file.unlink(missing_ok=True)


class WindowWorkFile:
    """The file of this window, and those that other windows left behind.

    Parameters
    ----------
    folder
        folder of the files; None for the user's own
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given, self._name = folder, f"{secrets.token_hex(6)}{ENDING}"

    def write(self, work: WindowWork, *, closed: bool = False) -> None:
        """Write the unfinished work of this window; without any, its file is removed.

        Parameters
        ----------
        work
            all work of this window, including that of earlier windows
        closed
            True if the window has closed; the next window can then continue the work

        Raises
        ------
        ResourceError
            if the file cannot be written
        """
        file = self._folder() / self._name
        if work.is_empty:
            file.unlink(missing_ok=True)
            return
        owned = work.model_copy(update={"owner": None if closed else Owner.current()})
        write_atomically(owned.to_text().encode(), file, private=True)

    def recover(self) -> RecoveredWork:
        """Claim the work of windows that have ended.

        Raises
        ------
        ResourceError
            if the folder cannot be used
        """
        folder, found = self._folder(), WindowWork()
        files: list[Path] = []
        faults: list[str] = []
        with after_others(folder):
            sweep_parts(folder)
            for file in sorted(folder.glob(f"[0-9a-z]*{ENDING}")):
                if file.name == self._name:
                    continue
                try:
                    if not _is_mine(file):
                        continue
                    work = WindowWork.from_text(file.read_bytes())
                except FileNotFoundError:  # its window has just finished all work
                    continue
                except (ValueError, OSError) as e:
                    faults.append(_set_aside(file, e))
                    continue
                if work.owner is not None and work.owner.alive:
                    continue
                # Two windows that start together must not both take it.
                mine = work.model_copy(update={"owner": Owner.current()})
                write_atomically(mine.to_text().encode(), file, private=True)
                files.append(file)
                found = found.with_work_of(work)
        return RecoveredWork(found, tuple(faults), tuple(files))

    def _folder(self) -> Path:
        return made(self._given or windows_dir(), mode=OWNER_ONLY)


def _is_mine(file: Path) -> bool:
    """Return True for a file of this user; a trusted group may share the folder."""
    if hasattr(os, "getuid") and file.stat().st_uid != os.getuid():
        return False
    return is_own(file)


def _set_aside(file: Path, fault: Exception) -> str:
    """Rename a damaged file; return a sentence for the user."""
    aside = file.with_suffix(ASIDE)
    with suppress(OSError):
        file.replace(aside)
    damaged = aside if aside.exists() else file
    return (
        f"{file.name}: the list of unfinished work of an earlier window is damaged ({fault}). "
        f"The file is now {damaged}. Open the scans of that window again."
    )
