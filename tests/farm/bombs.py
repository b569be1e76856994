"""Small files that would take gigabytes of memory or hours to read."""

from __future__ import annotations

import gzip
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import nibabel
import numpy as np
import tifffile

from engine.io import read_efficiencies, read_listmode, read_projections, read_scanner, read_volume
from engine.modalities.dual_head_pet.response.importing import import_response
from engine.modalities.studies import read_protocol
from tests.engine.geometry.panels import panels
from tests.engine.io.listmode import test_safir
from tests.engine.io.xray import xray_files
from tests.engine.io.xray.test_xray_sidecar import write as sidecar
from tests.farm.scanners import small_ring

MIB = 2**20
PIECE = bytes(16 * MIB)


def deflated(n_bytes: int) -> bytes:
    """Return a deflate stream of many zeros without compressing them."""
    packer = zlib.compressobj(9)
    head = packer.compress(PIECE) + packer.flush(zlib.Z_FULL_FLUSH)
    more = packer.compress(PIECE) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.flush(zlib.Z_FINISH)[:-4] + struct.pack(">HH", n_bytes % 65_521, 1)
    return head + more * (n_bytes // len(PIECE) - 1) + end


def _packed_dataset(path: Path, name: str, shape: tuple[int, ...], chunk: tuple[int, ...]) -> None:
    with h5py.File(path, "a") as file:
        item = file.create_dataset(name, shape, "<f4", chunks=chunk, compression="gzip")
        n_bytes = 4 * int(np.prod(chunk))
        data = deflated(n_bytes) if n_bytes > len(PIECE) else zlib.compress(bytes(n_bytes), 9)
        for first in range(0, shape[0], chunk[0]):
            item.id.write_direct_chunk((first, *[0] * (len(shape) - 1)), data)


def volume(folder: Path) -> object:
    """Write a volume of 2 GiB in 2 MB."""
    path = folder / "volume.h5"
    _packed_dataset(path, "volume/values", (512, 1024, 1024), (1, 1024, 1024))
    with h5py.File(path, "r+") as file:
        file.attrs["format"], file.attrs["version"] = np.bytes_("isocenter-volume"), 1
        file["volume/values"].attrs["units"] = np.bytes_("1/mm")
        file["volume/voxel_mm"], file["volume/centre_mm"] = np.ones(3), np.zeros(3)
    return read_volume(path)


def efficiencies(folder: Path) -> object:
    """Write two billion efficiencies."""
    _packed_dataset(folder / "e.h5", "crystal_efficiencies", (2**29,), (2**20,))
    return read_efficiencies(folder / "e.h5", small_ring())


def projections(folder: Path) -> object:
    """Write projections of 4 GiB in 4 MB."""
    path = xray_files.dxchange(folder, data=None)
    _packed_dataset(path, "exchange/data", (1024, 1024, 1024), (1, 1024, 1024))
    return read_projections(path)


def one_chunk(folder: Path) -> object:
    """Write a chunk that expands to 1 GiB."""
    path = xray_files.dxchange(folder, theta=None)
    _packed_dataset(path, "exchange/theta", (2**28,), (2**28,))
    return read_projections(path)


def packed_nifti(folder: Path) -> object:
    """Write an image of 2 GiB in 2 MB."""
    header = nibabel.Nifti1Header()
    header.set_data_shape((1024, 1024, 512))
    header.set_data_dtype(np.float32)
    header.set_sform(np.eye(4), 1)
    header["vox_offset"], header["magic"] = 352, b"n+1"
    member = gzip.compress(PIECE, 9)
    path = folder / "a.nii.gz"
    path.write_bytes(gzip.compress(bytes(header.binaryblock) + bytes(4)) + member * 128)
    return read_volume(path)


def packed_tiff(folder: Path) -> object:
    """Write an image of 15 pixels with a strip that expands to 2 GiB."""
    path = sidecar(folder, file="scan.tif", dtype=None, shape=None, flats=None, darks=None)
    tifffile.imwrite(folder / "scan.tif", xray_files.counts()[:1], compression="zlib")
    with tifffile.TiffFile(folder / "scan.tif") as image:
        tags = image.pages[0].tags
        size, place = tags["StripByteCounts"].valueoffset, tags["StripOffsets"].valueoffset
    data = bytearray((folder / "scan.tif").read_bytes())
    bomb = deflated(2 * 2**30)
    data[size : size + 4], data[place : place + 4] = (
        struct.pack("<I", n) for n in (len(bomb), len(data))
    )
    (folder / "scan.tif").write_bytes(bytes(data) + bomb)
    return read_projections(path)


def packed_matlab(folder: Path) -> object:
    """Write a variable that expands to 2 GiB."""
    bomb = deflated(2 * 2**30)
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
    (folder / "a.mat").write_bytes(head + struct.pack("<II", 15, len(bomb)) + bomb)
    return read_projections(folder / "a.mat")


def packed_array(folder: Path) -> object:
    """Write a scan with an array that expands to 384 MiB."""
    packed = zipfile.ZipFile(folder / "scan.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed as archive, archive.open("a.npy", "w", force_zip64=True) as member:
        for _ in range(24):
            member.write(PIECE)
    return read_projections(sidecar(folder, file="scan.npz#a", dtype=None, shape=None))


def packed_variable(folder: Path) -> object:
    """Write a scan with a variable that expands to 2 GiB."""
    bomb = deflated(2 * 2**30)
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
    (folder / "scan.mat").write_bytes(head + struct.pack("<II", 15, len(bomb)) + bomb)
    return read_projections(sidecar(folder, file="scan.mat#a", dtype=None, shape=None))


def packed_matrix(folder: Path) -> object:
    """Write a sparse matrix with a member that expands to 384 MiB."""
    packed = zipfile.ZipFile(folder / "m.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed as archive, archive.open("data.npy", "w", force_zip64=True) as member:
        for _ in range(24):
            member.write(PIECE)
    return import_response(folder / "m.npz", panels())


def page_loop(folder: Path) -> object:
    """Write a TIFF in which the last page points to the first."""
    path = sidecar(folder, file="scan.tif", dtype=None, shape=None, flats=None, darks=None)
    tifffile.imwrite(folder / "scan.tif", xray_files.counts()[0])
    data = bytearray((folder / "scan.tif").read_bytes())
    (first,) = struct.unpack_from("<I", data, 4)
    (n,) = struct.unpack_from("<H", data, first)
    struct.pack_into("<I", data, first + 2 + 12 * n, first)
    (folder / "scan.tif").write_bytes(data)
    return read_projections(path)


def date_names(folder: Path) -> object:
    """Write images with numbers in their names that differ by 10^11."""
    path = xray_files.flexray(folder)
    (folder / "scan_000011.tif").rename(folder / "scan_20261122134500.tif")
    return read_projections(path)


def soft_links(folder: Path) -> object:
    """Write groups that link to each other: the number of paths doubles at every level."""
    path = xray_files.dxchange(folder)
    with h5py.File(path, "r+") as file:
        for k in range(400):
            file[f"g{k}/item"] = k
            for other in range(20):
                file[f"g{k}/l{other}"] = h5py.SoftLink(f"/g{(7 * k + other) % 400}")
    return read_projections(path)


def crystal_keys(folder: Path) -> object:
    """Write a crystal map with large numbers that need a table of 250 million entries."""
    path = test_safir.write(folder, test_safir.RECORDS)
    place = test_safir.write_map(folder / "crystal_map.txt")
    lines = place.read_text().splitlines()
    rows = [line.split("\t") for line in lines[1:]]
    with_layers = [[r, d, "0", *rest] for r, d, *rest in rows]
    with_layers.append(["255", "65535", "15", "60", "0", "100"])
    place.write_text("\n".join("\t".join(row) for row in with_layers) + "\n")
    return read_listmode(path)


def dotted_keys(folder: Path) -> object:
    """Write a protocol with 100,000 dots in a key."""
    (folder / "p.toml").write_text(".".join("a" * 100_000) + " = 1\n")
    return read_protocol(folder / "p.toml")


def many_keys(folder: Path) -> object:
    """Write a scanner with 60,000 keys in nested tables."""
    lines = "".join(f"a.b.c.k{k} = 1\n" for k in range(50_000))
    (folder / "ring.toml").write_text(lines)
    return read_scanner(str(folder / "ring.toml"))


def deep(folder: Path) -> object:
    """Write a protocol nested 100,000 times."""
    (folder / "p.toml").write_text("a = " + "[" * 100_000)
    return read_protocol(folder / "p.toml")


def long_number(folder: Path) -> object:
    """Write a protocol with a number of 5,000 digits."""
    (folder / "p.toml").write_text(f"version = {'9' * 5000}\n")
    return read_protocol(folder / "p.toml")


BOMBS: tuple[Callable[[Path], object], ...] = (
    *(volume, efficiencies, projections, one_chunk, packed_nifti, packed_tiff, packed_matlab),
    *(packed_array, packed_variable),
    *(packed_matrix, page_loop, date_names, soft_links, crystal_keys, dotted_keys, many_keys),
    *(deep, long_number),
)
