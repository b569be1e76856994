"""Resolution model of sinograms, which runs of list mode do not load."""

from __future__ import annotations

from engine.corrections.resolution import POINT_SPREAD, ResolutionModel
from engine.data.sinogram import Sinogram


class BinResolution(ResolutionModel[Sinogram]):
    """Resolution model of sinograms.

    The calculated widths are those of single lines. Bins that sum views or ring differences are
    wider, which only measured widths contain.
    """

    def _source(self, data: Sinogram) -> str:
        text = super()._source(data)
        is_calculated = self.fwhm_mm is None and POINT_SPREAD.key not in data.auxiliary
        if is_calculated and data.layout.n_mashed > 1:
            return f"{text}, without the width of {data.layout.n_mashed} summed views"
        return text
