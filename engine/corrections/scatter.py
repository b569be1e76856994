"""Scattered coincidences: supplied with the scan, or simulated from its image."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal, Protocol

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.core.settings import setting
from engine.corrections.base import Additive, C
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner

SIMULATED_SINCE = 4
"""Version of protocols from which scatter is simulated unless they say otherwise."""
NEEDS_ATTENUATION = (
    "attenuation correction is off, and the scatter simulation needs an attenuation-corrected image"
)
"""Why the image that scatter is simulated from would be wrong."""
NO_ENERGIES = (
    "the scanner file has no energy window, which the scatter simulation needs; add [energy] to it"
)
NO_MAP = "there is no attenuation map, which the scatter simulation needs; load a μ-map"
ONLY_IN_A_RUN = (
    "scatter is simulated from images that only a run computes; reconstruct the scan, "
    "or set corrections.scatter.method=supplied."
)


class Simulation(Protocol):
    """Settings of a scatter simulation."""

    @property
    def rounds(self) -> int:
        """Images that it is simulated from."""

    @property
    def points(self) -> int:
        """Places in the object where photons scatter."""

    @property
    def seed(self) -> int:
        """Seed of the points."""


class RingScatter(Additive[C]):
    """Expected scatter of rings or panels, supplied with the scan or simulated."""

    title: ClassVar[str] = "Scatter"
    kind: ClassVar[str] = "scatter"
    method: Literal["auto", "supplied", "simulated"] = setting(
        "auto",
        "Use the scatter estimate supplied with the scan, or simulate scatter from the image and "
        "the μ-map. auto simulates only if the scan has no estimate",
        label="Method",
    )
    rounds: int = setting(
        3,
        "Number of scatter simulations; each one uses the image corrected with the "
        "previous result",
        label="Rounds",
        ge=1, le=6,
    )  # fmt: skip
    points: int = setting(
        1000, "Number of scatter points in the object", label="Scatter points", ge=50, le=5000,
        expert=True,
    )  # fmt: skip
    seed: int = setting(
        1, "Seed for the random scatter points", label="Seed", ge=0, le=2**31, expert=True
    )

    @abstractmethod
    def is_brought(self, data: C) -> bool:
        """Return True if the scan contains a scatter estimate.

        Parameters
        ----------
        data
            scan before this correction

        Returns
        -------
        is_brought
            "auto" then uses it and simulates nothing
        """

    def simulates(self, data: C) -> bool:
        """Return True if the scatter of this scan is to be simulated.

        Parameters
        ----------
        data
            scan before this correction

        Returns
        -------
        simulates
            only the choice of method. `obstacle` tells if a simulation is possible.
        """
        return self.method == "simulated" or (self.method == "auto" and not self.is_brought(data))


def simulation_obstacle(scanner: Scanner, mu_map: Volume | None, *, energies: str) -> str | None:
    """Return why no scatter can be simulated.

    Parameters
    ----------
    scanner
        scanner with its energy window
    mu_map
        μ-map in scanner coordinates; None if there is none
    energies
        message if the scanner has no energy window; it names the file to change

    Returns
    -------
    simulation_obstacle
        one clause for the user; None if scatter can be simulated
    """
    # Single scatter is tabulated by angle and ring, which needs a round scanner.
    if not scanner.is_round:
        return "scatter can only be simulated for ring scanners"
    # Without a window and resolution the detection probability of a scattered photon is unknown.
    if scanner.energy is None:
        return energies
    if mu_map is None:
        return NO_MAP
    return None


class Scatter(RingScatter[ListMode]):
    """Expected scatter of each event, supplied with the scan (column `additive`) or simulated."""

    since: ClassVar[int | None] = 1

    @classmethod
    def as_of(cls, version: int) -> Plain:
        """Return {"method": "supplied"} before scatter was simulated; empty since then.

        Returns
        -------
        settings
            old protocols keep their image, even if the scan has a μ-map
        """
        return {} if version >= SIMULATED_SINCE else {"method": "supplied"}

    def is_brought(self, data: ListMode) -> bool:
        return data.additive is not None

    def obstacle(self, data: ListMode) -> str | None:
        """Return why there is no scatter estimate.

        Returns
        -------
        obstacle
            the obstacle of the chosen method; None if there is an estimate
        """
        if self.simulates(data):
            return simulation_obstacle(data.scanner, data.mu_map, energies=NO_ENERGIES)
        if data.additive is None:
            return "the scan has no scatter estimate (an additive term for each event)"
        return None

    def expected(self, data: ListMode, *, on: Backend) -> Array:
        # A simulation needs images of earlier rounds, which a single pass over corrections does not
        # have.
        """Return the supplied scatter of each event.

        Returns
        -------
        expected
            (n_events,) expected counts; zeros without a supplied estimate

        Raises
        ------
        DataError
            if scatter is simulated, which only a run can do
        """
        if self.simulates(data):
            raise DataError(ONLY_IN_A_RUN)
        return np.zeros(data.n_events) if data.additive is None else data.additive

    def summary(self, before: ListMode, after: ListMode) -> str:
        if before.additive is None or not before.n_events:
            return "no events"
        mean = float(np.mean(before.additive, dtype=np.float64))
        return (
            f"scatter of the scan used for {before.n_events:,} events, mean "
            f"{mean:.3g} expected counts"
        )
