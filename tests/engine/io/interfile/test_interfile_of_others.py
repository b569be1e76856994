"""Tests of Interfile by STIR, Siemens and CASToR: byte order, frames, images versus scans."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import read_frames, read_sinogram, read_volume
from engine.io.castor.crystals import AXES_NOTE
from engine.io.interfile.header import read_header
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.io.safety.open_input import open_input
from engine.modalities.inspection import inspect
from engine.modalities.recognise import purpose_of
from tests.engine.io.interfile.test_interfile_image import STIR, stir
from tests.engine.io.interfile.test_sinogram_interfile import RING, random_sinogram, without_digest
from tests.engine.io.siemens import siemens_files
from tests.engine.io.volumes.test_volumes_of_others import patient

LITTLE = "imagedata byte order := LITTLEENDIAN\n"
CASTOR = """!INTERFILE :=
!imaging modality := PET
!version of keys := CASToRv3.2
CASToR version := 3.2

!GENERAL DATA :=
!originating system := SMALL
!data offset in bytes := 0
!name of data file := it6.img

!GENERAL IMAGE DATA
!type of data := Dynamic
!total number of images := 3
imagedata byte order := LITTLEENDIAN
!number of frame groups :=1
process status :=

!STATIC STUDY (General) :=
number of dimensions := 3
!matrix size [1] := 5
!matrix size [2] := 4
!matrix size [3] := 3
!number format := short float
!number of bytes per pixel := 4
scaling factor (mm/pixel) [1] := 1.5
scaling factor (mm/pixel) [2] := 2
scaling factor (mm/pixel) [3] := 2.5
first pixel offset (mm) [1] := 10
first pixel offset (mm) [2] := -20
first pixel offset (mm) [3] := 30
data rescale offset := 1
data rescale slope := 2
quantification units := 1
!END OF INTERFILE :=

!COPY OF INPUT HEADER 1
Data filename: events.cdf
Number of events: 347419
Data mode: list-mode
Data type: PET
Scanner name: SMALL
!END OF COPY OF INPUT HEADER 1
"""
"""Image header as CASToR 3.2 writes it: the header of the scan is copied to its end."""


def without_order(header: Path) -> Path:
    """Return the same header without its byte order."""
    lines = header.read_text().splitlines()
    header.write_text("\n".join(e for e in lines if "byte order" not in e.lower()) + "\n")
    return header


def test_image_without_byte_order_is_big_endian_as_in_stir(tmp_path: Path) -> None:
    header = stir(tmp_path, (LITTLE, ""))
    patient().values.astype(">f4").tofile(tmp_path / "a.v")
    found = read_volume(header)
    np.testing.assert_array_equal(found.values, patient().values)
    assert any("big-endian is used, the default of Interfile" in note for note in found.notes)
    assert not any("endian" in note for note in read_volume(stir(tmp_path)).notes)


@pytest.mark.parametrize(("kind", "n_bytes"), [("signed integer", 2), ("float", 4)])
def test_sinogram_without_byte_order_is_big_endian(tmp_path: Path, kind: str, n_bytes: int) -> None:
    data = random_sinogram(SinogramLayout.of(RING))
    write_sinogram(data, tmp_path / "a.hs")
    text = without_digest((tmp_path / "a.hs").read_text())
    text = text.replace("number format := float", f"number format := {kind}")
    text = text.replace("bytes per pixel := 4", f"bytes per pixel := {n_bytes}")
    (tmp_path / "a.hs").write_text(text)
    without_order(tmp_path / "a.hs")
    data.prompts.astype(f">{'i' if n_bytes == 2 else 'f'}{n_bytes}").tofile(tmp_path / "a.s")
    found = read_sinogram(tmp_path / "a.hs")
    np.testing.assert_array_equal(found.prompts, data.prompts)
    assert any("big-endian" in note for note in found.notes)


def test_remedy_for_little_endian_sinograms_without_byte_order_works(tmp_path: Path) -> None:
    data = random_sinogram(SinogramLayout.of(RING))
    write_sinogram(data, tmp_path / "a.hs")
    header = without_order(tmp_path / "a.hs")
    header.write_text(without_digest(header.read_text()))
    values = data.prompts.copy()
    # infinite if it were read as big-endian
    values[0] = np.frombuffer(b"\0\0\x80\x7f"[::-1], "<f4")[0]
    values.astype("<f4").tofile(tmp_path / "a.s")
    with pytest.raises(EngineError, match="Add `imagedata byte order := LITTLEENDIAN`"):
        read_sinogram(header)
    header.write_text(header.read_text().replace("!PET STUDY", f"{LITTLE}!PET STUDY", 1))
    np.testing.assert_array_equal(read_sinogram(header).prompts, values)


def test_siemens_headers_have_the_same_default(tmp_path: Path) -> None:
    layout = siemens_files.layout()
    counts = np.random.default_rng(1).poisson(2, layout.n_bins)
    header = siemens_files.write(tmp_path / "a.s", layout, counts, number="<i2")
    stated = read_sinogram(header).prompts
    with open_input(without_order(header)) as file:
        parsed = read_header(file)
    assert parsed.number_type.startswith(">")
    data = parsed.data_file
    kind = np.dtype(parsed.number_type)
    data.write_bytes(np.frombuffer(data.read_bytes(), kind.newbyteorder("<")).astype(kind))
    found = read_sinogram(header)
    np.testing.assert_array_equal(found.prompts, stated)
    assert any("big-endian" in note for note in found.notes)


@pytest.mark.parametrize("dropped", ["it6.hdr", "it6.img"])
def test_castor_image_is_a_volume_and_not_its_scan(tmp_path: Path, dropped: str) -> None:
    """The offset is the position of the centre; y is flipped as in CASToR's look-up tables."""
    stored = patient().values
    stored.astype("<f4").tofile(tmp_path / "it6.img")
    (tmp_path / "it6.hdr").write_text(CASTOR)
    found = read_volume(tmp_path / dropped)
    np.testing.assert_array_equal(found.values, (2 * stored + 1)[:, ::-1])
    x, y, z = patient().grid.centre_mm
    assert found.grid == replace(patient().grid, centre_mm=(x, -y, z))
    assert AXES_NOTE in found.notes
    assert purpose_of(tmp_path / dropped).purpose == "volume"
    assert inspect(tmp_path / dropped).facts[0] == ("Format", "Interfile (CASToR)")


