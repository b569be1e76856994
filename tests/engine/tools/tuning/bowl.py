"""A kernel with times that follow a formula, which determines its best form."""

from __future__ import annotations

import numpy as np

from engine.core.backend import cpu
from engine.core.errors import DeviceError
from engine.kernels.stored_variants import Slot
from engine.tools.tuning.problem import TuningProblem, worst

RIGHT = np.arange(8, dtype=np.float32)
BEST = {"width": 8, "kind": "plain"}


class Bowl(TuningProblem):
    """A tuning problem with times by a formula: fastest at a width of 8; "odd" forms are wrong."""

    title, work = "a bowl", "eight numbers"

    def __init__(self, noise: float = 0.0, odd: str = "slow") -> None:
        self.on, self.slot = cpu(2), Slot("rays", "bowl")
        self.parameters = {"width": (1, 2, 4, 8, 16, 32), "kind": ("plain", "odd")}
        self.shipped = {"width": 2, "kind": "plain"}
        self.restrictions = ("width < 32 or kind == 'plain'",)
        self.noise, self.odd, self.n_results = noise, odd, 0
        self.rng = np.random.default_rng(3)

    def prepare(self) -> None:
        self.n_results = 0

    def form(self, values):
        if values["width"] not in self.parameters["width"]:
            raise ValueError("no such width")
        return {"threads": 0, "rows": values["width"]}

    def result(self, values):
        self.n_results += 1
        if values["kind"] == "odd":
            match self.odd:
                case "wrong":
                    return RIGHT + np.float32(0.01)
                case "nan":
                    return np.where(RIGHT == 3, np.nan, RIGHT).astype(np.float32)
                case "crashes":
                    raise DeviceError("an illegal address")
        return RIGHT.copy()

    def seconds(self, values):
        fast = values["kind"] == "odd" and self.odd != "slow"
        law = 0.001 if fast else 1 + 0.2 * abs(np.log2(values["width"]) - 3)
        law *= 1.1 if values["kind"] == "odd" else 1.0
        return 1e-3 * law * (1 + self.noise * self.rng.standard_normal())

    def fault_of(self, result):
        return worst(result, RIGHT, 1e-6)
