"""List mode for the scatter estimate: sorted prompts with all other corrections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.backend import Backend
from engine.corrections.attenuation import AttenuationFactor
from engine.data.listmode import ListMode
from engine.modalities.ring_scatter.stage import ScatteringScan

if TYPE_CHECKING:
    from engine.corrections.scatter_estimation.simulation import ScatterTable
    from engine.modalities.listmode_pet.scatter_counts import CountedEvents


class ScatteringEvents(ScatteringScan[ListMode]):
    """Sorted prompts of a list-mode scan, for the scatter estimate."""

    def __init__(self, prompts: ListMode, *, reproducible: bool) -> None:
        self.data, self.scanner = prompts, prompts.scanner
        self.attenuates = any(isinstance(f, AttenuationFactor) for f in prompts.line_factors)
        # Simulated scans contain scatter only in their column `additive`.
        self.is_clean = prompts.info.get("source") == "simulated"
        self._reproducible = reproducible

    @property
    def n_counts(self) -> int:
        return self.data.n_events

    def counted(self, *, on: Backend) -> CountedEvents:
        from engine.modalities.listmode_pet.scatter_counts import CountedEvents

        return CountedEvents(self.data, on=on, reproducible=self._reproducible)

    def with_scatter(self, table: ScatterTable, *, on: Backend) -> ListMode:
        from engine.modalities.listmode_pet.scatter_counts import expected_of

        expected = expected_of(table, self.data, on=on, reproducible=self._reproducible)
        return self.data.with_background(expected)

    def size_mm(self) -> tuple[float, float]:
        from engine.corrections.scatter_estimation.profiles import distance_from_axis
        from engine.modalities.ring_scatter.size import MAX_LINES, size_in, width_of

        low, high = self.scanner.axial_range_mm
        # A sample of lines is enough for a median.
        step = max(1, self.data.n_events // MAX_LINES)
        ends = self.data.storage.every(self.data.crystals, step)
        distance = distance_from_axis(self.scanner.positions_mm, ends)
        return size_in(self.data.mu_map) or (width_of(distance), high - low)


def needs_simulation(data: ListMode) -> bool:
    """Return True if scatter may be simulated, or if its bias is estimated.

    Parameters
    ----------
    data
        scan as read
    """
    is_possible = data.mu_map is not None and data.scanner.energy is not None
    # Otherwise only the bias remains, and simulated scans have none.
    has_bias = data.info.get("source") != "simulated"
    return data.additive is None and data.scanner.is_round and (is_possible or has_bias)
