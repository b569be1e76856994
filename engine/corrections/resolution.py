"""Resolution of the scanner in the model: the image is blurred before it is projected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.backend import Backend
from engine.corrections.base import Correction
from engine.data.input_role import InputRole
from engine.data.listmode import ListMode
from engine.geometry.point_spread import PointSpread, spread_of, uniform_spread
from engine.settings import setting


def _read(path: Path, scanner: object) -> PointSpread:
    from engine.io.point_spread import read_point_spread

    return read_point_spread(path)


POINT_SPREAD = InputRole(
    key="point_spread",
    title="Measured resolution",
    text="Widths of point sources by distance from the axis",
    without="Without it, the resolution follows from the scanner's crystals, bore and depth.",
    suffixes=(".txt", ".csv", ".tsv"),
    read=_read,
    describe=lambda spread: spread.describe(),
    of_scanner=True,
)


class Resolution(Correction[ListMode]):
    """Point spread function in image space, with its exact adjoint.

    A choice rather than a fault that is mended: edges get sharper and, unfiltered, too high. No
    protocol that does not name it has it switched on.
    """

    title: ClassVar[str] = "Resolution"
    kind: ClassVar[str] = "resolution"
    inputs: ClassVar[tuple[InputRole, ...]] = (POINT_SPREAD,)
    fwhm_mm: float | None = setting(
        None,
        "Full width at half maximum everywhere; measured, or by the scanner, if left out",
        label="Width (FWHM)",
        unit="mm",
        gt=0,
        le=30,
    )
    with_filter: bool = setting(
        False,
        "The image is sought among those that the filter at the end makes: less noise, and cold "
        "places empty sooner",
        label="With the filter",
    )

    def obstacle(self, data: ListMode) -> str | None:
        return None

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        return replace(data, point_spread=self._spread(data))

    def summary(self, before: ListMode, after: ListMode) -> str:
        spread = self._spread(before)
        return f"{spread.describe()} ({self._source(before)})"

    def _spread(self, data: ListMode) -> PointSpread:
        if self.fwhm_mm is not None:
            return uniform_spread(self.fwhm_mm)
        measured: PointSpread | None = data.auxiliary.get(POINT_SPREAD.key)
        if measured is not None:
            return measured
        across = data.scanner.default_size_mm[:2]
        return spread_of(data.scanner, float(np.hypot(*across)) / 2)

    def _source(self, data: ListMode) -> str:
        if self.fwhm_mm is not None:
            return "given in the protocol"
        is_measured = POINT_SPREAD.key in data.auxiliary
        return "measured" if is_measured else "from crystals, bore and depth"
