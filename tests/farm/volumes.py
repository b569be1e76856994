"""Tiny valid volumes and scans of other programs, and variants that expand to gigabytes."""

from __future__ import annotations

import json
import shutil
import struct
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import h5py
import mrcfile
import nibabel
import nrrd
import numpy as np
import scipy.io
import tifffile

from engine.data.timing.time_frames import FrameVolume, Gate, TimeFrame
from engine.io import read_projections, read_volume, save, save_frames
from engine.io.auxiliary.provenance_file import sidecar_path
from engine.io.tiff.volume import ome_tiff_bytes
from tests.engine.io.dicom.dicom_files import change, write_series
from tests.engine.io.siemens import ecat_files
from tests.engine.io.volumes import test_volumes_of_others as others
from tests.engine.io.volumes.matlab_files import write_matlab_73
from tests.engine.io.xray import test_xray_zeiss
from tests.engine.io.xray.compound_files import write_compound
from tests.engine.io.xray.ctsimu_files import ctsimu_in_one_folder, scenario
from tests.engine.io.xray.elekta_files import elekta, elekta_frame
from tests.engine.io.xray.esrf_files import edf_bytes, esrf, esrf_image
from tests.engine.io.xray.obi_files import obi_in_one_folder
from tests.engine.io.xray.varian_files import varian
from tests.farm import bombs

SAMPLES = Path(nibabel.__file__).parent / "tests" / "data"
PLACED = {"space": "left-posterior-superior", "space directions": np.eye(3)}
PLACED["space origin"] = np.zeros(3)


def packed_nrrd(folder: Path, encoding: str) -> Path:
    nrrd.write(str(folder / "a.nrrd"), others.patient().values, {**PLACED, "encoding": encoding})
    return folder / "a.nrrd"


def meta(folder: Path, *, whole: bool) -> Path:
    if whole:
        save(others.patient(), folder / "a.mha")
        (folder / "a.mha.provenance.json").unlink()
        return folder / "a.mha"
    return others.by_the_specification_of_metaimage(
        folder / "a", *others.turned((0, 1, 2), (1, 1, 1))
    )


def interfile(folder: Path) -> Path:
    save(others.patient(), folder / "a.hv")
    (folder / "a.hv.provenance.json").unlink()
    return folder / "a.hv"


def ome(folder: Path) -> Path:
    (folder / "a.ome.tif").write_bytes(ome_tiff_bytes(others.patient()))
    return folder / "a.ome.tif"


def imagej(folder: Path) -> Path:
    stack = np.arange(60, dtype=np.uint16).reshape(3, 4, 5)
    metadata = {"spacing": 3.0, "unit": "mm", "axes": "ZYX"}
    tifffile.imwrite(folder / "a.tif", stack, imagej=True, resolution=(2, 2), metadata=metadata)
    return folder / "a.tif"


def frames(folder: Path) -> Path:
    volume = others.patient()
    parts = [FrameVolume(TimeFrame(k, k + 2), volume) for k in (0, 2)]
    save_frames(volume, parts, folder / "frames.h5", {})
    return folder / "frames.h5"


def ome_zarr(folder: Path) -> Path:
    """Write the folder's metadata and values, without a provenance file."""
    path = folder / "a.ome.zarr"
    save(others.patient(), path)
    sidecar_path(path).unlink()
    return path / "zarr.json"


def nifti_frames(folder: Path) -> Path:
    values = np.arange(120, dtype=np.float32).reshape(3, 4, 5, 2)
    nibabel.save(nibabel.Nifti1Image(values, np.eye(4)), folder / "frames.nii")
    return folder / "frames.nii"


def detached_nrrd(folder: Path) -> Path:
    return others.by_pynrrd_detached(folder / "a", *others.turned((0, 1, 2), (1, 1, 1)))


def gates(folder: Path) -> Path:
    volume = others.patient()
    parts = [FrameVolume(TimeFrame(k, k + 20, Gate(k, 2, 5)), volume) for k in (1, 2)]
    save_frames(volume, parts, folder / "gates.h5", {})
    return folder / "gates.h5"


def mrc(folder: Path) -> Path:
    with mrcfile.new(folder / "a.mrc") as file:
        file.set_data(others.patient().values)
        file.voxel_size = 1e4
    return folder / "a.mrc"


