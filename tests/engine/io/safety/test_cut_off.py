"""Tests of truncated list mode: it is refused, or its complete events are used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import CutOffError, EngineError, FileFormatError
from engine.io import inspect, read_listmode
from engine.io.safety.cut_off import EVENTS, LEFT_OUT, MISSING, ONLY_COMPLETE, CutOff, words_of
from engine.io.safety.open_input import open_input
from tests.engine.io.listmode import test_adac, test_safir
from tests.engine.io.siemens import test_siemens_mmr
from tests.farm.formats import KINDS
from tests.farm.scanners import RING, ring_text

LAST = test_safir.event((1, 2, 0), (2, 10, 0))


def mmr(folder: Path) -> tuple[Path, str | None]:
    (folder / RING).write_text(ring_text())
    rng = np.random.default_rng(11)
    tags = (np.uint32(4) << np.uint32(29)) | np.arange(20, dtype=np.uint32)
    events = rng.integers(0, 8 * 8, (20, 3)).astype(np.uint32) | np.uint32(1 << 30)
    words = np.column_stack([tags, events]).astype("<u4").ravel()
    return test_siemens_mmr.write(folder, words, None), str(folder / RING)


def safir(folder: Path) -> tuple[Path, str | None]:
    test_safir.write_map(folder / "crystal_map.txt")
    return test_safir.write(folder, [*test_safir.RECORDS, LAST]), None


MAKES = {"mmr": (mmr, 4, 0), "safir": (safir, 8, 32)}
"""Writer of a file, bytes of a record, bytes before the first record."""


@pytest.mark.parametrize("make", MAKES)
def test_binary_scan_truncated_at_any_byte_is_refused_or_read_with_a_note(
    tmp_path: Path, make: str
) -> None:
    write, n_record, n_head = MAKES[make]
    path, scanner = write(tmp_path)
    whole = path.read_bytes()
    complete = read_listmode(path, scanner=scanner)
    assert EVENTS not in complete.info
    for cut in range(1, 2 * n_record):
        path.write_bytes(whole[:-cut])
        n_rest = (len(whole) - cut - n_head) % n_record
        n_events = complete.n_events - 1 - (cut > n_record)
        if not n_rest:  # a complete record is missing, so the size does not show it
            assert read_listmode(path, scanner=scanner).n_events == complete.n_events - 1
            continue
        with pytest.raises(CutOffError, match="use only its complete events") as e:
            read_listmode(path, scanner=scanner)
        assert e.value.n_events == n_events
        assert str(e.value).endswith(f"--use-complete-events (complete events: {n_events}).")
        used = read_listmode(path, scanner=scanner, complete_events=True)
        assert used.n_events == n_events
        np.testing.assert_array_equal(used.crystals, complete.crystals[:n_events])
        assert (used.info[EVENTS], used.info[LEFT_OUT]) == (n_events, n_rest)
        assert f"(events used: {n_events}, bytes ignored: {n_rest})" in used.notes[0]


def test_text_truncated_at_any_character_is_refused_or_read_with_a_note(tmp_path: Path) -> None:
    """The last number may have lost digits, so its event is left out with a note."""
    text = test_adac.HEADER + test_adac.EVENTS + "  1.9\t303.5\t297.0\t309.0\t297.0\n"
    complete = read_listmode(test_adac.write(tmp_path, text))
    assert EVENTS not in complete.info and not complete.notes
    ends = [k for k, letter in enumerate(text) if letter == "\n"][-3:-1]
    for end in range(ends[0] + 2, len(text)):
        data = read_listmode(test_adac.write(tmp_path, text[:end]))
        n_events = 1 if end <= ends[1] else 2
        assert data.n_events == n_events
        last = text[:end].rpartition("\n")[2]
        if not last.strip():  # the file ends exactly between two events
            assert EVENTS not in data.info
            continue
        assert (data.info[EVENTS], data.info[LEFT_OUT]) == (n_events, len(last))
        assert f"(events used: {n_events}, bytes ignored: {len(last)})" in data.notes[0]


@pytest.mark.parametrize("end", ["end of run\n", "end of run", "1 2 3 4 5 6\n", "\n\n", "# 7 -\n"])
def test_final_remark_of_a_text_is_not_an_event(tmp_path: Path, end: str) -> None:
    try:
        data = read_listmode(test_adac.write(tmp_path, test_adac.HEADER + test_adac.EVENTS + end))
    except FileFormatError:
        return
    assert data.n_events == 2 and EVENTS not in data.info


def test_published_truncated_scan_is_recognised(shared_data: Path) -> None:
    folder = shared_data / "pet-listmode-adac-dualhead-2sources"
    data = read_listmode(folder / "sample_2p_static.csv")
    assert data.info[EVENTS] == 30_026
    assert "(events used: 30,026, bytes ignored: 2)" in data.notes[0]


@pytest.mark.parametrize("kind", ["own-list-mode", "own-histogram"])
def test_truncated_own_files_have_no_complete_events(tmp_path: Path, kind: str) -> None:
    """The columns are stored one after the other, and the seal covers all of them."""
    found = next(each for each in KINDS if each.name == kind)
    path = found.make(tmp_path)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(EngineError, match="truncated"):
        read_listmode(path, complete_events=True)


class TestCommandLine:
    """The user must choose the option, and its effect is reported."""

    @pytest.fixture
    def scan(self, tmp_path: Path) -> Path:
        path, _ = safir(tmp_path)
        path.write_bytes(path.read_bytes()[:-5])
        return path

    def test_inspect_names_the_option(self, scan: Path) -> None:
        (fault,) = inspect(scan).faults
        assert "its last record has only 3 of 8 bytes" in fault and "complete records: 5" in fault
        assert "with --use-complete-events (complete events: 3)" in fault

    def test_convert_uses_the_option_and_reports_the_loss(
        self, scan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        command = ["convert", str(scan), str(tmp_path / "a.h5")]
        assert main(command) == USER_FAULT
        assert "--use-complete-events" in capsys.readouterr().err
        assert main([*command, "--use-complete-events"]) == DONE
        assert "(events used: 3, bytes ignored: 3)" in capsys.readouterr().err
        assert read_listmode(tmp_path / "a.h5").info[EVENTS] == 3


RECORD = np.dtype([("pair", "<u2", 2), ("ms", "<u4")])


def _read(path: Path, promised: int | None, *, agreed: bool) -> tuple[int, int]:
    with open_input(path, may_be_cut=agreed) as file:
        words, n_rest = words_of(
            file,
            RECORD,
            16,
            lambda part: np.asarray(part["ms"] != 3),
            lambda n, rest: f"{n} records and {rest} bytes",
            promised,
        )
        return len(words), n_rest


def test_number_of_records_is_compared_with_the_header(tmp_path: Path) -> None:
    path = tmp_path / "a.records"
    records = np.zeros(9, RECORD)
    records["ms"] = np.arange(9)
    whole = bytes(16) + records.tobytes()
    for n_bytes in range(16, len(whole) + 1):
        path.write_bytes(whole[:n_bytes])
        n, n_rest = divmod(n_bytes - 16, RECORD.itemsize)
        assert _read(path, 9, agreed=True) == (n, n_rest)
        if n == 9:
            assert _read(path, 9, agreed=False) == (9, 0)
            continue
        expected = f"{n} records and {n_rest} bytes" if n_rest else f"only {n} of the 9 records"
        with pytest.raises(CutOffError, match=expected) as e:
            _read(path, 9, agreed=False)
        assert e.value.n_events == n - (n > 3)
    for agreed in (False, True):
        with pytest.raises(FileFormatError, match=r"contains 9 complete .* but states 8 records"):
            _read(path, 8, agreed=agreed)


@pytest.mark.parametrize("n_bytes", [0, 5])
def test_missing_records_are_reported(n_bytes: int) -> None:
    cut = CutOff("a", 7, n_bytes, 2)
    assert cut.facts == {EVENTS: 7, LEFT_OUT: n_bytes, MISSING: 2}
    assert ONLY_COMPLETE in cut.notes[0]
    assert CutOff("a", 7, 0).facts == {} and CutOff("a", 7, 0).notes == ()
