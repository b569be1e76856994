"""Report on the content of a normalisation file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.io.auxiliary.efficiencies import read_values, refuse_unusable
from engine.io.hdf5.normalisation import read_measured
from engine.io.report import Report
from engine.io.scanners import read_scanner
from engine.io.text.fact_labels import fact_of


def of_components(path: Path) -> Report:
    """Report on components that were measured with this program."""
    found, scanner, info = read_measured(path)
    facts = (
        ("Scanner", scanner.name),
        *(("Component", part) for part in found.describe().split("; ")),
        *(fact_of(key, value) for key, value in info.items()),
    )
    return Report("", f"normalisation of {scanner.name}", facts, notes=found.notes)


def of_efficiencies(path: Path, scanner: str | None) -> Report:
    """Report on crystal efficiencies.

    Parameters
    ----------
    path
        HDF5 file or text
    scanner
        name or file of the scanner to compare them with; None skips the comparison
    """
    values = read_values(path)
    notes: tuple[str, ...] = ()
    if scanner is not None:
        refuse_unusable(values, read_scanner(scanner), path)
    else:
        notes = ("Name a scanner to compare the number of crystals.",)
    # The report shows damaged values as a fault, while a reconstruction refuses them.
    finite = values[np.isfinite(values)]
    span = f"{finite.min():g} to {finite.max():g}" if len(finite) else "none"
    facts = (("Crystals", f"{len(values):,}"), ("Efficiencies", span))
    bad = len(values) - len(finite)
    faults = (f"{path.name}: {bad:,} efficiencies are NaN or infinite.",) if bad else ()
    return Report("", f"{len(values):,} crystal efficiencies", facts, faults, notes)