def nifti_pair(folder: Path) -> Path:
    return others.by_nibabel_in_two_files(folder / "a", *others.turned((0, 1, 2), (1, 1, 1)))


def analyze(folder: Path) -> Path:
    image = nibabel.AnalyzeImage(np.arange(60, dtype=np.int16).reshape(3, 4, 5), np.eye(4))
    nibabel.save(image, folder / "a.img")
    return folder / "a.hdr"


def ecat7(folder: Path) -> Path:
    frames = [np.full((3, 4, 5), k, np.int16) for k in range(2)]
    return ecat_files.write(folder / "a.v", frames, [0, 1000])


def minc(folder: Path, name: str) -> Path:
    return Path(shutil.copyfile(SAMPLES / name, folder / name))


def zeiss(folder: Path) -> Path:
    streams = test_xray_zeiss.streams()
    images = {name: data for name, data in streams.items() if "/Image" in name}
    assert len(images) == test_xray_zeiss.N + 1 + 3  # views, reference and three facts
    return write_compound(folder / "a.txrm", streams)


SIZES = {"voxel_mm": [1.5, 2.0, 2.5], "order": "z y -x", "unit": "1/mm"}


def array(folder: Path, ending: str) -> Path:
    """Write an array with its sizes in a sidecar (.npy) or in the file."""
    values, path = others.patient().values, folder / f"a{ending}"
    if ending == ".npy":
        np.save(path, values)
        path.with_suffix(".json").write_text(json.dumps(SIZES))
    elif ending == "73.mat":
        write_matlab_73(path, {"mu": values, **SIZES})
    elif ending == ".npz":
        np.savez_compressed(path, mu=values, **SIZES)
    else:
        scipy.io.savemat(path, {"mu": values, **SIZES}, do_compression=True)
    return path


VOLUMES = (
    *(
        (f"array-{ending.strip('.').replace('.', '-')}", partial(array, ending=ending))
        for ending in (".npy", ".npz", ".mat", "73.mat")
    ),
    *(
        (f"nrrd-{encoding}", partial(packed_nrrd, encoding=encoding))
        for encoding in ("raw", "gzip")
    ),
    ("nrrd-bzip2", partial(packed_nrrd, encoding="bzip2")),
    ("nrrd-detached", detached_nrrd),
    ("nifti-frames", nifti_frames),
    ("ome-zarr", ome_zarr),
    ("mha", partial(meta, whole=True)),
    ("mhd", partial(meta, whole=False)),
    ("interfile-image", interfile),
    ("ome-tiff", ome),
    ("imagej", imagej),
    ("mrc", mrc),
    ("nifti-pair", nifti_pair),
    ("analyze", analyze),
    ("ecat7", ecat7),
    *(
        (f"minc{version}", partial(minc, name=name))
        for version, name in ((1, "tiny.mnc"), (2, "minc2_1_scale.mnc"))
    ),
)
"""Name and maker of each kind of volume."""


def huge_nrrd(folder: Path) -> object:
    """Write 2 GiB of values in 2 MB."""
    path = packed_nrrd(folder, "raw")
    head = path.read_bytes().partition(b"\n\n")[0]
    head = head.replace(b"encoding: raw", b"encoding: gzip")
    sizes = next(line for line in head.splitlines() if line.startswith(b"sizes"))
    head = head.replace(sizes, b"sizes: 1024 1024 512")
    path.write_bytes(head + b"\n\n" + bombs.deflated(2 * 2**30))
    return read_volume(path)


def huge_mhd(folder: Path) -> object:
    """Write a header, and 2 GiB of values in 2 MB."""
    path = meta(folder, whole=False)
    lines = path.read_text().splitlines()
    lines = ["DimSize = 1024 1024 1024" if line.startswith("DimSize") else line for line in lines]
    path.write_text("\n".join(lines) + "\n")
    path.with_suffix(".zraw").write_bytes(bombs.deflated(2 * 2**30))
    return read_volume(path)


