"""Scatter of a scan from its own image, in rounds.

Each round makes a coarse image of part of the events, with the scatter of the round before, and
simulates the single scatter of that image. What scatters more often lies much alike, so that

    S = α · all scatter / single scatter (`engine.scatter.multiple`) · single scatter,

where the lines that miss the object give the scale α. The image of the first round holds scatter
too: it is taken as much too high as scatter adds to the trues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.algorithms import solve
from engine.backend import Backend
from engine.corrections.scatter import Scatter
from engine.data.listmode import ListMode
from engine.data.scatter_profile import ScatterProfile
from engine.data.volume import Volume
from engine.errors import DataError
from engine.geometry.energy import EnergyWindow
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.scatter_effort import (
    COARSE,
    EXACT_BELOW,
    coarse_grid,
    n_points_of,
    part_step,
    updates_of,
)
from engine.modalities.listmode_pet.scatter_lines import (
    SampledLines,
    object_mask,
    own_efficiency,
    path_lengths,
)
from engine.modalities.listmode_pet.sensitivity import Sensitivity, compute_sensitivity
from engine.scatter.multiple import over_single
from engine.scatter.profiles import profile_of
from engine.scatter.simulation import ScatterTable, simulate_scatter
from engine.scatter.tails import TailFit, fit_tails

TICKS = 100
"""Progress of a round."""

OnTick = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class ScatterEstimate:
    """Scatter of a scan.

    Attributes
    ----------
    table : of lines, per unit of their own efficiency [counts]
    fit : to the lines that miss the object
    fraction : scatter as part of trues and scatter
    multiple : all scatter over single scatter, before the fit
    rounds : images it was simulated from
    image : the last of them [counts/mm]
    profile : what was measured, and the scatter in it
    """

    table: ScatterTable
    fit: TailFit
    fraction: float
    multiple: float
    rounds: int
    image: Volume
    profile: ScatterProfile

    def describe(self) -> str:
        """Plain words with numbers."""
        return (
            f"simulated in {self.rounds} round{'s' * (self.rounds > 1)}: "
            f"{100 * self.fraction:.0f} % of trues and scatter; {self.fit.describe()}"
        )


def estimate_scatter(
    prompts: ListMode,
    settings: Scatter,
    *,
    on: Backend,
    reproducible: bool = False,
    on_tick: OnTick | None = None,
) -> ScatterEstimate:
    """Estimate the scatter of `prepare`d prompts, whose attenuation is among their factors."""
    rounds = _Rounds(prompts, settings, on, reproducible)
    tick = _Ticker(on_tick, settings.rounds)
    for number in range(settings.rounds):
        rounds.improve(number, tick)
    return rounds.estimate()


def expected_of(
    table: ScatterTable, prompts: ListMode, *, on: Backend, reproducible: bool = False
) -> NDArray[np.float32]:
    """Return the expected scatter of each event, (n,)."""
    efficiency = own_efficiency(prompts, prompts.crystals, on=on, reproducible=reproducible)
    return efficiency * table.of_lines(
        prompts.scanner, prompts.crystals, prompts.tof_bins, threads=on.threads
    )


class _Rounds:
    """What stays the same from round to round, and the best image and table so far."""

    def __init__(
        self, prompts: ListMode, settings: Scatter, on: Backend, reproducible: bool
    ) -> None:
        scanner = prompts.scanner
        if prompts.mu_map is None or scanner.energy is None:
            raise DataError(f"{settings.obstacle(prompts) or 'nothing'}; no scatter is simulated.")
        self.mu_map: Volume = prompts.mu_map
        self.window: EnergyWindow = scanner.energy
        self.settings, self.on, self.reproducible = settings, on, reproducible
        step = part_step(prompts.n_events)
        # a coarse image knows no resolution
        self.part = replace(prompts.select(slice(None, None, step)), point_spread=None)
        self.share = self.part.n_events / prompts.n_events
        self.grid = coarse_grid(scanner)
        mask = object_mask(self.mu_map, scanner.bore_radius_mm)
        self.lines = SampledLines.of(prompts, mask, on=on, reproducible=reproducible)
        crystals = self.part.crystals
        self.misses = self._paths(mask, crystals) == 0
        self.randoms = np.zeros(len(crystals), np.float32)
        if self.part.background is not None:
            self.randoms = self.part.background
        self.scatter = np.zeros(len(crystals), np.float32)
        self.image: NDArray[np.float32] | None = None
        self.sensitivity: Sensitivity | None = None

    def improve(self, number: int, tick: _Ticker) -> None:
        """Make the image anew and simulate its scatter."""
        tick.begin(number)
        for done, n_updates in self._reconstruct(number):
            tick(done, n_updates, TICKS // 2)
        volume = Volume(self._image / np.float32(self.share), self.grid, "counts/mm")
        table = simulate_scatter(
            volume,
            self.mu_map,
            self.part.scanner,
            self.window,
            with_tof=self.part.tof_bins is not None,
            n_points=n_points_of(self.settings, number),
            seed=self.settings.seed + number,
            on=self.on,
            on_progress=lambda done, total: tick(done, total, TICKS // 2, TICKS // 2),
        )
        self._scale(table, volume, holds_scatter=number == 0)

    def _scale(self, table: ScatterTable, volume: Volume, *, holds_scatter: bool) -> None:
        """Add multiple scatter, and fit the tails."""
        lines, scanner = self.lines, self.part.scanner
        paths = self._paths(volume, lines.crystals)
        trues = lines.total(lines.efficiency * lines.attenuation * paths)
        simulated = lines.efficiency * table.of_lines(
            scanner, lines.crystals, threads=self.on.threads
        )
        single = lines.total(simulated)
        ratio = single / trues if trues > 0 else 0.0
        self.multiple = over_single(ratio)
        factor = self.multiple / (1 + self.multiple * ratio if holds_scatter else 1.0)
        expected = np.float32(factor) * expected_of(
            table, self.part, on=self.on, reproducible=self.reproducible
        )
        beside = self.misses
        self.fit = fit_tails(
            self.share * expected[beside],
            self.share * self.randoms[beside],
            factor * self.share * lines.total(simulated, lines.misses),
        )
        self.on_lines = simulated * np.float32(factor * self.fit.scale)
        self.table = table.scaled(factor * self.fit.scale)
        self.scatter = expected * np.float32(self.fit.scale)
        scattered = factor * self.fit.scale * single
        trues *= 1 / (1 + self.multiple * ratio) if holds_scatter else 1.0
        self.fraction = scattered / (scattered + trues) if trues > 0 else 0.0
        self.volume = volume

    def _reconstruct(self, number: int) -> Iterator[tuple[int, int]]:
        """Update the image; yields (done, in all)."""
        background = np.float32(self.share) * (self.randoms + self.scatter)
        prompts = replace(self.part, background=background.astype(np.float32))
        if self.sensitivity is None:
            few = prompts.scanner.n_lors <= EXACT_BELOW
            settings = SensitivitySettings(method="exact") if few else COARSE
            self.sensitivity = compute_sensitivity(
                prompts, self.grid, settings, on=self.on, reproducible=self.reproducible
            )
        model = listmode_pet.build(
            prompts, self.grid, self.sensitivity, on=self.on, reproducible=self.reproducible
        )
        start = listmode_pet.uniform_start(model) if self.image is None else self.image
        algorithm = updates_of(number)
        n_subsets = min(algorithm.n_subsets, prompts.n_events)
        algorithm = algorithm.model_copy(update={"subsets": n_subsets})
        n_updates = algorithm.n_iterations * algorithm.n_subsets
        for step in solve(algorithm, model, start):
            if step.update == n_updates:
                self.image = step.image
            yield step.update, n_updates
        self.expected_trues = self.on.to_host(model.A(self.on.to_device(self._image)))

    def _paths(self, volume: Volume, crystals: NDArray[np.int32]) -> NDArray[np.float32]:
        scanner, on = self.part.scanner, self.on
        return path_lengths(volume, scanner, crystals, on=on, reproducible=self.reproducible)

    @property
    def _image(self) -> NDArray[np.float32]:
        if self.image is None:
            raise DataError("no image was made, so no scatter is simulated.")
        return self.image

    def estimate(self) -> ScatterEstimate:
        """Return what the rounds came to."""
        part, lines = self.part, self.lines
        factors = np.float32(1) if part.factors is None else part.factors
        every = self.expected_trues * factors / self.share + self.randoms + self.scatter
        randoms = np.divide(self.randoms, every, out=np.zeros_like(every), where=every > 0)
        profile = profile_of(
            part.scanner,
            (part.crystals, (1 - randoms) / self.share),
            (lines.crystals, self.on_lines * lines.stands_for),
        )
        return ScatterEstimate(
            self.table,
            self.fit,
            self.fraction,
            self.multiple,
            self.settings.rounds,
            self.volume,
            profile,
        )


class _Ticker:
    """Progress of the rounds."""

    def __init__(self, on_tick: OnTick | None, n_rounds: int) -> None:
        self._on_tick, self._n_rounds, self._before = on_tick, n_rounds, 0

    def begin(self, number: int) -> None:
        """Begin a round."""
        self._before = number * TICKS

    def __call__(self, done: int, total: int, most: int, before: int = 0) -> None:
        """Tell that so much of a part of the round is done, which counts `most` after `before`."""
        if self._on_tick is not None:
            so_far = self._before + before + most * done // max(total, 1)
            self._on_tick(so_far, self._n_rounds * TICKS)
