"""Scans larger than the memory give the same image and leave no files on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest

from engine.core.backend import cpu
from engine.core.errors import FileFormatError, ResourceError, SettingsError
from engine.core.settings import to_toml
from engine.data.runs.events import Finished, Planned, Preview, Progressed, Warned
from engine.data.storage.columns import Scratch
from engine.geometry.order import ray_order
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import open_pieces, read_listmode, save, write_listmode
from engine.io.safety.budget import MEMORY_VARIABLE, free_memory
from engine.io.siemens.petlink import AddressBook
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.model import prepare
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.spatial_sort import ScanInMemory, sort_in_space
from engine.modalities.studies import Study
from engine.protocols.run_context.context import Resume
from engine.protocols.study.assignments import with_settings
from engine.simulate import simulate_listmode, uniform_cylinder

ON = cpu(2)
RING = RingSettings(
    name="tiny", n_rings=4, n_crystals_per_ring=48, radius_mm=80, ring_pitch_mm=6,
    max_ring_difference=3, n_tangential=24, gap_places=(0, 12), voxel_mm=(8, 8, 8),
    fov_mm=(96, 24),
)  # fmt: skip
TIMED = RING.model_copy(update={"tof": TofSettings(fwhm_ps=300, bin_ps=150, n_bins=9)})
SETTINGS = (
    *("reproducible=true", "algorithm.iterations=2", "algorithm.subsets=3"),
    *("finishing=[]", "corrections.resolution.use=off"),
)
N_EVENTS = 6000


@pytest.fixture
def words(tmp_path: Path, rng: np.random.Generator) -> Path:
    """Return words of a tiny ring, some in gaps and a fifth delayed, and their scanner file."""
    (tmp_path / "tiny.toml").write_text(to_toml(RING))
    book = AddressBook.of(RingScanner(RING))
    addresses = rng.integers(0, book.n_addresses, 4 * N_EVENTS).astype(np.uint32)
    alive = book.scanner.alive[book.crystals(addresses)].all(axis=1)
    addresses = np.concatenate([addresses[alive][: N_EVENTS - 10], addresses[~alive][:10]])
    prompt = (rng.random(N_EVENTS) > 0.2).astype(np.uint32) << np.uint32(30)
    events = rng.permutation(addresses | prompt).reshape(-1, 20)
    tags = np.uint32(0x80000000) + np.arange(len(events), dtype=np.uint32) + np.uint32(7)
    np.column_stack([tags, events]).astype("<u4").tofile(tmp_path / "scan.l")
    return tmp_path / "scan.l"


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use many pieces of few events, so that no code path works by chance with a single piece."""
    monkeypatch.setattr("engine.io.siemens.petlink_pieces.CHUNK", 999)
    monkeypatch.setattr("engine.data.storage.columns.ROWS", 701)


@pytest.fixture
def large_events(monkeypatch: pytest.MonkeyPatch, small_pieces: None) -> None:
    """Make events so large that few exceed the memory."""
    monkeypatch.setattr("engine.modalities.listmode_pet.requirements.BYTES_PER_EVENT", 1 << 30)


def study_of(path: Path, *settings: str) -> Study:
    scanner = {"scanner": str(path.with_name("tiny.toml"))} if path.suffix == ".l" else {}
    inputs = {"attenuation": path.with_name("mu.nii.gz")} if path.suffix == ".h5" else {}
    protocol = with_settings(ListModeProtocol(), (*SETTINGS, *settings))
    return Study(data=path, protocol=protocol, inputs=inputs, **scanner)


def finished(events: list[object]) -> Finished:
    return next(each for each in events if isinstance(each, Finished))


def test_sorting_in_files_gives_the_order_of_memory(words: Path, small_pieces: None) -> None:
    whole = read_listmode(words, scanner=str(words.with_name("tiny.toml")))
    with open_pieces(words, scanner=str(words.with_name("tiny.toml"))) as source:
        assert source is not None
        found = sort_in_space(source, Scratch(words.parent), threads=3)

    expected, actual = prepare(whole, on=ON), prepare(found, on=ON)
    assert actual.n_dropped == expected.n_dropped > 0
    np.testing.assert_array_equal(actual.data.crystals, expected.data.crystals)
    np.testing.assert_array_equal(actual.data.time_ms, expected.data.time_ms)
    assert (found.n_prompts, found.n_delayed) == (whole.n_prompts, whole.n_delayed)
    np.testing.assert_array_equal(found.delayeds.crystals, whole.delayeds.crystals)
    assert (found.info, found.notes, found.duration_s) == (
        *(whole.info, whole.notes, whole.duration_s),
    )
    order = ray_order(whole.scanner.positions_mm, actual.data.crystals)
    np.testing.assert_array_equal(order, np.arange(len(order)))


