"""Transmission from counts: T = (I - D) / (F - D), F and D the flat and dark fields.

Flat fields taken at several times are averaged per time and interpolated between them. The entry
`info["flat_views"]` contains, for each flat field, the number of the next view. Values that were
not measured (a defective or saturated pixel) are NaN until the bad pixels are replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import largest, module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.core.settings import setting
from engine.core.visible_text import amount
from engine.corrections.preprocess import defects
from engine.corrections.preprocess.base import PreprocessStep, percent
from engine.corrections.preprocess.blocks import in_blocks
from engine.data.projections import Kind, Projections

FULL_SCALES = tuple(2.0**bits - 1 for bits in (8, 10, 12, 14, 16))
"""Full scale of common detectors [counts]."""
MAX_DRIFT = 0.3
"""Largest relative variation of air that is taken for drift, not for an object in the strip."""


@dataclass(frozen=True)
class OpenBeam:
    """Counts of the open beam without the dark current, (n, rows, cols), at `views` (n,)."""

    fields: NDArray[np.float32]
    views: NDArray[np.float64]

    def at(self, views: slice) -> NDArray[np.float32]:
        """Return the open beam of some views.

        Parameters
        ----------
        views
            range of view numbers

        Returns
        -------
        at
            (n_views, rows, cols), interpolated in time; (1, rows, cols) if there is only one time
        """
        if len(self.fields) == 1:
            return self.fields
        at = np.arange(views.start, views.stop)
        # Clip to the first and last pair: before and after all flat fields the nearest one is used.
        after = np.clip(np.searchsorted(self.views, at, side="right"), 1, len(self.views) - 1)
        first, last = self.views[after - 1], self.views[after]
        share = np.clip((at - first) / (last - first), 0, 1).astype(np.float32)[:, None, None]
        return self.fields[after - 1] * (1 - share) + self.fields[after] * share


class FlatField(PreprocessStep):
    """Dark current, gain of the pixels, profile and drift of the source."""

    title: ClassVar[str] = "Dark and flat field"
    kind: ClassVar[str] = "flat_field"
    since: ClassVar[int | None] = 1
    output_kind: ClassVar[Kind | None] = "transmission"
    of_a_view: ClassVar[bool] = True
    of_a_row: ClassVar[bool] = True
    flats: Literal["interpolated", "mean"] = setting(
        "interpolated",
        "Flat fields taken at several times: interpolate between them, or use their mean",
    )
    open_counts: float | None = setting(
        None, "Open-beam counts, for a scan without flat fields", unit="counts", gt=0
    )
    air: Literal["none", "left", "right", "both"] = setting(
        "none", "Detector edge that sees only air; it is used to correct source drift"
    )
    air_columns: int = setting(
        8, "Width of the detector edge that sees only air", unit="pixels", ge=1, le=1000
    )
    saturated_counts: float | None = setting(
        None,
        "Counts at which a pixel is saturated; if empty, the full scale of an 8- to 16-bit "
        "detector",
        unit="counts",
        expert=True,
        gt=0,
    )

    def obstacle(self, projections: Projections) -> str | None:
        """Return why no transmission can be computed.

        Returns
        -------
        obstacle
            projections that are not counts, or no information about the open beam; None otherwise
        """
        if projections.kind == "transmission":
            return "the projections are already transmission values, not counts"
        if projections.kind == "integrals":
            return "the projections are already line integrals, not counts"
        if projections.flats is None and self.open_counts is None and self.air == "none":
            return (
                "the scan has no flat fields; enter the counts of the open beam, or "
                "the edge of the detector that sees only air"
            )
        return None

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return the transmission of all views.

        Returns
        -------
        projections
            new values, NaN where nothing was measured. Drift and saturation are in `info`.

        Raises
        ------
        DataError
            if no pixel of the flat fields has signal, or the strip of air is not air
        """
        return self.view_by_view(projections, on=on)(projections)

    def view_by_view(
        self, scan: Projections, *, on: Backend
    ) -> Callable[[Projections], Projections]:
        dark, beam = self._fields(scan)
        # Defects are found once per scan, because they need all flat and dark fields.
        bad = defects.from_fields(scan.flats, scan.darks, beam.fields)
        if scan.bad_pixels is not None:
            bad |= scan.bad_pixels
        return lambda some: self._divided(some, dark, beam, bad, on)

    def _divided(
        self,
        projections: Projections,
        dark: NDArray[np.float32],
        beam: OpenBeam,
        bad: NDArray[np.bool_],
        on: Backend,
    ) -> Projections:
        xp, counts = module_of(projections.values), projections.values
        # Multiplying by NaN marks defective pixels without a separate pass over the data.
        usable = xp.asarray(np.where(bad, np.float32(np.nan), np.float32(1)))
        limit, dark_there = self._saturation(counts), xp.asarray(dark)
        out = projections.empty(counts.shape)

        def work(views: slice) -> int:
            # Saturation must be tested before subtracting the dark field, on raw counts.
            block = counts[views]
            saturated = block >= limit
            n_saturated = int(xp.count_nonzero(saturated))
            xp.multiply(block - dark_there, usable / xp.asarray(beam.at(views)), out=out[views])
            if n_saturated:
                out[views][saturated] = np.nan
            return n_saturated

        with np.errstate(divide="ignore", invalid="ignore"):  # zero flats become NaN
            n_saturated = sum(in_blocks(work, counts, on=on, storage=projections.storage))
        facts = {"bad_pixels": int(bad.sum()), "saturated": n_saturated, "drift": 0.0}
        # A flat field built from the white level of the file was not measured, so it cannot
        # saturate.
        if (flats := projections.flats) is not None and "white_level" not in projections.info:
            facts["saturated_flats"] = float((flats >= self._saturation(flats)).mean())
        if self.air != "none":
            facts["drift"] = self._level(out)
        return self.changed(
            projections,
            facts,
            values=out,
            kind="transmission",
            bad_pixels=bad,
            flats=None,
            darks=None,
        )

    def summary(self, before: Projections, after: Projections) -> str:
        facts = self.facts(after)
        n_flats = 0 if before.flats is None else len(before.flats)
        n_darks = 0 if before.darks is None else len(before.darks)
        n_pixels, n_values = int(np.prod(after.shape[1:])), int(np.prod(after.shape))
        n_bad, n_saturated = facts["bad_pixels"], facts["saturated"]
        beam = f"{amount(n_flats, 'flat')}, {amount(n_darks, 'dark')}"
        words = [
            beam if n_flats else self._open_beam_text(),
            f"{amount(n_bad, 'bad pixel')} ({percent(n_bad, n_pixels)})",
            f"{amount(n_saturated, 'saturated value')} ({percent(n_saturated, n_values)})",
        ]
        if self.air != "none":
            words.append(f"source drifted by {100 * facts['drift']:.2g} %")
        return "; ".join(words)

    def _open_beam_text(self) -> str:
        if self.open_counts is not None:
            return f"open beam {self.open_counts:g} counts"
        return f"open beam from {amount(self.air_columns, 'column')} of air ({self.air})"

    def _fields(self, projections: Projections) -> tuple[NDArray[np.float32], OpenBeam]:
        shape = tuple(projections.shape[1:])
        dark = np.zeros(shape, np.float32)
        if projections.darks is not None:
            dark = defects.mean_field(projections.darks)
        # Without flat fields the open beam is uniform, so only drift is corrected, not pixel gain.
        if projections.flats is None:
            # without a number, the strip of air sets the level of every view
            counts = 1.0 if self.open_counts is None else self.open_counts
            return dark, OpenBeam(np.full((1, *shape), counts, "f4"), np.zeros(1))
        beam = self._open_beam(projections.flats, projections.info, dark)
        if not (beam.fields > 0).any():
            raise DataError(
                "No pixel of the flat fields has more counts than the dark fields; "
                "check that the source was on and that flats and darks are not "
                "swapped."
            )
        return dark, beam

    def _open_beam(self, flats: NDArray[Any], info: Plain, dark: NDArray[np.float32]) -> OpenBeam:
        flat_views = np.asarray(info.get("flat_views", np.zeros(len(flats))), float)
        # Old files may lack the times of their flat fields, or list a different number.
        if self.flats == "mean" or len(flat_views) != len(flats):
            flat_views = np.zeros(len(flats))
        moments = np.unique(flat_views)
        # Neither a copy of all flats nor a list of all means: a scan can have 20,000 flats.
        if len(moments) == 1:
            return OpenBeam((defects.mean_field(flats) - dark)[None], moments)
        fields = np.empty((len(moments), *dark.shape), np.float32)
        for field, moment in zip(fields, moments, strict=True):
            field[:] = defects.mean_field(flats[flat_views == moment]) - dark
        return OpenBeam(fields, moments)

    def _saturation(self, counts: Array) -> float:
        if self.saturated_counts is not None:
            return self.saturated_counts
        # Only an exact full-scale value proves saturation; a bright scan below it is not clipped.
        most = largest(counts) if counts.size else 0.0
        return most if most in FULL_SCALES else np.inf

    def _level(self, transmission: Array) -> float:
        """Divide every view by its median in the strip of air; return the range of the medians."""
        xp, n = module_of(transmission), self.air_columns
        sides = {
            "left": [transmission[:, :, :n]],
            "right": [transmission[:, :, -n:]],
            "both": [transmission[:, :, :n], transmission[:, :, -n:]],
        }[self.air]
        # The median ignores zingers and dust at the edge of the detector.
        level = xp.nanmedian(xp.concatenate(sides, axis=2), axis=(1, 2), keepdims=True)
        middle, drift = float(xp.nanmedian(level)), float(level.max() - level.min())
        if not (middle > 0 and drift <= MAX_DRIFT * middle):
            raise DataError(
                f"Dark and flat field: the {n} air columns (air = {self.air!r}) vary by "
                f"{percent(drift, max(middle, 1e-09))} during the scan, but source drift can "
                f"explain at most {100 * MAX_DRIFT:.0f} %; choose an edge that no object covers."
            )
        transmission /= level
        return drift / middle
