"""Images of a folder that fills, each when it has been written to its end.

A file is complete when its size and time of change are the same at two looks, or the one after it
is there; whether it holds all of its pixels is for who reads it to say, and who finds it unfinished
gives it back. One that has the size of those before it may be complete at once: it is given to who
reads it as unsure. Names are listed in portions, one at a look, and so seldom that a twentieth of
the time goes there; the number that comes next is asked for at every look.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.io.folder import state_of
from engine.io.xray.stack import NUMBERED
from engine.live.core.listing import Listings

STABLE_S = 0.05
"""Between two looks that find a file as it was."""
MOST_LOOKED_AT = 256
MOST_AHEAD = 64
MOST_MISTAKEN = 8
"""So often in a row an image that is unsure turns out not to be whole; then none is tried."""


@dataclass
class ArrivingFile:
    """An image that is there, perhaps not whole.

    Attributes
    ----------
    path : of the file
    series : what stands before the number in its name
    number : in its name
    state : size and time of change, when it was last looked at
    since_s : when it was first seen in this state
    not_before_s : when it is to be looked at again
    fault : why it could not be used, "" if nobody has tried
    is_sure : whether its writer is done with it; else it has the size of a whole one
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
    """Names of one series: the number last seen, and how numbers are written."""

    prefix: str
    width: int
    ending: str
    last: int

    def after(self) -> str:
        return f"{self.prefix}{self.last + 1:0{self.width}d}{self.ending}"


@dataclass
class Look:
    """What a look at the folder found.

    Attributes
    ----------
    complete : images that can be read, in the order of their numbers
    begins_anew : whether images that were removed come again: another scan
    removed : images that went before they were read
    """

    complete: list[ArrivingFile] = field(default_factory=list)
    begins_anew: bool = False
    removed: list[ArrivingFile] = field(default_factory=list)


class ArrivingFiles:
    """Numbered TIFF images of one folder, as they come, in whatever order.

    Attributes
    ----------
    folder : of the images
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._listings = Listings(folder)
        self._known: set[str] = set()
        self._waiting: dict[str, ArrivingFile] = {}
        self._series: dict[tuple[str, str], _Series] = {}
        self._usual_bytes: dict[str, int] = {}
        self._n_mistaken = 0

    @property
    def settings(self) -> list[Path]:
        """Files in the folder that may describe the scan."""
        return self._listings.settings

    @property
    def n_listed(self) -> int:
        """How often the names were listed."""
        return self._listings.n_done

    def first_number(self, series: str) -> int:
        """Return the smallest number of a series that is there."""
        found = (NUMBERED.match(name) for name in self._known)
        return min(int(m["number"]) for m in found if m is not None and m["prefix"] == series)

    def look(self, now_s: float) -> Look:
        """Look at the folder.

        Raises
        ------
        EngineError
            where the folder cannot be listed: it is not there, or its drive is gone
        """
        found = Look()
        self._list(found, now_s)
        for series in list(self._series.values()):
            self._ask_for_next(series)
        found.complete = self._complete(now_s)
        return found

    def begin_anew(self) -> None:
        """Forget all images, so that they come again."""
        self._known, self._usual_bytes, self._n_mistaken = set(), {}, 0
        self._waiting, self._series = {}, {}
        self._listings.begin_anew()

    def taken(self, file: ArrivingFile) -> None:
        """Do not look at an image any more."""
        self._waiting.pop(file.path.name, None)
        if file.state is not None:
            self._usual_bytes[file.series] = file.state[0]
        if not file.is_sure:
            self._n_mistaken = 0

    def was_mistaken(self) -> None:
        """An image that was unsure may not be whole; it comes again when it is sure."""
        self._n_mistaken += 1

    def wait_for(self, file: ArrivingFile, fault: str, until_s: float) -> None:
        """Look at an image again later, or when it changes: it was not complete."""
        file.fault, file.not_before_s = fault, until_s

    def _list(self, found: Look, now_s: float) -> None:
        listed = self._listings.went_on(now_s, self._known)
        if listed is None:
            return
        if listed.is_another:
            found.begins_anew = True
            self.begin_anew()
            return
        new = listed.names - self._known
        if listed.came_again(new):
            found.begins_anew = True
            self.begin_anew()
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
        elif number > series.last:
            series.last, series.width = number, len(match["number"])

    def _ask_for_next(self, series: _Series) -> None:
        for _ in range(MOST_AHEAD):
            name = series.after()
            if state_of(self.folder / name) is None:
                return
            self._add(name)

    def _complete(self, now_s: float) -> list[ArrivingFile]:
        order = sorted(self._waiting.values(), key=lambda file: file.number)
        due = [file for file in order if now_s >= file.not_before_s][:MOST_LOOKED_AT]
        return [file for file in due if self._is_complete(file, now_s)]

    def _is_complete(self, file: ArrivingFile, now_s: float) -> bool:
        state = state_of(file.path)
        if state is None:  # it is gone, or the whole drive is: the next listing says
            return False
        if state != file.state:
            file.state, file.since_s, file.fault = state, now_s, ""
        is_stable = now_s - file.since_s >= STABLE_S
        file.is_sure = state[0] > 0 and (self._has_successor(file) or is_stable)
        return file.is_sure or self._may_be_complete(file, state)

    def _may_be_complete(self, file: ArrivingFile, state: tuple[int, int]) -> bool:
        """Whether a file is as large as those before it, and was not tried in this state."""
        if state[0] != self._usual_bytes.get(file.series) or file.tried == state or file.fault:
            return False
        file.tried = state
        return self._n_mistaken < MOST_MISTAKEN

    def _has_successor(self, file: ArrivingFile) -> bool:
        """Whether the writer has gone on to the next image."""
        if file.fault:
            return False
        name = file.path.name
        match = NUMBERED.match(name)
        if match is None:
            return False
        after = f"{match['prefix']}{file.number + 1:0{len(match['number'])}d}"
        return after + name[match.end("number") :] in self._known