def huge_tiff(folder: Path) -> object:
    """Write a stack of 60 numbers with a strip that expands to 2 GiB."""
    path = folder / "a.ome.tif"
    stack = np.arange(60, dtype=np.uint16).reshape(3, 4, 5)
    metadata = {"axes": "ZYX", "PhysicalSizeX": 1, "PhysicalSizeY": 1, "PhysicalSizeZ": 1}
    tifffile.imwrite(path, stack, ome=True, compression="zlib", metadata=metadata)
    with tifffile.TiffFile(path) as image:
        tags = image.pages[0].tags
        size, place = tags["StripByteCounts"].valueoffset, tags["StripOffsets"].valueoffset
    data, bomb = bytearray(path.read_bytes()), bombs.deflated(2 * 2**30)
    data[size : size + 4] = struct.pack("<I", len(bomb))
    data[place : place + 4] = struct.pack("<I", len(data))
    path.write_bytes(bytes(data) + bomb)
    return read_volume(path)


def laughing_ome(folder: Path) -> object:
    """Write XML entities nested nine times, ten in each level, in the text of the first page."""
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    text = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><OME>&l9;</OME>'
    tifffile.imwrite(folder / "a.ome.tif", np.zeros((4, 5)), description=text, metadata=None)
    return read_volume(folder / "a.ome.tif")


def huge_minc(folder: Path) -> object:
    """Write an image of 2 GiB in 2 MB."""
    path = minc(folder, "minc2_1_scale.mnc")
    name = "minc-2.0/image/0/image"
    with h5py.File(path, "r+") as file:
        attributes = dict(file[name].attrs)
        del file[name]
    bombs._packed_dataset(path, name, (512, 1024, 1024), (1, 1024, 1024))
    with h5py.File(path, "r+") as file:
        for key, value in attributes.items():
            file[name].attrs[key] = value
    return read_volume(path)


def huge_npz(folder: Path) -> object:
    """Write an array with a member that expands to 384 MiB."""
    path = array(folder, ".npz")
    packed = zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed as archive, archive.open("big.npy", "w", force_zip64=True) as member:
        for _ in range(24):
            member.write(bombs.PIECE)
    return read_volume(path)


def huge_mat(folder: Path) -> object:
    """Write a variable that expands to 2 GiB, and others with the size of a voxel."""
    path, bomb = array(folder, ".mat"), bombs.deflated(2 * 2**30)
    path.write_bytes(path.read_bytes() + struct.pack("<II", 15, len(bomb)) + bomb)
    return read_volume(path)


def huge_mat_73(folder: Path) -> object:
    """Write a variable of 2 GiB in 2 MB."""
    path = array(folder, "73.mat")
    with h5py.File(path, "r+") as file:
        del file["mu"]
    bombs._packed_dataset(path, "mu", (512, 1024, 1024), (1, 1024, 1024))
    return read_volume(path)


def huge_zeiss(folder: Path) -> object:
    """Declare a million views in a file with forty."""
    streams = test_xray_zeiss.streams()
    many = 10**6
    streams["ImageInfo/ImagesTaken"] = np.int32(many).tobytes()
    streams["ImageInfo/Angles"] = np.linspace(0, 360, many, dtype="<f4").tobytes()
    return read_projections(write_compound(folder / "a.txrm", streams))


def varian_in_one_folder(folder: Path, *, settings: bool) -> Path:
    """Write three images of a scan in one folder, with or without its settings."""
    whole = varian(folder / "whole").parent
    for k in (1, 2, 3):
        name = f"Proj_{k:05}.xim"
        shutil.move(whole / "Acquisitions" / "17" / name, folder / name)
    if settings:
        shutil.move(whole / "Scan.xml", folder / "Scan.xml")
    shutil.rmtree(whole)
    return folder / ("Scan.xml" if settings else "Proj_00002.xim")


def huge_xim(folder: Path) -> object:
    """Declare 65,535 rows and columns in an image with fifteen numbers."""
    path = varian_in_one_folder(folder, settings=False)
    data = bytearray(path.read_bytes())
    data[12:20] = struct.pack("<2i", 65535, 65535)
    path.write_bytes(data)
    return read_projections(path)


