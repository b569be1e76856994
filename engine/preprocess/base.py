"""What a step of preprocessing is: settings that turn projections into better ones."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Literal

from engine.backend import Backend
from engine.data.projections import Projections
from engine.settings import Settings, setting

Use = Literal["auto", "on", "off"]


class Step(Settings):
    """One effect of source or detector, taken out of the projections.

    `use` is "auto" (applied where the scan allows it), "on" (refuse to run without) or "off".
    """

    title: ClassVar[str]
    kind: ClassVar[str]
    use: Use = setting("auto", "Apply: when possible, always, never", label="Apply")

    @abstractmethod
    def obstacle(self, projections: Projections) -> str | None:
        """Return why the step cannot be done, with the way out; None if it can."""

    @abstractmethod
    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return the projections without this effect; what was found is in their `info`."""

    @abstractmethod
    def summary(self, before: Projections, after: Projections) -> str:
        """Say what `apply` did, in plain words with numbers and units."""

    def changed(
        self, projections: Projections, facts: dict[str, Any], **changes: Any
    ) -> Projections:
        """Return the projections with `changes`, and `facts` in their `info` under the kind."""
        return replace(projections, info={**projections.info, self.kind: facts}, **changes)

    def facts(self, projections: Projections) -> dict[str, Any]:
        """Return what this step told about projections it made; empty where it did not run."""
        told: dict[str, Any] = projections.info.get(self.kind, {})
        return told


def percent(part: float, whole: float) -> str:
    """Share in plain words: "0.02 %"."""
    return f"{100 * part / max(whole, 1):.2g} %"
