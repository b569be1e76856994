"""Tests of Siemens mMR list mode: the real sample, headers, refusal of faulty files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import FileFormatError, GeometryError, ResourceError, UnknownFormatError
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.io import read_listmode, read_scanner
from engine.io.safety.cut_off import refuse_padding
from engine.io.siemens.petlink import AddressBook, decode
from engine.io.siemens.petlink_pieces import CHUNK

N_TANGENTIAL, N_VIEWS, N_PLANES = 344, 252, 4084
LIMIT = N_TANGENTIAL * N_VIEWS * N_PLANES


@pytest.fixture(scope="module")
def mmr() -> RingScanner:
    scanner = read_scanner("siemens-mmr")
    assert isinstance(scanner, RingScanner)
    return scanner


@pytest.fixture(scope="module")
def book(mmr: RingScanner) -> AddressBook:
    return AddressBook.of(mmr)


@pytest.fixture
def words(book: AddressBook) -> np.ndarray:
    """Return 3,000 events in 300 ms; a tenth are delayed, and none is in a gap."""
    rng = np.random.default_rng(1)
    addresses = rng.integers(0, LIMIT, 6000)
    addresses = addresses[book.scanner.alive[book.crystals(addresses)].all(axis=1)][:3000]
    prompt = (rng.random(3000) > 0.1).astype(np.uint32) << 30
    events = (addresses.astype(np.uint32) | prompt).reshape(300, 10)
    tags = (np.uint32(4) << np.uint32(29)) | np.arange(300, dtype=np.uint32)
    return np.column_stack([tags, events]).astype("<u4").ravel()


def header(n_words: int, seconds: float, name: str = "scan.l", more: str = "") -> str:
    return (
        "!INTERFILE:=\n%SMS-MI header name space:=PETLINK bin address\n"
        f"name of data file := {name}\nisotope name:=F-18\nimage duration (sec):={seconds}\n"
        f"%total listmode word counts:={n_words}\n%patient name:=Doe^Jane\n{more}"
    )


def write(folder: Path, words: np.ndarray | bytes, text: str | None = None) -> Path:
    data = words if isinstance(words, bytes) else words.tobytes()
    (folder / "scan.l").write_bytes(data)
    if text is None:
        return folder / "scan.l"
    (folder / "scan.l.hdr").write_text(text)
    return folder / "scan.l.hdr"


def read_mmr(folder: Path, words: np.ndarray | bytes, text: str | None = None) -> ListMode:
    return read_listmode(write(folder, words, text))


@pytest.fixture
def folder(shared_data: Path) -> Path:
    return shared_data / "pet-listmode-mmr-brain"


class TestSample:
    def test_sample_is_read_without_arguments(self, folder: Path) -> None:
        data = read_listmode(folder / "PET_ACQ_small.l.hdr.STIR")
        assert (data.n_prompts, data.n_delayed, data.duration_s) == (218_881, 35_320, 0.613)
        assert data.time_ms is not None
        assert (data.time_ms.min(), data.time_ms.max()) == (0, 612)
        assert any("the first 0.613 s of 900 s" in n and "331,257,106" in n for n in data.notes)
        assert data.info["isotope"] == "F-18"
        assert data.info["injected_bq"] == 4.65e7
        assert data.info["scan_start"] == "2017-03-27T17:00:35+00:00"

    def test_header_and_data_file_open_the_same_sample(self, folder: Path) -> None:
        a = read_listmode(folder / "PET_ACQ_small.l.hdr.STIR")
        b = read_listmode(folder / "small_listmode_file.l")
        np.testing.assert_array_equal(a.crystals, b.crystals)
        assert a.info == b.info

    def test_sample_has_no_prompt_in_a_gap(self, folder: Path) -> None:
        data = read_listmode(folder / "small_listmode_file.l")
        assert data.scanner.alive[data.crystals].all()
        assert data.scanner.in_coincidence(data.crystals).all()

    def test_sample_is_centred_on_the_brain(self, folder: Path) -> None:
        """Direct lines pass closer to the brain's centroid (2, −18) mm than to mirrored points."""
        data = read_listmode(folder / "small_listmode_file.l").prompts
        ends = data.scanner.positions_mm[data.crystals][:, :, :2]
        along = ends[:, 1] - ends[:, 0]

        def distance(x: float, y: float) -> float:
            off = np.array([x, y]) - ends[:, 0]
            cross = along[:, 0] * off[:, 1] - along[:, 1] * off[:, 0]
            return float(np.median(np.abs(cross) / np.hypot(along[:, 0], along[:, 1])))

        assert distance(0, -18) < min(distance(0, 18), distance(18, 0), distance(-18, 0))


