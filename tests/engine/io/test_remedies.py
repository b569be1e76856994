"""Remedies in error messages work when followed literally.

Every remedy of the recogniser is followed here or listed in `remedies.py`.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import h5py
import nibabel
import numpy as np
import pydicom
import pytest
import scipy.io
import tifffile
from nibabel.freesurfer.mghformat import MGHImage

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_sinogram, read_volume, save
from engine.io.recogniser import emission, recognising, trees, volumes
from engine.io.recogniser.recognising import KNOWN
from tests.engine.analysis.regions.test_dicom_regions import structures
from tests.engine.io.dicom import dicom_files
from tests.engine.io.remedies import (
    FEW,
    PACKERS,
    UNTESTED,
    VALUES,
    import_as_suggested,
    refusal,
    run_suggested_command,
)
from tests.engine.io.siemens import siemens_files, siemens_raw_files
from tests.engine.io.volumes.matlab_files import write_matlab_73
from tests.engine.io.xray.esrf_files import edf_bytes


def mu_map(path: Path) -> None:
    save(Volume(VALUES, ImageGrid(VALUES.shape, (2.0, 2.0, 2.5)), "1/mm"), path)


@pytest.mark.parametrize("name", PACKERS)
def test_unpacked_file_opens(name: str, tmp_path: Path) -> None:
    pack, unpack = PACKERS[name]
    mu_map(tmp_path / "mu.h5")
    bundle = tmp_path / "mu.dat"
    bundle.write_bytes(pack((tmp_path / "mu.h5").read_bytes()))
    assert f"this format is not supported. Format: {name}. {recognising.UNPACK}" in refusal(bundle)
    (tmp_path / "again.h5").write_bytes(unpack(bundle.read_bytes()))
    assert np.array_equal(read_volume(tmp_path / "again.h5").values, VALUES)


def npy(path: Path, values: np.ndarray) -> None:
    with path.open("wb") as file:
        np.save(file, values)


def npz(path: Path, values: np.ndarray, **more: object) -> None:
    with path.open("wb") as file:
        np.savez(file, mu=values, **more)


def mat5(path: Path, values: np.ndarray, **more: object) -> None:
    scipy.io.savemat(path, {"mu": values, **more})


def mat73(path: Path, values: np.ndarray, **more: object) -> None:
    write_matlab_73(path, {"mu": values, **more})


ARRAYS: dict[str, tuple[Callable[..., None], str]] = {
    "file of NumPy arrays (.npz) without a voxel size": (npz, "scan.npz"),
    "MATLAB 5 file without a voxel size": (mat5, "scan.mat"),
    "MATLAB 7.3 file without a voxel size": (mat73, "scan.mat"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_open_with_the_variables_of_the_example(name: str, tmp_path: Path) -> None:
    write, file = ARRAYS[name]
    path = tmp_path / file
    write(path, VALUES)
    message = refusal(path)
    assert f"Format: {name}." in message and volumes.WITHIN in message
    example = json.loads(re.findall(r"\{.*?\}", message)[0])
    path.unlink()
    write(path, VALUES, **example)
    found = read_volume(path)
    assert np.array_equal(found.values, VALUES)
    assert found.grid.voxel_mm == tuple(example["voxel_mm"])


@pytest.mark.parametrize("name", ARRAYS)
def test_projection_arrays_are_imported(name: str, tmp_path: Path) -> None:
    write, file = ARRAYS[name]
    path = tmp_path / file
    write(path, FEW if write is npz else FEW.transpose(1, 2, 0))
    import_as_suggested(refusal(path), path)


def test_numpy_array_opens_with_its_text_file_or_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "mu.npy"
    npy(path, VALUES)
    message = refusal(path)
    assert "Format: NumPy array without a voxel size" in message and volumes.SIDECARS in message
    (tmp_path / "mu.json").write_text(re.findall(r"\{.*?\}", message)[0])
    assert np.array_equal(read_volume(path).values, VALUES)
    assert "Open the array itself" in refusal(tmp_path / "mu.json")
    scan = tmp_path / "scan.npy"
    npy(scan, FEW)
    import_as_suggested(refusal(scan), scan)


def test_pickle_is_imported_as_its_array(tmp_path: Path) -> None:
    path = tmp_path / "scan.pkl"
    path.write_bytes(pickle.dumps(FEW))
    message = refusal(path)
    assert "save its array with numpy.save, and import that" in message
    np.save(tmp_path / "scan.npy", pickle.loads(path.read_bytes()))
    import_as_suggested("`isocenter import`", tmp_path / "scan.npy")


@pytest.mark.parametrize("place", ["entry/data/data_000001", "frames"])
def test_foreign_datasets_are_imported(place: str, tmp_path: Path) -> None:
    """Frames of an Eiger detector, and a NetCDF 4 file."""
    path = tmp_path / "scan.h5"
    with h5py.File(path, "w") as file:
        file[place] = FEW
        if place == "frames":
            file.attrs["_NCProperties"] = "version=2"
    message = refusal(path)
    assert trees.IMPORT in message
    import_as_suggested(message, path, "--array", f"/{place}")


def test_unknown_hdf5_file_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "scan.h5"
    with h5py.File(path, "w") as file:
        file["mine/views"] = FEW
    import_as_suggested(refusal(path), path)


def test_tiff_without_sizes_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "scan.tif"
    tifffile.imwrite(path, FEW)
    message = refusal(path)
    assert "TIFF image without a voxel size" in message and volumes.ARRAY in message
    import_as_suggested(message, path)


def xray_file(name: str, path: Path) -> None:
    """Write a file that is recognised by its first bytes."""
    edf = "{\nHeaderID = EH:000001:000000:000000 ;\nDim_1 = 4 ;\n"
    ge = "[General]\nVersion=2\n[Geometry]\nFDD=800\n[Detector]\nPixelsizeX=0.2\n"
    bruker = "[System]\nScanner=X\n[Acquisition]\nSource Voltage (kV)=  80\n"
    beginnings = {
        "ESRF data file (EDF) without the .info of its scan": edf.encode(),
        "crystallographic binary file (CBF)": b"###CBF: VERSION 1.5\n",
        "GE phoenix scan (PCA)": ge.encode(),
        "North Star scan": b"<Object Radiograph>\n",
        "settings file of a Bruker scanner": bruker.encode(),
        "Scanco ISQ volume": b"CTDATA-HEADER_V1" + bytes(496),
        "Scanco AIM volume": b"AIMDATA_V030   \0",
        "VGStudio volume description": b"{volume1}\n[file1]\nSize = 4 3 2\n",
        "North Star volume": b"<NSI Reconstruction Project>\n",
    }
    path.write_bytes(beginnings[name])


def series(folder: Path) -> Path:
    """Return a folder of DICOM slices."""
    dicom_files.write_series(folder / "series", affine=np.eye(4), shape=(4, 3, 2))
    return folder / "series"


VIEWS = tuple(
    known.name
    for known in recognising.XRAY
    if known.remedy == recognising.VIEWS or "with `isocenter import`" in known.remedy
)
SLICES = tuple(known.name for known in recognising.XRAY if known.remedy == recognising.SLICES)


@pytest.mark.parametrize("name", VIEWS)
def test_projections_exported_by_another_program_are_imported(name: str, tmp_path: Path) -> None:
    """The program that wrote the projections exports them; we read its TIFF images."""
    xray_file(name, tmp_path / "scan.dat")
    message = refusal(tmp_path / "scan.dat")
    assert f"Format: {name}." in message
    folder = tmp_path / "views"
    folder.mkdir()
    for k, view in enumerate(FEW):
        tifffile.imwrite(folder / f"view_{k:04}.tif", view)
    import_as_suggested(message, folder)


def test_edf_without_the_text_of_its_scan_is_imported(tmp_path: Path) -> None:
    folder = tmp_path / "views"
    folder.mkdir()
    for k, view in enumerate(FEW):
        (folder / f"view_{k:04}.edf").write_bytes(edf_bytes(view))
    message = refusal(folder / "view_0003.edf")
    assert "Format: ESRF data file (EDF) without the .info of its scan" in message
    import_as_suggested(message, folder)


@pytest.mark.parametrize("name", SLICES)
def test_slices_exported_by_another_program_open(name: str, tmp_path: Path) -> None:
    xray_file(name, tmp_path / "volume.dat")
    message = refusal(tmp_path / "volume.dat")
    assert f"Format: {name}." in message
    assert "DICOM slices or as one TIFF with a voxel size" in message
    assert read_volume(series(tmp_path)).grid.shape == (2, 3, 4)
    tiff = tmp_path / "volume.tif"
    sizes = {"spacing": 0.05, "unit": "mm", "axes": "ZYX"}
    tifffile.imwrite(tiff, VALUES, imagej=True, resolution=(20.0, 20.0), metadata=sizes)
    assert read_volume(tiff).grid.voxel_mm == pytest.approx((0.05, 0.05, 0.05))


def test_volume_saved_by_nibabel_as_nifti_opens(tmp_path: Path) -> None:
    path = tmp_path / "a.mgh"
    path.write_bytes(MGHImage(VALUES.T, np.eye(4)).to_bytes())
    values = MGHImage.from_bytes(path.read_bytes()).get_fdata(dtype=np.float32)
    message = refusal(path)
    assert "NIfTI" in message and "Format: FreeSurfer volume" in message
    nibabel.save(nibabel.Nifti1Image(values, np.eye(4)), tmp_path / "a.nii")
    found = read_volume(tmp_path / "a.nii").values
    assert found.shape == VALUES.shape and set(found.flat) == set(VALUES.flat)


def test_series_of_a_study_opens_instead_of_its_other_objects(tmp_path: Path) -> None:
    """The folder contains structures, plans, doses, images and DICOMDIR next to the series."""
    parts = [each for each in emission.EMISSION if each.remedy == emission.DICOM_PART]
    assert len(parts) == 7
    assert read_volume(series(tmp_path)).grid.shape == (2, 3, 4)


def test_regions_are_read_from_a_structure_set(tmp_path: Path) -> None:
    folder = series(tmp_path)
    corners = np.array([[0.2, 0.3, 0.0], [2.4, 0.3, 0.0], [2.4, 1.8, 0.0], [0.2, 1.8, 0.0]])
    drawn = structures(tmp_path / "drawn.dcm", corners)
    message = refusal(drawn)
    assert message.endswith(emission.REGIONS)
    command = message.replace("(isocenter regions", "`isocenter regions").replace(").", "`.")
    run_suggested_command(command, drawn, folder, "--other-scan")


def test_source_files_of_an_attribute_list_open(tmp_path: Path) -> None:
    folder = series(tmp_path)
    one = next(each for each in folder.rglob("*") if each.is_file())
    listed = tmp_path / "listed.json"
    listed.write_text(f"[{pydicom.dcmread(one, stop_before_pixels=True).to_json()}]")
    assert "the folder of the original DICOM files" in refusal(listed)
    assert read_volume(folder).grid.shape == (2, 3, 4)


def test_raw_data_of_a_normalisation_are_extracted(tmp_path: Path) -> None:
    text = "!INTERFILE:=\n!name of data file:=a.n\n"
    path = siemens_raw_files.write_ima(tmp_path, text, bytes(8), kind="norm")
    message = refusal(path)
    assert emission.TAKE_OUT in message
    run_suggested_command(message, path, tmp_path / "out.n.hdr")
    assert (tmp_path / "out.n").read_bytes() == bytes(8)


def test_factors_open_with_the_counts_in_their_folder(tmp_path: Path) -> None:
    message = next(each for each in emission.EMISSION if each.remedy == emission.SIDECARS).remedy
    assert ".s.hdr with .s, not compressed" in message
    bins = siemens_files.layout()
    counts = np.ones(bins.shape, np.float32)
    path = siemens_files.write(tmp_path / "scan.s", bins, counts)
    assert read_sinogram(path).n_prompts == counts.size


def test_real_projection_opens_instead_of_its_calibration(shared_data: Path) -> None:
    folder = shared_data / "formats" / "varian-xim"
    assert "Open the folder of its scan, or one of the projections" in refusal(
        folder / "FilterBowtie.xim"
    )


OTHERS = (
    *("FreeSurfer volume (MGZ)", "AFNI dataset (HEAD)", "AFNI values (BRIK)"),
    *("Philips PAR header", "Philips PAR/REC values"),
    *("CASToR scanner description (.hscan)", "CASToR look-up table (.lut)"),
    "STIR header of GATE coincidences (.hroot)",
)
"""Followed in test_recogniser_others.py, and in the tests of CASToR and GATE."""


def test_every_remedy_is_followed_or_listed() -> None:
    """Each format is followed above or listed with the program that it needs."""
    here = {
        *PACKERS, *ARRAYS, *VIEWS, *SLICES,
        *(each.name for each in emission.EMISSION if each.remedy == emission.DICOM_PART),
        *(each.name for each in emission.EMISSION if each.remedy == emission.REGIONS),
        "NumPy array without a voxel size", "sidecar of an array",
        "a pickled Python object", "Eiger detector frames", "NetCDF 4 file",
        "TIFF image without a voxel size", "FreeSurfer volume",
        *OTHERS,
        "list of DICOM attributes (JSON)",
        "index of a DICOM folder (DICOMDIR)",
        "normalisation of a Siemens scanner in raw DICOM", "Siemens normalisation header",
        "Siemens scan header", "Varian image that is not part of a scan",
    }  # fmt: skip
    assert not here & set(UNTESTED)
    assert {each.name for each in KNOWN} == here | set(UNTESTED)
