"""Line integrals from transmission: p = -ln max(T, least)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from engine.core.arrays import module_of, n_not_finite
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.settings import setting
from engine.core.visible_text import amount
from engine.corrections.preprocess.base import PreprocessStep, percent
from engine.corrections.preprocess.blocks import in_blocks
from engine.data.projections import Kind, Projections

BRIGHT = 1.1
"""Transmission above this is not noise: the flats do not fit the scan."""


class Logarithm(PreprocessStep):
    """Line integrals from transmission, by Beer's law."""

    title: ClassVar[str] = "Logarithm"
    kind: ClassVar[str] = "logarithm"
    since: ClassVar[int | None] = 1
    output_kind: ClassVar[Kind | None] = "integrals"
    of_a_view: ClassVar[bool] = True
    of_a_row: ClassVar[bool] = True
    least_transmission: float = setting(
        1e-4,
        "Smaller transmissions are raised to this value to keep the logarithm finite",
        label="Minimum transmission",
        expert=True,
        gt=0,
        le=0.1,
    )

    def obstacle(self, projections: Projections) -> str | None:
        """Return why there is no logarithm to take.

        Returns
        -------
        obstacle
            projections that are still counts or already line integrals; None for transmissions
        """
        if projections.kind == "counts":
            return "the projections are still counts; switch on the flat-field correction"
        if projections.kind == "integrals":
            return "the projections are already line integrals"
        return None

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return line integrals −ln T.

        Returns
        -------
        projections
            new float32 values; clipped and too bright values are counted in `info`

        Raises
        ------
        DataError
            if the transmission contains NaN, because bad pixels were not replaced
        """
        values = projections.values
        xp = module_of(values)
        out = projections.empty(values.shape)
        least = np.float32(self.least_transmission)

        def work(views: slice) -> tuple[int, int, int]:
            block = values[views]
            # NaN compares as False with both limits, so it is counted separately below.
            clipped, bright = xp.count_nonzero(block < least), xp.count_nonzero(block > BRIGHT)
            result = xp.log(xp.maximum(block, least))
            xp.negative(result, out=out[views])
            return n_not_finite(block), int(clipped), int(bright)

        each = in_blocks(work, values, on=on, storage=projections.storage)
        n_nan, n_clipped, n_bright = np.sum(each, axis=0)
        # NaN would spread over the whole row in the filter of the reconstruction.
        if n_nan:
            raise DataError(
                f"{n_nan:,} values of the projections ({percent(n_nan, values.size)}) are "
                "infinite or NaN; switch on the bad-pixel correction."
            )
        facts = {"clipped": int(n_clipped), "bright": int(n_bright)}
        return self.changed(projections, facts, values=out, kind="integrals")

    def summary(self, before: Projections, after: Projections) -> str:
        facts, n = self.facts(after), int(np.prod(after.shape))
        return (
            f"{amount(facts['clipped'], 'value')} clipped at {self.least_transmission:g} "
            f"({percent(facts['clipped'], n)}), {facts['bright']:,} brighter than the open beam "
            f"({percent(facts['bright'], n)})"
        )