@pytest.mark.parametrize("settings", [(), ("frames=0-0.1,0.2-0.3",), ("reproducible=false",)])
def test_events_sorted_while_read_give_the_same_bits_and_no_files(
    words: Path, small_pieces: None, settings: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_of(words, *settings)
    expected = finished(list(run(study, on=ON)))
    monkeypatch.setattr("engine.modalities.listmode_pet.reading.ORDERED_FROM", 0)

    def no_file(self: Scratch, *_: object) -> None:
        raise AssertionError("a file was created")

    monkeypatch.setattr(Scratch, "empty", no_file)
    read: list[Progressed] = []
    found = finished(list(run(study, on=ON, on_progress=read.append)))

    np.testing.assert_array_equal(found.volume.values, expected.volume.values)
    assert len(found.frames) == len(expected.frames)
    for a, b in zip(found.frames, expected.frames, strict=True):
        np.testing.assert_array_equal(a.volume.values, b.volume.values)
    assert [each for each in read if each.stage == "read"]


def test_events_that_need_much_memory_are_stored_in_files(
    words: Path, small_pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = finished(list(run(study_of(words), on=ON)))
    monkeypatch.setattr("engine.modalities.listmode_pet.reading.ORDERED_FROM", 0)
    monkeypatch.setattr("engine.modalities.listmode_pet.reading.MUCH", 0.0)
    events = list(run(study_of(words), on=ON))
    np.testing.assert_array_equal(finished(events).volume.values, expected.volume.values)
    messages = [each.text for each in events if isinstance(each, Warned)]
    assert any(
        "would use much of the memory. They are stored in temporary files" in text
        for text in messages
    )
    assert any("Disk space needed" in each.text for each in events if isinstance(each, Planned))


@pytest.mark.parametrize("frames", ["", "frames=0-0.1,0.2-0.3"])
def test_image_has_the_same_bits(words: Path, frames: str, request: pytest.FixtureRequest) -> None:
    study = study_of(words, *filter(None, [frames]))
    in_memory = finished(list(run(study, on=ON)))
    request.getfixturevalue("large_events")
    ticks: list[Progressed] = []

    events = list(run(study, on=ON, on_progress=ticks.append))

    np.testing.assert_array_equal(finished(events).volume.values, in_memory.volume.values)
    assert in_memory.volume.values.max() > 0
    for key in ("facts", "history", "corrections"):
        expected = in_memory.provenance.get(key)
        if key != "history":
            assert finished(events).provenance.get(key) == expected
    (planned,) = (each.text for each in events if isinstance(each, Planned))
    assert "Disk space needed for the events: up to " in planned
    assert any("do not fit in memory" in e.text for e in events if isinstance(e, Warned))
    messages = [tick for tick in ticks if tick.stage == "read"]
    assert [tick.done for tick in messages] == sorted(tick.done for tick in messages)
    assert messages[-1].done == messages[-1].total == 2 * words.stat().st_size
    assert messages[-1].text.startswith(f"{N_EVENTS:,} events, ")


def test_tof_scan_with_all_corrections_has_the_same_bits(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    phantom = uniform_cylinder(diameter_mm=60, length_mm=20)
    ring = RingScanner(TIMED)
    efficiencies = np.random.default_rng(7).uniform(0.5, 1.0, ring.n_crystals)
    efficiencies[::50] = 0
    scan = simulate_listmode(
        phantom, ring, n_prompts=N_EVENTS, seed=7, randoms_fraction=0.3, efficiencies=efficiencies
    )
    assert scan.mu_map is not None
    write_listmode(replace(scan, mu_map=None), tmp_path / "scan.h5")
    save(scan.mu_map, tmp_path / "mu.nii.gz", {})
    study = study_of(tmp_path / "scan.h5")
    in_memory = list(run(study, on=ON))
    request.getfixturevalue("large_events")
    steps = [each for each in in_memory if isinstance(each, Preview)]
    half = steps[2]

    events = list(run(study, on=ON))
    rest = list(run(study, on=ON, resume=Resume(half.volume.values, half.update, half.history)))

    expected = finished(in_memory)
    assert {c["kind"] for c in expected.provenance["corrections"] if c["state"] == "applied"} >= {
        *("attenuation", "randoms", "normalisation"),
    }
    for found in (finished(events), finished(rest)):
        np.testing.assert_array_equal(found.volume.values, expected.volume.values)
    assert any("do not fit in memory" in e.text for e in events if isinstance(e, Warned))


def test_event_files_are_unnamed_and_removed_with_the_events(tmp_path: Path) -> None:
    storage = Scratch(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    column = storage.filled(5000, np.float32, lambda rows: np.arange(rows.start, rows.stop))

    assert list(tmp_path.iterdir()) == []
    storage.release_pages()
    np.testing.assert_array_equal(column, np.arange(5000))
    del column
    if before:
        assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_lack_of_disk_space_is_reported_before_writing(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"need .* GiB more on this disk, .* free disk space"):
        Scratch(tmp_path).empty(1 << 55, np.uint8)


def test_file_that_changes_between_two_readings_is_refused(words: Path, small_pieces: None) -> None:
    scanner = str(words.with_name("tiny.toml"))

    def shorten(n_events: int, end_byte: int) -> None:
        if end_byte == words.stat().st_size:
            words.write_bytes(words.read_bytes()[:-4000])

    with (
        pytest.raises(FileFormatError, match="changed during reading"),
        open_pieces(words, scanner=scanner) as source,
    ):
        assert source is not None
        sort_in_space(source, Scratch(words.parent), threads=2, on_events=shorten)
    assert {each.name for each in words.parent.iterdir()} == {"scan.l", "tiny.toml"}


def test_scan_in_memory_is_sorted_too(words: Path, small_pieces: None) -> None:
    whole = read_listmode(words, scanner=str(words.with_name("tiny.toml")))
    found = sort_in_space(ScanInMemory(whole), Scratch(words.parent), threads=2)

    np.testing.assert_array_equal(
        prepare(found, on=ON).data.crystals, prepare(whole, on=ON).data.crystals
    )


def test_memory_can_be_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY_VARIABLE, "0.001")
    assert free_memory() == 0
    monkeypatch.setenv(MEMORY_VARIABLE, "1e6")
    assert free_memory() <= psutil.virtual_memory().total
    monkeypatch.setenv(MEMORY_VARIABLE, "much")
    with pytest.raises(SettingsError, match="ISOCENTER_MEMORY is 'much', expected a number of GiB"):
        free_memory()
