"""Filters of images, to the bits of the CPU."""

from __future__ import annotations

from engine.backend import Backend
from engine.postprocess import Gaussian, Median
from engine.selftest.known import Family, Faults, other
from engine.selftest.list_mode import GRID, image


def _ask(there: Backend, here: Backend) -> Faults:
    x = image()
    for smooth in (Gaussian(), Gaussian(fwhm_mm=40.0), Median()):
        got = there.to_host(smooth.apply(there.to_device(x), GRID.voxel_mm))
        yield from other(smooth.title, got, smooth.apply(x, GRID.voxel_mm))


SMOOTHING = Family("filters", _ask)