def test_address_is_decoded_by_the_formulas(book: AddressBook) -> None:
    for plane, rings in ((0, (0, 0)), (63, (63, 63)), (64, (1, 0)), (127, (0, 1)), (128, (1, 2))):
        for view, tang in ((0, 0), (10, -172), (251, 171), (100, -3), (100, 3)):
            address = np.array([(plane * N_VIEWS + view) * N_TANGENTIAL + tang + 172])
            first = (view + (tang >> 1)) % 504
            second = (view - ((tang + 1) >> 1) + 252) % 504
            expected = [rings[0] * 504 + first, rings[1] * 504 + second]
            assert book.crystals(address)[0].tolist() == expected


def test_addresses_name_each_line_of_response_once(mmr: RingScanner, book: AddressBook) -> None:
    assert book.n_addresses == LIMIT == mmr.n_lors
    ours = {tuple(pair) for pair in book.rings.tolist()}
    assert ours == {tuple(pair) for pair in mmr.ring_pairs.tolist()}
    assert len(book.rings) == len(ours)
    plane_0 = book.crystals(np.arange(N_VIEWS * N_TANGENTIAL))
    assert len(np.unique(np.sort(plane_0, axis=1), axis=0)) == len(plane_0)


def test_events_have_their_kind_time_and_order(book: AddressBook, words: np.ndarray) -> None:
    decoded = decode(words, book, "scan.l")
    events = words[words < 1 << 31]
    np.testing.assert_array_equal(decoded.delayed, events >> 30 == 0)
    np.testing.assert_array_equal(decoded.time_ms, np.repeat(np.arange(300), 10))
    np.testing.assert_array_equal(decoded.crystals, book.crystals(events & 0x3FFFFFFF))
    assert (decoded.elapsed_ms, decoded.n_time_tags, decoded.n_other_tags) == (300, 300, 0)


