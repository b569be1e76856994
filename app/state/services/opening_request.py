"""A request to open a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.language.translation import tr
from app.state.services.outcomes import Outcome
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
    refused : title of the message if it is refused; empty for one with its name
    safe : sentence about things that a refusal does not lose
    """

    name: str
    role: str
    work: Callable[[StudyReader], Outcome]
    done: Callable[[], object] | None = None
    path: Path | None = None
    complete_events: bool = False
    refused: str = ""
    safe: str = ""

    @property
    def refusal(self) -> str:
        """Title of the message if it is refused."""
        if self.refused:
            return self.refused
        if self.role:
            return tr("{name} cannot be used.", name=self.name)
        return tr("{name} cannot be opened.", name=self.name)
