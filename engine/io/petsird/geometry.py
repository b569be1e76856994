"""Scanner geometry in a PETSIRD header: crystals, TOF, modules in coincidence.

A crystal's centre of detection is M_module · M_element · mean of the box's corners [mm]. Crystals
are numbered by type of module, module and element; a detection bin is energy + n_energies ·
(element + n_elements · module) of a type, and times of flight (t1 − t2) c / 2 have our sign.
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
from engine.data.reading_note import Information
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.tof import MM_PER_PS, TofBins
from engine.io.safety.budget import refuse_large_data
from engine.io.scanners.crystal_map import MAX_KEY, mapped

Tree: TypeAlias = Plain
NAME = "PETSIRD scanner"
"""Name of a scanner whose file names no model."""
EVEN = 1e-3
"""Part of a bin that edges may lie off."""
MOST_TOF_BINS = 32_767
OFF_MIDDLE_MM = 0.01
"""Scanners whose middle is nearer than this to z = 0 are left there."""


@dataclass(frozen=True)
class Modules:
    """Modules of one type.

    Attributes
    ----------
    n_modules, n_elements, n_energies : of modules, crystals in each, and energy bins
    first_crystal, first_module : numbers of the first ones
    """

    n_modules: int
    n_elements: int
    n_energies: int
    first_crystal: int
    first_module: int

    @property
    def n_crystals(self) -> int:
        """Crystals of all its modules."""
        return self.n_modules * self.n_elements

    @property
    def n_bins(self) -> int:
        """Detection bins of all its modules."""
        return self.n_crystals * self.n_energies


@dataclass(frozen=True)
class Group:
    """Pairs of modules that are alike: their types, the higher first, and their number there."""

    upper: int
    lower: int
    number: int


@dataclass(frozen=True)
class Geometry:
    """Scanner of a header, and how its detection bins are numbered."""

    scanner: CrystalMap
    types: tuple[Modules, ...]
    kinds: Array | None
    """(n_modules, n_modules) int32 group of each pair, −1 for none; None: not said."""
    groups: tuple[Group, ...]
    notes: tuple[str, ...]


def read_geometry(scanner: Tree, path: Path) -> Geometry:
    """Return what a header says of the scanner."""
    replicated = scanner["scannerGeometry"]["replicatedModules"]
    edges = [np.asarray(each["edges"]) for each in scanner["eventEnergyBinEdges"]]
    if not replicated or len(edges) != len(replicated):
        raise FileFormatError(
            f"{path.name}: {len(replicated)} module types but energies of {len(edges)}; write the "
            "file again with energy bins for each type."
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
        keys.append(np.stack([module + n_modules, element, np.full_like(module, number)], -1))
        points.append(centres.reshape(-1, 3))
        types.append(found)
        n_crystals, n_modules = n_crystals + found.n_crystals, n_modules + found.n_modules
    if n_modules > MAX_KEY[0]:
        raise GeometryError(f"{path.name}: {n_modules:,} modules, expected at most {MAX_KEY[0]:,}.")
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
    """(n_modules, n_elements, 3) centres of the crystals of a type of module [mm]."""
    elements = replicated["object"]["detectingElements"]
    corners = elements["object"]["shape"]["corners"]
    middle = np.mean([corner["c"] for corner in corners], axis=0, dtype=np.float64)
    inner = np.asarray(elements["transforms"]["matrix"], np.float64)
    outer = np.asarray(replicated["transforms"]["matrix"], np.float64)
    in_module = inner[:, :, :3] @ middle + inner[:, :, 3]
    return np.einsum("mij,ej->mei", outer[:, :, :3], in_module) + outer[:, None, :, 3]


def _about_middle(points: Array, path: Path) -> tuple[Array, tuple[str, ...]]:
    """Return the crystals with z counted from the scanner's middle, as images are."""
    if len(points) < 2 or not np.isfinite(points).all():
        raise GeometryError(
            f"{path.name}: {len(points)} crystals, or some have no position; a scanner needs at "
            "least 2, each with a position in mm; write the file again."
        )
    middle = float(points[:, 2].min() + points[:, 2].max()) / 2
    if abs(middle) < OFF_MIDDLE_MM:
        return points, ()
    note = f"The scanner centre is at z = {middle:g} mm in the file and becomes z = 0."
    return points - (0.0, 0.0, middle), (Information(note),)


