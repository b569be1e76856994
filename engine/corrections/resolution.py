"""Resolution model: blur the image by the scanner's point spread before projection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np

from engine.core.backend import Backend
from engine.core.settings import setting
from engine.corrections.base import Correction
from engine.corrections.roles import POINT_SPREAD as POINT_SPREAD
from engine.data.input_role import InputRole
from engine.data.listmode import ListMode
from engine.geometry.point_spread import N_PROBED, PointSpread, spread_of, uniform_spread

if TYPE_CHECKING:
    from engine.data.sinogram import Sinogram

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


Scan = TypeVar("Scan", ListMode, "Sinogram")
AnyResolution: TypeAlias = "ResolutionModel[Any]"


class ResolutionModel(Correction[Scan], Generic[Scan]):
    """Point spread function in image space, with its exact adjoint.

    It restores the contrast of small objects. In return, edges overshoot: see `OVERSHOOT`. A
    protocol that does not name this correction has it switched off.

    Attributes
    ----------
    fwhm_mm : width in the whole image [mm]; None: measured, or from the scanner
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

    def obstacle(self, data: Scan) -> str | None:
        return None

    def apply(self, data: Scan, *, on: Backend) -> Scan:
        """Return the scan with the point spread that its projector will use.

        Returns
        -------
        data
            the same counts; widths are scaled by `share`
        """
        return replace(data, point_spread=self.spread(data).scaled(self.share))

    def summary(self, before: Scan, after: Scan) -> str:
        narrower = "" if self.share == 1 else f", modelled {100 * (1 - self.share):.0f} % narrower"
        spread = self.spread(before).describe()
        return f"{spread} ({self._source(before)}){narrower}; {self.cost}"

    @property
    def cost(self) -> str:
        """Error of the image that this model causes, as text."""
        return OVERSHOOT

    @property
    def share(self) -> float:
        """Modelled fraction of the widths: 1 for the user's own width."""
        return 1.0 if self.fwhm_mm is not None else MODELLED

    def spread(self, data: Scan, *, n_probed: int = N_PROBED) -> PointSpread:
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

    def _source(self, data: Scan) -> str:
        if self.fwhm_mm is not None:
            return "from the protocol"
        is_measured = POINT_SPREAD.key in data.auxiliary
        return "measured" if is_measured else "from crystals, bore and depth"


class Resolution(ResolutionModel[ListMode]):
    """Resolution model of list mode; the final filter can be a part of it, see `RIM`."""

    with_filter: bool = setting(
        False,
        "Include the final Gaussian filter in the model. This reduces noise, but values 5 to 8 "
        "mm inside an edge become 16 to 22 % too high",
        label="Model the final filter",
    )

    @property
    def cost(self) -> str:
        return RIM if self.with_filter else OVERSHOOT

    @property
    def share(self) -> float:
        """Modelled fraction of the widths: 1 for the user's own width or with the filter."""
        return 1.0 if self.with_filter else super().share