def test_decoding_in_pieces_changes_nothing(
    book: AddressBook, words: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = decode(words, book, "scan.l")
    monkeypatch.setattr("engine.io.siemens.petlink_pieces.CHUNK", 37)
    pieces = decode(words, book, "scan.l")
    np.testing.assert_array_equal(whole.crystals, pieces.crystals)
    np.testing.assert_array_equal(whole.time_ms, pieces.time_ms)
    assert len(words) < CHUNK


def test_times_count_from_the_first_tag(tmp_path: Path, words: np.ndarray) -> None:
    is_tag = words >> 31 == 1
    words[is_tag] += 5000
    data = read_mmr(tmp_path, words)
    assert data.time_ms is not None
    assert (data.time_ms[0], data.duration_s) == (0, 0.3)
    assert any("5,000 ms" in note for note in data.notes)


class TestHeader:
    def test_complete_scan_has_the_duration_of_its_header(
        self, tmp_path: Path, words: np.ndarray
    ) -> None:
        data = read_mmr(tmp_path, words, header(len(words), 0.301))
        assert data.duration_s == 0.301
        assert not data.notes

    def test_truncated_scan_is_read_with_a_note(self, tmp_path: Path, words: np.ndarray) -> None:
        data = read_mmr(tmp_path, words, header(2 * len(words), 900 / 1000))
        assert data.duration_s == 0.3
        assert "first 0.3 s of 0.9 s" in data.notes[0]

    @pytest.mark.parametrize("counted", [3301, 4000, 90_000_000])
    def test_contradicting_counts_are_both_named(
        self, tmp_path: Path, words: np.ndarray, counted: int
    ) -> None:
        with pytest.raises(FileFormatError, match=rf"3,300 words.*{counted:,} words"):
            read_mmr(tmp_path, words, header(counted, 900))

    def test_more_words_than_stated_are_refused(self, tmp_path: Path, words: np.ndarray) -> None:
        with pytest.raises(FileFormatError, match=r"3,300 words.*3,299"):
            read_mmr(tmp_path, words, header(3299, 0.3))

    def test_numbers_of_another_scanner_are_refused(
        self, tmp_path: Path, words: np.ndarray
    ) -> None:
        text = header(len(words), 0.3, more="number of rings:=55\n")
        with pytest.raises(GeometryError, match="is 55, but Siemens Biograph mMR has 64"):
            read_mmr(tmp_path, words, text)

    def test_patient_name_is_not_stored(self, tmp_path: Path, words: np.ndarray) -> None:
        data = read_mmr(tmp_path, words, header(len(words), 0.3))
        assert "Doe" not in str(data.info)
        assert data.info["isotope"] == "F-18"

    @pytest.mark.parametrize("name", ["../scan.l", "/etc/passwd", "sub/scan.l", "C:\\scan.l", ".."])
    def test_data_file_in_another_folder_is_refused(
        self, tmp_path: Path, words: np.ndarray, name: str
    ) -> None:
        with pytest.raises(FileFormatError, match="header's folder"):
            read_mmr(tmp_path, words, header(len(words), 0.3, name))

    def test_link_out_of_the_folder_is_followed(self, tmp_path: Path, words: np.ndarray) -> None:
        inner = tmp_path / "inner"
        inner.mkdir()
        (tmp_path / "secret").write_bytes(words.tobytes())
        (inner / "scan.l").symlink_to(tmp_path / "secret")
        (inner / "scan.l.hdr").write_text(header(len(words), 0.3))
        assert read_listmode(inner / "scan.l.hdr").info["data_file"] == "scan.l"

    @pytest.mark.parametrize(
        ("stated", "axes"), [("HFS", "LPI"), ("HFP", "xyz"), ("FFS", "xyz"), ("", None)]
    )
    def test_patient_sides_are_named_only_if_known(
        self, tmp_path: Path, words: np.ndarray, stated: str, axes: str | None
    ) -> None:
        line = f"patient orientation:={stated}\n" if stated else ""
        data = read_mmr(tmp_path, words, header(len(words), 0.3, more=line))
        assert data.info.get("axes") == axes
        assert any("scanner coordinates" in note for note in data.notes) == bool(stated)

    def test_missing_data_file_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "scan.hdr").write_text(header(10, 1))
        with pytest.raises(ResourceError, match=r"scan\.l: this file does not exist"):
            read_listmode(tmp_path / "scan.hdr")

    def test_header_without_a_data_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "scan.hdr").write_text("!INTERFILE:=\n%x:=PETLINK bin address\n")
        with pytest.raises(FileFormatError, match="does not name a data file"):
            read_listmode(tmp_path / "scan.hdr")

    def test_count_that_is_not_a_number_is_refused(self, tmp_path: Path, words: np.ndarray) -> None:
        text = header(len(words), 0.3).replace(str(len(words)), "many")
        with pytest.raises(FileFormatError, match="'many', expected a number"):
            read_mmr(tmp_path, words, text)

    def test_other_interfile_is_not_list_mode(self, tmp_path: Path) -> None:
        (tmp_path / "scan.hs").write_text("!INTERFILE:=\nname of data file := scan.s\n")
        with pytest.raises(UnknownFormatError, match="Siemens mMR list mode"):
            read_listmode(tmp_path / "scan.hs")


