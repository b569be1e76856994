"""DICOM files that state more than they contain are refused at every entry point.

Entry points: `inspect` (header), `send`, `--like`, regions, and the import of a series. Cases,
written before the reader:

- deflated files of more zeros than the limit; the transfer syntax is at the start of the group of
  file attributes, or behind 70 kB of private information
- a small deflated file (accepted where it is only copied)
- the UID of the deflated syntax as a value in a file that is not deflated (read)
- 10⁶, 10⁹ and -5 frames in 1 kB
- sequences nested 100,000 times, of defined and of undefined length
"""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pydicom.dataset import Dataset
from pydicom.uid import (
    DeflatedExplicitVRLittleEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
)

from engine.analysis.regions.dicom_regions import read_dicom_regions
from engine.core.errors import EngineError, FileFormatError
from engine.io import read_volume
from engine.io.dicom import bounded_stream
from engine.io.dicom.headers import header_at
from engine.io.dicom.network import Node, send
from engine.io.dicom.object_reader import read_object
from engine.io.dicom.subject import subject_like
from engine.io.safety.open_input import open_input
from tests.engine.io.dicom.dicom_files import write_series
from tests.engine.io.dicom.hostile_dicom import _preamble

DEFLATED = b"1.2.840.10008.1.2.1.99"
LATE = struct.pack("<HH2sHI", 2, 7, b"OB", 0, 70_000) + bytes(70_000)
LEVELS = 100_000


def read_subject(path: Path) -> object:
    with open_input(path) as file:
        return subject_like(file)


