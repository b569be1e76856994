"""Tests of small files that expand to gigabytes: refused with little memory and time."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import h5py
import nibabel
import numpy as np
import pytest

from engine.io import READERS, read_listmode, read_projections, read_volume
from engine.io.base import Format
from engine.io.castor.reader import Castor
from engine.io.dicom.reader import DicomSeries
from engine.io.gate.emissions import GateEmissions
from engine.io.gate.reader import GateRoot
from engine.io.hdf5.histogram import HistogramHdf5
from engine.io.hdf5.listmode import ListModeHdf5
from engine.io.hdf5.volume import VolumeHdf5
from engine.io.interfile.image import InterfileImage
from engine.io.interfile.sinogram import InterfileSinogram
from engine.io.listmode.adac import AdacCsv
from engine.io.listmode.safir import Safir
from engine.io.petsird.reader import Petsird
from engine.io.siemens.ecat7 import Ecat7
from engine.io.siemens.mmr import SiemensMmr
from engine.io.siemens.raw_dicom import SiemensRawListMode, SiemensRawSinogram
from engine.io.siemens.sinogram import SiemensSinogram
from engine.io.tiff.reader import TiffVolume
from engine.io.volumes.array_volume import ArrayVolume
from engine.io.volumes.metaimage_volume import MetaImageVolumes
from engine.io.volumes.minc import Minc
from engine.io.volumes.mrc import Mrc
from engine.io.volumes.nifti import Nifti
from engine.io.volumes.nifti_pair import AnalyzeVolume, NiftiPair
from engine.io.volumes.nrrd_volume import Nrrd
from engine.io.volumes.ome_zarr_read import OmeZarr
from engine.io.xray.bruker import Bruker
from engine.io.xray.cil import CilNexus
from engine.io.xray.ctsimu.scan import CtSimu
from engine.io.xray.elekta.scan import Elekta
from engine.io.xray.esrf.scan import EsrfEdf
from engine.io.xray.flexray import FlexRay
from engine.io.xray.hdf5.dxchange import DxChange
from engine.io.xray.hdf5.nxtomo import NxTomo
from engine.io.xray.htc import HtcMatlab
from engine.io.xray.nikon import Nikon
from engine.io.xray.rtk import ROOT, RtkXml
from engine.io.xray.sidecar.scan import RawSidecar
from engine.io.xray.varian.scan import Varian
from engine.io.xray.varian.varian_obi import VarianObi
from engine.io.xray.vectors import AstraVectors
from engine.io.xray.zeiss import Zeiss
from tests.farm import bombs, volumes
from tests.farm.formats import KINDS
from tests.farm.runner import run
from tests.farm.scanners import ring_text

Bomb = Callable[[Path], object]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")

DATASETS = {
    "own-list-mode": "events/crystals",
    "own-histogram": "histogram/prompts",
    "own-response": "response/values",
    "own-volume": "volume/values",
    "dxchange": "exchange/data",
    "cil": "entry1/tomo_entry/data/data",
    "nxtomo": "entry1/tomo_entry/instrument/eye/data",
    "efficiencies-hdf5": "crystal_efficiencies",
}
"""Kind of file -> its largest dataset."""


def hdf5(name: str) -> Bomb:
    """Return a valid file with a largest dataset of 2 GiB in 2 MB."""

    def bomb(folder: Path) -> object:
        kind = next(each for each in KINDS if each.name == name)
        path = kind.make(folder)
        with h5py.File(path, "r+") as file:
            del file[DATASETS[name]]
        bombs._packed_dataset(path, DATASETS[name], (512, 1024, 1024), (1, 1024, 1024))
        return kind.read(path)

    return bomb


def nifti_beyond_its_header(folder: Path) -> object:
    """Write an image of 8 values in a stream of 2 GiB."""
    header = nibabel.Nifti1Header()
    header.set_data_shape((2, 2, 2))
    header.set_data_dtype(np.float32)
    header.set_sform(np.eye(4), 1)
    header["vox_offset"], header["magic"] = 352, b"n+1"
    member = gzip.compress(bombs.PIECE, 9)
    path = folder / "a.nii.gz"
    path.write_bytes(gzip.compress(bytes(header.binaryblock) + bytes(4)) + member * 128)
    return read_volume(path)


def metaimage(folder: Path) -> object:
    """Write projections of 2 GiB in 2 MB."""
    kind = next(each for each in KINDS if each.name == "rtk-packed")
    path = kind.make(folder)
    (image,) = folder.glob("*.mha")
    head = image.read_bytes().partition(b"ElementDataFile = LOCAL\n")[0]
    sizes = [line for line in head.splitlines() if line.startswith(b"DimSize")]
    head = head.replace(sizes[0], b"DimSize = 1024 1024 512")
    image.write_bytes(head + b"ElementDataFile = LOCAL\n" + bombs.deflated(2 * 2**30))
    return read_projections(path)


def petsird(folder: Path) -> object:
    """Write a header with a name of 2 GiB in 2 MB."""
    kind = next(each for each in KINDS if each.name == "petsird")
    whole = kind.make(folder).read_bytes()
    at = whole.index(b"Made for a test")
    path = folder / "bomb.petsird.gz"
    member = gzip.compress(bombs.PIECE, 9)
    path.write_bytes(gzip.compress(whole[: at - 1] + b"\x80\x80\x80\x80\x08") + member * 128)
    return kind.read(path)


def gate(folder: Path) -> object:
    """Write events of zeros that need 8 bytes each in memory: 0.3 GiB in 0.1 MB."""
    uproot = pytest.importorskip("uproot")
    names = ["time1", "time2", *(f"globalPos{axis}{end}" for axis in "XYZ" for end in "12")]
    (folder / "ring.toml").write_text(ring_text())
    with uproot.recreate(folder / "scan.root", compression=uproot.ZLIB(1)) as file:
        file.mktree("Coincidences", dict.fromkeys(names, np.int8))
        zeros = np.zeros(5_000_000, np.int8)
        file["Coincidences"].extend(dict.fromkeys(names, zeros))
    return read_listmode(folder / "scan.root")


def gate_emissions(folder: Path) -> object:
    """Write the same file as a volume."""
    uproot = pytest.importorskip("uproot")
    names = ["time1", "time2", "eventID1", "eventID2", *(f"sourcePos{axis}1" for axis in "XYZ")]
    with uproot.recreate(folder / "scan.root", compression=uproot.ZLIB(1)) as file:
        file.mktree("Coincidences", dict.fromkeys(names, np.int8))
        zeros = np.zeros(7_000_000, np.int8)
        file["Coincidences"].extend(dict.fromkeys(names, zeros))
    return read_volume(folder / "scan.root")


def deflated_dicom(folder: Path) -> object:
    """Write a header that expands to 2 GiB."""
    from pydicom.dataset import FileMetaDataset
    from pydicom.filewriter import write_file_meta_info
    from pydicom.uid import DeflatedExplicitVRLittleEndian

    meta = FileMetaDataset()
    meta.TransferSyntaxUID = DeflatedExplicitVRLittleEndian
    with (folder / "bomb.dcm").open("wb") as file:
        file.write(b"\0" * 128 + b"DICM")
        write_file_meta_info(file, meta, enforce_standard=False)
        file.write(bombs.deflated(2 * 2**30)[2:])  # without the two bytes of zlib
    return read_volume(folder / "bomb.dcm")


def xml(folder: Path) -> object:
    """Write XML entities nested nine times, ten in each level."""
    kind = next(each for each in KINDS if each.name == "rtk")
    path = kind.make(folder)
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    path.write_text(f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><{ROOT}>&l9;</{ROOT}>')
    return read_projections(path)


def huge_ome_zarr(folder: Path) -> object:
    """Write missing blocks of 2^45 values in total."""
    node = volumes.ome_zarr(folder)
    level = next(node.parent.glob("*/zarr.json"))
    array = json.loads(level.read_text("utf-8"))
    array["shape"] = [2**15] * 3
    level.write_text(json.dumps(array), "utf-8")
    return read_volume(node)


UNPACKING: dict[type[Format], tuple[Bomb, ...]] = {
    ListModeHdf5: (hdf5("own-list-mode"),),
    HistogramHdf5: (hdf5("own-histogram"),),
    VolumeHdf5: (hdf5("own-volume"), bombs.volume),
    Nifti: (bombs.packed_nifti,),
    RawSidecar: (
        *(bombs.packed_tiff, bombs.page_loop),
        *(bombs.packed_array, bombs.packed_variable),
    ),
    RtkXml: (metaimage, xml),
    MetaImageVolumes: (volumes.huge_mhd,),
    Nrrd: (volumes.huge_nrrd,),
    TiffVolume: (volumes.huge_tiff, volumes.laughing_ome),
    Minc: (volumes.huge_minc,),
    OmeZarr: (huge_ome_zarr,),
    ArrayVolume: (volumes.huge_npz, volumes.huge_mat, volumes.huge_mat_73),
    Zeiss: (volumes.huge_zeiss,),
    Varian: (volumes.huge_xim, volumes.laughing_varian),
    CtSimu: (volumes.endless_ctsimu, volumes.wobbling_ctsimu),
    Elekta: (volumes.huge_his, volumes.laughing_elekta),
    EsrfEdf: (volumes.huge_edf, volumes.endless_esrf),
    VarianObi: (volumes.huge_hnd, volumes.laughing_obi),
    DicomSeries: (volumes.huge_dicom, deflated_dicom),
    Petsird: (petsird,),
    GateRoot: (gate,),
    GateEmissions: (gate_emissions,),
    HtcMatlab: (bombs.packed_matlab,),
    DxChange: (hdf5("dxchange"), bombs.one_chunk),
    CilNexus: (hdf5("cil"),),
    NxTomo: (hdf5("nxtomo"),),
}
"""Readers of compressed data, with the test files for each."""
TIFFS = {AstraVectors, Nikon, Bruker, FlexRay}
"""Readers of TIFF images like those of sidecars, and of no other compressed data."""
UNCOMPRESSED = {
    *(
        AdacCsv,
        AnalyzeVolume,
        Castor,
        Ecat7,
        InterfileImage,
        InterfileSinogram,
        Mrc,
        NiftiPair,
        Safir,
        SiemensMmr,
    ),
    *(SiemensSinogram, SiemensRawListMode, SiemensRawSinogram),
}
"""Readers of no compressed data."""
COMPANIONS: tuple[Bomb, ...] = (
    *(bombs.packed_matrix, hdf5("own-response"), hdf5("efficiencies-hdf5")),
    *(bombs.date_names, bombs.crystal_keys, bombs.dotted_keys, bombs.deep, bombs.long_number),
    bombs.soft_links,
)
"""Companion files of a study, and other small files that expand to much memory or time."""


def test_every_reader_is_tested_or_reads_no_compressed_data() -> None:
    assert {*UNPACKING, *TIFFS, *UNCOMPRESSED} == set(READERS)


@pytest.mark.slow
def test_every_bomb_gives_one_sentence(tmp_path: Path) -> None:
    """Run each in a child process with one gibibyte of memory and five seconds; see the runner."""
    tried = [*(bomb for each in UNPACKING.values() for bomb in each), *COMPANIONS]
    folders = [tmp_path / str(k) for k in range(len(tried))]
    for folder in folders:
        folder.mkdir()
    cases = [lambda b=bomb, f=folder: b(f) for bomb, folder in zip(tried, folders, strict=True)]
    for bomb, outcome in zip(tried, run(cases), strict=True):
        assert outcome.verdict == "refused", (bomb.__qualname__, outcome)
        if bomb.__qualname__.startswith("hdf5"):
            assert "to 2,147,483,648 bytes" in outcome.text


def test_decompression_stops_at_the_size_in_the_header(tmp_path: Path) -> None:
    (outcome,) = run([lambda: nifti_beyond_its_header(tmp_path)])
    assert outcome.verdict == "read" and outcome.seconds < 1
