"""Resolution model: blur the image by the scanner's point spread before projection."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from engine.core.backend import Backend
from engine.core.settings import setting
from engine.corrections.base import Correction
from engine.corrections.roles import POINT_SPREAD as POINT_SPREAD
from engine.data.input_role import InputRole
from engine.data.listmode import ListMode
from engine.geometry.point_spread import N_PROBED, PointSpread, spread_of, uniform_spread

MODELLED = 0.85
"""Modelled fraction of the scanner's FWHM.

In simulations of the NEMA body with tracked photons, edges
then overshoot by a third less, and spheres lose 1 to 2 % of their contrast.
"""
RIM = "a final Gaussian inside the model makes edges 16 to 22 % too high 5 to 8 mm inside"
"""From tracked photons in the NEMA body: 16 to 18 % with time of flight, 18 to 22 % without."""
OVERSHOOT = (
    "edges overshoot by up to 4 % after a Gaussian of the same width, by up to 8 % without a filter"
)
"""From tracked photons: `tests/physics/edge_profile.py`."""


class Resolution(Correction[ListMode]):
    """Point spread function in image space, with its exact adjoint.

    It restores the contrast of small objects. In return, edges overshoot: see `OVERSHOOT` and
    `RIM`. A protocol that does not name this correction has it switched off.
    """

    title: ClassVar[str] = "Resolution"
    kind: ClassVar[str] = "resolution"
    inputs: ClassVar[tuple[InputRole, ...]] = (POINT_SPREAD,)
    fwhm_mm: float | None = setting(
        None,
        "Full width at half maximum in the whole image; if empty, the measured resolution is "
        "used, or the one calculated for the scanner",
        label="Width (FWHM)",
        unit="mm",
        gt=0,
        le=30,
    )
    with_filter: bool = setting(
        False,
        "Include the final Gaussian filter in the model. This reduces noise, but values 5 to 8 "
        "mm inside an edge become 16 to 22 % too high",
        label="Model the final filter",
    )

    def obstacle(self, data: ListMode) -> str | None:
        return None

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        """Return the scan with the point spread that its projector will use.

        Returns
        -------
        data
            the same events; widths are scaled by `share`
        """
        return replace(data, point_spread=self.spread(data).scaled(self.share))

    def summary(self, before: ListMode, after: ListMode) -> str:
        spread = self.spread(before)
        cost = RIM if self.with_filter else OVERSHOOT
        narrower = "" if self.share == 1 else f", modelled {100 * (1 - self.share):.0f} % narrower"
        return f"{spread.describe()} ({self._source(before)}){narrower}; {cost}"

    @property
    def share(self) -> float:
        """Modelled fraction of the widths: 1 for the user's own width or with the filter."""
        return 1.0 if self.fwhm_mm is not None or self.with_filter else MODELLED

    def spread(self, data: ListMode, *, n_probed: int = N_PROBED) -> PointSpread:
        """Return the widths before `MODELLED` is applied.

        Parameters
        ----------
        data
            scan with its scanner, and with measured widths if there are any
        n_probed
            number of lines whose tilt is measured; see `spread_of`
        """
        # The order is deliberate: the user's width, then a measurement, then the geometry.
        if self.fwhm_mm is not None:
            return uniform_spread(self.fwhm_mm)
        measured: PointSpread | None = data.auxiliary.get(POINT_SPREAD.key)
        if measured is not None:
            return measured
        # Half the diagonal of the default image: the corner is farthest from the axis.
        across = data.scanner.default_size_mm[:2]
        return spread_of(data.scanner, float(np.hypot(*across)) / 2, n_probed=n_probed)

    def _source(self, data: ListMode) -> str:
        if self.fwhm_mm is not None:
            return "from the protocol"
        is_measured = POINT_SPREAD.key in data.auxiliary
        return "measured" if is_measured else "from crystals, bore and depth"
