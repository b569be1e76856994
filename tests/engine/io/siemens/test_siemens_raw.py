"""Siemens raw data in DICOM give the same scan as separate header and data files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.errors import EngineError, FileFormatError, GeometryError, OutputError
from engine.data.listmode import ListMode
from engine.data.sinogram import DELAYEDS
from engine.io import inspect, read_listmode, read_sinogram, scan_file
from engine.io.input_files import files_behind
from engine.io.siemens.extract import extract
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.recognise import purpose_of
from engine.modalities.studies import Study
from engine.protocols.run_context.provenance import input_files
from tests.engine.io.siemens import siemens_files
from tests.engine.io.siemens import siemens_raw_files as raw
from tests.engine.io.siemens.test_siemens_mmr import header
from tests.farm.scanners import RING, ring_text

N_WORDS = 160


def words() -> bytes:
    rng = np.random.default_rng(1)
    tags = (np.uint32(4) << np.uint32(29)) | np.arange(40, dtype=np.uint32)
    events = rng.integers(0, 64, (40, 3)).astype(np.uint32) | np.uint32(1 << 30)
    return np.column_stack([tags, events]).astype("<u4").tobytes()


TEXT = header(N_WORDS, 0.04)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / RING).write_text(ring_text())
    (tmp_path / "raw").mkdir()
    return tmp_path / "raw"


def read(path: Path) -> ListMode:
    return read_listmode(path, scanner=str(path.parent.parent / RING))


def separate(folder: Path) -> ListMode:
    (folder.parent / "scan.l").write_bytes(words())
    (folder.parent / "scan.l.hdr").write_text(TEXT)
    return read_listmode(folder.parent / "scan.l.hdr", scanner=str(folder.parent / RING))


@pytest.mark.parametrize("how", raw.WRITERS)
@pytest.mark.parametrize("more", [{}, {"has_csa": True}, {"is_implicit": True}])
def test_raw_data_equal_the_scan_of_separate_files(folder, how, more):
    path = raw.WRITERS[how](folder, TEXT, words(), **more)
    found, expected = read(path), separate(folder)
    assert found.n_events == expected.n_events == 120
    for one, other in ((found.crystals, expected.crystals), (found.time_ms, expected.time_ms)):
        assert np.array_equal(one, other)
    files = {"data_file", "header_file"}
    assert {k: v for k, v in found.info.items() if k not in files} == {
        k: v for k, v in expected.info.items() if k not in files
    }
    assert found.duration_s == expected.duration_s and found.notes == expected.notes
    assert "Doe" not in str(found.info) and "4711" not in str(found.info)
    assert purpose_of(path).purpose == "scan"
    assert scan_file(folder) == path, "the folder must open its only scan"


def test_both_files_count_as_inputs(folder):
    path = raw.write_bf(folder, TEXT, words())
    data = folder / "scan.bf"
    assert np.array_equal(read(data).crystals, read(path).crystals)
    for named in (path, data):
        assert set(files_behind(named)) == {path, data}
        assert set(input_files(Study(data=named, protocol=ListModeProtocol())).values()) == {
            path,
            data,
        }


@pytest.mark.parametrize("how", raw.WRITERS)
@pytest.mark.parametrize("n_bytes", [-40, -3, 4])
def test_data_of_another_length_are_refused(folder, how, n_bytes):
    data = words() + bytes(n_bytes) if n_bytes > 0 else words()[:n_bytes]
    path = raw.WRITERS[how](folder, TEXT, data)
    with pytest.raises(FileFormatError, match=r"bytes of list mode, but the header in .* states"):
        read(path)


def test_missing_data_file_is_named(folder):
    path = raw.write_bf(folder, TEXT, words())
    (folder / "scan.bf").unlink()
    with pytest.raises(FileFormatError, match=r"copy the data file scan\.bf"):
        read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing of Interfile", r"header of the raw data was not found in \(0029,1010\)"),
        (
            TEXT.replace("PETLINK bin address", "PETLINK 64"),
            "only list mode from the mMR is supported",
        ),
        (TEXT.replace("%total", "%some"), "does not state the number of words"),
        (TEXT + "number of rings:=9\n", "choose list mode from that scanner"),
    ],
)
def test_unsuitable_headers_are_refused(folder, text, message):
    with pytest.raises((FileFormatError, GeometryError), match=message):
        read(raw.write_ima(folder, text, words()))


def test_damaged_end_is_refused(folder):
    path = raw.write_ptd(folder, TEXT, words())
    whole = path.read_bytes()
    path.write_bytes(whole[:-24] + b"\1\0\0\0" + whole[-20:])
    with pytest.raises(FileFormatError, match="bytes, which was not found"):
        read(path)


def test_missing_end_mark_is_named(folder):
    path = raw.write_ptd(folder, TEXT, words())
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FileFormatError, match="end mark of Siemens raw data is missing"):
        read(path)
    whole = raw.write_ima(folder, TEXT, words())
    assert scan_file(folder) == whole, "a damaged neighbour must not prevent opening"


@pytest.mark.parametrize("how", raw.WRITERS)
def test_truncated_file_gives_one_sentence(folder, how):
    path = raw.WRITERS[how](folder, TEXT, words())
    whole = path.read_bytes()
    for n in range(132, len(whole), 101):
        path.write_bytes(whole[:n])
        with pytest.raises(EngineError, match="scan"):
            read(path)


@pytest.mark.parametrize("how", raw.WRITERS)
def test_extracted_files_are_the_same_scan(folder, how):
    path = raw.WRITERS[how](folder, TEXT.replace("\n", "\r\r\n"), words())
    out = folder.parent / "out.l.hdr"
    assert main(["dicom", "extract", str(path), str(out)]) == DONE
    assert (folder.parent / "out.l").read_bytes() == words()
    one = read_listmode(out, scanner=str(folder.parent / RING))
    assert np.array_equal(one.crystals, separate(folder).crystals)
    text = out.read_bytes().decode()
    assert "Doe" not in text and "name of data file :=out.l\r\n" in text and "\r\r" not in text
    assert main(["dicom", "extract", str(path), str(out), "--force", "--identify"]) == DONE
    assert "Doe^Jane" in out.read_text()


def sinogram(how: str, folder: Path, more: tuple[str, ...] = ()) -> tuple[Path, np.ndarray]:
    bins = siemens_files.layout()
    values = np.arange(2 * bins.n_bins, dtype="<i2").reshape(2, -1) % 97
    text = siemens_files.header(
        bins, "a.s", types=("prompts", "randoms"), number="signed integer", n_bytes=2, more=more
    )
    path = raw.WRITERS[how](folder, text, values.astype("<i2").tobytes(), kind="sinogram")
    return path, values


@pytest.mark.parametrize("how", raw.WRITERS)
def test_sinogram_equals_that_of_its_separate_files(folder, how):
    path, values = sinogram(how, folder)
    found = read_sinogram(path)
    assert np.array_equal(found.prompts, values[0])
    assert np.array_equal(found.auxiliary[DELAYEDS], values[1])
    assert purpose_of(path).purpose == "scan" and scan_file(folder) == path
    extract(path, folder / "out.s.hdr")
    separate = read_sinogram(folder / "out.s.hdr")
    assert np.array_equal(found.prompts, separate.prompts) and found.info == separate.info


def test_sinogram_of_another_length_is_refused(folder):
    path, _ = sinogram("bf", folder)
    (folder / "scan.bf").write_bytes((folder / "scan.bf").read_bytes()[:-2])
    with pytest.raises(
        FileFormatError, match=r"scan\.bf: contains .* bytes, but its header .* a multiple"
    ):
        read_sinogram(path)


def test_compressed_sinogram_is_refused_with_a_remedy(folder):
    path, _ = sinogram("ima", folder)
    path.write_bytes(path.read_bytes().replace(b"compression:=off", b"compression:=on "))
    with pytest.raises(FileFormatError, match=r"compression .*isocenter dicom extract"):
        read_sinogram(path)


def test_normalisation_is_named_with_a_working_remedy(folder):
    kind, what, ending = "norm", "Format: normalisation of a Siemens scanner", ".n.hdr"
    text = (
        "!INTERFILE:=\n%patient sex:=F\n%patient ID:=4711\n!name of data file:=a.s\n"
        "%data set [1]:={0,,a.n}\n"
    )
    path = raw.write_ptd(folder, text, b"1234" * 5, kind=kind)
    message = " ".join(inspect(path).faults)
    assert what in message and "isocenter dicom extract" in message
    with pytest.raises(OutputError, match=f"must have a name that ends with {ending}"):
        extract(path, folder / "out.l.hdr")
    assert extract(path, folder / f"out{ending}") == 20
    name = f"out{ending}".removesuffix(".hdr")
    assert (folder / name).read_bytes() == b"1234" * 5
    lines = (folder / f"out{ending}").read_text().splitlines()
    assert f"!name of data file:={name}" in lines and f"%data set [1]:={{0,,{name}}}" in lines
    assert "%patient sex:=F" in lines and "%patient ID:=" in lines


@pytest.mark.parametrize(
    ("kind", "more", "n_bytes", "is_whole"),
    [
        ("sinogram", "", 48, True),
        ("sinogram", "", 96, True),  # twice the size: prompts and delayeds
        ("sinogram", "", 46, False),
        ("sinogram", "%compression:=on\n", 46, True),
        ("norm", "", 46, False),
    ],
)
def test_data_that_do_not_match_their_header_are_not_extracted(
    folder, kind, more, n_bytes, is_whole
):
    sizes = "matrix size [1]:=2\nmatrix size [2]:=3\nmatrix size [3]:=4\n"
    text = f"!INTERFILE:=\nname of data file:=a\n{sizes}number of bytes per pixel:=2\n{more}"
    path = raw.write_ima(folder, text, bytes(n_bytes), kind=kind)
    out = folder / ("a.s.hdr" if kind == "sinogram" else "a.n.hdr")
    if is_whole:
        assert extract(path, out) == n_bytes
        return
    with pytest.raises(
        FileFormatError, match=rf"scan\.IMA: contains {n_bytes} bytes, but .* requires a multiple"
    ):
        extract(path, out)
    assert [each.name for each in folder.iterdir()] == ["scan.IMA"]


def test_other_dicom_is_not_extracted(folder):
    (folder / "a.dcm").write_bytes(bytes(128) + b"DICM" + bytes(64))
    with pytest.raises(FileFormatError, match="not raw data from a Siemens scanner"):
        extract(folder / "a.dcm", folder / "a.l.hdr")
    assert [each.name for each in folder.iterdir()] == ["a.dcm"]
