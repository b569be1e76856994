"""Times of every list-mode format count from the first time mark. Decreasing times give a note."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import FileFormatError
from engine.data.listmode import ListMode
from engine.io import LISTMODE_READERS, read_listmode, write_listmode
from engine.io.castor.reader import Castor
from engine.io.gate.reader import GateRoot
from engine.io.hdf5.listmode import ListModeHdf5
from engine.io.listmode.adac import AdacCsv
from engine.io.listmode.safir import Safir
from engine.io.petsird.reader import Petsird
from engine.io.siemens.mmr import SiemensMmr
from engine.io.siemens.raw_dicom import SiemensRawListMode
from tests.engine.io.castor import castor_files
from tests.engine.io.gate import gate_files
from tests.engine.io.listmode import test_adac, test_safir
from tests.engine.io.petsird import petsird_files
from tests.engine.io.siemens import siemens_raw_files, test_siemens_mmr
from tests.farm.scanners import RING, ring_text, small_ring

Times = tuple[int, ...]


def mmr(folder: Path, times_ms: Times) -> ListMode:
    (folder / RING).write_text(ring_text())
    path = test_siemens_mmr.write(folder, petlink(times_ms), None)
    return read_listmode(path, scanner=str(folder / RING))


def raw(folder: Path, times_ms: Times) -> ListMode:
    """Write the same words within DICOM; the header states the frame duration."""
    (folder / RING).write_text(ring_text())
    seconds = (max(times_ms) - min(times_ms) + 1) / 1000
    header = test_siemens_mmr.header(2 * len(times_ms), seconds)
    path = siemens_raw_files.write_ima(folder, header, petlink(times_ms).tobytes())
    return read_listmode(path, scanner=str(folder / RING))


def petlink(times_ms: Times) -> np.ndarray:
    """Write a time tag before each event."""
    events = np.random.default_rng(11).integers(0, 8 * 8, len(times_ms)).astype(np.uint32)
    tags = np.uint32(4 << 29) | np.array(times_ms, np.uint32)
    return np.column_stack([tags, events | np.uint32(1 << 30)]).astype("<u4").ravel()


def safir(folder: Path, times_ms: Times) -> ListMode:
    test_safir.write_map(folder / "crystal_map.txt")
    pairs = [
        (test_safir.time(ms), test_safir.event((0, k % 4, 0), (1, 8 + k % 4, 0)))
        for k, ms in enumerate(times_ms)
    ]
    return read_listmode(test_safir.write(folder, [record for pair in pairs for record in pair]))


def adac(folder: Path, times_ms: Times) -> ListMode:
    lines = "".join(f"{ms}\t303.0\t297.0\t309.0\t297.0\n" for ms in times_ms)
    return read_listmode(test_adac.write(folder, test_adac.HEADER + lines))


def own(folder: Path, times_ms: Times) -> ListMode:
    """Write times since the start of the frame, as the format defines them."""
    ring, times = small_ring(), np.array(times_ms, np.uint32)
    crystals = np.tile(np.array([[0, 4]], np.int32), (len(times), 1))
    write_listmode(ListMode(ring, crystals, time_ms=times), folder / "scan.h5")
    return read_listmode(folder / "scan.h5")


def petsird(folder: Path, times_ms: Times) -> ListMode:
    """Write a block of one event at each time."""
    scanner = petsird_files.ring_scanner(small_ring())
    events = petsird_files.events_of(np.array([[0, 4]]), None, 1)
    blocks = [petsird_files.event_block(ms, ms, events) for ms in times_ms]
    return read_listmode(petsird_files.write(folder / "scan.petsird", scanner, blocks))


def gate(folder: Path, times_ms: Times) -> ListMode:
    """Write events of trees that can be merged in any order."""
    (folder / RING).write_text(ring_text())
    n, times = len(times_ms), np.array(times_ms, np.uint32)
    scan = ListMode(small_ring(), np.tile(np.array([[0, 8]], np.int32), (n, 1)), time_ms=times)
    branches = gate_files.gate_9(scan, np.random.default_rng(0))
    return read_listmode(gate_files.write(folder / "scan.root", {"Coincidences": branches}))


def castor(folder: Path, times_ms: Times) -> ListMode:
    n, times = len(times_ms), np.array(times_ms, np.uint32)
    scan = ListMode(small_ring(), np.tile(np.array([[0, 8]], np.int32), (n, 1)), time_ms=times)
    castor_files.write_table(folder / "SMALL_RING.lut", small_ring())
    start_s = min(times_ms) / 1000
    path = castor_files.write_scan(folder / "scan.cdh", scan, **{"Start time (s)": start_s})
    return read_listmode(path)


MAKES: dict[type, Callable[[Path, Times], ListMode]] = {
    SiemensMmr: mmr,
    SiemensRawListMode: raw,
    Safir: safir,
    AdacCsv: adac,
    ListModeHdf5: own,
    Petsird: petsird,
    GateRoot: gate,
    Castor: castor,
}
FROM_A_CLOCK = [make for reader, make in MAKES.items() if reader is not ListModeHdf5]
ORDERLY = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


def test_every_reader_is_tested() -> None:
    assert set(MAKES) == set(LISTMODE_READERS)


@pytest.mark.parametrize("make", FROM_A_CLOCK)
@pytest.mark.parametrize("start_ms", [0, 3_600_000])
def test_times_and_duration_count_from_the_first_mark(
    tmp_path: Path, make: Callable[[Path, Times], ListMode], start_ms: int
) -> None:
    data = make(tmp_path, tuple(start_ms + ms for ms in ORDERLY))
    assert data.time_ms is not None
    assert data.time_ms.tolist() == [ms - ORDERLY[0] for ms in ORDERLY]
    opened_s = 0.001 if make in (mmr, raw) else 0.0  # the last time tag adds a millisecond
    assert data.duration_s == pytest.approx((ORDERLY[-1] - ORDERLY[0]) / 1000 + opened_s)
    messages = [note for note in data.notes if "times are counted from there" in note]
    assert messages if start_ms else not messages or make in (mmr, raw)


@pytest.mark.parametrize("make", MAKES.values())
def test_decreasing_times_are_reported(
    tmp_path: Path, make: Callable[[Path, Times], ListMode]
) -> None:
    jumbled = (*ORDERLY[:6], ORDERLY[4], *ORDERLY[6:])
    if make is own:  # own files store their duration, so the times do not define it
        (note,) = own(tmp_path, jumbled).notes
        assert "time runs backwards at event 6, from 19 to 17 ms" in note
        assert not own(tmp_path, ORDERLY).notes
        return
    if make is gate:  # trees of merged jobs, each with its own order
        found = gate(tmp_path, jumbled)
        assert any("time runs backwards at event 6, from 19 to 17 ms" in n for n in found.notes)
        assert found.time_ms is not None
        assert (np.diff(found.time_ms.astype(int)) >= 0).all()
        return
    with pytest.raises(FileFormatError, match=r"time runs backwards .*from 19 to 17 ms"):
        make(tmp_path, jumbled)
