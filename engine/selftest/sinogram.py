"""Bins of a sinogram: rays with counts and factors, one row for each bin."""

from __future__ import annotations

import numpy as np

from engine.core.backend import Backend
from engine.operators.rays import RayProjector
from engine.recon.model import BinnedModel
from engine.selftest.list_mode import GRID, N, image, rays, values
from engine.selftest.reference_answers import Family, Faults, far, random_numbers


def _ask(there: Backend, here: Backend) -> Faults:
    counts = random_numbers().poisson(3.0, N).astype(np.float32)
    # Factors from 0.5 to 1, like normalisation and attenuation.
    factors = (0.5 + values() / 2).astype(np.float32)
    models = [
        BinnedModel.of(
            RayProjector(rays(is_timed=False), GRID, on=on), values() + 0.5, counts, factors
        )
        for on in (there, here)
    ]
    got, wanted = (model.em_step(image()) for model in models)
    yield from far("sensitivity", models[0].sensitivity, models[1].sensitivity)
    yield from far("update", got.numerator, wanted.numerator)
    yield from far("likelihood", np.array([got.log_sum]), np.array([wanted.log_sum]))


SINOGRAM = Family("sinogram", _ask)
