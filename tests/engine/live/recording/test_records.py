"""Tests of recording files: readable up to any cut, and completed by the writer process.

Cases of lost recordings, listed before the code was written:

- the file is cut within the magic text, a head, a header, the data or a checksum;
- one byte of the data, of a header, of a size or of a mark is changed;
- the file is another kind of file, a folder, empty, or has sizes beyond its own;
- the program is killed between two records, and within a record;
- the disk is full from the first byte, becomes full, and has space again;
- alternating large and small records; a disk without direct writes; zeros after the last record;
- a missing folder; a killed writer process; an existing file with the same name.
"""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from mmap import mmap
from pathlib import Path

import pytest

from engine.core.errors import FileFormatError
from engine.live.recording import writer as writer_module
from engine.live.recording.appending import ALIGNED_BYTES, DIRECT_BYTES, RecordAppender
from engine.live.recording.direct import BLOCK, CHUNK, MAX_PARTS, DirectFile
from engine.live.recording.process import Appender
from engine.live.recording.recording_list import unfinished_recordings
from engine.live.recording.records import MAGIC, RecordingFile, RecordKind, pieces_of
from engine.live.recording.writer import RecordingWriter

FACTS = {"kind": "frames", "source": "tcp://*:1", "begun_utc": "2026-11-29T00:00:00"}
N = 12


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))


def written(path: Path, n: int = N) -> list[int]:
    """Write n records of different sizes; return the ends of the records."""
    ends = [len(MAGIC)]
    with path.open("wb") as file:
        file.write(MAGIC)
        for k in range(n):
            for piece in pieces_of(RecordKind.DATA, 1, f'{{"k": {k}}}'.encode(), bytes([k]) * k):
                file.write(piece)
            ends.append(file.tell())
    return ends


def test_recording_cut_at_any_byte_is_readable_up_to_the_cut(tmp_path: Path) -> None:
    path, cut = tmp_path / "a.isorec", tmp_path / "cut.isorec"
    ends = written(path)
    content = path.read_bytes()
    assert len(content) > 500
    for n in range(len(content) + 1):
        cut.write_bytes(content[:n])
        file = RecordingFile(cut)
        found = list(file.records())
        assert len(found) == file.count == sum(end <= n for end in ends[1:])
        assert [each.data for each in found] == [bytes([k]) * k for k in range(len(found))]
        assert file.extent.is_cut == (n not in ends and n > len(MAGIC)) or n < len(MAGIC)


def test_changed_byte_never_gives_other_data(tmp_path: Path) -> None:
    path, changed = tmp_path / "a.isorec", tmp_path / "changed.isorec"
    written(path)
    content, random_ = path.read_bytes(), random.Random(1)
    true = {(each.header, each.data) for each in RecordingFile(path).records()}
    for _ in range(200):
        at = random_.randrange(len(MAGIC), len(content))
        wrong = bytearray(content)
        wrong[at] ^= 1 << random_.randrange(8)
        changed.write_bytes(wrong)
        file = RecordingFile(changed)
        found = list(file.records())
        assert {(each.header, each.data) for each in found} < true
        assert file.extent.damaged == 1 or file.extent.is_cut


@pytest.mark.parametrize("content", [b"\x89HDF\r\n", b"isocenter recording 2\n", b"x" * 1000])
def test_other_kind_of_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.isorec"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="not a recording"):
        list(RecordingFile(path).records())


def test_folder_or_missing_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(FileFormatError, match="cannot be opened"):
            list(RecordingFile(path).records())


def put(writer: RecordingWriter, n: int) -> None:
    for k in range(n):
        writer.put(RecordKind.DATA, 1, [b"{}", bytes([k]) * 1000])


def data_in(path: Path) -> list[bytes]:
    return [each.data for each in RecordingFile(path).records() if each.kind == RecordKind.DATA]


