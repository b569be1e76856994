"""Read raw values or TIFF images described by a `.toml` sidecar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.core.errors import EngineError, FileFormatError, GeometryError, SettingsError
from engine.core.json_types import Plain
from engine.core.settings import parse
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.folder import below, open_below
from engine.io.safety.open_input import InputFile, open_input
from engine.io.text.toml_file import toml_of
from engine.io.xray.angles import Angles
from engine.io.xray.frames import Images, assemble, refuse_count
from engine.io.xray.pose import DOWN, LEFT, RIGHT, UP, turned_cone, turned_parallel
from engine.io.xray.rtk import read_parameters, rtk_geometry
from engine.io.xray.sidecar.angles import source_angles
from engine.io.xray.sidecar.found import is_sidecar, names_series
from engine.io.xray.sidecar.images import files_named, images_named, shown, some_images, split
from engine.io.xray.sidecar.seal import read_sidecar
from engine.io.xray.sidecar.settings import (
    AXES,
    ConeSettings,
    ParallelSettings,
    RtkSettings,
    Sidecar,
    VectorSettings,
)
from engine.io.xray.vectors import geometry_of, read_vectors, without_repeated


class RawSidecar(ProjectionsReader):
    """Raw values or TIFF images with a sidecar."""

    format_name: ClassVar[str] = "Isocenter sidecar (TOML)"

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        yield from named_by(settings)

    @classmethod
    def may_read_series(cls, settings: Path, prefix: str) -> bool:
        return names_series(settings, prefix)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_sidecar(file)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        return projections_of(read_sidecar(file), file.path)


def projections_of(settings: Sidecar, path: Path) -> Projections:
    """Read the projections of a sidecar.

    Parameters
    ----------
    settings
        settings of the sidecar
    path
        its path; named files are relative to its folder

    Raises
    ------
    FileFormatError
        if files are missing, damaged, or differ from the settings
    GeometryError
        if numbers or sizes do not match the geometry
    """
    values, whole = images_named(settings, settings.images, path)
    _refuse_other_shape(settings, values.shape, path)
    if settings.reverse:
        values = values[::-1]
    flats, darks = references_of(settings, path)
    geometry, known, notes = _geometry(settings, values.shape, path, _n_of(flats, darks))
    # Reversed views are only a view of the memory; devices need contiguous arrays.
    values = np.ascontiguousarray(values[: geometry.n_views])
    # Scaled integers are no longer counts, so their maximum is not saturation.
    whole = whole and settings.scale is None
    return _assembled(settings, path, values, flats, darks, geometry, known, notes, whole)


@dataclass(frozen=True)
class SomeImages:
    """Some rows of some views, and of all flats and darks, as stored.

    Attributes
    ----------
    values, flats, darks : (n, rows, columns); None if there are none
    views, rows : indices of the views, slice of the rows
    """

    values: Images
    flats: Images | None
    darks: Images | None
    views: tuple[int, ...]
    rows: slice


def read_some(
    settings: Sidecar, path: Path, n_views: int, views: Sequence[int], rows: slice
) -> SomeImages:
    """Read some rows of some views, for a preview before the whole scan is read.

    Parameters
    ----------
    settings
        settings of the sidecar
    path
        its path
    n_views
        number of views of the scan, to count from the end if the order is reversed
    views
        indices of the views
    rows
        slice of the rows
    """
    numbers = [n_views - 1 - view for view in views] if settings.reverse else views
    values = some_images(settings, settings.images, path, numbers, rows)
    flats, darks = (
        None if one is None else one[:, rows].copy() for one in references_of(settings, path)
    )
    return SomeImages(values, flats, darks, tuple(views), rows)


def some_projections(
    settings: Sidecar, path: Path, shape: tuple[int, int, int], some: SomeImages
) -> Projections:
    """Return checked projections of some rows of some views.

    Parameters
    ----------
    settings
        settings of the sidecar
    path
        its path
    shape
        (views, rows, columns) of the complete scan
    some
        images from `read_some`; they are copied
    """
    n_references = _n_of(some.flats, some.darks)
    geometry, known, notes = _geometry(settings, shape, path, n_references)
    # The geometry has one view less if the last repeats the first.
    views = [view for view in some.views if view < geometry.n_views]
    values = some.values[: len(views)].copy()
    geometry = geometry.select(views).cropped(some.rows, slice(None))
    references = some.flats, some.darks
    return _assembled(settings, path, values, *references, geometry, known, notes, whole=False)


def references_of(settings: Sidecar, path: Path) -> tuple[Images | None, Images | None]:
    """Read flats and darks, None for each if there are none."""
    flats, darks = (
        images_named(settings, names, path, reference=True)[0] if names else None
        for names in (settings.flats, settings.darks)
    )
    return flats, darks


def orbit_of(settings: Sidecar, shape: tuple[int, int, int], path: Path) -> XrayGeometry:
    """Return the geometry of a sidecar without reading its images.

    Parameters
    ----------
    settings
        settings of the sidecar
    shape
        (views, rows, columns) of the projections
    path
        path of the sidecar
    """
    return _geometry(settings, shape, path, n_references=0)[0]


def _n_of(*references: Images | None) -> int:
    return sum(len(images) for images in references if images is not None)


def _assembled(
    settings: Sidecar,
    path: Path,
    values: Images,
    flats: Images | None,
    darks: Images | None,
    geometry: XrayGeometry,
    known: bool,
    notes: tuple[str, ...],
    whole: bool,
) -> Projections:
    info: Plain = {"format": RawSidecar.name, "data_file": shown(settings.images)}
    # A stated open beam replaces the flats, so that counts are treated like any others.
    if settings.kind == "counts" and flats is None and settings.white_level is not None:
        flats = np.full((1, *values.shape[1:]), settings.white_level, np.float32)
        info["white_level"] = settings.white_level  # stated, not measured
    if settings.scale is not None:
        values *= np.float32(settings.scale)
        info["scale"] = settings.scale
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
        remedy="Correct the kind, or set `scale` to their factor.",
    )


def _says_axis(settings: Sidecar) -> bool:
    g = settings.geometry
    # These files state the complete pose, so the axis is not searched for.
    if isinstance(g, VectorSettings | RtkSettings):
        return True
    return g.axis_column is not None or g.detector_shift_mm[0] != 0


def _refuse_other_shape(settings: Sidecar, shape: tuple[int, ...], path: Path) -> None:
    """Refuse images whose numbers differ from the sidecar, if it states them."""
    stated = dict(zip(settings.order, settings.shape or (), strict=False))
    found = dict(zip(AXES, shape, strict=True))
    if any(found[axis] != n for axis, n in stated.items()):
        sizes = " x ".join(f"{n:,}" for n in stated.values())
        have = " x ".join(f"{found[axis]:,}" for axis in stated)
        raise FileFormatError(
            f"{path.name}: the images have the shape {have} ({' x '.join(stated)}), but the "
            f"sidecar states {sizes}; copy the missing files or correct `shape`."
        )


def _geometry(
    settings: Sidecar, shape: tuple[int, ...], path: Path, n_references: int
) -> tuple[XrayGeometry, bool, tuple[str, ...]]:
    n_views, rows, columns = shape
    g = settings.geometry
    if isinstance(g, VectorSettings):
        file = below(path, g.file)
        with open_below(path, g.file) as listed:
            vectors = read_vectors(listed)
        refuse_count(path, n_views, len(vectors))
        used, notes = without_repeated(vectors, file)
        return geometry_of(used, g.beam, (rows, columns), file), True, notes
    if isinstance(g, RtkSettings):
        return _rtk(g, n_views, (rows, columns), path)
    angles = source_angles(settings, g, n_views, path, n_references=n_references)
    return _simple_geometry(g, angles, (rows, columns), path)


def _rtk(
    g: RtkSettings, n_views: int, shape: tuple[int, int], path: Path
) -> tuple[XrayGeometry, bool, tuple[str, ...]]:
    file = below(path, g.file)
    with open_below(path, g.file) as written:
        parameters = read_parameters(written)
    geometry, angles = rtk_geometry(
        parameters, n_views, shape=shape, spacing_mm=g.pixel_mm, origin_mm=g.origin_mm, path=file
    )
    return geometry, True, angles.notes


def _simple_geometry(
    g: ConeSettings | ParallelSettings, angles: Angles, shape: tuple[int, int], path: Path
) -> tuple[XrayGeometry, bool, tuple[str, ...]]:
    """Return the geometry of a cone, fan or parallel beam.

    Angles of a sidecar are those of the source from +x; at angle 0 of `turned_cone` it is at −y.
    """
    side = RIGHT if g.columns == "right" else LEFT
    rise = UP if g.rows == "up" else DOWN
    width, height = g.pixel_mm or (1.0, 1.0)
    right, up = g.detector_shift_mm
    if g.axis_column is not None:
        if right:
            raise SettingsError(f"{path.name}: state axis_column or detector_shift_mm, not both.")
        # Columns count from 0 at pixel centres, and columns to the left reverse the sign.
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
            f"{path.name}: a fan beam has one detector row, but the images have {shape[0]:,}; set "
            'kind = "cone".'
        )
    geometry = turned_cone(
        turn,
        source_mm=(0.0, -g.source_axis_mm, 0.0),
        detector_mm=(right, g.source_detector_mm - g.source_axis_mm, up),
        u_mm=(side * width, 0.0, 0.0),
        v_mm=(0.0, 0.0, rise * height),
        shape=shape,
        # The rise is stated per turn of the source, in the direction in which it turns.
        rise_mm=g.rise_mm_per_turn * (-1.0 if g.clockwise else 1.0),
    )
    return geometry, True, angles.notes


def named_by(sidecar: Path) -> Iterator[Path]:
    """Yield all files named by a sidecar, without missing and refused ones.

    Parameters
    ----------
    sidecar
        sidecar of projections

    Raises
    ------
    SettingsError
        if the sidecar is damaged
    """
    with open_input(sidecar) as file:
        settings = parse(Sidecar, toml_of(file), where=file.name)
    for names, reference in (
        (settings.images, False),
        (settings.flats or (), True),
        (settings.darks or (), True),
    ):
        for name in names:
            try:
                yield from files_named(settings, (name,), sidecar, reference=reference)
            # A missing file is reported when the scan is read.
            except EngineError:
                continue
    g = settings.geometry
    text = g.file if isinstance(g, VectorSettings | RtkSettings) else g.angles.file
    if text:
        yield below(sidecar, split(text, sidecar)[0])
