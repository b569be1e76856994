"""To be filled in."""

from __future__ import annotations

from typing import ClassVar

from engine.backend import Backend
from engine.corrections.base import Correction
from engine.data.listmode import ListMode


class Scatter(Correction):
    """Scatter."""

    title: ClassVar[str] = "Scatter"
    kind: ClassVar[str] = "scatter"

    def obstacle(self, data: ListMode) -> str | None:
        return "not built yet"

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        return data

    def summary(self, before: ListMode, after: ListMode) -> str:
        return ""
