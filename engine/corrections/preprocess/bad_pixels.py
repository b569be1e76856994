"""Replace bad pixels, saturated pixels and zingers by the median of their neighbours."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.settings import setting
from engine.core.visible_text import amount
from engine.corrections.preprocess import defects
from engine.corrections.preprocess.base import PreprocessStep, percent
from engine.corrections.preprocess.blocks import in_blocks
from engine.data.projections import Projections

Scale = Literal["relative", "absolute"]


class BadPixels(PreprocessStep):
    """Pixels that were not measured, and outliers among their neighbours."""

    title: ClassVar[str] = "Bad pixels"
    kind: ClassVar[str] = "bad_pixels"
    since: ClassVar[int | None] = 1
    of_a_view: ClassVar[bool] = True
    of_a_row: ClassVar[bool] = True
    threshold: float = setting(
        0.1,
        "A pixel is an outlier if it differs from its neighbours by more than this threshold, "
        "given as a fraction of the transmission or as an absolute difference of line integrals",
        label="Outlier threshold",
        gt=0,
        le=10,
    )

    def obstacle(self, projections: Projections) -> str | None:
        if projections.shape[1] * projections.shape[2] < 2:
            return "a detector of one pixel has no neighbours"
        return None

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return the projections without unmeasured values and outliers.

        Returns
        -------
        projections
            new float32 values. Both counts are in `info`.

        Raises
        ------
        DataError
            if a view has no measured value, so nothing can be interpolated
        """
        values, bad = projections.values, projections.bad_pixels
        xp = module_of(values)
        out = projections.empty(values.shape)
        # Line integrals are near 0 in air, where a relative threshold would flag every noisy pixel.
        scale: Scale = "absolute" if projections.kind == "integrals" else "relative"
        where = None if bad is None else xp.asarray(bad)

        def work(views: slice) -> tuple[int, int]:
            block = values[views].astype(np.float32)
            if where is not None:
                block[:, where] = np.nan
            # Count before filling: afterwards unmeasured values look like all others.
            unmeasured = ~xp.isfinite(block)
            n_unmeasured = int(xp.count_nonzero(unmeasured))
            if n_unmeasured:
                block[unmeasured] = np.nan
                empty = unmeasured.all(axis=(1, 2))
                if empty.any():
                    raise DataError(
                        f"View {views.start + int(empty.argmax()) + 1} contains no measured "
                        "values; remove the view, or read the scan again."
                    )
                # Fill first. Otherwise NaN would spread through the medians that define outliers.
                defects.fill(block)
            alone = defects.outliers(block, self.threshold, scale)
            n_alone = int(xp.count_nonzero(alone))
            if n_alone:
                block[alone] = np.nan
                defects.fill(block)
            out[views] = block
            return n_unmeasured, n_alone

        # Threads return partial counts, because a shared counter would need a lock.
        counts = np.sum(in_blocks(work, values, on=on, storage=projections.storage), axis=0)
        facts = {"unmeasured": int(counts[0]), "outliers": int(counts[1])}
        return self.changed(projections, facts, values=out)

    def summary(self, before: Projections, after: Projections) -> str:
        facts, n = self.facts(after), int(np.prod(after.shape))
        n_empty, n_alone = facts["unmeasured"], facts["outliers"]
        return (
            f"{amount(n_empty, 'value')} not measured ({percent(n_empty, n)}) and "
            f"{amount(n_alone, 'outlier')} ({percent(n_alone, n)}) replaced"
        )
