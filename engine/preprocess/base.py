"""What a step of preprocessing is: settings that turn projections into better ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.corrections.base import Correction
from engine.data.projections import Projections


class PreprocessStep(Correction[Projections]):
    """One effect of source or detector; what was found is in the `info` of the projections."""

    def changed(
        self, projections: Projections, facts: dict[str, Any], **changes: Any
    ) -> Projections:
        """Return the projections with `changes`, and `facts` in their `info` under the kind."""
        return replace(projections, info={**projections.info, self.kind: facts}, **changes)

    def facts(self, projections: Projections) -> dict[str, Any]:
        """Return what this step told about projections it made; empty where it did not run."""
        message: dict[str, Any] = projections.info.get(self.kind, {})
        return message


def percent(part: float, whole: float) -> str:
    """Share in plain words: "0.02 %"."""
    share = 100 * part / max(whole, 1)
    return f"{share:.0f} %" if share >= 10 else f"{share:.2g} %"
