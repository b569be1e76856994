"""Unsupported files are recognised by content, with a working remedy."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pydicom
import pytest
import scipy.io
from nibabel.freesurfer.mghformat import MGHImage
from PIL import Image
from pydicom.data import get_testdata_file

from engine.core.errors import UnknownFormatError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import inspect, read_listmode, read_projections, read_volume, save
from engine.io.dicom.storage import object_name
from engine.io.recogniser import recognised
from engine.io.recogniser.recognising import KNOWN
from engine.io.safety.open_input import open_input
from tests.engine.io.siemens import siemens_raw_files
from tests.engine.io.volumes.matlab_files import write_matlab_73

VALUES = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
Make = Callable[[Path], object]


def bytes_of(content: bytes) -> Make:
    return lambda path: path.write_bytes(content)


def text(content: str) -> Make:
    return lambda path: path.write_text(content)


def packed(pack: Callable[[bytes], bytes]) -> Make:
    return lambda path: path.write_bytes(pack(b"a scan, or whatever was packed"))


def zipped(name: str) -> Make:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, b"content")

    return make


def tarred(path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        archive.addfile(tarfile.TarInfo("scan.l"), io.BytesIO())


def picture(kind: str) -> Make:
    return lambda path: Image.new("RGB", (4, 3)).save(path, kind)


def tree(*names: str, attributes: tuple[str, ...] = ()) -> Make:
    def make(path: Path) -> None:
        with h5py.File(path, "w") as file:
            for name in names:
                file[name] = np.arange(4)
            for name in attributes:
                file.attrs[name] = "1"

    return make


def dicom(storage: str, kind: str = "AXIAL") -> Make:
    def make(path: Path) -> None:
        data = pydicom.Dataset()
        data.SOPClassUID, data.SOPInstanceUID = storage, pydicom.uid.generate_uid()
        data.ImageType = ["ORIGINAL", "PRIMARY", kind]
        data.file_meta = pydicom.dataset.FileMetaDataset()
        data.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
        data.file_meta.MediaStorageSOPClassUID = storage
        data.save_as(path, enforce_file_format=True)

    return make


def raw_dicom(kind: str) -> Make:
    text = "!INTERFILE:=\nname of data file:=a\n"
    return lambda path: path.write_bytes(siemens_raw_files.dicom(text, bytes(8), kind=kind))


def matlab73(path: Path) -> None:
    write_matlab_73(path, {"x": VALUES})


def numpy_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, VALUES)


def numpy_arrays(path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, mu=VALUES)


def freesurfer(path: Path) -> None:
    path.write_bytes(MGHImage(VALUES, np.eye(4)).to_bytes())


MI = "!INTERFILE :=\n%SMS-MI header name space := "
STORED = "1.2.840.10008.5.1.4.1.1."
SAMPLES: tuple[tuple[str, Make], ...] = (
    ("Git LFS pointer", text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")),
    ("git-annex pointer", text("/annex/objects/SHA256E-s3--0.h5\n")),
    ("PyTorch model", zipped("archive/data.pkl")),
    ("Office document", zipped("[Content_Types].xml")),
    ("ZIP archive", zipped("scan.l")),
    ("gzip file", packed(gzip.compress)),
    ("bzip2 file", packed(bz2.compress)),
    ("xz file", packed(lzma.compress)),
    ("Zstandard file", bytes_of(b"\x28\xb5\x2f\xfd\x04\x00")),
    ("7-Zip archive", bytes_of(b"7z\xbc\xaf\x27\x1c\x00\x04")),
    ("RAR archive", bytes_of(b"Rar!\x1a\x07\x01\x00")),
    ("tar archive", tarred),
    ("PNG image", picture("PNG")),
    ("JPEG image", picture("JPEG")),
    ("JPEG 2000 image", picture("JPEG2000")),
    ("GIF image", picture("GIF")),
    ("BMP image", picture("BMP")),
    ("video (MP4)", bytes_of(b"\0\0\0\x18ftypmp42\0\0\0\0")),
    ("video (AVI)", bytes_of(b"RIFF\x10\0\0\0AVI LIST")),
    ("PDF document", bytes_of(b"%PDF-1.7\n")),
    ("web page", text("<!DOCTYPE html>\n<HTML><body>404</body>")),
    ("a pickled Python object", lambda path: path.write_bytes(pickle.dumps([1.0]))),
    ("VTK file", text("# vtk DataFile Version 3.0\nhead\nBINARY\n")),
    ("VTK file in XML", text('<?xml version="1.0"?>\n<VTKFile type="ImageData">')),
    ("Amira mesh", text("# AmiraMesh BINARY-LITTLE-ENDIAN 2.1\n")),
    ("FreeSurfer volume", freesurfer),
    ("NetCDF file", bytes_of(b"CDF\x01\0\0\0\0")),
    ("FITS image", bytes_of(b"SIMPLE  =                    T".ljust(2880))),
    ("PLY surface", text("ply\nformat ascii 1.0\n")),
    ("STL surface", text("solid tooth\n facet normal 0 0 1\n")),
    ("OBJ surface", text("# tooth\nv 0 0 1\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")),
    ("Zeiss CZI image", bytes_of(b"ZISRAWFILE\0\0\0\0\0\0")),
    ("Leica LIF image", bytes_of(b"p\0\0\0\x10\0\0\0*\x05\0\0\0")),
    ("Nikon ND2 image", bytes_of(b"\xda\xce\xbe\x0a\xf0\x0f\0\0")),
    ("Gatan DigitalMicrograph image", bytes_of(b"\0\0\0\x03" + bytes(14) + b"%%%%\0")),
    (
        "OLE file, such as ZVI, OIB or an Office document",
        bytes_of(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)),
    ),
    ("NumPy array without a voxel size", numpy_array),
    ("file of NumPy arrays (.npz) without a voxel size", numpy_arrays),
    (
        "MATLAB 5 file without a voxel size",
        lambda path: scipy.io.savemat(path, {"x": VALUES}, appendmat=False),
    ),
    ("sidecar of an array", text('{"voxel_mm": [2, 2, 2.5], "order": "zyx"}')),
    ("Varian image that is not part of a scan", bytes_of(b"\0VMS.XI" + bytes(25))),
    (
        "ESRF data file (EDF) without the .info of its scan",
        text("{\nHeaderID = EH:000001:000000:000000 ;\nDim_1 = 4 ;\n"),
    ),
    ("crystallographic binary file (CBF)", text("###CBF: VERSION 1.5\n")),
    ("Scanco ISQ volume", bytes_of(b"CTDATA-HEADER_V1" + bytes(496))),
    ("Scanco AIM volume", bytes_of(b"AIMDATA_V030   \0")),
    ("VGStudio volume description", text("{volume1}\n[representation]\n[file1]\nSize = 4 3 2\n")),
    (
        "GE phoenix scan (PCA)",
        text("[General]\nVersion=2\n[Geometry]\nFDD=800\nFOD=100\n[Detector]\nPixelsizeX=0.2\n"),
    ),
    (
        "settings file of a Bruker scanner",
        text("[System]\nScanner=X\n[Acquisition]\nSource Voltage (kV)=  80\n"),
    ),
    ("Siemens normalisation header", text(MI + "normalization header\n")),
    ("Siemens scan header", text(MI + "sinogram main header\n!name of data file := scan.s\n")),
    ("Siemens image header", text(MI + "image subheader\n")),
    (
        "header of a microPET or Inveon scanner",
        text("#\n# Header file for data file mouse.img\n#\nversion 001.910\nfile_type 5\n"),
    ),
    (
        "Interfile header of an image or of projections",
        text("!INTERFILE :=\n!imaging modality := nucmed\n"),
    ),
    ("normalisation of a Siemens scanner in raw DICOM", raw_dicom("norm")),
    ("scanner raw data in DICOM", dicom(STORED + "66")),
    ("DICOM screenshot (secondary capture)", dicom(STORED + "7")),
    ("SPECT scan or image (nuclear medicine)", dicom(STORED + "20", "RECON TOMO")),
    ("planar nuclear medicine image", dicom(STORED + "20", "WHOLE BODY")),
    ("RT structure set", dicom(STORED + "481.3")),
    ("RT plan", dicom(STORED + "481.5")),
    ("RT dose", dicom(STORED + "481.2")),
    ("DICOM segmentation", dicom(STORED + "66.4")),
    ("DICOM presentation state", dicom(STORED + "11.1")),
    ("DICOM report", dicom(STORED + "88.22")),
    ("list of DICOM attributes (JSON)", text('[\n  {\n    "SeriesDate": "20201217",\n')),
    ("index of a DICOM folder (DICOMDIR)", dicom("1.2.840.10008.1.3.10")),
    ("MATLAB 7.3 file without a voxel size", matlab73),
    ("Imaris image", tree("DataSet/a", "DataSetInfo/b")),
    ("BigDataViewer image", tree("s00/resolutions", "t00000/s00/0/cells")),
    ("Keras model", tree("model_weights/dense", attributes=("keras_version",))),
    ("NetCDF 4 file", tree("temperature", attributes=("_NCProperties",))),
    ("MRI raw data (ISMRMRD)", tree("dataset/xml", "dataset/data")),
    ("cell table (AnnData)", tree("obs/a", "var/b", "X")),
    ("raw data of a GE PET scanner (RDF)", tree("HeaderData/AcqStats", "SegmentData/a")),
    ("DREAM.3D file", tree("DataContainers/a")),
    ("Eiger detector frames", tree("entry/data/data_000001")),
)


def test_more_than_sixty_samples_are_tested():
    assert len({name for name, _ in SAMPLES}) == len(SAMPLES) >= 60
    names = {known.name for known in KNOWN}
    assert len(names) == len(KNOWN)
    assert {name for name, _ in SAMPLES} <= names


@pytest.mark.parametrize(("name", "make"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_file_is_recognised_by_content_not_name(name: str, make: Make, tmp_path):
    path = tmp_path / "scan.dat"
    make(path)
    with open_input(path) as file:
        found = recognised(file)
    assert found is not None and found.name == name
    faults = inspect(path).faults
    assert (
        len(faults) == 1
        and f"this format is not supported. Format: {name}. {found.remedy}" in faults[0]
    )


@pytest.mark.parametrize("read", [read_listmode, read_volume, read_projections])
def test_every_reader_gives_the_same_message(read, tmp_path):
    path = tmp_path / "scan.dat"
    numpy_array(path)
    with pytest.raises(UnknownFormatError, match="Format: NumPy array without a voxel"):
        read(path)


def test_unknown_content_is_not_named(tmp_path):
    (tmp_path / "a.dat").write_bytes(np.random.default_rng(3).bytes(5000))
    (tmp_path / "air.raw").write_bytes(bytes(5000))  # raw images of air start with zeros, too
    (tmp_path / "a.txt").write_text("Dear colleague, the scan is on the disk.\n")
    tree("mine/values")(tmp_path / "a.h5")
    for path in tmp_path.iterdir():
        with open_input(path) as file:
            assert recognised(file) is None, path.name
    assert "Datasets: 1 (/mine/values" in inspect(tmp_path / "a.h5").faults[0]


@pytest.mark.parametrize(
    ("name", "pack", "unpack"),
    [
        ("bzip2", bz2.compress, bz2.decompress),
        ("xz", lzma.compress, lzma.decompress),
    ],
)
def test_unpacked_file_opens(name, pack, unpack, tmp_path):
    volume = Volume(VALUES, ImageGrid(VALUES.shape, (2.0, 2.0, 2.0)), "1/mm")
    save(volume, tmp_path / "mu.h5")
    bundle = tmp_path / "mu.packed"
    bundle.write_bytes(pack((tmp_path / "mu.h5").read_bytes()))
    with pytest.raises(UnknownFormatError, match=f"{name} file.*Unpack it, and open"):
        read_volume(bundle)
    (tmp_path / "again.h5").write_bytes(unpack(bundle.read_bytes()))
    np.testing.assert_array_equal(read_volume(tmp_path / "again.h5").values, VALUES)


def test_real_file_is_recognised(shared_data: Path):
    with open_input(shared_data / "formats" / "varian-xim" / "FilterBowtie.xim") as file:
        found = recognised(file)
    assert found is not None
    assert found.name == "Varian image that is not part of a scan"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("rtdose_expb.dcm", "RT dose"), ("rtdose.dcm", "RT dose"), ("rtplan.dcm", "RT plan")),
        *(("test-SR.dcm", "structured report"), ("rtstruct.dcm", "RT structure set, without")),
        *(("liver_1frame.dcm", "segmentation"), ("MR_small_bigendian.dcm", "MR")),
    ],
)
def test_dicom_objects_are_named_by_their_class(name: str, kind: str):
    """An RT dose refers to its plan, but the file is named by its own class."""
    with open_input(Path(str(get_testdata_file(name)))) as file:
        assert object_name(file).startswith(f"DICOM ({kind}")
