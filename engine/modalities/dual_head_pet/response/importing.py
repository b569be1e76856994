"""Import a response matrix of another program and fold it by symmetry.

The matrix has one row for every line of response of the scanner (`DualHead.numbers`) and one column
for every voxel of its image, [z, y, x]. The differences between the images of an element are stored
as the error of its row. They are noise, or the matrix lacks the symmetries.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import TURNS, stored_orientations
from engine.geometry.grid import Point
from engine.io.safety.budget import refuse_bomb
from engine.io.safety.open_input import InputFile, open_input
from engine.io.volumes.npy import DAMAGE, FileRows, rows_of
from engine.modalities.dual_head_pet.response.building import refuse_layers
from engine.modalities.dual_head_pet.response.elements import Elements
from engine.modalities.dual_head_pet.response.packing import matrix_of

Triplets = tuple[Array, Array, Array]
_AT_ONCE = 1 << 20
_SAME = 1e-6
"""Largest relative difference of two equal voxel sizes."""
_MAX_CHANCE = 1.01
"""Largest sum of a voxel's detection probabilities, with rounding."""


def import_response(
    path: Path | str,
    scanner: DualHead,
    *,
    voxel_mm: Point | None = None,
    threshold: float = 1e-3,
    margin: int = 2,
) -> ResponseMatrix:
    """Read and fold a matrix: a dense .npy or a sparse .npz of SciPy (any format with rows).

    Parameters
    ----------
    path
        (n_lors, n_voxels) probabilities
    scanner
        scanner of the matrix
    voxel_mm
        (x, y, z) edges of its voxels, compared with the image of the scanner; None skips this check
    threshold
        values up to this fraction of the largest in their row are dropped
    margin
        number of pitches outside the box of an orientation that are stored

    Raises
    ------
    DataError
        if values are not probabilities
    GeometryError
        if lines or voxels do not match the scanner
    FileFormatError
        if the file is damaged or of another format
    """
    path = Path(path)
    refuse_layers(scanner)
    _refuse_voxels(voxel_mm, scanner, path)
    with open_input(path) as file:
        return _imported(_read(file), scanner, path, threshold, margin)


def _imported(
    matrix: Any, scanner: DualHead, path: Path, threshold: float, margin: int
) -> ResponseMatrix:
    if matrix.dtype.kind not in "fiu":
        raise DataError(
            f"{path.name}: the matrix has values of type {matrix.dtype}, expected real numbers; "
            "save the matrix as real numbers."
        )
    wanted = scanner.n_lors, scanner.grid.n_voxels
    if matrix.shape != wanted:
        raise GeometryError(
            f"{path.name}: the matrix has {' × '.join(map(str, matrix.shape))} elements, but "
            f"{scanner.name!r} has {wanted[0]} lines of response and {wanted[1]} voxels; choose "
            "the scanner for which the matrix was computed."
        )
    # Voxels of one pair can be outside its box if crystals scatter, hence the margin.
    elements = Elements(scanner, margin)
    numbers, sums, squares, n_lost = _folded(_triplets(matrix, path), elements)
    _refuse_counts(matrix, path)
    # Every image of an element is one measurement of its probability.
    n = n_images(elements, numbers)
    values = sums / n
    variances = np.maximum(squares / n - values**2, 0)
    rows = elements.packed(numbers, values, variances, threshold)
    return matrix_of(scanner, rows, {"imported": path.name, "beyond_margin": n_lost})


# Lines and voxels are counted below; only their size must be stated by the user.
def _refuse_voxels(voxel_mm: Point | None, scanner: DualHead, path: Path) -> None:
    wanted = scanner.grid.voxel_mm
    if voxel_mm is not None and not np.allclose(voxel_mm, wanted, rtol=_SAME):
        raise GeometryError(
            f"{path.name}: the matrix has voxels of {_edges(voxel_mm)} mm, but {scanner.name!r} "
            f"needs voxels of {_edges(wanted)} mm; compute the matrix again with these voxels."
        )


def _refuse_counts(matrix: Any, path: Path) -> None:
    """Refuse values that cannot be probabilities: all 0, or more than every decay."""
    most = matrix.sum(axis=0, dtype=np.float64).max()
    if most == 0:
        raise DataError(
            f"{path.name}: all probabilities in the matrix are 0; compute the matrix again."
        )
    if most > _MAX_CHANCE:
        raise DataError(
            f"{path.name}: the probabilities of one voxel add up to {most:.3g}, expected at most "
            "1; divide the counts by the number of simulated decays in each voxel."
        )


