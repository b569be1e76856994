"""What a correction is: settings that turn measured data into better ones."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, Literal, TypeVar

from engine.backend import Backend
from engine.settings import Settings, setting

Use = Literal["auto", "on", "off"]
D = TypeVar("D")


class Correction(Settings, Generic[D]):
    """One effect of object, source or detector on data of type D: counts, or projections.

    `use` is "auto" (applied where the scan allows it), "on" (refuse to run without) or "off".
    """

    title: ClassVar[str]
    kind: ClassVar[str]
    use: Use = setting("auto", "Apply: when possible, always, never", label="Apply")

    @abstractmethod
    def obstacle(self, data: D, /) -> str | None:
        """Return why this scan cannot be corrected, with the way out; None if it can."""

    @abstractmethod
    def apply(self, data: D, /, *, on: Backend) -> D:
        """Return the data without this effect, or with it described."""

    @abstractmethod
    def summary(self, before: D, after: D, /) -> str:
        """Say what `apply` did, in plain words with numbers and units."""