def test_all_data_are_on_disk_after_finish(tmp_path: Path) -> None:
    path = tmp_path / "a.isorec"
    writer = RecordingWriter(path, FACTS, 2**20)
    put(writer, 50)
    assert writer.finish() and writer.synced == 50
    assert data_in(path) == [bytes([k]) * 1000 for k in range(50)]
    (found,) = unfinished_recordings()
    assert (found.path, found.text, found.is_running) == (path, "50 frames recorded", False)
    assert path.stat().st_mode & 0o777 == 0o600 or os.name != "posix"


def test_data_before_a_kill_of_the_process_are_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.isorec"
    writer = RecordingWriter(path, FACTS, 2**20)
    put(writer, 20)
    for _ in range(200):
        if writer.synced == 20:
            break
        time.sleep(0.05)
    writer._process.kill()
    put(writer, 1)
    time.sleep(0.2)
    put(writer, 1)
    assert not writer.finish()
    assert any("only in memory" in text for text in writer.take_notices())
    # The program may have written the later records
    n = len(data_in(path))
    assert n in (20, 21, 22)
    assert [each.text for each in unfinished_recordings()] == [f"{n} frames recorded"]


PROGRAM = """
import os, sys, time
from pathlib import Path
from engine.live.recording.records import RecordKind
from engine.live.recording.writer import RecordingWriter
w = RecordingWriter(Path(sys.argv[1]), {"kind": "frames"}, 2**24)
for k in range(30):
    w.put(RecordKind.DATA, 1, [b"{}", bytes([k]) * 100000])
while w.synced < 30:
    time.sleep(0.02)
w.put(RecordKind.DATA, 1, [b"{}", b"last"])
time.sleep(0.2)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP"])
def test_recording_survives_its_program(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.isorec"
    root = str(Path(__file__).parents[4])
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": root},
    )
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    # The complete process group, like a closed terminal
    os.killpg(program.pid, getattr(signal, name))
    program.wait()
    program.stdout.close()
    for _ in range(200):
        found = unfinished_recordings()
        if found and not found[0].is_running:
            break
        time.sleep(0.05)
    assert [each.text for each in found] == ["31 frames recorded"]
    assert data_in(path)[-1] == b"last"


class FullDisk:
    """A disk that accepts `free` bytes, and no more until it has space again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, free: int) -> None:
        self.free, self._write = free, os.write
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.delattr(os, "writev", raising=False)

    def write(self, descriptor: int, data: bytes) -> int:
        if not self.free:
            raise OSError(errno.ENOSPC, "No space left on device")
        n = self._write(descriptor, data[: self.free])
        self.free -= n
        return n


@pytest.mark.parametrize("free", [0, 10, 300, 333, 1000])
def test_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    messages: list[dict[str, object]] = []
    path = tmp_path / "a.isorec"
    appender = Appender(path, messages.append, 2**20)
    disk = FullDisk(monkeypatch, free)
    for k in range(20):
        appender.add((RecordKind.DATA, 1, b"{}", bytes([k]) * 100))
    assert not appender.sync()
    assert messages[0]["event"] == "fails" and messages[0]["reason"]
    # the confirmed part is complete, and a truncated record does not hide the next one
    if appender.has_file:
        assert not RecordingFile(path).extent.is_cut
    disk.free = 10**9
    assert appender.sync()
    assert data_in(path) == [bytes([k]) * 100 for k in range(20)]
    assert {"event": "writes again"} in messages
    appender.close()


@pytest.mark.parametrize("free", [0, 10, 30, 400, 3333])
def test_writer_process_handles_a_disk_that_is_full_for_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    path = tmp_path / "a.isorec"
    disk = FullDisk(monkeypatch, 10**9)
    monkeypatch.setattr(writer_module, "_write_to", _unlimited(disk, writer_module._write_to))
    writer = RecordingWriter(path, FACTS, 2**20)
    disk.free = free
    put(writer, 20)
    time.sleep(0.1)
    put(writer, 20)
    assert writer.finish() and writer.synced == 40
    assert data_in(path) == [bytes([k % 20]) * 1000 for k in range(40)]
    assert not RecordingFile(path).extent.damaged