def test_castor_scan_is_a_scan(tmp_path: Path) -> None:
    text = CASTOR.partition("!COPY OF INPUT HEADER 1\n")[2]
    (tmp_path / "events.cdh").write_text(text)
    assert inspect(tmp_path / "events.cdh").format == "CASToR scan"


@pytest.mark.parametrize("text", [STIR, STIR.replace("!PET data type := Image\n", "")])
def test_name_of_a_header_does_not_matter(tmp_path: Path, text: str) -> None:
    text = text.replace("process status := Reconstructed\n", "")
    patient().values.astype("<f4").tofile(tmp_path / "a.v")
    for name in ("a.hv", "a.hdr"):
        (tmp_path / name).write_text(text.replace("NAME", "a.v"))
    one, other = (read_volume(tmp_path / name) for name in ("a.hv", "a.hdr"))
    np.testing.assert_array_equal(one.values, other.values)
    assert one.grid == other.grid


def test_dynamic_image_of_stir_opens_as_frames(tmp_path: Path) -> None:
    frames = "number of time frames := 2\nimage scaling factor[2] := 3\n"
    for k, (start, length) in enumerate(((0, 20), (20, 40)), 1):
        frames += f"image relative start time (sec)[{k}] := {start}\n"
        frames += f"image duration (sec)[{k}] := {length}\n"
    header = stir(tmp_path, ("number of time frames := 1\n", frames))
    values = patient().values
    np.stack([values, values + 1]).astype("<f4").tofile(tmp_path / "a.v")
    first, second = read_frames(header)
    np.testing.assert_array_equal(first.volume.values, values)
    np.testing.assert_array_equal(second.volume.values, 3 * (values + 1))
    assert [(e.frame.start_s, e.frame.duration_s) for e in (first, second)] == [(0, 20), (20, 40)]
    mean = (20 * values + 40 * 3 * (values + 1)) / 60
    np.testing.assert_allclose(read_volume(header).values, mean, rtol=1e-6)  # float32


@pytest.mark.parametrize(
    "line",
    ["!SPECT STUDY (General) :=", "!imaging modality := nucmed\n!number of projections := 3"],
)
def test_spect_projections_are_named_spect(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.hs").write_text(f"!INTERFILE :=\nname of data file := a.s\n{line}\n")
    report = inspect(tmp_path / "a.hs")
    assert report.facts[0] == ("Format", "SPECT scan in Interfile")
    assert "Format: SPECT scan in Interfile" in report.faults[0]


def test_samples_open_at_their_positions(shared_data: Path) -> None:
    cases = shared_data / "cases-3"
    places = {"7-interfile-no-byte-order/im.hv": (3, 1, 4), "15-castor-image/im.hdr": (3, 3, 4)}
    for name, place in places.items():
        found = read_volume(cases / name)
        assert found.grid.shape == (4, 5, 6)
        assert found.values.max() == found.values[place] == np.float32(0.096)
