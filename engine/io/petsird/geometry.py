"""Scanner geometry in a PETSIRD header: crystals, TOF, modules in coincidence.

The point of detection of a crystal is M_module · M_element · mean of the corners of its box [mm].
Crystals are numbered by module type, module and element. A detection bin of a type is energy +
n_energies · (element + n_elements · module). Times of flight (t1 − t2) c / 2 have our sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.formatting import Information
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.tof import MM_PER_PS, TofBins
from engine.io.safety.budget import refuse_large_data
from engine.io.scanners.crystal_map import MAX_KEY, mapped

Tree: TypeAlias = Plain
NAME = "PETSIRD scanner"
"""Name of a scanner if the file states no model."""
EVEN = 1e-3
"""Tolerance of the edges of TOF bins, as a part of a bin."""
MAX_TOF_BINS = 32_767
OFF_MIDDLE_MM = 0.01
"""Scanners whose centre is closer to z = 0 are not shifted."""


@dataclass(frozen=True)
class Modules:
    """Modules of one type.

    Attributes
    ----------
    n_modules, n_elements, n_energies : numbers of modules, of crystals in each, and of energy bins
    first_crystal, first_module : numbers of the first ones in the scanner
    """

    n_modules: int
    n_elements: int
    n_energies: int
    first_crystal: int
    first_module: int

    @property
    def n_crystals(self) -> int:
        """Number of crystals in all modules."""
        return self.n_modules * self.n_elements

    @property
    def n_bins(self) -> int:
        """Number of detection bins in all modules."""
        return self.n_crystals * self.n_energies


@dataclass(frozen=True)
class Group:
    """Symmetry group of module pairs: their types, the higher first, and its number."""

    upper: int
    lower: int
    number: int


@dataclass(frozen=True)
class Geometry:
    """Scanner of a header, and the numbering of its detection bins."""

    scanner: CrystalMap
    types: tuple[Modules, ...]
    kinds: Array | None
    """(n_modules, n_modules) int32 group of each pair, −1 for none; None if not stated."""
    groups: tuple[Group, ...]
    notes: tuple[str, ...]


def read_geometry(scanner: Tree, path: Path) -> Geometry:
    """Read the scanner of a header.

    Parameters
    ----------
    scanner
        `ScannerInformation` of the header
    path
        file, for messages

    Raises
    ------
    FileFormatError
        if the description is incomplete
    GeometryError
        if positions are missing or there are too many modules
    """
    replicated = scanner["scannerGeometry"]["replicatedModules"]
    edges = [np.asarray(each["edges"]) for each in scanner["eventEnergyBinEdges"]]
    if not replicated or len(edges) != len(replicated):
        raise FileFormatError(
            f"{path.name}: the length of 'replicatedModules' is {len(replicated)}, but that of "
            f"'eventEnergyBinEdges' is {len(edges)}; write the file again with energy bins for "
            "each module type."
        )
    types: list[Modules] = []
    points, keys = [], []
    n_crystals = n_modules = 0
    for number, (one, bins) in enumerate(zip(replicated, edges, strict=True)):
        centres = _centres(one)
        found = Modules(len(centres), centres.shape[1], len(bins) - 1, n_crystals, n_modules)
        if found.n_energies < 1:
            raise FileFormatError(
                f"{path.name}: module type {number} has no energy bin, expected at least one; "
                "write the file again."
            )
        module, element = np.indices(centres.shape[:2]).reshape(2, -1)
        # A crystal map needs (ring, place, layer). Here these are module, element and module type.
        keys.append(np.stack([module + n_modules, element, np.full_like(module, number)], -1))
        points.append(centres.reshape(-1, 3))
        types.append(found)
        n_crystals, n_modules = n_crystals + found.n_crystals, n_modules + found.n_modules
    if n_modules > MAX_KEY[0]:
        raise GeometryError(
            f"{path.name}: contains {n_modules:,} modules, expected at most {MAX_KEY[0]:,}; write "
            "a file with fewer modules."
        )
    tof, notes = _tof(scanner, len(types))
    places, shifted = _about_middle(np.concatenate(points), path)
    kinds, groups = _kinds(scanner["detectionEfficiencies"], types, path)
    made = mapped(
        str(scanner["modelName"]).strip() or NAME,
        np.concatenate(keys).astype(np.int32),
        places,
        path=path,
        tof=tof,
        coincident=None if kinds is None else (kinds >= 0) | (kinds >= 0).T,
    )
    return Geometry(made, tuple(types), kinds, groups, (*notes, *shifted))


def _centres(replicated: Tree) -> NDArray[np.float64]:
    """Return the crystal centres of a module type, (n_modules, n_elements, 3) [mm]."""
    elements = replicated["object"]["detectingElements"]
    corners = elements["object"]["shape"]["corners"]
    # The header states no depth of interaction, so the centre of the box is the point of detection.
    middle = np.mean([corner["c"] for corner in corners], axis=0, dtype=np.float64)
    inner = np.asarray(elements["transforms"]["matrix"], np.float64)
    outer = np.asarray(replicated["transforms"]["matrix"], np.float64)
    # Rigid transforms as 3 × 4 matrices [R | t]: first inside the module, then in the scanner.
    in_module = inner[:, :, :3] @ middle + inner[:, :, 3]
    return np.einsum("mij,ej->mei", outer[:, :, :3], in_module) + outer[:, None, :, 3]


def _about_middle(points: Array, path: Path) -> tuple[Array, tuple[str, ...]]:
    """Return the crystals with z counted from the scanner centre, as in images."""
    if len(points) < 2 or not np.isfinite(points).all():
        n_lost = int((~np.isfinite(points)).any(axis=-1).sum())
        raise GeometryError(
            f"{path.name}: there are too few crystals, or positions are missing (crystals in the "
            f"file: {len(points):,}, without a position: {n_lost:,}). Write at least 2 crystals, "
            "each with a position in mm."
        )
    middle = float(points[:, 2].min() + points[:, 2].max()) / 2
    if abs(middle) < OFF_MIDDLE_MM:
        return points, ()
    note = f"The scanner centre is at z = {middle:g} mm in the file and becomes z = 0."
    return points - (0.0, 0.0, middle), (Information(note),)


def _tof(scanner: Tree, n_types: int) -> tuple[TofBins | None, tuple[str, ...]]:
    """Return TOF bins if all module types share them; otherwise a note."""
    pairs = [(a, b) for a in range(n_types) for b in range(a + 1)]
    edges = [_edges(scanner, pair) for pair in pairs]
    if all(len(each) <= 2 for each in edges):
        return None, ()
    # PETSIRD allows different bins for each pair of types, but one scan has one set of bins here.
    first, widths_mm = (
        edges[0],
        {_triangular_entry(scanner["tofResolution"], pair) for pair in pairs},
    )
    fwhm_mm = widths_mm.pop()
    alike = all(np.array_equal(each, first) for each in edges) and not widths_mm
    if not alike or not isinstance(fwhm_mm, float) or not fwhm_mm > 0:
        note = "TOF is not used: its bins differ between module types, or have no resolution."
        return None, (note,)
    step = float(first[-1] - first[0]) / (len(first) - 1)
    # Bins must be of equal width and centred on 0, because the kernels compute their edges.
    even = (np.arange(len(first)) - (len(first) - 1) / 2) * step
    if step <= 0 or np.abs(first - even).max() > EVEN * step or len(first) > MAX_TOF_BINS:
        return None, ("TOF is not used: its bins differ in width, or are not centred.",)
    return TofBins(fwhm_mm / MM_PER_PS, step / MM_PER_PS, len(first) - 1), ()


def _edges(scanner: Tree, pair: tuple[int, int]) -> Array:
    """Return the edges of the TOF bins of two module types [mm]; empty if not stated."""
    found = _triangular_entry(scanner["tofBinEdges"], pair)
    return np.asarray(found["edges"] if isinstance(found, dict) else (), np.float64)


def window_ps(scanner: Tree) -> float:
    """Return the coincidence window [ps]: the outermost edge of the TOF bins; 0 if not stated."""
    # The edges of the TOF bins cover the coincidence window.
    edges = _edges(scanner, (0, 0))
    return float(np.abs(edges).max()) / MM_PER_PS if len(edges) else 0.0


def _triangular_entry(matrix: object, pair: tuple[int, int]) -> object:
    """Return the entry of a lower triangular matrix for two module types, None if there is none."""
    a, b = pair
    if not isinstance(matrix, Sequence | np.ndarray) or a >= len(matrix) or b >= len(matrix[a]):
        return None
    found = matrix[a][b]
    return found.item() if isinstance(found, np.generic) else found


def _kinds(
    efficiencies: Tree, types: Sequence[Modules], path: Path
) -> tuple[Array | None, tuple[Group, ...]]:
    """Return the symmetry group of every module pair, and the list of groups.

    A group is −1 for modules that are not in coincidence. The result is None if the file states
    none.
    """
    n_modules = types[-1].first_module + types[-1].n_modules
    # n² numbers: a damaged header can state many modules that need little space in the file.
    refuse_large_data(4 * n_modules**2, path.name)
    kinds = np.full((n_modules, n_modules), -1, np.int32)
    found: list[Group] = []
    stated = False
    for a, upper in enumerate(types):
        for b, lower in enumerate(types[: a + 1]):
            rows = _triangular_entry(efficiencies["modulePairSGIDLUT"], (a, b))
            rows = rows if isinstance(rows, list) else []
            stated = stated or bool(rows)
            groups = _filled(rows, upper, lower, path)
            block = np.where(groups >= 0, groups + len(found), -1)
            # For one type only the lower triangle is stored. Adding 1 keeps −1 outside it.
            kinds[_modules(upper), _modules(lower)] = np.tril(block + 1) - 1 if a == b else block
            found += [Group(a, b, group) for group in range(int(groups.max(initial=-1)) + 1)]
    return (kinds, tuple(found)) if stated else (None, ())


def _modules(of: Modules) -> slice:
    return slice(of.first_module, of.first_module + of.n_modules)


def _filled(rows: Sequence[Array], upper: Modules, lower: Modules, path: Path) -> Array:
    """Return a matrix from rows that can be triangular, −1 beyond their ends; 0 without rows."""
    if not rows:
        return np.zeros((upper.n_modules, lower.n_modules), np.int64)
    full = np.full((upper.n_modules, lower.n_modules), -1, np.int64)
    if len(rows) > len(full) or any(len(row) > lower.n_modules for row in rows):
        longest = max(len(row) for row in rows)
        raise FileFormatError(
            f"{path.name}: a table of symmetry groups has {len(rows)} rows of up to {longest} "
            f"values, expected at most {len(full)} × {lower.n_modules}; write the file again."
        )
    for i, row in enumerate(rows):
        full[i, : len(row)] = row
    return full
