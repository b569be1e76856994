"""Isocenter normalisation: components of the lines in an HDF5 file.

`engine/io/FORMATS.md` describes the format for other programs. Crystal efficiencies have the
same name as in files of other programs, so that these can read them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.components import Components
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import Scanner
from engine.io.auxiliary.efficiencies import DATASET, read_efficiencies, refuse_unusable
from engine.io.castor.normalisation import read_castor_normalisation
from engine.io.hdf5.file_seal import check_seal
from engine.io.hdf5.opening import (
    column,
    dataset,
    format_of,
    is_hdf5,
    open_hdf5,
    read_json,
    text_of,
)
from engine.io.hdf5.scanner import read_stored_scanner
from engine.io.hdf5.writer import write_measured
from engine.io.safety.open_input import InputFile, open_input, refuse_not_finite

if TYPE_CHECKING:
    import h5py

FORMAT = "isocenter-normalisation"
TABLES = {"crystals": DATASET, **{name: name for name in ("geometry", "interference", "live")}}
"""Field of `Components` -> dataset."""
USES = {"multiplies": False, "replaces": True}
"""`geometry_use` -> True if it replaces the analytic geometric factor."""


def read_components(path: Path, scanner: Scanner) -> Components:
    """Read the components of a normalisation.

    Parameters
    ----------
    path
        our normalisation file, a CASToR normalisation, or crystal efficiencies
    scanner
        scanner that they must fit

    Raises
    ------
    EngineError
        if the file is damaged, or belongs to another scanner
    """
    # CASToR first, because its text header could also be read as a table of efficiencies.
    of_lines = read_castor_normalisation(path, scanner)
    if of_lines is not None:
        return of_lines
    with open_input(path) as file:
        is_ours = is_components(file)
    if not is_ours:
        return Components(crystals=read_efficiencies(path, scanner))
    components, stored, _ = read_measured(path)
    _refuse_other_scanner(stored, scanner, path)
    refuse_unfit(components, scanner, path)
    return components


def read_measured(path: Path) -> tuple[Components, Scanner, Plain]:
    """Read a normalisation that was measured with this program.

    Returns
    -------
    components, scanner, info
        the components, the scanner they were measured on, and facts on the measurement

    Raises
    ------
    FileFormatError
        if it is no such file, or it has changed
    """
    with open_input(path) as file, open_hdf5(file) as tree:
        notes = check_seal(tree, path, FORMAT)
        stored = read_stored_scanner(tree, path)
        components = replace(_components(tree, path), notes=notes)
        info = read_json(tree, "info", path)
    refuse_unfit(components, stored, path)
    return components, stored, info


def is_components(file: InputFile) -> bool:
    """Return True if a file is one of our normalisations."""
    return is_hdf5(file.head) and format_of(file) == FORMAT


def write_components(
    components: Components, scanner: Scanner, path: Path, info: Plain, errors: Components
) -> None:
    """Write the components of a normalisation, completely or not at all.

    Parameters
    ----------
    components
        factors to write
    scanner
        scanner of the lines
    path
        target; its folder must exist
    info
        facts on the measurement as JSON values
    errors
        relative standard errors of measured factors; NaN where nothing was measured
    """
    # The check of the reader: a file that it would refuse must not replace a good one.
    refuse_unfit(components, scanner, path)
    columns = {
        f"{folder}{dataset}": np.ascontiguousarray(values, "<f4")
        for folder, of in (("", components), ("standard_error/", errors))
        for name, dataset in TABLES.items()
        if (values := getattr(of, name)) is not None
    }
    uses = {replaces: word for word, replaces in USES.items()}
    attributes = {"geometry_use": np.bytes_(uses[components.replaces_geometry])}
    write_measured(path, FORMAT, scanner, columns, info, attributes)


def _components(tree: h5py.File, path: Path) -> Components:
    found = {
        name: np.array(column(dataset(tree, where, path), "<f4", path))
        for name, where in TABLES.items()
        if where in tree
    }
    if not found:
        raise FileFormatError(
            f"{path.name}: contains no normalisation component, expected at least one of "
            f"{', '.join(TABLES.values())}; write the file again."
        )
    # Files of older versions lack this attribute. Their factors multiply the analytic ones.
    use = text_of(tree.attrs.get("geometry_use", b"multiplies"))
    if use not in USES:
        raise FileFormatError(
            f"{path.name}: 'geometry_use' is {use!r}, expected one of {', '.join(USES)}; write the "
            "file again."
        )
    return Components(
        crystals=found.get("crystals"),
        geometry=found.get("geometry"),
        replaces_geometry=USES[use],
        interference=found.get("interference"),
        live=found.get("live"),
    )


def _refuse_other_scanner(stored: Scanner, scanner: Scanner, path: Path) -> None:
    if stored.n_crystals != scanner.n_crystals or (
        isinstance(stored, RingScanner)
        and isinstance(scanner, RingScanner)
        and stored.n_classes != scanner.n_classes
    ):
        raise GeometryError(
            f"{path.name}: the normalisation is from {stored.name!r}, but the scan is from "
            f"{scanner.name!r}; choose a normalisation for this scanner. Scanner of the "
            f"normalisation: {stored.describe()}. Scanner of the scan: {scanner.describe()}."
        )


def refuse_unfit(components: Components, scanner: Scanner, path: Path) -> None:
    """Refuse components that do not fit a scanner, or are not factors.

    Parameters
    ----------
    components
        factors
    scanner
        scanner that they must fit
    path
        file, for messages

    Raises
    ------
    GeometryError
        if a table has another shape than the scanner requires
    DataError
        if factors are negative or not finite, or all are 0
    """
    if components.crystals is not None:
        refuse_unusable(components.crystals, scanner, path)
    # The tables are indexed by ring difference and tangential bin, which only rings have.
    if components.has_tables and not isinstance(scanner, RingScanner):
        raise GeometryError(
            f"{path.name}: contains factors by ring difference and tangential bin, but "
            f"{scanner.name!r} has no rings; choose a file with crystal efficiencies."
        )
    # The live fraction is one number for each detector block.
    shapes: dict[str, tuple[int, ...]] = {"live": (int(scanner.groups.max()) + 1,)}
    if isinstance(scanner, RingScanner):
        shapes["geometry"] = scanner.n_classes
        shapes["interference"] = (scanner.settings.block_places, scanner.n_classes[1])
    for name, shape in shapes.items():
        values = getattr(components, name)
        if values is not None:
            _refuse_table(name, values, shape, path)


def _refuse_table(name: str, values: Array, shape: tuple[int, ...], path: Path) -> None:
    if values.shape != shape:
        raise GeometryError(
            f"{path.name}: the component {name!r} has the shape {values.shape}, but this scanner "
            f"needs {shape}; choose a normalisation for this scanner."
        )
    refuse_not_finite(path, values)
    if (values < 0).any() or not values.any():
        raise DataError(
            f"{path.name}: the component {name!r} has factors from {values.min():g} to "
            f"{values.max():g}, expected at least 0 and not all 0; write the file again."
        )
