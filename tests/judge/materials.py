"""Materials: how photons of each energy interact with them.

Compositions by weight are those of ICRU Report 44 as listed by NIST (air, lung, cortical bone), or
follow from the chemical formula. Between NIST's energies, except at edges, values are interpolated
log-log, as Hubbell and Seltzer (NISTIR 5632) recommend.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tests.judge.cross_sections import BARN_PER_ATOM, GRAM_PER_MOLE, K_EDGES, KEV

LOWEST_KEV, HIGHEST_KEV = 20, 512
ENERGIES_KEV = np.arange(LOWEST_KEV, HIGHEST_KEV + 1)
"""Energies of the kernels' tables, 1 keV apart; a photon below them is absorbed."""
AVOGADRO_PER_BARN = 0.602214076
"""Avogadro's number, 1/mol, times cm² per barn."""


@dataclass(frozen=True)
class Material:
    """Material in the path of photons.

    Attributes
    ----------
    name : name in messages
    density : g/cm³
    weights : fractions of the elements by weight, with a sum of 1
    black_per_mm : absorption coefficient at every energy [1/mm], in place of all other values
    """

    name: str
    density: float = 0.0
    weights: tuple[tuple[str, float], ...] = ()
    black_per_mm: float = 0.0

    def coefficients(self, kev: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coefficients of Compton scattering and photoelectric absorption, (2, n) [1/mm]."""
        found = np.zeros((2, len(kev)))
        found[1] = self.black_per_mm
        for element, weight in self.weights:
            atoms = self.density * weight / GRAM_PER_MOLE[element] * AVOGADRO_PER_BARN
            found += 0.1 * atoms * barn_per_atom(element, kev)
        return found

    def total(self, kev: float) -> float:
        """Return the linear attenuation coefficient without coherent scattering [1/mm]."""
        return float(self.coefficients(np.array([kev])).sum())


def compound(name: str, density: float, **atoms: float) -> Material:
    """Return the material of a chemical formula."""
    grams = {element: n * GRAM_PER_MOLE[element] for element, n in atoms.items()}
    whole = sum(grams.values())
    return Material(name, density, tuple((e, g / whole) for e, g in grams.items()))


def barn_per_atom(element: str, kev: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cross sections of Compton scattering and photoelectric absorption, (2, n)."""
    at, compton, photo = (np.array(v) for v in (KEV, *BARN_PER_ATOM[element]))
    if element not in K_EDGES:
        return np.array([log_log(kev, at, compton), log_log(kev, at, photo)])
    edge, at_edge, below, above = K_EDGES[element]
    split = int(np.searchsorted(at, edge))
    at = np.insert(at.astype(float), split, [edge, edge])
    compton = np.insert(compton, split, [at_edge, at_edge])
    photo = np.insert(photo, split, [below, above])
    under = log_log(kev, at[: split + 1], photo[: split + 1])
    over = log_log(kev, at[split + 1 :], photo[split + 1 :])
    return np.array([log_log(kev, at, compton), np.where(kev < edge, under, over)])


def log_log(
    x: NDArray[np.float64], at: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Interpolate linearly between logarithms."""
    return np.exp(np.interp(np.log(x), np.log(at), np.log(values)))


@cache
def table(material: Material) -> NDArray[np.float64]:
    """Return total and Compton coefficients at `ENERGIES_KEV`, (2, n) [1/mm]."""
    compton, photo = material.coefficients(ENERGIES_KEV.astype(float))
    return np.array([compton + photo, compton])


def black(per_mm: float) -> Material:
    """Return an ideal material that absorbs photons of all energies equally and scatters none."""
    return Material("black", black_per_mm=per_mm)


AIR = Material(
    "air", 1.20479e-3, (("C", 0.000124), ("N", 0.755268), ("O", 0.231781), ("Ar", 0.012827))
)
WATER = compound("water", 1.0, H=2, O=1)
LUNG_WEIGHTS = (
    *(("H", 0.103), ("C", 0.105), ("N", 0.031), ("O", 0.749), ("Na", 0.002)),
    *(("P", 0.002), ("S", 0.003), ("Cl", 0.003), ("K", 0.002)),
)
LUNG = Material("lung", 0.30, LUNG_WEIGHTS)
"""Lung tissue at the density of the insert of NEMA NU 2-2018, 0.30 ± 0.10 g/cm³."""
BONE_WEIGHTS = (
    *(("H", 0.034), ("C", 0.155), ("N", 0.042), ("O", 0.435), ("Na", 0.001)),
    *(("Mg", 0.002), ("P", 0.103), ("S", 0.003), ("Ca", 0.225)),
)
BONE = Material("cortical bone", 1.92, BONE_WEIGHTS)
PMMA = compound("PMMA", 1.19, C=5, H=8, O=2)
POLYETHYLENE = compound("polyethylene", 0.96, C=2, H=4)
LEAD = compound("lead", 11.35, Pb=1)
LSO = compound("LSO", 7.40, Lu=2, Si=1, O=5)
LYSO = compound("LYSO", 7.10, Lu=1.8, Y=0.2, Si=1, O=5)
BGO = compound("BGO", 7.13, Bi=4, Ge=3, O=12)
VACUUM = Material("vacuum")