ENTRY_POINTS: dict[str, Callable[[Path], object]] = {
    "inspect": header_at,
    "send": lambda path: send([path], Node.at("127.0.0.1:1"), lambda done, of: None),
    "--like": read_subject,
    "regions": read_dicom_regions,
    "import": read_volume,
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    write_series(folder, affine=np.diag([2.0, 2.0, 2.0, 1.0]), shape=(6, 5, 2))
    return next(folder.iterdir())


def deflated(before: bytes, n_zeros: int) -> bytes:
    """Return a deflated file with a private attribute of zeros."""
    meta = before + b"\x02\0\x10\0UI" + struct.pack("<H", len(DEFLATED)) + DEFLATED
    length = b"\x02\0\0\0UL\x04\0" + struct.pack("<I", len(meta))
    pack = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = pack.compress(struct.pack("<HH2sHI", 9, 0x1001, b"OB", 0, n_zeros))
    body += pack.compress(bytes(n_zeros)) + pack.flush()
    return bytes(128) + b"DICM" + length + meta + body


@pytest.mark.parametrize("before", [b"", LATE], ids=["early", "late"])
def test_deflate_bomb_is_refused_at_every_entry_point(
    tmp_path: Path, before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_stream, "MAX_INFLATED", 1 << 20)
    path = tmp_path / "a.dcm"
    path.write_bytes(deflated(before, 3 << 20))
    for name, entry in ENTRY_POINTS.items():
        started = time.process_time()
        with pytest.raises(EngineError, match=r"deflated|would decompress") as refused:
            entry(path)
        assert "a.dcm" in str(refused.value), name
        assert time.process_time() - started < 2, name


def test_small_deflated_file_is_refused_only_as_an_image(good: Path, tmp_path: Path) -> None:
    dataset = pydicom.dcmread(good)
    dataset.file_meta.TransferSyntaxUID = DeflatedExplicitVRLittleEndian
    path = tmp_path / "a.dcm"
    dataset.save_as(path)
    assert read_subject(path).attributes["PatientID"] == dataset.PatientID
    with pytest.raises(EngineError, match="no response"):
        ENTRY_POINTS["send"](path)
    with pytest.raises(FileFormatError, match="deflated transfer syntax is not supported"):
        header_at(path)


def test_deflate_uid_as_a_value_is_accepted(good: Path, tmp_path: Path) -> None:
    dataset = pydicom.dcmread(good)
    dataset.SeriesDescription = DEFLATED.decode()
    dataset.save_as(tmp_path / "a.dcm")
    assert header_at(tmp_path / "a.dcm").text("SeriesDescription") == DEFLATED.decode()


@pytest.mark.parametrize("n_frames", [10**6, 10**9, -5])
@pytest.mark.parametrize("kind", ["2", "2.1", "66.4", "481.2"], ids=["CT", "new CT", "SEG", "dose"])
def test_stated_number_of_frames_is_compared_with_the_file(
    good: Path, tmp_path: Path, n_frames: int, kind: str
) -> None:
    dataset = pydicom.dcmread(good)
    dataset.NumberOfFrames = n_frames
    dataset.SOPClassUID = dataset.file_meta.MediaStorageSOPClassUID = (
        f"1.2.840.10008.5.1.4.1.1.{kind}"
    )
    path = tmp_path / "a.dcm"
    dataset.save_as(path)
    for name in ("send", "--like", "regions", "import"):
        started = time.process_time()
        with pytest.raises(EngineError, match=rf"{n_frames:,} frames") as refused:
            ENTRY_POINTS[name](path)
        assert "IndexError" not in str(refused.value), name
        assert time.process_time() - started < 1, name


def nested_open(levels: int) -> bytes:
    start = b"\x28\0\0\x30SQ\0\0\xff\xff\xff\xff\xfe\xff\0\xe0\xff\xff\xff\xff"
    return start * levels + b"\xfe\xff\x0d\xe0\0\0\0\0\xfe\xff\xdd\xe0\0\0\0\0" * levels


def nested_closed(levels: int) -> bytes:
    lengths = (20 * k for k in reversed(range(levels)))
    return b"".join(
        b"\x28\0\0\x30SQ\0\0" + struct.pack("<I", n + 8) + b"\xfe\xff\0\xe0" + struct.pack("<I", n)
        for n in lengths
    )


@pytest.mark.parametrize("make", [nested_open, nested_closed])
@pytest.mark.parametrize("levels", [LEVELS, 9_000])
def test_deep_sequences_give_one_sentence_at_every_entry_point(
    tmp_path: Path, make: Callable[[int], bytes], levels: int
) -> None:
    path = tmp_path / "a.dcm"
    path.write_bytes(_preamble(make(levels)))
    for name, entry in ENTRY_POINTS.items():
        started = time.process_time()
        with pytest.raises(EngineError, match=r"nested too deeply|more than [\d,]+ parts"):
            entry(path)
        assert time.process_time() - started < 2, name


@pytest.mark.parametrize("make", [nested_open, nested_closed])
def test_header_has_its_own_nesting_limit(tmp_path: Path, make: Callable[[int], bytes]) -> None:
    path = tmp_path / "a.dcm"
    path.write_bytes(_preamble(make(100)))
    with pytest.raises(FileFormatError, match="more than 64 levels"):
        header_at(path)


@pytest.mark.parametrize("is_implicit", [False, True])
@pytest.mark.parametrize("levels", [20, 70])
def test_nesting_up_to_the_limit_is_read(
    good: Path, tmp_path: Path, levels: int, *, is_implicit: bool
) -> None:
    inner = Dataset()
    inner.PatientID = "1"
    for _ in range(levels):
        outer = Dataset()
        outer.ContentSequence = [inner, Dataset()]
        inner = outer
    dataset = pydicom.dcmread(good)
    dataset.ContentSequence = [inner]
    syntax = ImplicitVRLittleEndian if is_implicit else ExplicitVRLittleEndian
    dataset.file_meta.TransferSyntaxUID = syntax
    dataset.save_as(tmp_path / "a.dcm", implicit_vr=is_implicit, little_endian=True)
    with open_input(tmp_path / "a.dcm") as file:
        if levels == 20:
            assert read_object(file).PatientID == dataset.PatientID
            return
        with pytest.raises(ValueError, match="nested too deeply, more than 64 levels"):
            read_object(file)
