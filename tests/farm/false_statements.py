"""Files with impossible statements, which would be read wrongly or raise a traceback."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import tifffile

from engine.io import read_listmode, read_projections, read_volume
from engine.io.hdf5.file_seal import SEAL
from tests.engine.io.listmode import test_adac
from tests.engine.io.xray import xray_files
from tests.engine.io.xray.test_xray_rtk import COMMON
from tests.engine.io.xray.test_xray_rtk import write as rtk
from tests.engine.io.xray.test_xray_sidecar import write as sidecar
from tests.farm.formats import KINDS

HUGE, TINY = "1e308", "1e-308"


@dataclass(frozen=True)
class FalseStatement:
    """One file with a false statement."""

    name: str
    act: Callable[[Path], object]


def _settings(write: Callable[..., Path], key: str, value: Any) -> FalseStatement:
    def act(folder: Path) -> object:
        return read_projections(write(folder, **{key: value}))

    return FalseStatement(f"{write.__name__} {key} = {str(value)[:20]}", act)


def _rtk(key: str, value: float) -> FalseStatement:
    def act(folder: Path) -> object:
        return read_projections(rtk(folder, {**COMMON, "GantryAngle": 0.0, key: value}))

    return FalseStatement(f"rtk {key} = {value:g}", act)


def _sidecar(key: str, value: Any) -> FalseStatement:
    return FalseStatement(
        f"sidecar {key} = {value}", lambda folder: read_projections(sidecar(folder, {key: value}))
    )


def _adac(name: str, text: str) -> FalseStatement:
    return FalseStatement(
        f"adac {name}", lambda folder: read_listmode(test_adac.write(folder, text))
    )


def _nifti(name: str, place: int, data: bytes) -> FalseStatement:
    make = next(kind.make for kind in KINDS if kind.name == "nifti")

    def act(folder: Path) -> object:
        path = make(folder)
        content = bytearray(path.read_bytes())
        content[place : place + len(data)] = data
        path.write_bytes(content)
        return read_volume(path)

    return FalseStatement(f"nifti {name}", act)


def _own(kind: str, name: str, change: Callable[[h5py.File], None]) -> FalseStatement:
    found = next(each for each in KINDS if each.name == f"unsealed-{kind}")

    def act(folder: Path) -> object:
        path = found.make(folder)
        with h5py.File(path, "r+") as file:
            change(file)
            file.attrs.pop(SEAL, None)
        return found.read(path)

    return FalseStatement(f"own {kind} {name}", act)


def _set(where: str, value: Any, file: h5py.File) -> None:
    """Write an attribute (`item@name`) or a dataset."""
    item, at, name = where.partition("@")
    if at:
        file[item].attrs[name] = value
    else:
        del file[item]
        file[item] = value


def _zstd(folder: Path) -> object:
    """Write a TIFF that declares an unsupported compression."""
    path = sidecar(folder, file="scan.tif", dtype=None, shape=None, flats=None, darks=None)
    tifffile.imwrite(folder / "scan.tif", xray_files.counts(), compression="zlib")
    data = bytearray((folder / "scan.tif").read_bytes())
    with tifffile.TiffFile(folder / "scan.tif") as image:
        places = [page.tags["Compression"].valueoffset for page in image.pages]
    for place in places:
        struct.pack_into("<H", data, place, 50_000)
    (folder / "scan.tif").write_bytes(data)
    return read_projections(path)


def _long_name(folder: Path) -> object:
    return read_projections(folder / ("a" * 300 + ".toml"))


EVENTS = test_adac.EVENTS
FALSE_STATEMENTS: tuple[FalseStatement, ...] = (
    *(_settings(xray_files.flexray, key, HUGE) for key in ("start angle", "last angle", "SDD")),
    *(_settings(xray_files.flexray, key, TINY) for key in ("SOD", "voxel size")),
    *(_settings(xray_files.flexray, key, HUGE) for key in ("tra_det", "ver_tube", "voxel size")),
    *(_settings(xray_files.nikon, "WhiteLevel", value) for value in (HUGE, TINY, "0", "-1")),
    *(_settings(xray_files.nikon, "SrcToObject", value) for value in (TINY, "1e-9", "0")),
    *(_settings(xray_files.nikon, "SrcToDetector", value) for value in ("1e18", HUGE)),
    *(_settings(xray_files.nikon, key, HUGE) for key in ("AngularStep", "InitialAngle")),
    *(_settings(xray_files.nikon, "DetectorPixelSizeX", value) for value in ("1e4", TINY)),
    *(_settings(xray_files.nikon, "ObjectOffsetX", value) for value in (HUGE, "1e9")),
    *(_settings(xray_files.nikon, "Projections", value) for value in (HUGE, "9" * 5000, "1e18")),
    *(
        _settings(xray_files.bruker, "Image Pixel Size (um)", value)
        for value in ("0", "-2", HUGE, TINY)
    ),
    *(_settings(xray_files.bruker, "CameraXYRatio", value) for value in ("0", "-1", HUGE)),
    *(_settings(xray_files.bruker, "Optical Axis (line)", value) for value in (HUGE, "-1e12")),
    *(_settings(xray_files.bruker, "Rotation Step (deg)", value) for value in (HUGE, "1e200")),
    *(_settings(xray_files.bruker, "Number of Rows", value) for value in (HUGE, "1e18")),
    *(_settings(rtk, "ElementSpacing", value) for value in ("-2 3 1", "2 0 1", "1e300 3 1")),
    *(_settings(rtk, "DimSize", value) for value in ("5.5 3 12", "5 3 1e18", "99999999999 9 9")),
    *(_settings(rtk, "CompressedData", value) for value in ("maybe", "1", "yes")),
    *(_settings(rtk, "BinaryDataByteOrderMSB", value) for value in ("perhaps",)),
    *(_settings(rtk, "Offset", value) for value in ("1e300 0 0", "nan 0 0")),
    *(_rtk(key, 1e308) for key in ("SourceOffsetX", "ProjectionOffsetY")),
    _settings(rtk, "views", [{"GantryAngle": 1e308}] * 12),
    *(_rtk(key, 1e308) for key in COMMON),
    *(_rtk(key, 1e-308) for key in COMMON),
    *(_sidecar("pixel_mm", value) for value in ([1e300, 1.0], [1e-300, 1.0], [0.0, 1.0])),
    *(_sidecar("detector_shift_mm", value) for value in ([1e300, 0.0], [0.0, 1e9])),
    _sidecar("rise_mm_per_turn", 1e300),
    _sidecar("axis_column", 1e300),
    _adac("backwards", test_adac.HEADER + "5 303 297 309 297\n1 303 297 309 297\n"),
    _adac("far", test_adac.HEADER.replace("712", "1e9") + EVENTS),
    _adac("farther", test_adac.HEADER.replace("712", "99999") + EVENTS),
    _adac("near", test_adac.HEADER.replace("712", "0.0001") + EVENTS),
    _adac("digits", test_adac.HEADER + EVENTS + "\u0663 303 297 309 297\n" + EVENTS),
    _adac("dots", test_adac.HEADER.replace("712", "7.1.2") + EVENTS),
    _nifti("values in the header", 108, struct.pack("<f", 0)),
    _nifti("values at infinity", 108, struct.pack("<f", float("inf"))),
    _nifti("values at no number", 108, struct.pack("<f", float("nan"))),
    _nifti("no edge", 280, struct.pack("<f", 0)),
    _nifti("infinite edge", 280, struct.pack("<f", float("inf"))),
    _nifti("huge edge", 280, struct.pack("<f", 1e30)),
    _nifti("negative sizes", 42, struct.pack("<h", -5)),
    _nifti("other byte order", 40, struct.pack(">h", 3)),
    _nifti("type of objects", 70, struct.pack("<h", 4096)),
    _nifti("infinite slope", 112, struct.pack("<ff", float("inf"), 0)),
    _nifti("infinite offset", 112, struct.pack("<ff", 1, float("inf"))),
    _own("volume", "scalar voxel", partial(_set, "volume/voxel_mm", 1.0)),
    _own("volume", "negative voxel", partial(_set, "volume/voxel_mm", [-1.0, 1.0, 1.0])),
    _own("volume", "no number", partial(_set, "volume/voxel_mm", [float("nan"), 1.0, 1.0])),
    _own("volume", "far", partial(_set, "volume/centre_mm", [1e300, 1.0, 1.0])),
    _own("volume", "texts", partial(_set, "volume/voxel_mm", [b"a", b"b", b"c"])),
    _own("list-mode", "infinite events", partial(_set, "/@n_events", float("inf"))),
    _own("list-mode", "text of events", partial(_set, "/@n_events", "many")),
    _own("list-mode", "duration", partial(_set, "/@duration_s", float("nan"))),
    _own("list-mode", "negative duration", partial(_set, "/@duration_s", -1.0)),
    _own("histogram", "duration", partial(_set, "/@duration_s", float("inf"))),
    _own("histogram", "texts", partial(_set, "/@duration_s", "long")),
    FalseStatement("a TIFF of zstd", _zstd),
    FalseStatement("a name of 300 letters", _long_name),
)
