"""Tests of Interfile images: files of STIR and Siemens, and round trips of our own."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import facing, read_mu_map, read_volume, save, scan_file
from engine.io.input_files import files_behind
from engine.io.interfile.header import read_header
from engine.io.interfile.image import InterfileImage
from engine.io.safety.open_input import open_input
from engine.modalities.recognise import purpose_of
from tests.engine.io.volumes.test_volumes_of_others import patient

STIR = """!INTERFILE  :=
imaging modality := PET
name of data file := NAME
!GENERAL DATA :=
patient orientation := head_in
patient rotation := supine
!GENERAL IMAGE DATA :=
imagedata byte order := LITTLEENDIAN
!PET STUDY (General) :=
!PET data type := Image
process status := Reconstructed
!number format := float
!number of bytes per pixel := 4
number of dimensions := 3
matrix axis label [1] := x
!matrix size [1] := 5
scaling factor (mm/pixel) [1] := 1.5
matrix axis label [2] := y
!matrix size [2] := 4
scaling factor (mm/pixel) [2] := 2
matrix axis label [3] := z
!matrix size [3] := 3
scaling factor (mm/pixel) [3] := 2.5
number of time frames := 1
!END OF INTERFILE :=
"""
SIEMENS = """!INTERFILE:=
!originating system:=2008
%SMS-MI header name space:=image subheader
!GENERAL DATA:=
!name of data file:=NAME
!GENERAL IMAGE DATA:=
image data byte order:=BIGENDIAN
%patient orientation:=HFS
%image orientation:={1,0,0,0,1,0}
!PET data type:=image
number format:=signed integer
!number of bytes per pixel:=2
number of dimensions:=3
matrix axis label[1]:=x
matrix axis label[2]:=y
matrix axis label[3]:=z
matrix size[1]:=5
matrix size[2]:=4
matrix size[3]:=3
scale factor (mm/pixel) [1]:=1.5
scale factor (mm/pixel) [2]:=2
scale factor (mm/pixel) [3]:=2.5
image scaling factor[1]:=0.001
quantification units:=1/cm
number of time frames:=1
"""


def stir(folder: Path, *changes: tuple[str, str]) -> Path:
    text = STIR.replace("NAME", "a.v")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    patient().values.astype("<f4").tofile(folder / "a.v")
    (folder / "a.hv").write_text(text)
    return folder / "a.hv"


def siemens(folder: Path) -> Path:
    values = np.full((3, 4, 5), 96, ">i2")
    values[0] = 0
    values.tofile(folder / "umap.v")
    (folder / "umap.v.hdr").write_text(SIEMENS.replace("NAME", "umap.v"))
    return folder / "umap.v.hdr"


def test_header_data_and_folder_open_the_same_image_at_the_position_of_stir(tmp_path: Path) -> None:
    """Five voxels in x are centred at 0. Four in y begin at −2 voxels. z points to the feet."""
    header = stir(tmp_path)
    for path in (header, tmp_path / "a.v", tmp_path):
        found = read_volume(path)
        np.testing.assert_array_equal(found.values, patient().values)
        assert found.grid == ImageGrid((3, 4, 5), (1.5, 2.0, 2.5), (0.0, -1.0, 0.0))
        assert (found.axes, found.unit, found.notes) == ("LPI", "", ())
    assert purpose_of(tmp_path / "a.v").purpose == "volume"


def test_offset_is_the_position_of_the_first_pixel(tmp_path: Path) -> None:
    end = "number of time frames"
    offsets = "".join(
        f"first pixel offset (mm) [{k}] := {mm}\n" for k, mm in ((1, 7.0), (2, -23.0), (3, 30.0))
    )
    found = read_volume(stir(tmp_path, (end, offsets + end)))
    assert found.grid.centre_mm == (10.0, -20.0, 30.0)


@pytest.mark.parametrize(
    ("orientation", "rotation", "words"),
    [("head_in", "prone", "HFP"), ("feet_in", "supine", "FFS"), ("", "", "not stated")],
)
def test_unknown_patient_position_names_no_side(
    tmp_path: Path, orientation: str, rotation: str, words: str
) -> None:
    changes = (("head_in", orientation), ("supine", rotation))
    found = read_volume(stir(tmp_path, *changes))
    assert found.axes == "xyz" and any(words in note for note in found.notes)
    np.testing.assert_array_equal(found.values, patient().values)


def test_map_without_position_keeps_the_scanner_axes(tmp_path: Path) -> None:
    """z of the reference image points to the feet as well, so no file requires a flip."""
    source = patient()
    feetwards = Volume(source.values, source.grid, "", {"axes": "LPI"})
    unstated = read_volume(stir(tmp_path, ("head_in", ""), ("supine", "")))
    np.testing.assert_array_equal(facing(unstated, feetwards).values, source.values)
    stated = read_volume(stir(tmp_path))
    np.testing.assert_array_equal(facing(stated, feetwards).values, source.values)
    np.testing.assert_array_equal(facing(stated, source).values, source.values[::-1])


def test_siemens_map_has_its_stated_unit(tmp_path: Path) -> None:
    siemens(tmp_path)
    for path in (tmp_path / "umap.v.hdr", tmp_path / "umap.v", tmp_path):
        found = read_volume(path)
        assert (found.unit, found.axes) == ("1/cm", "LPI")
        in_mm = read_mu_map(path, None)
        np.testing.assert_allclose(np.unique(in_mm.values), [0, 0.0096], rtol=1e-6)


def test_either_scale_keyword_is_used_and_contradicting_ones_are_refused(tmp_path: Path) -> None:
    end = "number of time frames"
    for words in ("quantification units := 2", "image scaling factor[1] := 2"):
        found = read_volume(stir(tmp_path, (end, f"{words}\n{end}")))
        np.testing.assert_array_equal(found.values, 2 * patient().values)
    both = "quantification units := 2\nimage scaling factor[1] := 3"
    with pytest.raises(EngineError, match=r"factor \(3\) and the quantification units \(2\)"):
        read_volume(stir(tmp_path, (end, f"{both}\n{end}")))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[3] := 3", "[3] := 4", "states 320 bytes of values, but a.v has 240"),
        ("[3] := 3", "[3] := 2", "states 160 bytes of values, but a.v has 240"),
        ("[3] := 3", "[3] := -3", "the number of voxels"),
        ("frames := 1", "frames := 4", "states 960 bytes of values, but a.v has 240"),
        ("dimensions := 3", "dimensions := 5", "'number of dimensions' is 5, expected 3"),
        ("[1] := x", "[1] := tangential coordinate", "axes are tangential coordinate, y, z"),
        ("scaling factor (mm/pixel) [3] := 2.5", "", "the voxel size"),
        (
            "scaling factor (mm/pixel) [3] := 2.5",
            "scaling factor (mm/pixel) [3] := 0",
            "voxel size is 1.5",
        ),
        (":= float", ":= ascii", "the number format is 'ascii'"),
        ("a.v", "../a.v", "only files in the header's folder"),
        ("a.v", "b.v", "b.v"),
    ],
)
def test_invalid_image_gives_one_sentence(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(EngineError, match=words.replace("[", r"\[")):
        read_volume(stir(tmp_path, (old, new)))


@pytest.mark.parametrize("axes", ["LPS", "LPI", "xyz"])
@pytest.mark.parametrize("alone", [False, True])
def test_own_image_is_restored_with_and_without_provenance(
    tmp_path: Path, axes: str, *, alone: bool
) -> None:
    source = patient()
    volume = Volume(source.values, source.grid, "1/mm", {"axes": axes})
    save(volume, tmp_path / "b.hv", {"made": "here"})
    if alone:
        (tmp_path / "b.hv.provenance.json").unlink()
    again = read_volume(tmp_path / "b.v")
    np.testing.assert_array_equal(again.values, volume.values)
    assert (again.grid, again.axes, again.unit) == (volume.grid, axes, "1/mm")
    assert alone or again.info["made"] == "here"


def test_values_of_another_image_are_refused(tmp_path: Path) -> None:
    source = patient()
    for name, factor in (("a.hv", 1), ("b.hv", 2)):
        save(Volume(source.values * np.float32(factor), source.grid, ""), tmp_path / name)
    shutil.copyfile(tmp_path / "b.v", tmp_path / "a.v")
    with pytest.raises(EngineError, match=r"a\.v does not match"):
        read_volume(tmp_path / "a.hv")


@pytest.mark.parametrize("name", ["a:b.hv", " a.hv", "a\n.hv"])
def test_name_that_a_header_cannot_store_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(EngineError):
        save(patient(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_header_values_and_provenance_are_checked_together(tmp_path: Path) -> None:
    save(patient(), tmp_path / "a.hv")
    for name in ("a.hv", "a.v"):
        assert set(files_behind(tmp_path / name)) == set(tmp_path.iterdir())


def test_folder_opens_its_only_image_or_scan(tmp_path: Path) -> None:
    siemens(tmp_path)
    assert scan_file(tmp_path) == tmp_path / "umap.v.hdr"
    (tmp_path / "notes.txt").write_bytes(b"as usual")
    assert scan_file(tmp_path) == tmp_path / "umap.v.hdr"
    (tmp_path / "scan.l").write_bytes(b"events")
    assert scan_file(tmp_path) == tmp_path / "scan.l"


def test_header_of_projections_is_not_an_image(tmp_path: Path) -> None:
    path = tmp_path / "a.h33"
    path.write_text("!INTERFILE :=\nname of data file := a.a\nprocess status := acquired\n")
    with open_input(path) as file:
        assert not InterfileImage.accepts(file)
        assert read_header(file).axes == ""


def test_files_of_stir_open_by_header_and_by_data(shared_data: Path) -> None:
    folder = shared_data / "formats" / "stir-interfile"
    for name, shape in (("attmap", (120, 92, 92)), ("test_image_5", (31, 97, 97))):
        raw = np.fromfile(folder / f"{name}.v", "<f4").reshape(shape)
        for path in (folder / f"{name}.hv", folder / f"{name}.v"):
            np.testing.assert_array_equal(read_volume(path).values, raw)
    in_mm = read_mu_map(folder / "attmap.v", None)
    np.testing.assert_allclose(in_mm.values.max(), 0.035787, rtol=1e-4)
    assert any("1/cm" in note for note in in_mm.notes)