def _tof(scanner: Tree, n_types: int) -> tuple[TofBins | None, tuple[str, ...]]:
    """Return the time bins all types of modules share, and a note where they share none."""
    pairs = [(a, b) for a in range(n_types) for b in range(a + 1)]
    edges = [_edges(scanner, pair) for pair in pairs]
    if all(len(each) <= 2 for each in edges):
        return None, ()
    first, widths_mm = edges[0], {_at(scanner["tofResolution"], pair) for pair in pairs}
    fwhm_mm = widths_mm.pop()
    alike = all(np.array_equal(each, first) for each in edges) and not widths_mm
    if not alike or not isinstance(fwhm_mm, float) or not fwhm_mm > 0:
        why = "its bins differ between module types, or have no resolution"
        return None, (f"TOF is not used: {why}.",)
    step = float(first[-1] - first[0]) / (len(first) - 1)
    even = (np.arange(len(first)) - (len(first) - 1) / 2) * step
    if step <= 0 or np.abs(first - even).max() > EVEN * step or len(first) > MOST_TOF_BINS:
        why = "its bins differ in width, or are not centred"
        return None, (f"TOF is not used: {why}.",)
    return TofBins(fwhm_mm / MM_PER_PS, step / MM_PER_PS, len(first) - 1), ()


def _edges(scanner: Tree, pair: tuple[int, int]) -> Array:
    """Return the edges of the time bins of two types of modules [mm]; none where none are said."""
    found = _at(scanner["tofBinEdges"], pair)
    return np.asarray(found["edges"] if isinstance(found, dict) else (), np.float64)


def window_ps(scanner: Tree) -> float:
    """Return the coincidence window: the farthest edge of the time bins [ps]; 0: not said."""
    edges = _edges(scanner, (0, 0))
    return float(np.abs(edges).max()) / MM_PER_PS if len(edges) else 0.0


def _at(matrix: object, pair: tuple[int, int]) -> object:
    """Return what a lower triangular matrix has for two types of modules; None: nothing."""
    a, b = pair
    if not isinstance(matrix, Sequence | np.ndarray) or a >= len(matrix) or b >= len(matrix[a]):
        return None
    found = matrix[a][b]
    return found.item() if isinstance(found, np.generic) else found


def _kinds(
    efficiencies: Tree, types: Sequence[Modules], path: Path
) -> tuple[Array | None, tuple[Group, ...]]:
    """Return the symmetry groups of all pairs of modules, and which they are.

    −1 where they are not in coincidence; None where the file says nothing of any.
    """
    n_modules = types[-1].first_module + types[-1].n_modules
    refuse_large_data(4 * n_modules**2, path.name, "its module pairs")
    kinds = np.full((n_modules, n_modules), -1, np.int32)
    found: list[Group] = []
    said = False
    for a, upper in enumerate(types):
        for b, lower in enumerate(types[: a + 1]):
            rows = _at(efficiencies["modulePairSGIDLUT"], (a, b))
            rows = rows if isinstance(rows, list) else []
            said = said or bool(rows)
            groups = _filled(rows, upper, lower, path)
            block = np.where(groups >= 0, groups + len(found), -1)
            kinds[_modules(upper), _modules(lower)] = np.tril(block + 1) - 1 if a == b else block
            found += [Group(a, b, group) for group in range(int(groups.max(initial=-1)) + 1)]
    return (kinds, tuple(found)) if said else (None, ())


def _modules(of: Modules) -> slice:
    return slice(of.first_module, of.first_module + of.n_modules)


def _filled(rows: Sequence[Array], upper: Modules, lower: Modules, path: Path) -> Array:
    """(n, m) the rows of a matrix that may be triangular, −1 beyond their ends; 0 without any."""
    if not rows:
        return np.zeros((upper.n_modules, lower.n_modules), np.int64)
    full = np.full((upper.n_modules, lower.n_modules), -1, np.int64)
    if len(rows) > len(full) or any(len(row) > lower.n_modules for row in rows):
        raise FileFormatError(
            f"{path.name}: a table of symmetry groups has {len(rows)} rows for {len(full)} "
            "modules; write the file again."
        )
    for i, row in enumerate(rows):
        full[i, : len(row)] = row
    return full
