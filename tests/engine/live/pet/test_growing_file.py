"""Tests of reading list mode while its file grows, for writes cut at any byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from engine.core.errors import FileFormatError, SettingsError
from engine.data.listmode import ListMode
from engine.io import read_listmode, write_listmode
from engine.live.core.frame import Ended, Resumed, SourceLost, Waiting
from engine.live.pet.event_batch import EventArrival, EventBatch, joined
from engine.live.pet.opening import open_events
from engine.live.pet.sources.growing_file import GrowingFileSource
from tests.engine.io.listmode import test_safir as safir
from tests.engine.live.pet.running_events import scan


def follow(source: GrowingFileSource, stop: Event) -> Iterator[EventArrival]:
    for arrival in source.batches(stop):
        yield arrival
        if stop.is_set():
            return


def assert_same(batches: list[EventBatch], complete: ListMode) -> None:
    actual = joined([batch.events for batch in batches])
    for column in ("crystals", "delayed", "time_ms"):
        np.testing.assert_array_equal(getattr(actual, column), getattr(complete, column))
    firsts = np.cumsum([0, *(batch.events.n_events for batch in batches)])
    assert [batch.first for batch in batches] == firsts[:-1].tolist()


def test_mmr_sample_written_in_odd_pieces_gives_its_events(
    shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "pet-listmode-mmr-brain"
    header = tmp_path / "PET_ACQ_small.l.hdr.STIR"
    data = (folder / "small_listmode_file.l").read_bytes()
    text = (folder / header.name).read_text()
    key = "total listmode word counts:="
    before, after = text.split(key)
    header.write_text(f"{before}{key}{len(data) // 4}{after[after.index(chr(10)) :]}")
    words = tmp_path / "small_listmode_file.l"
    source, stop = GrowingFileSource(header), Event()
    cuts = np.unique(np.random.default_rng(3).integers(1, len(data), 6))
    pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    words.write_bytes(pieces.pop(0))
    batches: list[EventBatch] = []
    for arrival in follow(source, stop):
        if isinstance(arrival, EventBatch):
            batches.append(arrival)
            if pieces:
                with words.open("ab") as file:
                    file.write(pieces.pop(0))
        last = arrival
    assert isinstance(last, Ended)
    assert len(batches) > 3
    assert_same(batches, read_listmode(folder / header.name))
    assert source.head is not None
    assert source.head.info["isotope"] == "F-18"


def test_safir_scan_cut_within_records_and_restarted_is_read_correctly(tmp_path: Path) -> None:
    safir.write_map(tmp_path / "crystal_map.txt")
    events = [safir.event((0, k % 7, 0), (1, 8 + k % 5, 0), k % 3 == 0) for k in range(60)]
    records = [word for k, each in enumerate(events) for word in (safir.time(2 * k + 50), each)]
    complete = safir.write(tmp_path, records)
    data = complete.read_bytes()
    grown = tmp_path / "grown.clm.safir"
    source, stop = GrowingFileSource(grown), Event()
    arrivals = follow(source, stop)
    assert isinstance(next(arrivals), Waiting)
    notice = next(arrivals)
    assert isinstance(notice, Waiting) and "this file does not exist" in notice.text
    batches: list[EventBatch] = []
    for begin, end in ((0, 101), (101, 407), (407, len(data))):
        with grown.open("ab") as file:
            file.write(data[begin:end])
        batches.append(next(each for each in arrivals if isinstance(each, EventBatch)))
    assert_same(batches, read_listmode(complete))
    grown.unlink()
    assert isinstance(next(arrivals), SourceLost)
    grown.write_bytes(data[:200])
    resumed = next(arrivals)
    assert isinstance(resumed, Resumed) and resumed.is_new_scan
    again = next(arrivals)
    assert isinstance(again, EventBatch) and again.first == 0
    n = batches[0].events.n_events
    np.testing.assert_array_equal(again.events.crystals[:n], batches[0].events.crystals)
    stop.set()


def test_invalid_words_end_the_scan_with_one_sentence(tmp_path: Path) -> None:
    safir.write_map(tmp_path / "crystal_map.txt")
    records = [safir.time(500), safir.event((0, 1, 0), (1, 9, 0)), safir.time(100)]
    source = GrowingFileSource(safir.write(tmp_path, records))
    with pytest.raises(FileFormatError, match="time runs backwards"):
        list(source.batches(Event()))


def test_format_without_live_reading_is_named(tmp_path: Path) -> None:
    write_listmode(scan(), tmp_path / "scan.h5")
    source = open_events(str(tmp_path / "scan.h5"))
    with pytest.raises(SettingsError, match="cannot be followed while they are written"):
        list(source.batches(Event()))
