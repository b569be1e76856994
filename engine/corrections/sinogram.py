"""Corrections of sinograms, in the order they may run.

Expected counts in bin j: (1 / N_j) (1 / A_j) Σ_n l_jn x_n + r_j + s_j. N and A are the factors that
would multiply the counts to correct normalisation and attenuation; r are the randoms and s the
scatter. Each is a sinogram with the bins of the scan. Randoms are equal in all TOF bins. A bin with
a factor of 0 is dead. Without N, the sum of the geometric factors w of the lines of a bin replaces
1 / N.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.settings import setting
from engine.corrections.attenuation import BATCH, attenuation_factors
from engine.corrections.base import Additive, Correction, Multiplicative, with_added
from engine.corrections.bin_resolution import BinResolution
from engine.corrections.roles import ATTENUATION_MAP
from engine.corrections.scatter import ONLY_IN_A_RUN, RingScatter, simulation_obstacle
from engine.corrections.scatter_in_time import near_by
from engine.corrections.sinogram_delayeds import are_counted, expected_randoms, words_of
from engine.corrections.sinogram_roles import ATTENUATION, NORMALISATION, RANDOMS, SCATTER
from engine.corrections.supplied_bins import (
    already_applied,
    expected_of,
    inverse_of,
    is_of_normalised,
    refuse_negative,
    refuse_survival,
    spread_text,
    unknown_counts,
)
from engine.data.histogram import total
from engine.data.input_role import InputRole
from engine.data.sinogram import Sinogram
from engine.data.timing.timed_counts import TimedCounts

NO_ENERGIES = (
    "the header has no energy window or energy resolution, which the scatter "
    "simulation needs; add them, or load a scatter sinogram"
)


class BinNormalisation(Multiplicative[Sinogram]):
    """Detection factors of bins, supplied as a sinogram."""

    title: ClassVar[str] = "Normalisation"
    kind: ClassVar[str] = "normalisation"
    inputs: ClassVar[tuple[InputRole, ...]] = (NORMALISATION,)
    since: ClassVar[int | None] = 4

    def obstacle(self, data: Sinogram) -> str | None:
        """Return why no factors are applied.

        Returns
        -------
        obstacle
            counts that are already normalised, or a missing sinogram; None if factors can be
            applied
        """
        if NORMALISATION.key in data.auxiliary:
            return already_applied(data, "norm")
        return "there are no normalisation factors; load their sinogram"

    def is_needless(self, data: Sinogram) -> bool:
        return data.has_applied("norm")

    def factor(self, data: Sinogram, *, on: Backend) -> Array:
        """Return the detection factor of each bin, 1 / N.

        Returns
        -------
        factor
            (n_bins,) float32, 0 in dead bins

        Raises
        ------
        DataError
            if a factor is negative
        """
        return inverse_of(data.auxiliary[NORMALISATION.key], NORMALISATION)

    def summary(self, before: Sinogram, after: Sinogram) -> str:
        return spread_text(before.auxiliary[NORMALISATION.key])


class BinGeometry(Multiplicative[Sinogram]):
    """Lines that each bin sums, and their geometric efficiency, from the scanner."""

    title: ClassVar[str] = "Line geometry"
    kind: ClassVar[str] = "line_geometry"
    since: ClassVar[int | None] = 4

    def obstacle(self, data: Sinogram) -> str | None:
        """Return why the geometry cannot be computed.

        Returns
        -------
        obstacle
            normalisation that already includes it, or arc-corrected bins; None otherwise
        """
        if NORMALISATION.key in data.auxiliary:
            return "the normalisation factors already include it"
        if data.has_applied("norm"):
            return "the scan's header states that its counts are already normalised"
        # Arc correction resamples to equal distances, so a bin no longer has crystals of its own.
        if data.layout.bin_mm is not None:
            return "arc correction has mixed the lines of the crystals"
        return None

    def is_needless(self, data: Sinogram) -> bool:
        return NORMALISATION.key in data.auxiliary or data.has_applied("norm")

    def factor(self, data: Sinogram, *, on: Backend) -> Array:
        """Return the summed geometric efficiency of the live lines of each bin.

        Returns
        -------
        factor
            (n_bins,) float32, relative to one line at perpendicular incidence; 0 without a live
            line
        """
        scanner, layout = data.scanner, data.layout
        factors = np.zeros(layout.n_bins)
        # The table of all lines would exceed the memory of long scanners.
        for start in range(0, scanner.n_lors, BATCH):
            pairs = scanner.lors(np.arange(start, min(start + BATCH, scanner.n_lors)))
            bins, inside = layout.bins_of(pairs)
            seen = inside & scanner.in_coincidence(pairs)
            weights = scanner.geometric_factor(pairs[seen])
            factors += np.bincount(bins[seen], weights, layout.n_bins)
        return factors.astype(np.float32)

    def summary(self, before: Sinogram, after: Sinogram) -> str:
        if after.factors is None:
            return ""
        used = after.factors[after.factors > 0]
        n_dead = len(after.factors) - len(used)
        span = f"{used.min():.2f} to {used.max():.2f}" if len(used) else "nothing"
        return (
            f"bin efficiency {span} relative to perpendicular incidence; {n_dead:,} bins have no "
            "usable line"
        )


class BinAttenuation(Multiplicative[Sinogram]):
    """Attenuation in the object, from a sinogram of factors or from a μ-map."""

    title: ClassVar[str] = "Attenuation"
    kind: ClassVar[str] = "attenuation"
    inputs: ClassVar[tuple[InputRole, ...]] = (ATTENUATION, ATTENUATION_MAP)
    since: ClassVar[int | None] = 4

    def obstacle(self, data: Sinogram) -> str | None:
        """Return why attenuation is not corrected.

        Returns
        -------
        obstacle
            counts that are already corrected, or no factors and no μ-map; None otherwise
        """
        if ATTENUATION.key in data.auxiliary or data.mu_map is not None:
            return already_applied(data, "atten")
        return "there are neither attenuation factors nor a μ-map; load one of them"

    def is_needless(self, data: Sinogram) -> bool:
        return data.has_applied("atten")

    def factor(self, data: Sinogram, *, on: Backend) -> Array:
        # Supplied factors belong to this scan. A μ-map must still be aligned with it.
        """Return the transmission of each bin, 1 / A.

        Returns
        -------
        factors
            (n_bins,) float32. Supplied factors take precedence over the μ-map.

        Raises
        ------
        DataError
            if supplied factors are below 1, which are then transmissions, or if there is no μ-map
        """
        if ATTENUATION.key in data.auxiliary:
            return inverse_of(refuse_survival(data.auxiliary[ATTENUATION.key]), ATTENUATION)
        if data.mu_map is None:
            raise DataError("the attenuation correction needs a μ-map; load one.")
        layout, factors = data.layout, np.empty(data.layout.n_bins, np.float32)
        for start in range(0, layout.n_bins, BATCH):
            ends = layout.ends_of(np.arange(start, min(start + BATCH, layout.n_bins)))
            factors[start : start + BATCH] = attenuation_factors(
                data.mu_map, layout.points_mm, ends, on=on
            )
        return factors

    def apply(self, data: Sinogram, *, on: Backend) -> Sinogram:
        """Return the sinogram with the transmission as a factor and as `attenuation`.

        Returns
        -------
        data
            the scatter simulation needs the transmission alone, which cannot be recovered from the
            product
        """
        passing = self.factor(data, on=on)
        return replace(data.with_factor(passing, on=on), attenuation=passing)

    def summary(self, before: Sinogram, after: Sinogram) -> str:
        if after.factors is None:
            return ""
        earlier = 1.0 if before.factors is None else np.maximum(before.factors, 1e-30)
        passing = after.factors / earlier
        source = "supplied factors" if ATTENUATION.key in before.auxiliary else "the μ-map"
        # Dead bins have transmission 0 and say nothing about the object.
        seen = (before.prompts > 0) & (passing > 0)
        least = 100 * float(passing[seen].min(initial=1.0))
        return f"from {source}, minimum transmission of bins with counts {least:.1f} %"


class BinRandoms(Additive[Sinogram]):
    """Random coincidences, supplied as a sinogram."""

    title: ClassVar[str] = "Randoms"
    kind: ClassVar[str] = "randoms"
    inputs: ClassVar[tuple[InputRole, ...]] = (RANDOMS,)
    since: ClassVar[int | None] = 4
    smooth: bool = setting(
        True,
        "Estimate the randoms in each bin from the singles rates of the crystals or blocks. The "
        "rates are fitted to the delayeds. Otherwise, each bin uses only its own delayeds",
        label="Smooth delayeds",
    )

    def obstacle(self, data: Sinogram) -> str | None:
        """Return why randoms cannot be added.

        Returns
        -------
        obstacle
            counts already corrected, an estimate in unknown units, or no sinogram; None otherwise
        """
        if RANDOMS.key in data.auxiliary:
            return already_applied(data, "random") or unknown_counts(data, RANDOMS)
        return "there are no randoms; load their sinogram"

    def is_needless(self, data: Sinogram) -> bool:
        return data.has_applied("random")

    def expected(self, data: Sinogram, *, on: Backend) -> Array:
        """Return the expected randoms of each bin.

        Returns
        -------
        expected
            (n_bins,) counts in all TOF bins: modelled from delayeds if `smooth`, else as supplied
        """
        values = expected_of(data, RANDOMS)
        return expected_randoms(data.layout, values) if self._smooths(data, values) else values

    def _smooths(self, data: Sinogram, values: Array) -> bool:
        # Only raw whole counts can be fitted; an estimate of the vendor is used unchanged.
        return (
            self.smooth and not is_of_normalised(data, RANDOMS) and are_counted(data.layout, values)
        )

    def summary(self, before: Sinogram, after: Sinogram) -> str:
        share, values = _share(before, RANDOMS), expected_of(before, RANDOMS)
        if self._smooths(before, values):
            return f"{share}; {words_of(before.layout, total(values))}"
        return share


class BinScatter(RingScatter[Sinogram]):
    """Scattered coincidences, supplied as a sinogram or simulated from the scan's own image."""

    inputs: ClassVar[tuple[InputRole, ...]] = (SCATTER,)
    since: ClassVar[int | None] = 4

    def is_brought(self, data: Sinogram) -> bool:
        return SCATTER.key in data.auxiliary

    def obstacle(self, data: Sinogram) -> str | None:
        """Return why there is no scatter estimate.

        Returns
        -------
        obstacle
            checked in this order: counts already corrected, a supplied estimate, a simulation. None
            if there is an estimate.
        """
        if data.has_applied("scatt"):
            return already_applied(data, "scatt")
        if not self.simulates(data):
            missing = "there is no scatter estimate; load its sinogram"
            return unknown_counts(data, SCATTER) if self.is_brought(data) else missing
        # The simulation predicts attenuated counts, which corrected counts no longer are.
        if data.has_applied("atten"):
            return "the scan's header states that its counts are already corrected for attenuation"
        return simulation_obstacle(data.scanner, data.mu_map, energies=NO_ENERGIES)

    def is_needless(self, data: Sinogram) -> bool:
        return data.has_applied("scatt")

    def expected(self, data: Sinogram, *, on: Backend) -> Array:
        """Return the supplied scatter of each bin.

        Returns
        -------
        expected
            (n_bins,) counts in all TOF bins

        Raises
        ------
        DataError
            if scatter is simulated, which only a run can do
        """
        if self.simulates(data):
            raise DataError(ONLY_IN_A_RUN)
        return expected_of(data, SCATTER)

    def apply(self, data: Sinogram, *, on: Backend) -> Sinogram:
        """Return the sinogram with its scatter, also for the timed counts.

        Returns
        -------
        data
            the same prompts with more background. Without TOF in the file, `near_by` distributes it
            in time.
        """
        expected = self.expected(data, on=on)
        timed = None if data.timed is None else self._in_time(data, data.timed, expected)
        return data.with_background(expected, timed)

    def _in_time(self, data: Sinogram, timed: TimedCounts, expected: Array) -> Array:
        """Return the scatter expected in the bin and TOF bin of each timed count, (n,)."""
        if SCATTER.key not in timed.estimates:
            return near_by(data, timed, expected)
        values = refuse_negative(timed.estimates[SCATTER.key], SCATTER)
        if not is_of_normalised(data, SCATTER):
            return values
        # The file refers to normalised counts; the model needs counts as measured.
        return values * inverse_of(data.auxiliary[NORMALISATION.key], NORMALISATION)[timed.bins]

    def summary(self, before: Sinogram, after: Sinogram) -> str:
        share = _share(before, SCATTER)
        if before.timed is None or SCATTER.key in before.timed.estimates:
            return share
        return (
            f"{share}; the file contains no TOF information, so the TOF distribution of "
            "neighbouring counts is used"
        )


def _share(data: Sinogram, role: InputRole) -> str:
    counts = total(expected_of(data, role))
    return f"{counts:,.0f} counts, {100 * counts / max(data.n_prompts, 1):.1f} % of the prompts"


SINOGRAM_CORRECTIONS: tuple[type[Correction[Sinogram]], ...] = with_added(
    (BinNormalisation, BinGeometry, BinAttenuation, BinRandoms, BinScatter, BinResolution),
    Sinogram,
)
