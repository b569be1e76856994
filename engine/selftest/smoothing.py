"""Image filters, identical to the CPU in every bit, and the resolution blur."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.geometry.point_spread import uniform_spread
from engine.operators.point_spread import PointSpreadBlur
from engine.recon.postprocess import Gaussian, Median
from engine.selftest.list_mode import GRID, image
from engine.selftest.reference_answers import Family, Faults, far, other


def _ask(there: Backend, here: Backend) -> Faults:
    x = image()
    # A FWHM of 40 mm is larger than the grid along z, where the border handling matters most.
    for smooth in (Gaussian(), Gaussian(fwhm_mm=40.0), Median()):
        got = there.to_host(smooth.apply(there.to_device(x), GRID.voxel_mm))
        yield from other(smooth.title, got, smooth.apply(x, GRID.voxel_mm))
    blur = PointSpreadBlur(uniform_spread(5.0), GRID)
    for name, one in (("blur", blur), ("its adjoint", blur.T)):
        yield from far(name, there.to_host(one(there.to_device(x))), one(x), 1e-6)


SMOOTHING = Family("filters", _ask)
