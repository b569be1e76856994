"""Report on scanners and auxiliary files: calibration, tracer, trigger times, normalisation."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.geometry.dual_head import DualHead
from engine.geometry.scanner import Scanner
from engine.io.auxiliary.calibration_file import read_calibration
from engine.io.auxiliary.efficiencies import read_values, refuse_unusable
from engine.io.auxiliary.tracer_file import read_tracer
from engine.io.auxiliary.trigger_file import read_triggers
from engine.io.hdf5.normalisation import read_measured
from engine.io.report import Facts, Report
from engine.io.scanners import read_scanner
from engine.io.text.fact_labels import fact_of


def of_calibration(path: Path) -> Report:
    """Report a calibration to Bq/mL."""
    found = read_calibration(path)
    facts = (
        ("Scanner", found.scanner),
        ("Positrons per mL for 1 count/mm", f"{found.positrons_per_ml:.6g}"),
        ("Standard error", f"{found.error_percent:.2g} %"),
        ("Corrections", ", ".join(found.corrections) or "none"),
        ("Measured", found.made_utc),
    )
    return Report("", f"calibration of {found.scanner}", facts)


def of_tracer(path: Path) -> Report:
    """Report tracer, dose and weight."""
    tracer = read_tracer(path)
    return Report("", tracer.describe(), tuple(fact_of(*item) for item in tracer.facts().items()))


def of_triggers(path: Path) -> Report:
    """Report on trigger times: their number, their range, and the median cycle."""
    times_s = read_triggers(path).time_ms / 1000
    facts = (
        ("Triggers", f"{len(times_s):,}"),
        ("Times", f"{times_s[0]:g} to {times_s[-1]:g} s"),
        # The median, because missed triggers make single cycles much longer.
        ("Median cycle", f"{np.median(np.diff(times_s)):.4g} s"),
    )
    return Report("", f"{len(times_s):,} trigger times", facts)


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


def of_scanner(scanner: Scanner, more: Facts = ()) -> Report:
    """Report a scanner.

    Parameters
    ----------
    scanner
        scanner of any kind
    more
        facts that follow the common ones
    """
    low, high = scanner.axial_range_mm
    facts = (
        ("Name", scanner.name),
        ("Crystals", f"{scanner.n_crystals:,}, {int(scanner.alive.sum()):,} outside gaps"),
        ("Bore", f"{2 * scanner.bore_radius_mm:g} mm across"),
        ("Length", f"{high - low:g} mm between the outer crystals"),
        ("Lines of response", f"{scanner.n_lors:,}"),
        ("Time of flight", f"{scanner.tof.fwhm_ps:g} ps" if scanner.tof else "not measured"),
        *more,
    )
    return Report("", f"scanner {scanner.name}, {scanner.describe()}", facts)


def of_toml_scanner(path: Path) -> Report:
    """Report a scanner file (.toml).

    Parameters
    ----------
    path
        file of a ring scanner or of two panels

    Raises
    ------
    SettingsError
        if the file is damaged or its lengths are not in mm
    """
    from engine.io.scanners.toml_scanner import read_toml_scanner

    scanner = read_toml_scanner(path)
    if isinstance(scanner, DualHead):
        p = scanner.settings
        panel = f"{p.n_rows} × {p.n_columns} crystals, {p.pitch_mm:g} mm apart"
        return of_scanner(scanner, (("Panel", panel), ("Image", scanner.grid.describe())))
    # A ring has gaps and ring differences, which panels do not have.
    s = scanner.settings
    more = (
        ("Rings", f"{s.n_rings}, {s.ring_pitch_mm:g} mm apart"),
        ("Places on a ring", f"{s.n_crystals_per_ring}, {len(s.gap_places)} of them gaps"),
        ("Largest ring difference", str(s.max_ring_difference)),
    )
    return of_scanner(scanner, more)


def of_response(path: Path) -> Report:
    """Report the response matrix of a dual-head scanner.

    Parameters
    ----------
    path
        HDF5 file of the matrix

    Returns
    -------
    report
        the shares of dropped values and of errors are the largest of any row
    """
    from engine.io.hdf5.response import read_response

    matrix = read_response(path)
    facts = (
        ("Scanner", f"{matrix.scanner.name}, {matrix.scanner.describe()}"),
        ("Image", matrix.scanner.grid.describe()),
        ("Orientations", f"{len(matrix.orientations):,}"),
        ("Non-zeros", f"{matrix.n_nonzero:,}, {matrix.n_bytes / 2**20:,.0f} MiB"),
        ("Dropped as too small", f"at most {100 * matrix.dropped.max():.2g} % of a row"),
        ("Error", f"at most {100 * matrix.errors.max():.2g} % of a row"),
    )
    return Report("", f"response matrix of {matrix.scanner.name}", facts, notes=matrix.notes)


def of_map(path: Path) -> Report:
    """Report a crystal map."""
    from engine.io.scanners.crystal_map import read_crystal_map

    return of_scanner(read_crystal_map(path))
