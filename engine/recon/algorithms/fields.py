"""Settings that several solvers of y = A x have."""

from __future__ import annotations

from typing import Annotated

from engine.core.settings import setting

Iterations = Annotated[
    int, setting(description="Passes over all the data", label="Iterations", ge=1, le=10000)
]
NonNegative = Annotated[bool, setting(description="No values below zero", label="Non-negative")]
Largest = Annotated[
    float | None,
    setting(
        description="No values above this", label="Largest value", unit="1/mm", expert=True, gt=0
    ),
]