def _edges(voxel_mm: Point) -> str:
    return " × ".join(f"{v:g}" for v in voxel_mm)


def _read(file: InputFile) -> Any:
    """Return a two-dimensional array, whose rows stay in the file, or a sparse matrix."""
    from scipy import sparse

    try:
        if file.path.suffix.lower() != ".npz":
            return rows_of(file)
        _refuse_bombs(file)
        stored: Any = sparse.load_npz(file.stream())
        # The full check detects indices outside the matrix, which would crash compiled code.
        if hasattr(stored, "check_format"):
            stored.check_format(full_check=True)
        found = stored.tocoo()
        # Some programs write an element several times; only the sum is the probability.
        found.sum_duplicates()
        return found
    except DAMAGE as e:
        raise FileFormatError(
            f"{file.name}: the file is not a NumPy (.npy) or scipy.sparse (.npz) matrix, or is "
            f"incomplete ({e}); write the file again."
        ) from e


def _refuse_bombs(file: InputFile) -> None:
    """Refuse a compressed matrix that expands to far more than its file."""
    with ZipFile(file.stream()) as archive:
        refuse_bomb(sum(each.file_size for each in archive.infolist()), file.size, file.name)


def _triplets(matrix: Any, path: Path) -> Iterator[Triplets]:
    """Yield lines of response, voxels and values of the non-zeros, some at a time."""
    if isinstance(matrix, FileRows):
        for first, part in matrix.pieces():
            lors, voxels = np.nonzero(part)
            yield lors + first, voxels, _checked(part[lors, voxels], path)
        return
    for start in range(0, matrix.nnz, _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        yield matrix.row[some], matrix.col[some], _checked(matrix.data[some], path)


def _checked(values: Array, path: Path) -> Array:
    if not np.isfinite(values).all() or (values < 0).any():
        raise DataError(
            f"{path.name}: the matrix contains negative, infinite or NaN probabilities; compute "
            "the matrix again."
        )
    return values.astype(np.float64)


def _folded(parts: Iterator[Triplets], elements: Elements) -> tuple[Array, Array, Array, int]:
    """Return stored elements, sums and sums of squares of their images, and the number lost."""
    numbers, n_lost = np.zeros(0, np.int64), 0
    sums: Array = np.zeros(0)
    squares: Array = np.zeros(0)
    scanner = elements.scanner
    n, shape = scanner.settings.voxels_per_pitch, scanner.grid.shape
    for lors, voxels, values in parts:
        row0, column0, row1, column1 = scanner.orientations.places(lors)
        z, y, x = np.unravel_index(voxels.astype(np.int64), shape)
        j, k = z - n * np.minimum(row0, row1), x - n * np.minimum(column0, column1)
        found, sources, lost = elements.of(row1 - row0, column1 - column0, y, j, k)
        n_lost += lost
        # Merged after each piece, so that memory depends on the folded matrix only.
        numbers, place = np.unique(np.concatenate([numbers, found]), return_inverse=True)
        new = values[sources]
        sums = np.bincount(place, np.concatenate([sums, new]), len(numbers))
        squares = np.bincount(place, np.concatenate([squares, new**2]), len(numbers))
    return numbers, sums, squares, n_lost


def n_images(elements: Elements, numbers: Array) -> Array:
    """Return the number of positions of each stored element in the whole matrix.

    Parameters
    ----------
    elements
        numbering of the elements
    numbers
        (n,) stored elements

    Returns
    -------
    n_images
        (n,) sums over all symmetries and shifts
    """
    s = elements.scanner.settings
    row, _, j, k = elements.places(numbers)
    a, b = stored_orientations(s.n_rows, s.n_columns).astype(np.int64)[row].T
    n, total = s.voxels_per_pitch, np.zeros(len(numbers), np.int64)
    for turn in TURNS:
        to_a, to_b = (np.abs(v) for v in turn.orientation(a, b))
        to_j, to_k = turn.voxels(j, k, (n * (a + 1), n * (b + 1)))
        total += _n_shifts(to_j, to_a, s.n_rows, n) * _n_shifts(to_k, to_b, s.n_columns, n)
    # The mirror symmetry between the panels doubles the number.
    return 2 * total


def _n_shifts(at: Array, offset: Array, n_crystals: int, voxels_per_pitch: int) -> Array:
    """Return the number of shifts along an axis that stay on the panels and in the image."""
    n = voxels_per_pitch
    first = np.maximum(0, -(at // n))
    last = np.minimum(n_crystals - offset - 1, (n * n_crystals - 1 - at) // n)
    return np.maximum(0, last - first + 1)
