"""Settings shared by the solvers of y = A x."""

from __future__ import annotations

from typing import Annotated

from engine.core.settings import setting

Iterations = Annotated[
    int, setting(description="Number of passes over all data", label="Iterations", ge=1, le=10000)
]
NonNegative = Annotated[
    bool, setting(description="Set negative values to zero", label="Non-negative")
]
Largest = Annotated[
    float | None,
    setting(
        description="Upper limit for the voxel values",
        label="Largest value",
        unit="1/mm",
        expert=True,
        gt=0,
    ),
]
