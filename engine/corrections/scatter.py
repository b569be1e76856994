"""Scattered coincidences: supplied with the scan, or simulated from its own image in a run."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from engine.arrays import Array
from engine.backend import Backend
from engine.corrections.base import Additive
from engine.data.listmode import ListMode
from engine.errors import DataError
from engine.plain import Plain
from engine.settings import setting

SIMULATED_SINCE = 4
"""Version of protocols from which scatter is simulated unless they say otherwise."""
NEEDS_ATTENUATION = "attenuation is not corrected, and scatter is simulated from an image that is"
"""Why the image that scatter is simulated from would be wrong."""


class Scatter(Additive[ListMode]):
    """Expected scatter of each event: as the scan brings it (column `additive`), or simulated."""

    title: ClassVar[str] = "Scatter"
    kind: ClassVar[str] = "scatter"
    since: ClassVar[int | None] = 1
    method: Literal["auto", "supplied", "simulated"] = setting(
        "auto",
        "The scan's own estimate, or a simulation from its image and μ-map; auto takes the scan's "
        "where it brings one",
        label="Method",
    )
    rounds: int = setting(
        3, "Images that scatter is simulated from, each better than the last", label="Rounds",
        ge=1, le=6,
    )  # fmt: skip
    points: int = setting(
        400, "Places in the object where photons scatter", label="Points", ge=50, le=5000,
        expert=True,
    )  # fmt: skip
    seed: int = setting(1, "Of the points", label="Seed", ge=0, le=2**31, expert=True)

    @classmethod
    def as_of(cls, version: int) -> Plain:
        return {} if version >= SIMULATED_SINCE else {"method": "supplied"}

    def simulates(self, data: ListMode) -> bool:
        """Whether the scatter of this scan is simulated, if it can be."""
        return self.method == "simulated" or (self.method == "auto" and data.additive is None)

    def obstacle(self, data: ListMode) -> str | None:
        if not self.simulates(data):
            if data.additive is None:
                return "the scan brings no scatter estimate (an additive term for each event)"
            return None
        if not data.scanner.is_round:
            return "scatter is simulated for crystals round an axis only"
        if data.scanner.energy is None:
            return (
                "the scanner's file states no energy window, which tells how much scatter counts; "
                "add [energy] to it"
            )
        if data.mu_map is None:
            return "no attenuation map is given, which tells where photons scatter; load a μ-map"
        return None

    def expected(self, data: ListMode, *, on: Backend) -> Array:
        if self.simulates(data):
            raise DataError(
                "scatter is simulated from images of the scan, which a run makes; reconstruct the "
                "scan, or set corrections.scatter.method=supplied."
            )
        return np.zeros(data.n_events) if data.additive is None else data.additive

    def summary(self, before: ListMode, after: ListMode) -> str:
        if before.additive is None or not before.n_events:
            return "no events"
        mean = float(np.mean(before.additive))
        return f"supplied with {before.n_events:,} events, {mean:.3g} expected counts on average"
