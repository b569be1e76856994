"""Subsample of list-mode events for the scatter estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.corrections.attenuation import AttenuationFactor
from engine.corrections.scatter_estimation.samples import sampled_lines
from engine.corrections.scatter_estimation.simulation import ScatterTable
from engine.data.line_factors import LineFactor
from engine.data.listmode import ListMode
from engine.modalities.count_demand import ring_demand
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import Sensitivity, compute_sensitivity
from engine.modalities.ring_scatter.counts import CountedLines, Values
from engine.modalities.ring_scatter.effort import (
    EXACT_BELOW,
    N_LINES,
    coarse_grid,
    part_step,
    updates_of,
)
from engine.modalities.ring_scatter.lines import SampledLines
from engine.operators.rays import Rays
from engine.recon.algorithms import solve
from engine.recon.model import SystemModel

COARSE = SensitivitySettings(method="sampled", error_percent=5.0)

Crystals = NDArray[np.int32]


class CountedEvents(CountedLines):
    """A subsample of the events of prompts from `prepare`."""

    def __init__(self, prompts: ListMode, *, on: Backend, reproducible: bool = False) -> None:
        scanner = prompts.scanner
        if prompts.mu_map is None or scanner.energy is None:
            raise DataError(
                "scatter cannot be simulated without a μ-map and the energy window of the "
                "scanner; load a μ-map and a scanner file with an energy window."
            )
        self.scanner, self.window, self.mu_map = scanner, scanner.energy, prompts.mu_map
        self.on, self.reproducible = on, reproducible
        step = part_step(prompts.n_events)
        # The coarse image has no resolution model.
        every = prompts.select_by(lambda column: prompts.storage.every(column, step))
        part = replace(every, point_spread=None)
        self.share = part.n_events / prompts.n_events
        self.grid = coarse_grid(scanner)
        self.lines = _sampled_lines(prompts, on=on, reproducible=reproducible)
        self.rays = Rays(scanner.positions_mm, part.crystals, part.tof_bins)
        self.counts = np.ones(part.n_events, np.float32)
        self.efficiency = own_efficiency(part, part.crystals, on=on, reproducible=reproducible)
        none = np.zeros(part.n_events, np.float32)
        self.randoms = none if part.background is None else part.background
        self._part, self._sensitivity, self._model = part, None, None

    _sensitivity: Sensitivity | None
    _model: SystemModel | None

    def updated(self, number: int, scatter: Values) -> Iterator[tuple[int, int]]:
        # A fraction of the events expects the same fraction of the background.
        """Improve the image of a round by OSEM on the selected events.

        Returns
        -------
        updated
            yields the updates done and in total
        """
        background = np.float32(self.share) * (self.randoms + scatter)
        prompts = replace(self._part, background=background.astype(np.float32))
        model = self._model_of(prompts)
        if self._image is None:
            start = listmode_pet.uniform_start(model)
        else:
            start = self._image * np.float32(self.share)
        tof = None if prompts.tof_bins is None else prompts.scanner.tof
        algorithm = updates_of(number, ring_demand(prompts.n_events, self.grid, tof))
        n_updates = algorithm.n_iterations * algorithm.n_subsets
        image = start
        for step in solve(algorithm, model, start):
            if step.update == n_updates:
                image = step.image
            yield step.update, n_updates
        # Stored as the image of all counts, which the simulation needs.
        self._image, self._model = image / np.float32(self.share), model

    def _model_of(self, prompts: ListMode) -> SystemModel:
        """Return the model of a round; rounds differ only in the background."""
        if self._model is None:
            return listmode_pet.build(
                prompts,
                self.grid,
                self._coarse_sensitivity(prompts),
                on=self.on,
                reproducible=self.reproducible,
            )
        return replace(self._model, background=listmode_pet.relative_background(prompts))

    def _coarse_sensitivity(self, prompts: ListMode) -> Sensitivity:
        """Return the sensitivity of the coarse image, computed once."""
        if self._sensitivity is None:
            few = prompts.scanner.n_lors <= EXACT_BELOW
            settings = SensitivitySettings(method="exact") if few else COARSE
            self._sensitivity = compute_sensitivity(
                prompts, self.grid, settings, on=self.on, reproducible=self.reproducible
            )
        return self._sensitivity

    def trues(self) -> Values:
        if self._model is None:
            return np.zeros_like(self.counts)
        found: Values = self.on.to_host(self._model.A(self.on.to_device(self.image)))
        factors = self._part.factors
        return found if factors is None else found * factors


def expected_of(
    table: ScatterTable, prompts: ListMode, *, on: Backend, reproducible: bool = False
) -> NDArray[np.float32]:
    """Return the expected scatter of each event, (n,).

    Parameters
    ----------
    table
        scatter per unit of line efficiency
    prompts
        sorted prompts with their line factors
    on
        device, for its number of threads
    reproducible
        True for exact sums on lines
    """
    positions, times = prompts.scanner.positions_mm, prompts.tof_bins

    def values(rows: slice) -> NDArray[np.float32]:
        crystals = prompts.crystals[rows]
        bins = None if times is None else times[rows]
        efficiency = own_efficiency(prompts, crystals, on=on, reproducible=reproducible)
        return efficiency * table.of_lines(positions, crystals, bins, threads=on.threads)

    return prompts.column(values)


def own_efficiency(
    prompts: ListMode, crystals: Crystals, *, on: Backend, reproducible: bool
) -> NDArray[np.float32]:
    """Return the fraction of arriving photons that lines count, (n,).

    Parameters
    ----------
    prompts
        prompts with their line factors
    crystals
        (n, 2) crystals of the lines
    on
        device
    reproducible
        True for exact sums on lines

    Returns
    -------
    own_efficiency
        the factors without attenuation, which the simulation applies itself
    """
    own = [f for f in prompts.line_factors if not isinstance(f, AttenuationFactor)]
    return _product(own, prompts, crystals, on, reproducible)


def _sampled_lines(prompts: ListMode, *, on: Backend, reproducible: bool) -> SampledLines:
    """Return sampled lines of the scanner of corrected prompts."""
    scanner = prompts.scanner
    crystals = sampled_lines(scanner, N_LINES)
    efficiency = own_efficiency(prompts, crystals, on=on, reproducible=reproducible)
    of_object = [f for f in prompts.line_factors if isinstance(f, AttenuationFactor)]
    attenuation = _product(of_object, prompts, crystals, on, reproducible)
    live = efficiency > 0
    rays = Rays(scanner.positions_mm, np.ascontiguousarray(crystals[live]))
    stands_for = scanner.n_lors / min(N_LINES, scanner.n_lors)
    return SampledLines(rays, efficiency[live], attenuation[live], stands_for)


def _product(
    factors: Sequence[LineFactor],
    prompts: ListMode,
    crystals: Crystals,
    on: Backend,
    reproducible: bool,
) -> NDArray[np.float32]:
    product, scanner = np.ones(len(crystals), np.float32), prompts.scanner
    for factor in factors:
        product *= factor.of_lines(crystals, scanner, on=on, reproducible=reproducible)
    return product