def laughing_varian(folder: Path) -> object:
    """Write XML entities nested nine times, ten in each level."""
    path = varian(folder)
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    text = path.read_text().replace("<Scan", f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><Scan')
    path.write_text(text.replace("1500", "&l9;"))
    return read_projections(path)


def endless_ctsimu(folder: Path) -> object:
    """Declare 10^12 projections with 10^12 pixels each."""
    many = 10**12
    path = ctsimu_in_one_folder(folder, metadata=False)
    side = {"value": many}
    description = scenario(
        acquisition={"number_of_projections": many}, detector={"rows": side, "columns": side}
    )
    path.write_text(json.dumps(description))
    return read_projections(path)


def wobbling_ctsimu(folder: Path) -> object:
    """Turn the stage a hundred thousand times in every view."""
    turn = {"type": "rotation", "axis": "u", "amount": {"value": 1, "unit": "deg"}}
    description = scenario()
    description["geometry"]["stage"]["deviations"] = [turn] * 100_000
    path = ctsimu_in_one_folder(folder, metadata=False)
    path.write_text(json.dumps(description))
    return read_projections(path)


def huge_his(folder: Path) -> object:
    """Declare 65,535 rows and columns in a frame with sixteen."""
    path = elekta_frame(folder)
    data = bytearray(path.read_bytes())
    data[12:20] = struct.pack("<4H", 1, 1, 65535, 65535)
    path.write_bytes(data)
    return read_projections(path)


def laughing_elekta(folder: Path) -> object:
    """Write XML entities nested nine times, ten in each level."""
    path = elekta(folder)
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    text = path.read_text().replace("<Proj", f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><Proj', 1)
    path.write_text(text.replace("120", "&l9;", 1))
    return read_projections(path)


def huge_edf(folder: Path) -> object:
    """Declare 10^13 pixels in an image with eight."""
    path = esrf_image(folder)
    side = {"Dim_1": "9999999", "Dim_2": "9999999"}
    for each in folder.glob("tiny_*.edf"):
        each.write_bytes(edf_bytes(np.zeros((2, 4), np.uint16), **side))
    return read_projections(path)


def endless_esrf(folder: Path) -> object:
    """Declare 10^12 views in a scan with fifteen."""
    return read_projections(esrf(folder, TOMO_N=str(10**12)))


def huge_hnd(folder: Path) -> object:
    """Declare 65,535 rows and columns in an image with fifteen numbers."""
    path = obi_in_one_folder(folder, settings=False)
    for each in folder.glob("*.hnd"):
        data = bytearray(each.read_bytes())
        data[120:128] = struct.pack("<2I", 65535, 65535)
        each.write_bytes(data)
    return read_projections(path)


def laughing_obi(folder: Path) -> object:
    """Write XML entities nested nine times, ten in each level."""
    path = obi_in_one_folder(folder, settings=True)
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    text = path.read_text().replace("<CBCT", f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><CBCT', 1)
    path.write_text(text.replace("-148", "&l9;"))
    return read_projections(path)


def dicom(folder: Path) -> Path:
    """Write four CT slices; the second by name is the one to open."""
    write_series(folder, affine=np.diag([2.0, 2.5, 3.0, 1.0]), shape=(6, 5, 4))
    return sorted(folder.glob("im*"))[1]


def dynamic_dicom(folder: Path) -> Path:
    """Write two frames of one slice; the last file is the one to open."""
    volume = others.patient()
    thin = replace(
        volume,
        values=volume.values[:1],
        grid=replace(volume.grid, shape=(1, *volume.grid.shape[1:])),
        unit="Bq/mL",
        info={"scan": {"scan_start": "2026-11-23T00:31:02"}},
    )
    parts = [FrameVolume(TimeFrame(k, k + 2), thin) for k in (0, 2)]
    save_frames(thin, parts, folder / "frames.dicom", thin.info)
    sidecar_path(folder / "frames.dicom").unlink()  # it would refuse any change
    written = sorted((folder / "frames.dicom").iterdir())
    slices = [each.rename(folder / each.name) for each in written]
    (folder / "frames.dicom").rmdir()
    return slices[-1]


def huge_dicom(folder: Path) -> object:
    """Declare 65,535 rows and columns in a slice with sixty bytes."""
    path = dicom(folder)
    change(path, Rows=65535, Columns=65535)
    return read_volume(path)
