"""Raw values or TIFF images with a `.toml` beside them that says what they are."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.data.projections import Projections
from engine.errors import EngineError, FileFormatError, GeometryError, SettingsError
from engine.geometry.xray import XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.folder import beside, entries, open_beside
from engine.io.open_input import InputFile, open_input
from engine.io.toml_file import toml_of
from engine.io.xray.angles import Angles, read_angles
from engine.io.xray.frames import Images, assemble, refuse_count
from engine.io.xray.pose import DOWN, LEFT, RIGHT, UP, turned_cone, turned_parallel
from engine.io.xray.raw import flipped, read_raw
from engine.io.xray.rtk import GANTRY, read_parameters, rtk_geometry
from engine.io.xray.sidecar_seal import read_sidecar
from engine.io.xray.sidecar_settings import (
    AXES,
    FORMAT,
    AngleSettings,
    ConeSettings,
    ParallelSettings,
    RtkSettings,
    Sidecar,
    VectorSettings,
)
from engine.io.xray.stack import read_stack, refuse_missing, series
from engine.io.xray.tiff import tiff_of
from engine.io.xray.vectors import geometry_of, read_vectors, without_repeated
from engine.plain import Plain

MARK = re.compile(rf'^\s*format\s*=\s*["\']{FORMAT}["\']'.encode(), re.MULTILINE)
TIFF = (".tif", ".tiff")
MAX_ANGLES_BYTES = 10_000_000
MAX_LOOKED_AT = 200


class RawSidecar(ProjectionsReader):
    """Raw values or TIFF images with a sidecar."""

    name: ClassVar[str] = "Projections with a .toml sidecar"
    suffixes: ClassVar[tuple[str, ...]] = (".toml",)
    companions: ClassVar[tuple[str, ...]] = (".raw", ".tif", ".tiff")

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return MARK.search(file.head) is not None

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path = file.path
        settings = read_sidecar(file)
        values, whole = _images(settings, settings.file or settings.files or "", path)
        _refuse_other_shape(settings, values.shape, path)
        if settings.reverse:
            values = values[::-1]
        flats, darks = (
            _images(settings, name, path, reference=True)[0] if name else None
            for name in (settings.flats, settings.darks)
        )
        geometry, known, notes = _geometry(settings, values.shape, path)
        values = np.ascontiguousarray(values[: geometry.n_views])
        info: Plain = {"format": cls.name, "data_file": settings.file or settings.files}
        if settings.kind == "counts" and flats is None and settings.white_level is not None:
            flats = np.full((1, *values.shape[1:]), settings.white_level, np.float32)
            info["white_level"] = settings.white_level  # it was stated, no detector has seen it
        return assemble(
            path,
            values,
            geometry,
            settings.kind,
            flats=flats,
            darks=darks,
            pixel_mm_known=known,
            calibrated=_says_axis(settings),
            whole_numbers=whole,
            white_level=settings.white_level,
            info=info,
            notes=notes,
        )


def _says_axis(settings: Sidecar) -> bool:
    g = settings.geometry
    return isinstance(g, VectorSettings | RtkSettings) or g.axis_column is not None


def sidecar_of(path: Path) -> Path | None:
    """Return the sidecar in the same folder that names this file, None where there is none."""
    tables = [each for each in entries(path.parent) if each.suffix == ".toml"]
    for candidate in tables[:MAX_LOOKED_AT]:
        try:
            with open_input(candidate) as file:
                values = toml_of(file) if RawSidecar.accepts(file) else {}
        except EngineError:
            continue
        stem = values.get("files")
        if values.get("file") == path.name or (stem and path.name.startswith(str(stem))):
            return candidate
    return None


def _images(
    settings: Sidecar, name: str, path: Path, *, reference: bool = False
) -> tuple[Images, bool]:
    """Images of a raw file, a TIFF file or a stack, as (n, rows, columns)."""
    is_file = settings.file is not None or name.lower().endswith(TIFF)
    if not is_file:
        stack = series(path.parent).get(name)
        if stack is None:
            raise FileFormatError(
                f"{path.name}: no TIFF images {name}0000.tif beside it; copy them or correct "
                "`files`."
            )
        refuse_missing(stack, path)
        return _oriented(*read_stack(stack, path), settings)
    with open_beside(path, name) as file:
        if not name.lower().endswith(TIFF):
            return read_raw(settings, file, path, reference=reference)
        image = tiff_of(file)
    stacked = image[None] if image.ndim == 2 else image
    return _oriented(stacked.astype(np.float32), image.dtype.kind in "iu", settings)


def _refuse_other_shape(settings: Sidecar, shape: tuple[int, ...], path: Path) -> None:
    """Refuse images of other numbers than the sidecar says, where it does."""
    stated = dict(zip(settings.order, settings.shape or (), strict=False))
    found = dict(zip(AXES, shape, strict=True))
    if any(found[axis] != n for axis, n in stated.items()):
        said = " x ".join(f"{n:,}" for n in stated.values())
        have = " x ".join(f"{found[axis]:,}" for axis in stated)
        raise FileFormatError(
            f"{path.name}: the images are {have} ({' x '.join(stated)}), its shape says {said}; "
            "copy the missing files or correct shape."
        )


def _oriented(images: Images, whole: bool, settings: Sidecar) -> tuple[Images, bool]:
    if settings.image_order == ("column", "row"):
        images = images.transpose(0, 2, 1)
    return flipped(images, settings), whole


def _geometry(
    settings: Sidecar, shape: tuple[int, ...], path: Path
) -> tuple[XrayGeometry, bool, tuple[str, ...]]:
    n_views, rows, columns = shape
    g = settings.geometry
    if isinstance(g, VectorSettings):
        file = beside(path, g.file)
        with open_beside(path, g.file) as listed:
            vectors = read_vectors(listed)
        refuse_count(path, n_views, len(vectors))
        kept, notes = without_repeated(vectors, file)
        return geometry_of(kept, g.beam, (rows, columns), file), True, notes
    if isinstance(g, RtkSettings):
        return _rtk(g, n_views, (rows, columns), path)
    angles = _angles(g.angles, n_views, path)
    turned = replace(angles, rad=-angles.rad) if g.clockwise else angles
    return _friendly(g, turned, (rows, columns), path)


def _rtk(
    g: RtkSettings, n_views: int, shape: tuple[int, int], path: Path
) -> tuple[XrayGeometry, bool, tuple[str, ...]]:
    file = beside(path, g.file)
    with open_beside(path, g.file) as written:
        parameters = read_parameters(written)
    refuse_count(path, n_views, len(parameters[GANTRY]))
    angles = read_angles(parameters[GANTRY], "deg", f"{file.name}: {GANTRY}")
    kept = {name: a[: len(angles.rad)] for name, a in parameters.items()}
    geometry = rtk_geometry(
        kept, shape=shape, spacing_mm=g.pixel_mm, origin_mm=g.origin_mm, path=file
    )
    return geometry, True, angles.notes


def _angles(given: AngleSettings, n_views: int, path: Path) -> Angles:
    if given.values is not None:
        values = np.array(given.values)
    elif given.file is not None:
        with open_beside(path, given.file) as file:
            values = _listed(file)
    else:
        values = given.first + (given.step or 0.0) * np.arange(n_views)
    refuse_count(path, n_views, len(values))
    remedy = 'set its unit to what they are, "deg" or "rad"'
    return read_angles(values, given.unit, f"{path.name}: geometry.angles", remedy=remedy)


def _listed(file: InputFile) -> NDArray[np.float64]:
    text = file.text(MAX_ANGLES_BYTES)
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    try:
        return np.array([float(line) for line in lines if line])
    except ValueError as e:
        raise FileFormatError(f"{file.name}: want one angle per line ({e}).") from e


def _friendly(
    g: ConeSettings | ParallelSettings, angles: Angles, shape: tuple[int, int], path: Path
) -> tuple[XrayGeometry, bool, tuple[str, ...]]:
    """The angle of a sidecar is that of the source from +x; a pose at angle 0 has it at −y."""
    side = RIGHT if g.columns == "right" else LEFT
    rise = UP if g.rows == "up" else DOWN
    width, height = g.pixel_mm or (1.0, 1.0)
    right, up = g.detector_shift_mm
    if g.axis_column is not None:
        if right:
            raise SettingsError(f"{path.name}: give axis_column or detector_shift_mm, not both.")
        right = ((shape[1] - 1) / 2 - g.axis_column) * width * side
    turn = angles.rad + np.pi / 2
    if isinstance(g, ParallelSettings):
        geometry = turned_parallel(
            turn,
            pixel_mm=(width, height),
            shape=shape,
            columns=side,
            rows=rise,
            shift_mm=(right, up),
        )
        return geometry, g.pixel_mm is not None, angles.notes
    if g.kind == "fan" and shape[0] != 1:
        raise GeometryError(
            f"{path.name}: a fan beam has one detector row, the images have {shape[0]:,}; say "
            'kind = "cone".'
        )
    geometry = turned_cone(
        turn,
        source_mm=(0.0, -g.source_axis_mm, 0.0),
        detector_mm=(right, g.source_detector_mm - g.source_axis_mm, up),
        u_mm=(side * width, 0.0, 0.0),
        v_mm=(0.0, 0.0, rise * height),
        shape=shape,
        rise_mm=g.rise_mm_per_turn * (-1.0 if g.clockwise else 1.0),
    )
    return geometry, True, angles.notes
