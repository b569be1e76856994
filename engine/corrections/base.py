"""What a correction is: settings that turn a dataset into a better described one."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

from engine.backend import Backend
from engine.data.listmode import ListMode
from engine.settings import Settings, setting

Use = Literal["auto", "on", "off"]


class Correction(Settings):
    """One effect between the object and the counts.

    `use` is "auto" (applied where the scan allows it), "on" (refuse to run without) or "off".
    """

    title: ClassVar[str]
    kind: ClassVar[str]
    use: Use = setting("auto", "Apply: when possible, always, never", label="Apply")

    @abstractmethod
    def obstacle(self, data: ListMode) -> str | None:
        """Return why this scan cannot be corrected, with the way out; None if it can."""

    @abstractmethod
    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        """Return the scan with this effect described in its factors or background."""

    @abstractmethod
    def summary(self, before: ListMode, after: ListMode) -> str:
        """Say what `apply` did, in plain words with numbers and units."""
