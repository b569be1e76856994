"""Reports on scanners: crystal maps, scanner files, response matrices."""

from __future__ import annotations

from pathlib import Path

from engine.geometry.dual_head import DualHead
from engine.geometry.scanner import Scanner
from engine.io.report import Facts, Report


def of_scanner(scanner: Scanner, more: Facts = ()) -> Report:
    """Report a scanner.

    Parameters
    ----------
    scanner
        of any kind
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
