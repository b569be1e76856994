"""Images of a growing folder, each as soon as it is completely written.

A file is complete if size and time of change are equal in two looks, or if the next file exists.
The reader decides if it contains all its pixels, and returns an unfinished one. A file with the
usual size may be complete at once; the reader gets it marked as unsure. Names are listed in
portions, one per look, and so rarely that this takes a twentieth of the time. The next number of
each series is looked up every time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.io.folder import state_of
from engine.io.xray.stack import NUMBERED
from engine.live.core.listing import Listings

STABLE_S = 0.05
"""Interval of two looks that find an unchanged file."""
MAX_INSPECTED = 256
MAX_AHEAD = 64
MAX_MISTAKEN = 8
"""After this number of unsure images in a row that were not whole, none is tried any more."""


@dataclass
class ArrivingFile:
    """An image file, perhaps not complete.

    Attributes
    ----------
    path : path of the file
    series : part of its name before the number
    number : number in its name
    state : size and time of change at the last look
    since_s : time at which it was first seen in this state
    not_before_s : time of the next look
    fault : reason why it could not be used; empty if it was not tried
    is_sure : True if its writer has finished; else it only has the size of a complete file
    """

    path: Path
    series: str
    number: int
    state: tuple[int, int] | None = None
    since_s: float = 0.0
    not_before_s: float = 0.0
    fault: str = ""
    is_sure: bool = True
    tried: tuple[int, int] | None = None


@dataclass
class _Series:
    """Names of one series: the last number, and the form of numbers."""

    prefix: str
    width: int
    ending: str
    last: int

    def after(self) -> str:
        return f"{self.prefix}{self.last + 1:0{self.width}d}{self.ending}"


@dataclass
class FolderListing:
    """Result of one look at the folder.

    Attributes
    ----------
    complete : readable images in the order of their numbers
    starts_new_scan : True if removed images exist again: another scan
    removed : images that were removed before they were read
    """

    complete: list[ArrivingFile] = field(default_factory=list)
    starts_new_scan: bool = False
    removed: list[ArrivingFile] = field(default_factory=list)


class ArrivingFiles:
    """Numbered TIFF images of one folder, in any order of arrival.

    Attributes
    ----------
    folder : folder of the images
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._listings = Listings(folder)
        self._known: set[str] = set()
        self._waiting: dict[str, ArrivingFile] = {}
        self._series: dict[tuple[str, str], _Series] = {}
        self._typical_bytes: dict[str, int] = {}
        self._n_mistaken = 0

    @property
    def settings(self) -> list[Path]:
        """Files in the folder that may describe the scan."""
        return self._listings.settings

    @property
    def n_listed(self) -> int:
        """Number of complete listings."""
        return self._listings.n_done

    def first_number(self, series: str) -> int:
        """Return the smallest number of a series.

        Parameters
        ----------
        series
            part of the names before the number; at least one image has arrived
        """
        found = (NUMBERED.match(name) for name in self._known)
        return min(int(m["number"]) for m in found if m is not None and m["prefix"] == series)

    def poll(self, now_s: float) -> FolderListing:
        """Look at the folder.

        Parameters
        ----------
        now_s
            current time, by `time.monotonic` [s]

        Returns
        -------
        listing
            images that can be read now, and what has changed

        Raises
        ------
        EngineError
            if the folder is missing, or its drive is not reachable
        """
        found = FolderListing()
        self._list(found, now_s)
        # A direct question for one name is fast in a folder of any size
        for series in list(self._series.values()):
            self._ask_for_next(series)
        found.complete = self._complete(now_s)
        return found

    def restart(self) -> None:
        """Forget all images; those that exist are then new images."""
        self._known, self._typical_bytes, self._n_mistaken = set(), {}, 0
        self._waiting, self._series = {}, {}
        self._listings.restart()

    def discard(self, file: ArrivingFile) -> None:
        """Remove an image that was read from the list.

        Parameters
        ----------
        file
            image; its size becomes the usual size of its series
        """
        self._waiting.pop(file.path.name, None)
        if file.state is not None:
            # Uncompressed images of a series have the same size
            self._typical_bytes[file.series] = file.state[0]
        if not file.is_sure:
            self._n_mistaken = 0

    def count_mistake(self) -> None:
        """Count an unsure image that may be incomplete; it is returned again once it is sure."""
        self._n_mistaken += 1

    def wait_for(self, file: ArrivingFile, fault: str, until_s: float) -> None:
        """Look at an incomplete image again later, or when it changes.

        Parameters
        ----------
        file
            image that could not be used
        fault
            reason
        until_s
            time of the next look, by `time.monotonic` [s]
        """
        file.fault, file.not_before_s = fault, until_s

    def _list(self, found: FolderListing, now_s: float) -> None:
        listed = self._listings.next_portion(now_s, self._known)
        if listed is None:
            return
        if listed.is_another:
            found.starts_new_scan = True
            self.restart()
            return
        new = listed.names - self._known
        # Removed files that exist again: the scanner overwrites an aborted scan
        if listed.reappeared(new):
            found.starts_new_scan = True
            self.restart()
            new = listed.names
        waiting = (self._waiting.pop(name, None) for name in sorted(listed.removed))
        found.removed = [file for file in waiting if file is not None]
        self._known -= listed.removed
        for name in new:
            self._add(name)

    def _add(self, name: str) -> None:
        match = NUMBERED.match(name)
        self._known.add(name)
        if match is None:
            return
        number, ending = int(match["number"]), name[match.end("number") :]
        self._waiting[name] = ArrivingFile(self.folder / name, match["prefix"], number)
        key = (match["prefix"], ending)
        series = self._series.get(key)
        if series is None:
            self._series[key] = _Series(match["prefix"], len(match["number"]), ending, number)
        # A series may continue with more digits after 999
        elif number > series.last:
            series.last, series.width = number, len(match["number"])

    def _ask_for_next(self, series: _Series) -> None:
        for _ in range(MAX_AHEAD):
            name = series.after()
            if state_of(self.folder / name) is None:
                return
            self._add(name)

    def _complete(self, now_s: float) -> list[ArrivingFile]:
        order = sorted(self._waiting.values(), key=lambda file: file.number)
        # Limited: a look at thousands of files would delay the newest one
        due = [file for file in order if now_s >= file.not_before_s][:MAX_INSPECTED]
        return [file for file in due if self._is_complete(file, now_s)]

    def _is_complete(self, file: ArrivingFile, now_s: float) -> bool:
        state = state_of(file.path)
        if state is None:  # missing, or the drive is: the next listing decides
            return False
        if state != file.state:
            file.state, file.since_s, file.fault = state, now_s, ""
        is_stable = now_s - file.since_s >= STABLE_S
        # An empty file has just been created, however long it stays so
        file.is_sure = state[0] > 0 and (self._has_successor(file) or is_stable)
        return file.is_sure or self._may_be_complete(file, state)

    def _may_be_complete(self, file: ArrivingFile, state: tuple[int, int]) -> bool:
        """Return True if a file has the usual size, and was not tried in this state."""
        if state[0] != self._typical_bytes.get(file.series) or file.tried == state or file.fault:
            return False
        file.tried = state
        return self._n_mistaken < MAX_MISTAKEN

    def _has_successor(self, file: ArrivingFile) -> bool:
        """Return True if the writer has started the next image."""
        # A file that failed once must change first: a successor proves nothing about it
        if file.fault:
            return False
        name = file.path.name
        match = NUMBERED.match(name)
        if match is None:
            return False
        after = f"{match['prefix']}{file.number + 1:0{len(match['number'])}d}"
        return after + name[match.end("number") :] in self._known
