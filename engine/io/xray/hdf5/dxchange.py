"""Read and write Data Exchange (DXchange) HDF5: `/exchange/data` with flats, darks and angles.

The format has parallel beams only; our files store the complete geometry in `/isocenter`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.geometry.xray import Beam, XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.hdf5.file_seal import check_foreign_seal, seal_foreign
from engine.io.hdf5.opening import (
    DAMAGE,
    as_json,
    is_hdf5,
    library_file,
)
from engine.io.hdf5.writer import reserve, store, write_hdf5
from engine.io.safety.open_input import InputFile
from engine.io.safety.seal import unsealed
from engine.io.text.json_text import from_json
from engine.io.xray.angles import ATTRIBUTE, Angles, read_angles, unit_named
from engine.io.xray.frames import KINDS, Images, Kind, assemble, guess_kind, refuse_count
from engine.io.xray.hdf5.opening import Tree, open_tree, read_images
from engine.io.xray.hdf5.values import attribute
from engine.io.xray.pose import turned_parallel
from engine.io.xray.text.angle_text import is_named_angle

if TYPE_CHECKING:
    import h5py

    from engine.io.hdf5.piecewise import Piecewise

GROUP, DATA, THETA = "/exchange", "/exchange/data", "/exchange/theta"
OURS = "/isocenter"
VECTORS = ("source_mm", "detector_mm", "u_mm", "v_mm")
PIXEL_PLACES = (
    "/measurement/instrument/detection_system/objective/resolution",
    "/measurement/instrument/detector/x_actual_pixel_size",
    "/measurement/instrument/detector/x_pixel_size",
)
AT_ZERO = np.pi / 2
"""Added to our angles [rad]: a view at angle 0 of the format has its source at −y."""
UNIT_ONLY = ("counts", "count", "cts", "adu")


class DxChange(ProjectionsReader):
    """Data Exchange file."""

    format_name: ClassVar[str] = "Data Exchange (HDF5)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_hdf5(file.head) and has_object(file, GROUP)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        with open_tree(file) as tree:
            return _read(tree, file.path)


def has_object(file: InputFile, where: str) -> bool:
    """Return True if an HDF5 file can be opened and contains an object.

    Parameters
    ----------
    file
        any file
    where
        path of the object; soft and external links do not count
    """
    import h5py

    try:
        with library_file(file) as tree:
            item: Any = tree["/"]
            for part in where.strip("/").split("/"):
                hard = isinstance(item, h5py.Group) and part in item
                # External links would open other files before any check.
                if not hard or not isinstance(item.get(part, getlink=True), h5py.HardLink):
                    return False
                item = item[part]
            return True
    except DAMAGE:
        return False


def _read(tree: Tree, path: Path) -> Projections:
    is_sealed = check_foreign_seal(tree.root, path)
    item = tree.dataset(DATA)
    if item is None:
        raise FileFormatError(f"{path.name}: contains no dataset {DATA}; export the scan again.")
    axis = _view_axis(item, path)
    values = read_images(item, path, view_axis=axis)
    notes: list[str] = []
    flats, darks = (_references(tree, name, path, notes) for name in ("data_white", "data_dark"))
    angles = _angles(tree, len(values), path)
    notes[:0] = angles.notes
    # The last view is dropped if it repeats the first.
    values = values[: len(angles.rad)]
    kind = _kind(tree, item, values, flats is not None, notes, path)
    geometry, known = _geometry(tree, angles, values.shape, path, notes)
    ours = tree.items.get(OURS)
    if ours is not None and not is_sealed:
        notes.append(unsealed(path))
    return assemble(
        path,
        values,
        geometry,
        kind,
        flats=flats,
        darks=darks,
        bad_pixels=_bad_pixels(tree),
        pixel_mm_known=known,
        calibrated=ours is not None and attribute(ours, "calibrated") == "True",
        whole_numbers=item.dtype.kind in "iu",
        info={**_info(tree), "format": DxChange.name},
        notes=notes,
    )


def _view_axis(item: h5py.Dataset, path: Path) -> int:
    axes = attribute(item, "axes").split(":")
    if item.ndim != 3:
        raise FileFormatError(
            f"{path.name}: {item.name} has {item.ndim} axes, expected three (angle, row, column); "
            "export the scan again."
        )
    # Without the attribute, the specification has the angle first.
    if len(axes) != 3:
        return 0
    if axes[0].startswith("theta"):
        return 0
    if axes[1].startswith("theta"):
        return 1
    raise FileFormatError(
        f"{path.name}: {item.name} has the axes {':'.join(axes)!r}, expected theta:y:x or "
        "y:theta:x; correct the attribute `axes` in a copy of the file."
    )


def _references(tree: Tree, name: str, path: Path, notes: list[str]) -> Images | None:
    """Return flats or darks, also an average with two axes; None if there are none."""
    item = tree.dataset(f"{GROUP}/{name}")
    if item is None or not item.size:
        return None
    # References are optional, so unusable ones are only noted.
    if item.dtype.kind not in "iuf" or item.ndim not in (2, 3):
        notes.append(
            f"{path.name}: {item.name} is {item.dtype} of {item.ndim} axes and is ignored; images "
            "have two or three axes of numbers."
        )
        return None
    if item.ndim == 2:
        return np.asarray(item[()], np.float32)[None]
    return read_images(item, path, view_axis=_view_axis(item, path))


def _angles(tree: Tree, n_views: int, path: Path) -> Angles:
    place = _place_of_angles(tree, n_views)
    where = f"{path.name}: {place}"
    unread = tree.unusable.get(THETA) or tree.missing.get(THETA)
    # Do not assume even steps if the angles exist but cannot be read.
    if place is None and unread:
        raise FileFormatError(f"{unread} The angles of the views are in this dataset.")
    if place is None:
        even = np.arange(n_views) * 180.0 / n_views
        note = (
            f"{path.name}: no angles in the file; {n_views:,} views evenly spaced over 180° are "
            f"assumed, as the format defines. If that is wrong, run `isocenter import {path.name} "
            "--angles FILE`."
        )
        return Angles(np.deg2rad(even), n_views, (note,))
    values = tree.numbers(place)
    if values is None:
        raise FileFormatError(
            f"{where}: contains no numbers, expected the angles of {n_views:,} views; correct the "
            f"dataset, or run `isocenter import {path.name} --angles FILE`."
        )
    refuse_count(path, n_views, len(values))
    unit = unit_named(attribute(tree.items[place], "units", "deg"), where)
    return read_angles(values, unit or "deg", where, remedy=ATTRIBUTE)


def _place_of_angles(tree: Tree, n_views: int) -> str | None:
    """Return the path of the angles: theta, or the only other list with such a name."""
    if THETA in tree.items:
        return THETA
    others = [
        place
        for place, item in tree.items.items()
        if is_named_angle(posixpath.basename(place)) and getattr(item, "size", 0) == n_views
    ]
    return others[0] if len(others) == 1 else None


def _kind(
    tree: Tree,
    item: h5py.Dataset,
    values: NDArray[np.float32],
    has_flats: bool,
    notes: list[str],
    path: Path,
) -> Kind:
    ours = tree.items.get(OURS)
    stated = attribute(ours, "kind") if ours is not None else ""
    # Our files state the kind, because the format only has units.
    for kind in KINDS:
        if stated == kind:
            return kind
    # Integers are always counts; floating-point values can also be transmissions or integrals.
    units = attribute(item, "units").lower()
    if has_flats or units in UNIT_ONLY or item.dtype.kind in "iu":
        if not has_flats:
            notes.append(f"{path.name}: counts without flat images, so the open beam is unknown.")
        return "counts"
    return guess_kind(path, values, notes)


def _geometry(
    tree: Tree, angles: Angles, shape: tuple[int, ...], path: Path, notes: list[str]
) -> tuple[XrayGeometry, bool]:
    n, rows, columns = shape
    ours = tree.items.get(OURS)
    if ours is not None and all(tree.dataset(f"{OURS}/{name}") is not None for name in VECTORS):
        vectors = [tree.numbers(f"{OURS}/{name}") for name in VECTORS]
        # Our programs write this group, so a mismatch is damage and not another convention.
        if any(a is None or a.size < 3 * n or not np.isfinite(a).all() for a in vectors):
            raise FileFormatError(
                f"{path.name}: {OURS} does not contain three numbers per view ({n:,} views); write "
                "the file again."
            )
        source, detector, u, v = (np.reshape(a, (-1, 3))[:n] for a in vectors if a is not None)
        stated = attribute(ours, "beam")
        beam: Beam = "parallel" if stated == "parallel" else "cone"
        known = attribute(ours, "pixel_mm_known", "True") != "False"
        return XrayGeometry(beam, source, detector, u, v, (rows, columns)), known
    pixel = _pixel_mm(tree)
    side = pixel or 1.0
    return turned_parallel(angles.rad, pixel_mm=(side, side), shape=(rows, columns)), bool(pixel)


def _pixel_mm(tree: Tree) -> float | None:
    from engine.io.text.lengths import MM_OF  # scans of our own state vectors

    for where in PIXEL_PLACES:
        item, number = tree.dataset(where), tree.optional_number(where)
        if item is None or number is None:
            continue
        scale = MM_OF.get(attribute(item, "units", "m").strip().lower())
        # Some beamlines write 0 or the size in another unit; implausible sizes are ignored.
        if scale and 1e-6 < number * scale < 10:
            return number * scale
    return None


def _bad_pixels(tree: Tree) -> NDArray[np.bool_] | None:
    item = tree.dataset(f"{OURS}/bad_pixels")
    return None if item is None else np.asarray(item[()], bool)


def _info(tree: Tree) -> Plain:
    text = tree.text(f"{OURS}/info")
    if text is None:
        return {}
    try:
        return from_json(text)
    except ValueError as e:
        raise FileFormatError(
            f"{tree.path.name}: {OURS}/info is not valid JSON; write the file again. Reason: {e}."
        ) from e


def write_projections(data: Projections, path: Path | str) -> None:
    """Write projections with their geometry as a Data Exchange file, completely or not at all.

    Parameters
    ----------
    data
        projections of any kind
    path
        HDF5 file
    """
    path = Path(path)
    from engine.io.hdf5.piecewise import stored_as

    columns = {DATA: stored_as(data.values, "<f4")}
    for name, images in (("data_white", data.flats), ("data_dark", data.darks)):
        if images is not None:
            columns[f"/exchange/{name}"] = stored_as(images, "<f4")
    write_hdf5(path, lambda file: _fill(file, data, columns), columns)


def _fill(file: h5py.File, data: Projections, columns: Mapping[str, Array | Piecewise]) -> None:
    file.create_dataset("implements", data=np.bytes_("exchange"), track_times=False)
    for name, values in columns.items():
        item = reserve(file, name, values)
        item.attrs["axes"] = np.bytes_("theta:y:x")
        if data.kind == "counts":
            item.attrs["units"] = np.bytes_("counts")
    g = data.geometry
    turned = np.unwrap(g.angles_rad + AT_ZERO)
    # Start in the first turn: other programs expect angles from 0.
    turned -= 2 * np.pi * np.floor(turned[0] / (2 * np.pi) + 1e-9)
    theta = store(file, "exchange/theta", np.rad2deg(turned))
    theta.attrs["units"] = np.bytes_("deg")
    ours = file.create_group(OURS)
    ours.attrs["kind"] = np.bytes_(data.kind)
    ours.attrs["beam"] = np.bytes_(g.beam)
    ours.attrs["pixel_mm_known"] = data.pixel_mm_known
    ours.attrs["calibrated"] = data.calibrated
    for name in VECTORS:
        store(ours, name, np.asarray(getattr(g, name), "<f8"))
    if data.bad_pixels is not None:
        store(ours, "bad_pixels", data.bad_pixels.astype(np.uint8))
    ours.create_dataset("info", data=as_json(data.info), track_times=False)
    seal_foreign(file)
