"""Tests of Siemens sinograms: each bin is at its list-mode position, or one sentence explains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.core.settings import to_toml
from engine.data.sinogram import DELAYEDS
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import read_scanner, read_sinogram, scan_file
from engine.io.inspection import inspect
from engine.io.interfile.header import read_header
from engine.io.safety.open_input import open_input
from engine.io.siemens.layout import by_obliqueness, layout_of
from engine.io.siemens.petlink import AddressBook
from tests.engine.io.siemens import siemens_files
from tests.engine.io.siemens.siemens_files import write

BINS = siemens_files.layout()


def counts(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 9, BINS.n_bins).astype(np.int16)


def test_prompts_and_delayeds_are_read_from_one_file(tmp_path):
    head = write(
        tmp_path / "scan.s", BINS, counts(1), counts(2), types=("prompts", "randoms"), number="<i2"
    )
    data = read_sinogram(head)
    np.testing.assert_array_equal(data.prompts, counts(1))
    np.testing.assert_array_equal(data.auxiliary[DELAYEDS], counts(2))
    assert data.layout.identity == BINS.identity and data.duration_s == 600
    assert data.info["isotope"] == "F-18" and data.info["axes"] == "LPI"
    assert scan_file(tmp_path / "scan.s") == head
    report = inspect(tmp_path / "scan.s")
    assert report.usable and ("Delayeds", f"{counts(2).sum():,}") in report.facts


def test_planes_are_at_the_positions_of_list_mode(tmp_path):
    """Address a of the 32-bit list mode is bin a of an uncompressed sinogram."""
    scanner = read_scanner("siemens-mmr")
    book = AddressBook.of(scanner)
    lines = [f"%segment table:={{{','.join(str(64 - (k + 1) // 2) for k in range(5))}}}"]
    text = siemens_files.header(BINS, "scan.s", number="unsigned integer", n_bytes=1)
    for old, new in (
        ("compression:=11", "compression:=1"), ("difference:=16", "difference:=2"),
        ("[1]:=21", "[1]:=344"), ("[2]:=21", "[2]:=252"), ("[3]:=357", "[3]:=314"),
        ("%segment table:={127,115,115}", lines[0]), ("segments:=3", "segments:=5"),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "scan.s.hdr").write_text(text)
    with open_input(tmp_path / "scan.s.hdr") as file:
        layout = layout_of(read_header(file))
    addresses = np.random.default_rng(3).integers(0, layout.n_bins, 5000).astype(np.uint32)
    bins, is_measured = layout.bins_of(book.crystals(addresses))
    assert is_measured.all()
    np.testing.assert_array_equal(bins, addresses)


def test_tof_is_summed_with_a_note(tmp_path):
    head = write(tmp_path / "scan.s", BINS, *(counts(k) for k in range(3)), n_times=3)
    data = read_sinogram(head)
    np.testing.assert_array_equal(data.prompts, sum(counts(k).astype(float) for k in range(3)))
    assert "3 TOF bins" in data.notes[0]
    whole = (tmp_path / "scan.s").read_bytes()
    types, size = ("prompts", "randoms"), len(whole)
    head.write_text(siemens_files.header(BINS, "scan.s", types=types, n_times=3))
    (tmp_path / "scan.s").write_bytes(whole + whole[: size // 3])
    np.testing.assert_array_equal(read_sinogram(head).auxiliary[DELAYEDS], counts(0))
    (tmp_path / "scan.s").write_bytes(2 * whole)
    np.testing.assert_array_equal(read_sinogram(head).auxiliary[DELAYEDS], data.prompts)


def test_tof_is_used_if_the_timing_of_the_scanner_is_known(tmp_path):
    """The header is that of a Biograph mCT: four TOF bins share the window of its thirteen."""
    mct = read_scanner("siemens-mct")
    bins = by_obliqueness(SinogramLayout.of(mct, span=11, mashed=21, max_difference=16))
    bins = replace(bins, n_tangential=5)
    text = siemens_files.header(bins, "scan.s", types=("prompts", "randoms"), n_times=4)
    for old, new in (("system:=2008", "system:=1104"), ("rings:=64", "rings:=55")):
        text = text.replace(old, new)
    (tmp_path / "scan.s.hdr").write_text(text)
    values = np.random.default_rng(2).poisson(0.2, (8, bins.n_bins)).astype("<f4")
    (tmp_path / "scan.s").write_bytes(values.tobytes())
    data = read_sinogram(tmp_path / "scan.s.hdr")
    tof = data.scanner.tof
    assert (tof.n_bins, tof.fwhm_ps, 4 * tof.bin_ps) == (4, 527.5, 13 * 312)
    assert not data.timed.is_ordered and not data.notes
    for time in range(4):
        np.testing.assert_array_equal(data.timed.dense(time, bins.n_bins), values[time])
    np.testing.assert_array_equal(data.auxiliary[DELAYEDS], values[4:].sum(axis=0))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("%compression:=off", "%compression:=on", "intfcompr"),
        ("system:=2008", "system:=9999", r"put its scanner file \(\.toml\)"),
        ("number of rings:=64", "number of rings:=55", "55 rings"),
        ("{127,115,115}", "{127,115,113}", "span 11 and maximum ring difference 16"),
        ("[3]:=357", "[3]:=358", "358 planes"),
        ("data file:=scan.s", "data file:=../scan.s", "for safety"),
        ("types:=1", "types:=0.5", "whole number"),
        ("[1]:=0", "[1]:=4", "truncated"),
        ("label [1]:=bin", "label [1]:=plane", "expected the axes bins"),
        ("compression:=11", "compression:=10", "odd span"),
    ],
)
def test_unsupported_sinogram_gives_one_sentence(old, new, words, tmp_path):
    head = write(tmp_path / "scan.s", BINS, counts(1))
    text = head.read_text()
    assert old in text
    head.write_text(text.replace(old, new))
    with pytest.raises(EngineError, match=words):
        read_sinogram(head)


def test_energy_window_is_read_from_the_header(tmp_path):
    more = [
        f"energy window {level} level (keV) [1]:={kev}"
        for level, kev in [("lower", 425), ("upper", 625)]
    ]
    stated = read_sinogram(write(tmp_path / "a.s", BINS, counts(1), more=more)).scanner.energy
    default = read_sinogram(write(tmp_path / "b.s", BINS, counts(1))).scanner.energy
    assert (stated.lowest_kev, stated.highest_kev) == (425, 625)
    assert (default.lowest_kev, default.highest_kev) == (430, 610)
    assert stated.sigma_kev(511.0) == default.sigma_kev(511.0)


def test_compressed_bins_of_a_real_header_are_refused(shared_data):
    faults = inspect(shared_data / "formats" / "stir-interfile" / "mMR_sinogram.s.hdr").faults
    assert len(faults) == 1 and "decompress them" in faults[0]


def test_unknown_scanner_is_read_from_the_scanner_file_in_the_folder(tmp_path):
    head = write(tmp_path / "scan.s", BINS, counts(1))
    head.write_text(head.read_text().replace("system:=2008", "system:=9999"))
    source = (read_scanner("siemens-mmr").settings).model_copy(update={"radius_mm": 350.0})
    (tmp_path / "ring.toml").write_text(to_toml(source))
    assert read_sinogram(head).scanner.settings.radius_mm == 350


def test_mct_has_the_planes_of_its_headers():
    """At span 11 and ring difference up to 49 the scanner has 621 planes, as in its sinograms."""
    scanner = read_scanner("siemens-mct")
    assert SinogramLayout.of(scanner, span=11, max_difference=49).n_planes == 621
    assert scanner.n_views == 336 and scanner.alive.mean() == pytest.approx(52 / 55 * 13 / 14)
