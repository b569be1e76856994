"""A file to open, and the files that were dropped together with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.language.translation import tr
from app.state.services.outcomes import NewStudy, Outcome
from app.state.services.reading import StudyReader


@dataclass(frozen=True, eq=False)
class Request:
    """Something to read.

    Attributes
    ----------
    name : for people
    role : what it was offered for; empty if the file shall say
    work : reads it
    done : called once it is taken
    path : of what may be a scan
    complete_events : whether the user agreed to use what is complete of a scan that is cut off
    batch : all files that were dropped together with it
    """

    name: str
    role: str
    work: Callable[[StudyReader], Outcome]
    done: Callable[[], object] | None = None
    path: Path | None = None
    complete_events: bool = False
    batch: tuple[Path, ...] = ()

    @property
    def refusal(self) -> str:
        """Title of the message where it is refused."""
        if self.role:
            return tr("{name} cannot be used.", name=self.name)
        return tr("{name} cannot be opened.", name=self.name)


class Batch:
    """Files that were dropped together: the first scan opens, the others can be queued.

    Attributes
    ----------
    first : name of the scan that was opened; empty before
    others : further scans among the files, read and sound
    """

    def __init__(self) -> None:
        self._files: tuple[Path, ...] = ()
        self.first = ""
        self.others: list[NewStudy] = []

    def takes(self, request: Request, found: NewStudy) -> bool:
        """Whether a scan may become the study; one after another of the same drop may not."""
        if request.path is None or len(request.batch) < 2:
            return True
        if self.first and request.batch == self._files:
            self.others.append(found)
            return False
        self._files, self.first = request.batch, request.name
        return True
