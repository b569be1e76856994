"""Expectation maximisation with its factor drawn towards 1: x ← x (xⁿ⁺¹ / x)^power."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.settings import setting
from engine.recon.algorithms.base import Algorithm, Iterate

if TYPE_CHECKING:
    from engine.recon.model import SystemModel


class Rooted(Algorithm):
    """Slower steps of expectation maximisation."""

    title: ClassVar[str] = "Rooted EM"
    data_kinds: ClassVar[tuple[str, ...]] = ("counts",)
    kind: Literal["rooted"] = "rooted"
    iterations: int = setting(4, "Passes over all data", label="Iterations", ge=1, le=99)
    power: float = setting(0.5, "Exponent of the factor", label="Power", gt=0, le=1)

    def run(self, model: SystemModel, x: NDArray[Any]) -> Iterator[Iterate]:
        seen = model.sensitivity > 0
        s = np.where(seen, model.sensitivity, 1)
        while True:
            ratio = model.em_step(x).numerator / s / np.where(x > 0, x, 1)
            x = (x * np.where(seen, ratio, 0) ** self.power).astype(np.float32)
            yield Iterate(x)
