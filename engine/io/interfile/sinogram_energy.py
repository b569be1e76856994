"""Energy window and resolution of a ring scanner, in STIR headers."""

from __future__ import annotations

from math import sqrt

from engine.core.json_types import Plain
from engine.geometry.energy import ELECTRON_KEV, EnergySettings
from engine.io.interfile.header import InterfileHeader

LOW, HIGH = "energy window lower level[1]", "energy window upper level[1]"
RESOLUTION, AT = "energy resolution", "reference energy (in kev)"
MOST_KEV, WIDEST = 2000.0, 0.5


def energy_of(header: InterfileHeader) -> Plain | None:
    """Return the table `[energy]` of the scanner, None if the header lacks a value.

    STIR writes −1 for unknown values.

    Parameters
    ----------
    header
        header of a sinogram
    """
    low, high, width = (header.number(key) or 0.0 for key in (LOW, HIGH, RESOLUTION))
    at = header.number(AT) or ELECTRON_KEV
    # The relative resolution is proportional to 1/sqrt(E), and the model uses that at 511 keV.
    resolution = width * sqrt(max(at, 0.0) / ELECTRON_KEV)
    if not (0 < low < ELECTRON_KEV < high <= MOST_KEV and 0 < resolution <= WIDEST):
        return None
    return {"window_kev": (low, high), "resolution": resolution}


def lines_of_energy(energy: EnergySettings | None) -> tuple[list[str], list[str]]:
    """Return the header lines of the energy window, and those of the scanner."""
    if energy is None:
        return [], []
    low, high = energy.window_kev
    window = ["number of energy windows := 1", f"{LOW} := {low!r}", f"{HIGH} := {high!r}"]
    scanner = [
        f"Energy resolution := {energy.resolution!r}",
        f"Reference energy (in keV) := {ELECTRON_KEV!r}",
    ]
    return window, scanner