def _unlimited(disk: FullDisk, write):
    """Return a function that writes to a pipe, which is never full."""

    def written(descriptor: int, pieces) -> None:
        before, disk.free = disk.free, 10**9
        write(descriptor, pieces)
        disk.free = before

    return written


def test_unfinished_record_of_the_program_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.isorec"
    program = RecordAppender.of_new(path)
    program.append([(RecordKind.DATA, 1, b"{}", b"first")])
    program.close()
    content = path.read_bytes()
    appender = Appender(path, lambda _: None, 2**20)
    appender.count_written(1)
    with path.open("ab") as file:
        file.write(content[len(MAGIC) : -3])
    appender.add((RecordKind.NOTE, 0, b'{"saved": "a.h5"}', b""))
    assert appender.sync() and appender.count == 1
    appender.close()
    assert RecordingFile(path).facts == {"saved": "a.h5"} and data_in(path) == [b"first"]


LARGE = DIRECT_BYTES + 1234


def drawn(n_bytes: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(n_bytes)


def appended(path: Path, sizes: list[int], *, is_late: bool = False) -> list[bytes]:
    """Append one record of each size; return their data."""
    data = [drawn(n, k) for k, n in enumerate(sizes)]
    appender = RecordAppender.of_new(path)
    for each in data:
        appender.append([(RecordKind.DATA, 1, b"{}", each)], is_late=is_late)
    appender.close()
    return data


SIZES = [3, LARGE, LARGE, 5, LARGE, CHUNK + 7, 0, 2 * CHUNK, 9]


@pytest.mark.parametrize("n", range(1, len(SIZES) + 1))
def test_alternating_large_and_small_records_are_complete(tmp_path: Path, n: int) -> None:
    path = tmp_path / "a.isorec"
    data = appended(path, SIZES[:n])
    file = RecordingFile(path)
    assert [each.data for each in file.records()] == data
    # Zeros after the last record are not read as a record
    assert not file.extent.is_cut and path.stat().st_size - file.extent.end < BLOCK


def test_disk_without_direct_writes_gets_the_same_records(tmp_path: Path, monkeypatch) -> None:
    class Refusing:
        def write(self, *_: object) -> bytes:
            raise OSError(errno.EINVAL, "no direct writes")

        def close(self) -> None:
            pass

    monkeypatch.setattr(DirectFile, "of_existing", lambda _: Refusing())
    path = tmp_path / "a.isorec"
    assert appended(path, SIZES) == data_in(path)


def test_disk_that_becomes_full_keeps_the_earlier_records(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "a.isorec"
    appender = RecordAppender.of_new(path)
    records = [(RecordKind.DATA, 1, b"{}", drawn(LARGE, k)) for k in range(3)]
    appender.append(records[:1])
    write = DirectFile.write

    def fails(direct: DirectFile, *given) -> bytes:
        write(direct, *given)
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(DirectFile, "write", fails)
    if appender._direct is None:
        pytest.skip("this disk takes no direct writes")
    with pytest.raises(OSError, match="full"):
        appender.append(records[1:2])
    assert data_in(path) == [records[0][3]]
    monkeypatch.setattr(DirectFile, "write", write)
    appender.append(records[2:])
    appender.close()
    assert data_in(path) == [records[0][3], records[2][3]]


def test_another_process_continues_after_a_large_record(tmp_path: Path) -> None:
    path = tmp_path / "a.isorec"
    data = appended(path, [LARGE])
    appender = Appender(path, lambda _: None, 2**20)
    appender.count_written(1)
    appender.add((RecordKind.DATA, 1, b"{}", b"next"))
    assert appender.sync()
    appender.close()
    assert data_in(path) == [*data, b"next"]


def aligned(n_bytes: int, seed: int) -> memoryview:
    """Return page-aligned bytes, like those of the shared memory."""
    memory = mmap(-1, n_bytes)
    memory[:] = drawn(n_bytes, seed)
    return memoryview(memory)


def test_page_aligned_data_start_at_a_file_block(tmp_path: Path) -> None:
    path = tmp_path / "a.isorec"
    appender = RecordAppender.of_new(path)
    if appender._direct is None:
        pytest.skip("this disk takes no direct writes")
    sizes = [ALIGNED_BYTES, LARGE, BLOCK, 2 * CHUNK + 5, ALIGNED_BYTES - 1, 4 * BLOCK * 16]
    data = [aligned(n, k) for k, n in enumerate(sizes)]
    # In one write and one by one, with an unaligned record between them
    records = [(RecordKind.DATA, 1, f'{{"k": {k}}}'.encode(), each) for k, each in enumerate(data)]
    other = (RecordKind.DATA, 1, b"{}", drawn(LARGE, 9))
    appender.append([*records, other])
    for each in (*records, other):
        appender.append([each])
    appender.close()
    file = RecordingFile(path)
    found = list(file.records())
    assert [each.data for each in found] == 2 * [bytes(each[3]) for each in (*records, other)]
    assert [json.loads(each.header) for each in found[: len(data)]] == [
        {"k": k} for k in range(len(data))
    ]
    content = path.read_bytes()
    for each in data:
        is_at_block = content.index(each[:64]) % BLOCK == 0
        assert is_at_block == (each.nbytes >= ALIGNED_BYTES)
    assert not file.extent.is_cut and not file.extent.damaged


def test_more_aligned_records_than_one_write_accepts_are_complete(tmp_path: Path) -> None:
    path, n = tmp_path / "a.isorec", MAX_PARTS + 3
    data = aligned(2 * ALIGNED_BYTES, 1)
    # Parts of complete blocks, and of one and a half blocks
    records = [
        (RecordKind.DATA, 1, b"{}", data[: ALIGNED_BYTES + (k % 2) * BLOCK // 2]) for k in range(n)
    ]
    appender = RecordAppender.of_new(path)
    appender.append(records)
    appender.close()
    assert data_in(path) == [bytes(each[3]) for each in records]


def test_only_zeros_of_one_block_may_follow_the_records(tmp_path: Path) -> None:
    path = tmp_path / "a.isorec"
    for more, is_cut in ((bytes(BLOCK - 1), False), (bytes(BLOCK), True), (b"\0\1", True)):
        written(path)
        with path.open("ab") as file:
            file.write(more)
        file = RecordingFile(path)
        assert len(list(file.records())) == N and file.extent.is_cut is is_cut


def test_late_records_use_the_faster_write(tmp_path: Path) -> None:
    path = tmp_path / "a.isorec"
    assert appended(path, [LARGE] * 5, is_late=True) == data_in(path)


def test_full_disk_and_full_memory_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[dict[str, object]] = []
    appender = Appender(tmp_path / "a.isorec", reports.append, 500)
    FullDisk(monkeypatch, 0)
    for k in range(20):
        appender.add((RecordKind.DATA, 1, b"{}", bytes([k]) * 100))
    assert reports[-1]["event"] == "dropped"


STUCK = """
import sys, time
sys.stdin.buffer.read()
print('{"event": "synced", "count": 3}', flush=True)
print('{"event": "finished", "is_written": true}', flush=True)
time.sleep(60)
"""


def test_hanging_process_does_not_stop_the_program(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(writer_module, "COMMAND", STUCK)
    monkeypatch.setattr(writer_module, "END_S", 0.1)
    writer = RecordingWriter(tmp_path / "a.isorec", FACTS, 2**20)
    put(writer, 3)
    started = time.monotonic()
    assert writer.finish() and time.monotonic() - started < 30
    assert writer._process.poll() is not None


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "none" / "a.isorec", FACTS, 2**20)
    put(writer, 3)
    assert not writer.finish()
    assert any("cannot be written" in text for text in writer.take_notices())


def test_older_file_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.isorec"
    path.write_bytes(b"older")
    writer = RecordingWriter(path, FACTS, 2**20)
    put(writer, 3)
    assert not writer.finish()
    assert path.read_bytes() == b"older"
