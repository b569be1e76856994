"""A request to open a file, and the files that were dropped together with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.language.translation import tr
from app.state.services.outcomes import NewStudy, Outcome
from app.state.services.reading import StudyReader


@dataclass(frozen=True, eq=False)
class Request:
    """A request to read a file.

    Attributes
    ----------
    name : name for the user
    role : input role; empty if the content decides
    work : function that reads it, in a thread
    done : called after it has been applied
    path : path of a possible scan; None otherwise
    complete_events : True if the user agreed to use the complete part of a truncated scan
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
        """Title of the message if it is refused."""
        if self.role:
            return tr("{name} cannot be used.", name=self.name)
        return tr("{name} cannot be opened.", name=self.name)


class Batch:
    """Files that were dropped together. The first scan opens; the others can be queued.

    Attributes
    ----------
    first : name of the scan that was opened; empty before
    others : further valid scans among the files
    """

    def __init__(self) -> None:
        self._files: tuple[Path, ...] = ()
        self.first = ""
        self.others: list[NewStudy] = []

    def takes(self, request: Request, found: NewStudy) -> bool:
        """Return True if a scan may become the open study.

        Parameters
        ----------
        request
            request that the scan came from
        found
            the scan; a further one of the same drop is stored in `others`
        """
        if request.path is None or len(request.batch) < 2:
            return True
        if self.first and request.batch == self._files:
            self.others.append(found)
            return False
        self._files, self.first = request.batch, request.name
        return True
