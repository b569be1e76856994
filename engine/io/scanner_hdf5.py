"""A scanner inside an HDF5 file: rings and panels as TOML text, a crystal map as arrays."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import FileFormatError, GeometryError
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.dual_head import DualHead
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import Scanner
from engine.geometry.tof import TofBins
from engine.io.hdf5 import MAX_TEXT, column, dataset, text_of
from engine.io.scanner_toml import scanner_of, scanner_settings
from engine.settings import to_toml

if TYPE_CHECKING:
    import h5py

TEXTS = ("scanner/ring_toml", "scanner/dual_head_toml")


def store_scanner(file: h5py.File, scanner: Scanner) -> None:
    """Write the group `scanner`."""
    group = file.create_group("scanner")
    if isinstance(scanner, RingScanner | DualHead):
        name = "ring_toml" if isinstance(scanner, RingScanner) else "dual_head_toml"
        text = to_toml(scanner.settings).encode()
        item = group.create_dataset(name, data=np.bytes_(text))
        item.attrs["sha256"] = np.bytes_(sha256(text).hexdigest())
        return
    if not isinstance(scanner, CrystalMap):
        raise GeometryError(f"scanner {scanner.name!r} is of a kind that cannot be stored.")
    group.create_dataset("keys", data=scanner.keys.astype("<i4"))
    group.create_dataset("positions_mm", data=scanner.positions_mm.astype("<f8"))
    group.attrs["name"] = np.bytes_(scanner.name.encode())
    group.attrs["fov_radius_mm"] = scanner.fov_radius_mm
    group.attrs["voxel_mm"] = np.array(scanner.default_voxel_mm)
    group.attrs["fov_mm"] = np.array(scanner.default_fov_mm)
    if scanner.tof is not None:
        tof = scanner.tof
        group.attrs["tof"] = np.array([tof.fwhm_ps, tof.bin_ps, tof.n_bins])


def read_stored_scanner(file: h5py.File, path: Path) -> Scanner:
    """Read the group `scanner`."""
    for name in TEXTS:
        if name in file:
            return _of_text(file, name, path)
    keys = np.array(column(dataset(file, "scanner/keys", path), "<i4", path))
    points = np.array(column(dataset(file, "scanner/positions_mm", path), "<f8", path))
    if keys.ndim != 2 or keys.shape[1] != 3 or points.shape != keys.shape:
        raise FileFormatError(
            f"{path.name}: scanner keys {keys.shape} and positions {points.shape}, want (n, 3)."
        )
    if not np.isfinite(points).all():
        raise FileFormatError(f"{path.name}: the scanner has positions that are not numbers.")
    attrs = file["scanner"].attrs
    tof = attrs.get("tof")
    voxel = tuple(float(v) for v in attrs["voxel_mm"])
    fov = tuple(float(v) for v in attrs["fov_mm"])
    return CrystalMap(
        text_of(attrs["name"]),
        keys,
        points,
        fov_radius_mm=float(attrs["fov_radius_mm"]),
        voxel_mm=voxel,  # type: ignore[arg-type]
        fov_mm=fov,  # type: ignore[arg-type]
        tof=None if tof is None else TofBins(float(tof[0]), float(tof[1]), int(tof[2])),
    )


def _of_text(file: h5py.File, name: str, path: Path) -> Scanner:
    item = dataset(file, name, path)
    if item.shape != () or item.nbytes > MAX_TEXT:
        raise FileFormatError(f"{path.name}: {name} is not a text.")
    text = bytes(item[()])
    written = text_of(item.attrs.get("sha256", b""))
    if written and written != sha256(text).hexdigest():
        raise FileFormatError(
            f"{path.name}: {name} has changed since it was written (its checksum differs); copy "
            "the file again."
        )
    try:
        values = tomllib.loads(text_of(text))
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        raise FileFormatError(f"{path.name}: {name} is not TOML ({e}).") from e
    return scanner_of(scanner_settings(values, where=f"{path.name}, scanner"))