class TestDamage:
    @pytest.mark.parametrize("cut", [1, 2, 3])
    def test_truncated_word_is_refused(self, tmp_path: Path, words: np.ndarray, cut: int) -> None:
        words_left = rf"only {4 - cut} of 4 bytes .*complete words: 3,299"
        with pytest.raises(FileFormatError, match=words_left):
            read_mmr(tmp_path, words.tobytes()[:-cut])

    @pytest.mark.parametrize("value", [0, 0xFFFFFFFF])
    @pytest.mark.parametrize("n", [8, 1000, 70_000])
    def test_padding_at_the_end_is_refused(
        self, tmp_path: Path, words: np.ndarray, value: int, n: int
    ) -> None:
        padded = np.concatenate([words, np.full(n, value, "<u4")])
        with pytest.raises(FileFormatError, match=f"{n:,} identical words .* word 3,300 of"):
            read_mmr(tmp_path, padded)

    def test_hole_in_the_middle_is_refused(self, tmp_path: Path, words: np.ndarray) -> None:
        words[1001:1101] = 0
        with pytest.raises(FileFormatError, match=r"100 identical words .* word 1,001 of"):
            read_mmr(tmp_path, words)

    def test_real_words_are_not_padding(self, words: np.ndarray) -> None:
        refuse_padding(words, "scan.l")

    def test_crystal_out_of_range_is_named(self, tmp_path: Path, words: np.ndarray) -> None:
        words[15] = LIMIT  # words 0 and 11 are time tags, so this is event 14
        with pytest.raises(FileFormatError, match=r"event 13 has the sinogram address 354,033,"):
            read_mmr(tmp_path, words)

    def test_largest_address_is_accepted(self, tmp_path: Path, words: np.ndarray) -> None:
        words[15] = LIMIT - 1
        assert read_mmr(tmp_path, words).n_events == 3000

    def test_big_endian_words_are_recognised(self, tmp_path: Path, words: np.ndarray) -> None:
        with pytest.raises(FileFormatError, match="big-endian"):
            read_mmr(tmp_path, words.byteswap(), header(len(words), 0.3))

    def test_decreasing_time_is_refused(self, tmp_path: Path, words: np.ndarray) -> None:
        words[11 * 20] = words[0]
        with pytest.raises(FileFormatError, match="time runs backwards at word 220"):
            read_mmr(tmp_path, words)

    def test_events_in_gaps_are_refused(
        self, tmp_path: Path, words: np.ndarray, book: AddressBook
    ) -> None:
        events = np.flatnonzero(words < 1 << 31)
        view_0_bin_172 = 172  # positions 0 and 252 are both gaps
        assert not book.scanner.alive[book.crystals(np.array([view_0_bin_172]))].any()
        words[events[::50]] = view_0_bin_172
        with pytest.raises(FileFormatError, match="60 of 3,000 events are in gaps"):
            read_mmr(tmp_path, words)

    def test_few_events_in_gaps_give_a_note(self, tmp_path: Path, words: np.ndarray) -> None:
        words[np.flatnonzero(words < 1 << 31)[100]] = 172
        assert any("1 events are in gaps" in note for note in read_mmr(tmp_path, words).notes)

    def test_noise_is_not_a_scan(self, tmp_path: Path) -> None:
        noise = np.random.default_rng(3).integers(0, 2**32, 5000, np.uint32)
        with pytest.raises(FileFormatError):
            read_mmr(tmp_path, noise)

    def test_few_words_without_header_are_not_a_scan(self, tmp_path: Path) -> None:
        with pytest.raises(FileFormatError, match="open its header"):
            read_mmr(tmp_path, np.array([200 | 1 << 30, 201 | 1 << 30], "<u4"))

    def test_empty_data_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(FileFormatError, match="empty"):
            read_mmr(tmp_path, b"", header(10, 1))


def test_crystal_map_cannot_be_the_scanner(tmp_path: Path, words: np.ndarray) -> None:
    table = tmp_path / "map.txt"
    table.write_text("0 0 100 0 0\n0 1 -100 0 0\n")
    with pytest.raises(GeometryError, match="ring scanner"):
        read_listmode(write(tmp_path, words), scanner=str(table))


@pytest.mark.parametrize(("seconds", "same"), [(0.3, True), (0.302, True), (0.31, False)])
def test_duration_that_differs_by_one_per_cent_belongs_to_another_scan(
    tmp_path: Path, words: np.ndarray, seconds: float, same: bool
) -> None:
    data = read_mmr(tmp_path, words, header(len(words), seconds))
    assert data.duration_s == (seconds if same else 0.3)
    assert any("contains the first 0.3 s" in note for note in data.notes) is not same
