"""Compare live slices of a GPU with those of the CPU."""

from __future__ import annotations

import numpy as np

from engine.core import backend
from engine.core.backend import Backend
from engine.corrections.preprocess import FlatField, Logarithm
from engine.geometry.plane import orthogonal
from engine.live.ct.settings import LiveSettings
from engine.live.ct.slices import LiveSlices
from tests.engine.live.ct.running_scan import N, cone, counts_of, frames_of, references

BLENDED = 2**-8
"""Textures interpolate with 8 bits."""


def test_gpu_slices_equal_those_of_the_cpu(on_gpu: Backend) -> None:
    geometry = cone()
    counts, planes = counts_of(geometry), orthogonal((12, 14), 3.0)
    found = []
    for on in (on_gpu, backend.cpu(2)):
        live = LiveSlices(
            geometry, planes, steps=(FlatField(), Logarithm()),
            settings=LiveSettings(mode="sliding", turn="half"), on=on,
        )  # fmt: skip
        live.add(references(geometry.shape))
        live.add(frames_of(geometry, counts, range(N // 2)))
        early = live.refresh().values
        live.add(frames_of(geometry, counts, range(N // 2, N)))  # these views replace others
        live.place([planes[0].turned((1.0, 0.0, 0.0), 0.3), *planes[1:]])
        found.append((*early, *live.refresh().values))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=BLENDED * np.abs(other).max())
