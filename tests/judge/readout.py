"""Readout: crystal, energy and time that a block reports for the energy deposits of a photon."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from tests.judge.compiled import inner
from tests.judge.emission import FWHM_IN_SIGMA, NO_RANGE, PositronRange
from tests.judge.interactions import ELECTRON_KEV
from tests.judge.scanners import block_of, layer_size
from tests.judge.streams import gauss
from tests.judge.transport import CRYSTAL, DEPOSIT_KEV, DEPOSIT_PATH, LOST

MAX_ENERGY, FIRST, MEAN = range(3)
SPEED_OF_LIGHT_MM_PER_PS = 0.299792458


class Numbers(NamedTuple):
    """Parameters of decays and readout in the form for kernels."""

    positron: tuple[float, float, float, float]  # weight, two scales [mm], 1 if Gaussian
    acollinearity: float  # standard deviation, rad
    max_cosine: float
    follows_scatter: bool
    lowest_kev: float
    highest_kev: float
    follow_kev: float  # photons in the phantom below this energy cannot be read
    blur: float  # standard deviation / √energy, √keV
    timing_ps: float  # standard deviation of one photon's time
    place: int
    min_module_distance: int  # modules


@dataclass(frozen=True)
class Physics:
    """Physical effects and readout.

    Attributes
    ----------
    window_kev : energy window
    energy_fwhm : relative resolution at 511 keV, proportional to 1/√energy; 0: exact
    tof_fwhm_ps : resolution of the time difference; 0: exact
    place : crystal that is read: with MAX_ENERGY, of the FIRST interaction, or nearest to the MEAN
        row and column by energy in the layer with the most; always in the block with most energy
    acollinearity_deg : FWHM of the angle from 180 degrees in a plane; 0: none
    positron : range of positrons; none by default
    follows_scatter : False omits photons that scatter in the phantom
    max_cosine : photons start with |cosine to the axis| up to this; the simulated decays then
        represent decays / max_cosine in all directions
    min_module_distance : minimum number of modules between two crystals in coincidence
    """

    window_kev: tuple[float, float] = (425.0, 650.0)
    energy_fwhm: float = 0.11
    tof_fwhm_ps: float = 0.0
    place: int = MAX_ENERGY
    acollinearity_deg: float = 0.5
    positron: PositronRange = NO_RANGE
    follows_scatter: bool = True
    max_cosine: float = 1.0
    min_module_distance: int = 1

    def __post_init__(self) -> None:
        if self.max_cosine < 1.0 and self.follows_scatter:
            raise ValueError(
                f"max_cosine is {self.max_cosine} where scatter is followed: photons that leave "
                "more steeply may scatter into the crystals; take 1, or follow no scatter."
            )

    def numbers(self) -> Numbers:
        """Return the parameters for kernels, with fixed types, so that kernels compile once."""
        blur = self.energy_fwhm / FWHM_IN_SIGMA * math.sqrt(ELECTRON_KEV)
        lowest = self.window_kev[0]
        # five standard deviations below the window: one photon in 3.5 million would pass
        follow = lowest - 5.0 * blur * math.sqrt(lowest)
        positron = self.positron
        return Numbers(
            (positron.weight, *positron.scales_mm, float(positron.is_gaussian)),
            math.radians(self.acollinearity_deg) / FWHM_IN_SIGMA,
            float(self.max_cosine),
            self.follows_scatter,
            *map(float, self.window_kev),
            max(follow, 20.0),
            blur,
            self.tof_fwhm_ps / FWHM_IN_SIGMA / math.sqrt(2.0),
            self.place,
            self.min_module_distance,
        )


@inner
def main_block(crystals, deposits, n):
    """Return the block with the most energy, and this energy."""
    best, most = LOST, 0.0
    for i in range(n):
        block, kev = block_of(crystals, int(deposits[i, CRYSTAL])), 0.0
        for k in range(n):
            if block_of(crystals, int(deposits[k, CRYSTAL])) == block:
                kev += deposits[k, DEPOSIT_KEV]
        if kev > most:
            best, most = block, kev
    return best, most


@inner
def crystal_of_most(crystals, deposits, n, block):
    """Return the crystal of a block with the most energy."""
    best, most = LOST, 0.0
    for i in range(n):
        crystal, kev = int(deposits[i, CRYSTAL]), 0.0
        if block_of(crystals, crystal) == block:
            for k in range(n):
                if int(deposits[k, CRYSTAL]) == crystal:
                    kev += deposits[k, DEPOSIT_KEV]
        if kev > most:
            best, most = crystal, kev
    return best


@inner
def crystal_of_mean(crystals, deposits, n, block, kev):
    """Return the crystal nearest to the mean row and column of a block's energy, in its layer."""
    per_row = len(crystals.turns) * int(crystals.across[0] * crystals.across[1])
    row, column = 0.0, 0.0
    for i in range(n):
        crystal = int(deposits[i, CRYSTAL])
        if block_of(crystals, crystal) == block:
            crystal %= layer_size(crystals)
            row += deposits[i, DEPOSIT_KEV] / kev * (crystal // per_row)
            column += deposits[i, DEPOSIT_KEV] / kev * (crystal % per_row)
    layer = layer_of_most(crystals, deposits, n, block)
    return layer * layer_size(crystals) + int(row + 0.5) * per_row + int(column + 0.5)


@inner
def layer_of_most(crystals, deposits, n, block):
    """Return the layer of a block with the most energy."""
    best, most, size = 0, 0.0, layer_size(crystals)
    for i in range(n):
        crystal, kev = int(deposits[i, CRYSTAL]), 0.0
        if block_of(crystals, crystal) == block:
            for k in range(n):
                other = int(deposits[k, CRYSTAL])
                if other // size == crystal // size and block_of(crystals, other) == block:
                    kev += deposits[k, DEPOSIT_KEV]
        if kev > most:
            best, most = crystal // size, kev
    return best


@inner
def read(crystals, deposits, n, numbers, stream):
    """Return crystal, energy [keV] and path length until detection [mm] as read, or LOST."""
    if n == 0:
        return LOST, 0.0, 0.0
    block, kev = main_block(crystals, deposits, n)
    first = 0
    while block_of(crystals, int(deposits[first, CRYSTAL])) != block:
        first += 1
    if numbers.place == FIRST:
        crystal = int(deposits[first, CRYSTAL])
    elif numbers.place == MEAN:
        crystal = crystal_of_mean(crystals, deposits, n, block, kev)
    else:
        crystal = crystal_of_most(crystals, deposits, n, block)
    late_mm = SPEED_OF_LIGHT_MM_PER_PS * numbers.timing_ps * gauss(stream)
    kev += numbers.blur * math.sqrt(kev) * gauss(stream)
    return crystal, kev, deposits[first, DEPOSIT_PATH] + late_mm
