"""Store a scanner in an HDF5 file: rings and panels as TOML text, a crystal map as arrays."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, GeometryError
from engine.core.settings import to_toml
from engine.geometry.dual_head import DualHead
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import Scanner
from engine.geometry.tof import TofBins
from engine.io.hdf5.opening import MAX_TEXT, column, dataset, text_of
from engine.io.safety.ranges import in_range
from engine.io.scanners.toml_scanner import scanner_of, scanner_settings

if TYPE_CHECKING:
    import h5py

TEXTS = ("scanner/ring_toml", "scanner/dual_head_toml")
FARTHEST_MM, LENGTHS_MM = 5000.0, (1e-3, 5000.0)
"""Largest distance of a crystal from the centre, and limits for voxel edges and fields of view."""
TOF_PS, TOF_BINS = (0.1, 1e6), (1, 32_767)
"""Limits of timing resolution and bin width, and of the number of bins."""


def store_scanner(file: h5py.File, scanner: Scanner) -> None:
    """Write the group `scanner`.

    Parameters
    ----------
    file
        open for writing
    scanner
        ring, dual-head scanner or crystal map

    Raises
    ------
    GeometryError
        if this kind of scanner cannot be stored
    """
    group = file.create_group("scanner")
    if isinstance(scanner, RingScanner | DualHead):
        name = "ring_toml" if isinstance(scanner, RingScanner) else "dual_head_toml"
        # The same text as a scanner file, so users can copy it out of the HDF5 file.
        text = to_toml(scanner.settings).encode()
        # A checksum of its own: older files have no seal over the whole file.
        item = group.create_dataset(name, data=np.bytes_(text))
        item.attrs["sha256"] = np.bytes_(sha256(text).hexdigest())
        return
    from engine.geometry.crystal_map import CrystalMap  # most scanners are rings or panels

    if not isinstance(scanner, CrystalMap):
        raise GeometryError(
            f"{scanner.name!r}: this scanner cannot be saved; choose a ring scanner, a dual-head "
            "scanner or a crystal map."
        )
    group.create_dataset("keys", data=scanner.keys.astype("<i4"))
    group.create_dataset("positions_mm", data=scanner.positions_mm.astype("<f8"))
    if scanner.coincident is not None:
        group.create_dataset("coincident", data=scanner.coincident.astype("|u1"))
    group.attrs["name"] = np.bytes_(scanner.name.encode())
    group.attrs["fov_radius_mm"] = scanner.fov_radius_mm
    group.attrs["voxel_mm"] = np.array(scanner.default_voxel_mm)
    group.attrs["fov_mm"] = np.array(scanner.default_fov_mm)
    if scanner.tof is not None:
        tof = scanner.tof
        group.attrs["tof"] = np.array([tof.fwhm_ps, tof.bin_ps, tof.n_bins])


def read_stored_scanner(file: h5py.File, path: Path) -> Scanner:
    """Read the group `scanner`.

    Parameters
    ----------
    file
        open for reading
    path
        file, for messages

    Raises
    ------
    EngineError
        if it is missing, was changed, or describes an impossible scanner
    """
    for name in TEXTS:
        if name in file:
            return _of_text(file, name, path)
    from engine.geometry.crystal_map import CrystalMap

    keys = np.array(column(dataset(file, "scanner/keys", path), "<i4", path))
    points = np.array(column(dataset(file, "scanner/positions_mm", path), "<f8", path))
    if keys.ndim != 2 or keys.shape[1] != 3 or points.shape != keys.shape:
        raise FileFormatError(
            f"{path.name}: the crystal keys and positions have the shapes {keys.shape} and "
            f"{points.shape}, expected (n, 3) for both; write the file again."
        )
    _refuse_impossible_crystals(keys, points, path)
    # `h5py` raises KeyError for a missing attribute, which `open_hdf5` reports as damage.
    attrs = file["scanner"].attrs
    tof = attrs.get("tof")
    radius = in_range(path, "fov_radius_mm", attrs["fov_radius_mm"], LENGTHS_MM)
    return CrystalMap(
        text_of(attrs["name"]),
        keys,
        points,
        fov_radius_mm=radius,
        voxel_mm=_lengths(path, "voxel_mm", attrs["voxel_mm"], 3),  # type: ignore[arg-type]
        fov_mm=_lengths(path, "fov_mm", attrs["fov_mm"], 2),  # type: ignore[arg-type]
        tof=None if tof is None else _tof(path, tof),
        coincident=_coincident(file, path),
    )


def _coincident(file: h5py.File, path: Path) -> NDArray[np.bool_] | None:
    name = "scanner/coincident"
    if name not in file:
        return None
    # HDF5 has no boolean type. h5py's own is an enumeration that other programs do not write.
    rule = np.array(column(dataset(file, name, path), "|u1", path)) != 0
    # A coincidence has no order, so neither has the rule.
    if rule.ndim != 2 or rule.shape != rule.T.shape or (rule != rule.T).any():
        raise FileFormatError(
            f"{path.name}: the dataset {name!r} is not a symmetric matrix (its shape is "
            f"{rule.shape}); write the file again."
        )
    return rule


def _refuse_impossible_crystals(keys: Array, points: Array, path: Path) -> None:
    from engine.io.scanners.crystal_map import MAX_KEY

    if not (np.abs(points) <= FARTHEST_MM).all():  # also refuses NaN
        raise FileFormatError(
            f"{path.name}: the crystal positions reach {np.abs(points).max():,.0f} mm, expected at "
            f"most {FARTHEST_MM:,.0f} mm; write the file again."
        )
    if (keys < 0).any() or (keys > np.array(MAX_KEY)).any():
        raise FileFormatError(
            f"{path.name}: the crystal keys range from {keys.min(axis=0).tolist()} to "
            f"{keys.max(axis=0).tolist()}, expected [0, 0, 0] to {list(MAX_KEY)}; write the file "
            "again."
        )
    # Events name crystals by their keys, so these must be unique.
    if len(np.unique(keys, axis=0)) < len(keys):
        raise FileFormatError(
            f"{path.name}: two crystals have the same key, expected a unique key for each; write "
            "the file again."
        )


def _lengths(path: Path, name: str, values: Array, n: int) -> tuple[float, ...]:
    numbers = np.asarray(values, np.float64).reshape(-1)
    if len(numbers) != n:
        raise FileFormatError(
            f"{path.name}: the number of values of {name!r} is {len(numbers)}, expected {n}; write "
            "the file again."
        )
    return tuple(in_range(path, name, number, LENGTHS_MM) for number in numbers)


def _tof(path: Path, values: Array) -> TofBins:
    fwhm, width, n_bins = np.asarray(values, np.float64).reshape(-1)
    return TofBins(
        in_range(path, "tof", fwhm, TOF_PS),
        in_range(path, "tof", width, TOF_PS),
        int(in_range(path, "tof", n_bins, TOF_BINS)),
    )


def _of_text(file: h5py.File, name: str, path: Path) -> Scanner:
    item = dataset(file, name, path)
    if item.shape != () or item.nbytes > MAX_TEXT:
        raise FileFormatError(
            f"{path.name}: the dataset {name!r} is not text; write the file again."
        )
    text = bytes(item[()])
    # Files of other programs may lack the checksum.
    written = text_of(item.attrs.get("sha256", b""))
    if written and written != sha256(text).hexdigest():
        raise FileFormatError(
            f"{path.name}: the dataset {name!r} has changed since it was written (its checksum "
            "differs); copy the file again."
        )
    try:
        # RecursionError: nested brackets in a forged text exhaust the stack of the parser.
        values = tomllib.loads(text_of(text))
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        raise FileFormatError(
            f"{path.name}: the dataset {name!r} is not valid TOML ({e}); write the file again."
        ) from e
    return scanner_of(scanner_settings(values, where=f"{path.name}, scanner"))
