"""Tests of the SAFIR reader: a real sample, single records, refusal of faulty files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import FileFormatError, GeometryError
from engine.data.listmode import ListMode
from engine.io import read_listmode

SIGNATURE = b"MUPET CListModeData\0".ljust(32, b"\0")
N_RINGS, N_PLACES = 4, 16


def event(a: tuple[int, int, int], b: tuple[int, int, int], delayed: bool = False) -> int:
    """Return a record with the crystals a and b, each (ring, detector, layer)."""
    bits = a[0] | b[0] << 8 | a[1] << 16 | b[1] << 32 | a[2] << 48 | b[2] << 52
    return bits | int(delayed) << 62


def time(ms: int) -> int:
    return 1 << 63 | ms


RECORDS = [
    time(3),
    event((0, 0, 0), (1, 8, 0)),
    event((3, 15, 0), (2, 7, 0), delayed=True),
    time(9),
    event((2, 4, 0), (2, 12, 0)),
]


def write_map(path: Path, n_rings: int = N_RINGS, n_places: int = N_PLACES) -> Path:
    lines = ["#ring\tdet\tx\ty\tz"]
    for ring in range(n_rings):
        for place in range(n_places):
            angle = 2 * np.pi * place / n_places
            x, y = 60 * np.cos(angle), 60 * np.sin(angle)
            lines.append(f"{ring}\t{place}\t{x:.3f}\t{y:.3f}\t{2 * ring}")
    path.write_text("\n".join(lines) + "\n")
    return path


def write(folder: Path, records: list[int], *, order: str = "<", more: bytes = b"") -> Path:
    path = folder / "scan.clm.safir"
    path.write_bytes(SIGNATURE + np.array(records, f"{order}u8").tobytes() + more)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_map(tmp_path / "my_Crystal_Map.txt")
    return tmp_path


class TestSample:
    @pytest.fixture
    def data(self, shared_data: Path) -> ListMode:
        return read_listmode(shared_data / "pet-listmode-safir-point" / "point_5.clm.safir")

    def test_sample_has_its_counts(self, data: ListMode) -> None:
        assert (data.n_events, data.n_delayed, data.duration_s) == (35_887, 43, 9.994)
        assert data.info["n_time_tags"] == 359

    def test_lines_of_the_sample_pass_the_source_at_5_mm(self, data: ListMode) -> None:
        ends = data.scanner.positions_mm[data.crystals]
        along = ends[:, 1] - ends[:, 0]

        def distance(point: tuple[float, float, float]) -> float:
            cross = np.cross(np.array(point) - ends[:, 0], along)
            return float((np.linalg.norm(cross, axis=1) / np.linalg.norm(along, axis=1)).mean())

        others = [distance(p) for p in ((-5, 0, 0), (0, 5, 0), (0, -5, 0))]
        assert distance((5, 0, 0)) < 0.5 * min(others)

    def test_crystals_of_the_sample_are_those_of_the_built_in_ring(
        self, data: ListMode, shared_data: Path
    ) -> None:
        scan = shared_data / "pet-listmode-safir-point" / "point_5.clm.safir"
        ring = read_listmode(scan, scanner="safir")
        by_map = data.scanner.positions_mm[data.crystals]
        by_ring = ring.scanner.positions_mm[ring.crystals]
        # Positions in the map are rounded to 0.001 mm, and its radius varies by as much.
        np.testing.assert_allclose(by_ring, by_map, atol=2e-3)


def test_records_are_read_bit_by_bit(folder: Path) -> None:
    data = read_listmode(write(folder, RECORDS))
    assert data.crystals.tolist() == [[0, 24], [63, 39], [36, 44]]
    assert data.delayed is not None
    assert data.time_ms is not None
    assert data.delayed.tolist() == [False, True, False]
    assert data.time_ms.tolist() == [0, 0, 6], "times count from the first mark"
    assert data.duration_s == 0.006


def test_reading_in_pieces_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_listmode(write(folder, RECORDS))
    monkeypatch.setattr("engine.io.listmode.safir.CHUNK", 2)
    pieces = read_listmode(write(folder, RECORDS))
    np.testing.assert_array_equal(whole.crystals, pieces.crystals)
    np.testing.assert_array_equal(whole.time_ms, pieces.time_ms)
    np.testing.assert_array_equal(whole.delayed, pieces.delayed)


def test_layers_select_the_crystal(tmp_path: Path) -> None:
    rows = ["0 0 0 60 0 0", "0 0 1 70 0 0", "0 1 0 -60 0 0", "0 1 1 -70 0 0"]
    (tmp_path / "crystal_map.txt").write_text("\n".join(rows))
    data = read_listmode(write(tmp_path, [time(1), event((0, 0, 1), (0, 1, 0))]))
    assert data.scanner.positions_mm[data.crystals[0], 0].tolist() == [70, -60]


class TestMap:
    def test_missing_crystal_map_is_asked_for(self, tmp_path: Path) -> None:
        with pytest.raises(
            GeometryError, match=r"Crystal maps in the same folder: 0,.*crystal_map\.txt"
        ):
            read_listmode(write(tmp_path, RECORDS))

    def test_two_crystal_maps_are_refused(self, folder: Path) -> None:
        write_map(folder / "old_crystal_map.csv")
        with pytest.raises(GeometryError, match="Crystal maps in the same folder: 2,"):
            read_listmode(write(folder, RECORDS))

    def test_crystal_map_of_another_folder_can_be_named(self, tmp_path: Path) -> None:
        table = write_map(tmp_path / "positions.txt")
        assert read_listmode(write(tmp_path, RECORDS), scanner=str(table)).n_events == 3

    def test_crystal_missing_in_the_map_is_named(self, tmp_path: Path) -> None:
        write_map(tmp_path / "crystal_map.txt", n_rings=3)
        with pytest.raises(
            FileFormatError,
            match=r"event 1 uses a crystal that is not in the crystal map \(first crystal: ring 3",
        ):
            read_listmode(write(tmp_path, RECORDS))

    def test_map_with_twice_the_crystals_is_refused(self, tmp_path: Path) -> None:
        write_map(tmp_path / "crystal_map.txt", n_places=2 * N_PLACES)
        rng = np.random.default_rng(2)
        ends = rng.integers(0, (N_RINGS, N_PLACES // 2), (1000, 2, 2))
        records = [time(1)]
        records += [event((r1, d1, 0), (r2, d2 + 8, 0)) for (r1, d1), (r2, d2) in ends.tolist()]
        with pytest.raises(
            FileFormatError, match="'det' of an event is 15, but that of the crystal map is 31"
        ):
            read_listmode(write(tmp_path, records))


class TestDamage:
    @pytest.mark.parametrize("cut", range(1, 8))
    def test_truncated_record_is_refused(self, folder: Path, cut: int) -> None:
        path = write(folder, RECORDS)
        path.write_bytes(path.read_bytes()[:-cut])
        with pytest.raises(
            FileFormatError, match=rf"only {8 - cut} of 8 bytes .*complete records: 4\)"
        ):
            read_listmode(path)

    def test_truncated_signature_is_refused(self, folder: Path) -> None:
        path = folder / "scan.clm.safir"
        path.write_bytes(SIGNATURE[:25])
        with pytest.raises(FileFormatError, match="truncated"):
            read_listmode(path)

    def test_other_signature_is_refused(self, folder: Path) -> None:
        path = folder / "scan.clm.safir"
        path.write_bytes(b"something else" * 10)
        with pytest.raises(FileFormatError, match="one of the signatures 'MUPET"):
            read_listmode(path)

    def test_file_without_records_is_refused(self, folder: Path) -> None:
        with pytest.raises(FileFormatError, match="before the first complete record"):
            read_listmode(write(folder, []))

    def test_big_endian_records_are_recognised(self, folder: Path) -> None:
        with pytest.raises(FileFormatError, match="big-endian"):
            read_listmode(write(folder, RECORDS, order=">"))

    def test_decreasing_time_is_refused(self, folder: Path) -> None:
        with pytest.raises(FileFormatError, match="backwards from 9 to 8 ms"):
            read_listmode(write(folder, [*RECORDS, time(8)]))

    def test_crystal_paired_with_itself_is_refused(self, folder: Path) -> None:
        with pytest.raises(FileFormatError, match="event 3 uses the same crystal twice"):
            read_listmode(write(folder, [*RECORDS, event((1, 1, 0), (1, 1, 0))]))

    @pytest.mark.parametrize("byte", [b"\0", b"\xff"])
    def test_padding_is_refused(self, folder: Path, byte: bytes) -> None:
        with pytest.raises(FileFormatError, match="512 identical words"):
            read_listmode(write(folder, RECORDS, more=byte * 4096))
