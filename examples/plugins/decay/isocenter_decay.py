"""Decay of the activity before the scan: w = 2^(−t / T½) on every line."""

from __future__ import annotations

from typing import ClassVar

from engine.core.backend import Backend
from engine.core.settings import setting
from engine.corrections.base import Multiplicative
from engine.data.line_factors import ConstantFactor
from engine.data.listmode import ListMode


class Decay(Multiplicative[ListMode]):
    """Decay between the reference time and the scan."""

    title: ClassVar[str] = "Decay"
    kind: ClassVar[str] = "decay"
    half_life_s: float = setting(
        6586.2, "Half-life of the isotope (default: F-18)", label="Half-life", unit="s", gt=0
    )
    delay_s: float = setting(
        0.0, "Time from the reference to the scan", label="Delay", unit="s", ge=0
    )

    def obstacle(self, data: ListMode) -> str | None:
        return None if self.delay_s else "no delay is entered"

    def factor(self, data: ListMode, *, on: Backend) -> ConstantFactor:
        return ConstantFactor(2 ** (-self.delay_s / self.half_life_s))

    def summary(self, before: ListMode, after: ListMode) -> str:
        return f"{100 * 2 ** (-self.delay_s / self.half_life_s):.1f} % of the activity was left"
