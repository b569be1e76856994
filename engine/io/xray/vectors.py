"""Read ASTRA `.geom` texts: twelve numbers per view, next to a TIFF stack.

Source (or ray), detector centre, step between columns, step between rows, in mm. The walnuts of CWI
are the only published files of this kind; their images are read as by their authors.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.geometry.orbits import from_astra_vectors
from engine.geometry.xray import Beam, XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.safety.open_input import InputFile
from engine.io.text.rows import rows_of
from engine.io.xray.frames import Images, Kind, assemble, guess_kind, refuse_count
from engine.io.xray.stack import Stack, read_stack, refuse_missing, series

N_NUMBERS = 12
MAX_BYTES = 50_000_000
WALNUT = "scan_geom_"
FLAT, DARK = "io", "di"
MAX_LENGTH_MM = 1e5


class AstraVectors(ProjectionsReader):
    """ASTRA vectors next to TIFF images."""

    format_name: ClassVar[str] = "ASTRA vectors"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if not cls.ends(file.path):
            return False
        lines = file.head.decode("utf-8", errors="replace").splitlines()
        return bool(lines) and len(lines[0].split()) == N_NUMBERS

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path, vectors = file.path, read_vectors(file)
        stacks = series(path.parent)
        walnut = path.name.startswith(WALNUT)
        stack = _projections(stacks, path)
        if walnut:
            # As in the authors' code, which reverses the views.
            stack = stack.first(len(vectors)).reversed()
        refuse_count(path, len(stack), len(vectors))
        used, notes = without_repeated(vectors, path)
        images, whole = _oriented(stack.first(len(used)), path, walnut)
        flats, darks = (
            _oriented(s, path, walnut)[0] if (s := stacks.get(p)) is not None else None
            for p in (FLAT, DARK)
        )
        message = list(notes)
        if walnut:
            message.append(
                f"{path.name}: images are rotated and reversed, as by the authors of the data."
            )
        counted = whole or flats is not None
        kind: Kind = "counts" if counted else guess_kind(path, images, message)
        return assemble(
            path,
            images,
            geometry_of(used, "cone", images.shape[1:], path),
            kind,
            flats=flats,
            darks=darks,
            calibrated=True,
            whole_numbers=whole,
            info={"format": cls.name, **_flat_views(flats, len(used), walnut)},
            notes=message,
        )


def _flat_views(flats: Images | None, n_views: int, walnut: bool) -> Plain:
    """Return the views of a walnut's two flats: after and before, because views are reversed."""
    if not walnut or flats is None or len(flats) != 2:
        return {}
    return {"flat_views": [n_views, 0]}


def read_vectors(file: InputFile) -> NDArray[np.float64]:
    """Read the vectors of a `.geom` text.

    Parameters
    ----------
    file
        text with one view per line; # begins a comment

    Returns
    -------
    vectors
        (n_views, 12) [mm]

    Raises
    ------
    FileFormatError
        if a line has other than twelve finite numbers
    """
    path, rows = file.path, []
    lines = file.text(MAX_BYTES).splitlines()
    for k, fields in rows_of(lines):
        try:
            row = [float(field) for field in fields]
        except ValueError as e:
            raise FileFormatError(
                f"{path.name}: line {k} is {lines[k - 1].strip()[:40]!r}, expected {N_NUMBERS} "
                "numbers; correct the line."
            ) from e
        if len(row) != N_NUMBERS or not np.isfinite(row).all():
            raise FileFormatError(
                f"{path.name}: line {k} must contain {N_NUMBERS} finite numbers (source, detector, "
                f"column step and row step of a view). Numbers in the line: {len(row)}. Finite "
                f"numbers: {np.isfinite(row).sum()}. Correct the line."
            )
        rows.append(row)
    if not rows:
        raise FileFormatError(f"{path.name}: contains no views; export it again.")
    return np.array(rows)


def without_repeated(
    vectors: NDArray[np.float64], path: Path
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Leave out the last view if it repeats the first.

    Parameters
    ----------
    vectors
        (n_views, 12)
    path
        file, for the note

    Returns
    -------
    vectors, notes
        a note if a view was left out
    """
    if len(vectors) > 2:
        source = vectors[:, :3]
        # A tenth of a step: the repeated position is not reached exactly.
        step = np.median(np.linalg.norm(np.diff(source, axis=0), axis=1))
        if np.linalg.norm(source[-1] - source[0]) < 0.1 * step:
            note = (
                f"{path.name}: the last view repeats the first after a full turn and is not used."
            )
            return vectors[:-1], (note,)
    return vectors, ()


def geometry_of(
    vectors: NDArray[np.float64], beam: Beam, shape: tuple[int, ...], path: Path
) -> XrayGeometry:
    """Return the geometry of vectors.

    Parameters
    ----------
    vectors
        (n_views, 12) [mm]
    beam
        "cone" or "parallel"
    shape
        (rows, columns)
    path
        file, for the error message

    Raises
    ------
    GeometryError
        if lengths are apparently not in mm
    """
    # Vectors in µm would make a scanner of hundreds of metres.
    if np.abs(vectors).max() > MAX_LENGTH_MM:
        raise GeometryError(
            f"{path.name}: contains lengths of up to {np.abs(vectors).max():.3g} mm, expected at "
            f"most {MAX_LENGTH_MM:,.0f} mm; convert the lengths to mm."
        )
    rows, columns = shape
    return from_astra_vectors(vectors, shape=(rows, columns), beam=beam)


def _projections(stacks: dict[str, Stack], path: Path) -> Stack:
    # The format does not name the images, so the only series of projections is used.
    fits = {p: s for p, s in stacks.items() if p not in (FLAT, DARK)}
    if len(fits) != 1:
        raise FileFormatError(
            f"{path.name}: found {len(fits)} series of TIFF images in its folder, expected one; "
            "name the images in a .toml sidecar."
        )
    stack = next(iter(fits.values()))
    refuse_missing(stack, path)
    return stack


def _oriented(stack: Stack, path: Path, walnut: bool) -> tuple[Images, bool]:
    images, whole = read_stack(stack, path)
    if walnut:
        images = np.ascontiguousarray(images[:, ::-1].transpose(0, 2, 1))
    return images, whole
