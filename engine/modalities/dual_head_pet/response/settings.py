"""Settings of the response computation, without importing its kernels."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from engine.core.arrays import Array
from engine.core.settings import Settings, setting


class AnalyticResponse(Settings):
    """Integrate over both crystals: depth of interaction, attenuation and solid angle.

    Scatter between crystals, energy resolution and energy window are tracked for one photon and
    come into the integral as its spread.
    """

    kind: Literal["analytic"] = "analytic"
    n_points: int = setting(
        1 << 17,
        "Number of point pairs, which must be a power of two; the same number of photons is "
        "tracked in each direction",
        label="Points",
        ge=1 << 8,
        le=1 << 26,
    )
    scatter: bool = setting(
        True,
        "Simulate scatter between crystals, the energy resolution and the energy window. "
        "Otherwise, only the first interaction counts",
        label="Inter-crystal scatter",
    )
    threshold: float = setting(
        2e-3,
        "Matrix values below this fraction of the row maximum are discarded",
        label="Threshold",
        ge=0,
        lt=0.1,
    )
    seed: int = setting(1, "Seed for the random points", label="Seed", ge=0, expert=True)

    @model_validator(mode="after")
    def _balanced(self) -> Self:
        if self.n_points & (self.n_points - 1):
            raise ValueError(f"n_points is {self.n_points}, expected a power of two such as 4096")
        return self

    def points(self) -> tuple[Array, Array]:
        """Return two independent sets of scrambled Sobol points, (n_points / 2, 8) each."""
        from scipy.stats import qmc

        # Two halves, whose difference estimates the error of the integral.
        exponent = self.n_points.bit_length() - 2
        seeds = np.random.SeedSequence(self.seed).spawn(2)
        first, second = (
            qmc.Sobol(8, seed=np.random.default_rng(seed)).random_base2(exponent) for seed in seeds
        )
        return first, second
