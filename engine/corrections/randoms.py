"""To be filled in."""

from __future__ import annotations

from typing import ClassVar

from engine.backend import Backend
from engine.corrections.base import Correction
from engine.data.listmode import ListMode


class Randoms(Correction):
    """Randoms."""

    title: ClassVar[str] = "Randoms"
    kind: ClassVar[str] = "randoms"

    def obstacle(self, data: ListMode) -> str | None:
        return "not built yet"

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        return data

    def summary(self, before: ListMode, after: ListMode) -> str:
        return ""
