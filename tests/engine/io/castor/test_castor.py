"""Tests of the CASToR reader: scans in the published format are restored, faults refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import (
    CutOffError,
    DataError,
    FileFormatError,
    GeometryError,
    ScannerMissingError,
)
from engine.corrections.line_geometry import LineGeometry
from engine.corrections.normalisation import Normalisation
from engine.data.listmode import ListMode
from engine.data.runs.events import Finished
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import read_components, read_listmode, write_listmode
from engine.io.safety.cut_off import EVENTS, MISSING
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.recognise import purpose_of
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder
from tests.engine.io.castor import castor_files as files

ON = cpu(1)
RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=3, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=5,
        max_ring_difference=2, n_tangential=23, voxel_mm=(5, 5, 5), fov_mm=(60, 15),
        tof=TofSettings(fwhm_ps=300, bin_ps=150, n_bins=5),
    )
)  # fmt: skip
SETTINGS = (
    *("algorithm.iterations=2", "algorithm.subsets=1", "finishing=[]", "fit_to_scan=false"),
    *("grid.voxel_mm=[5, 5, 5]", "grid.diameter_mm=60", "grid.length_mm=15"),
)


@pytest.fixture(scope="module")
def scan() -> ListMode:
    """Return a scan of a small cylinder off-centre in x and y."""
    shape = Cylinder((8.0, 6.0, 2.0), (15.0, 15.0, 6.0), activity=1.0, mu_per_mm=0.0)
    found = simulate_listmode(
        ShapePhantom("cylinder", (shape,)), RING, n_prompts=2500, seed=5, randoms_fraction=0,
        duration_s=3,
    )  # fmt: skip
    return replace(found, mu_map=None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the scanner's table."""
    files.write_table(tmp_path / "SMALL_RING.lut", RING)
    return tmp_path


class TestScanIsRestored:
    @pytest.mark.parametrize("suffix", [".cdh", ".cdf"])
    def test_events_are_restored(self, scan: ListMode, folder: Path, suffix: str) -> None:
        path = files.write_scan(folder / "scan.cdh", scan)
        found = read_listmode(path.with_suffix(suffix))
        np.testing.assert_array_equal(found.crystals, scan.crystals)
        np.testing.assert_array_equal(found.tof_bins, scan.tof_bins)
        np.testing.assert_array_equal(found.time_ms, scan.time_ms)
        assert (found.duration_s, found.info["isotope"]) == (3, "F-18")
        (note,) = found.notes
        assert "left-handed" in note

    def test_scanner_is_restored(self, scan: ListMode, folder: Path) -> None:
        found = read_listmode(files.write_scan(folder / "scan.cdh", scan)).scanner
        np.testing.assert_allclose(found.positions_mm, RING.positions_mm, atol=1e-5)
        assert found.tof == RING.tof
        pairs = np.indices((RING.n_crystals,) * 2).reshape(2, -1).T
        ours = RING.in_coincidence(pairs) | RING.in_coincidence(pairs[:, ::-1])
        np.testing.assert_array_equal(found.in_coincidence(pairs), ours)

    def test_image_is_that_of_our_own_format(self, scan: ListMode, folder: Path) -> None:
        write_listmode(scan, folder / "ours.h5")
        path = files.write_scan(folder / "scan.cdh", scan)
        images = []
        for each in (folder / "ours.h5", path):
            study = Study(data=each, protocol=with_settings(ListModeProtocol(), SETTINGS))
            images.append(next(e for e in run(study, on=ON) if isinstance(e, Finished)).volume)
        ours, theirs = (image.values for image in images)
        assert ours.any()
        np.testing.assert_allclose(theirs, ours, atol=1e-4 * ours.max())

    def test_unquantised_times_are_read(self, scan: ListMode, folder: Path) -> None:
        path = files.write_scan(
            folder / "scan.cdh", scan, **{"List TOF quantization bin size (ps)": 0}
        )
        found = read_listmode(path)
        tof = found.scanner.tof
        assert tof is not None
        assert (tof.bin_ps, tof.n_bins, tof.fwhm_ps) == (30, 25, 300)
        ours = RING.tof.centres_mm[scan.tof_bins]
        np.testing.assert_allclose(tof.centres_mm[found.tof_bins], ours, atol=tof.bin_mm / 2)

    def test_time_bins_centred_on_half_steps_are_read(self, scan: ListMode, folder: Path) -> None:
        """Four bins are centred at odd multiples of half a bin width."""
        rng = np.random.default_rng(0)
        at_ps = (rng.integers(0, 4, scan.n_events) - 1.5) * 100
        path = files.write_scan(
            folder / "scan.cdh", scan, {"tof": at_ps},
            **{"List TOF measurement range (ps)": 400, "List TOF quantization bin size (ps)": 100},
        )  # fmt: skip
        found = read_listmode(path)
        assert found.scanner.tof is not None
        assert found.scanner.tof.n_bins == 4
        np.testing.assert_array_equal(found.tof_bins, at_ps / 100 + 1.5)

    def test_every_column_of_a_record_is_read(self, scan: ListMode, folder: Path) -> None:
        rng, n = np.random.default_rng(1), scan.n_events
        without_tof = replace(scan, tof_bins=None)
        more = {
            "acf": rng.uniform(1, 9, n),
            "kind": rng.integers(0, 5, n),
            "scatter": rng.uniform(0, 1, n).astype(np.float32),
            "randoms": rng.uniform(0, 1, n).astype(np.float32),
            "norm": rng.uniform(1, 2, n),
            "place": rng.normal(size=(n, 4)),
        }
        found = read_listmode(files.write_scan(folder / "scan.cdh", without_tof, more))
        np.testing.assert_array_equal(found.crystals, scan.crystals)
        expected = 3 * (more["scatter"] + more["randoms"])
        np.testing.assert_allclose(found.additive, expected, rtol=1e-6)
        assert any("only the lines of the events" in note for note in found.notes)
        assert any("Positions within crystals" in note for note in found.notes)

    def test_scan_opens_with_our_own_scanner(self, scan: ListMode, tmp_path: Path) -> None:
        from engine.core.settings import to_toml

        (tmp_path / "ring.toml").write_text(to_toml(RING.settings))
        path = files.write_scan(tmp_path / "scan.cdh", scan)
        found = read_listmode(path, scanner=str(tmp_path / "ring.toml"))
        np.testing.assert_array_equal(found.tof_bins, scan.tof_bins)
        assert found.notes == ()


class TestNormalisation:
    @pytest.fixture
    def lines(self) -> np.ndarray:
        """Return every line of the ring once, in random order."""
        lors = RING.lors(np.arange(RING.n_lors))
        return np.random.default_rng(4).permutation(lors[RING.in_coincidence(lors)])

    @pytest.fixture
    def efficiencies(self) -> np.ndarray:
        return np.random.default_rng(3).uniform(0.5, 1, RING.n_crystals).astype(np.float32)

    def write(self, folder: Path, lines, values, **changes) -> Path:
        with np.errstate(divide="ignore"):
            corrections = np.where(values > 0, 1 / values, 0)
        path = folder / "norm.cdh"
        return files.write_normalisation(path, lines, {"norm": corrections}, **changes)

    def test_lines_have_their_probability_and_missing_lines_zero(self, folder, lines, efficiencies):
        found = np.prod(efficiencies[lines], axis=1)
        path = self.write(folder, lines[10:], found[10:])
        components = read_components(path, RING)
        data = ListMode(RING, crystals=lines[:, ::-1].astype(np.int32), components=components)
        applied = Normalisation().apply(data, on=ON)
        np.testing.assert_allclose(applied.factors[10:], found[10:], rtol=1e-6)
        assert not applied.factors[:10].any()
        assert "its table is used" in (LineGeometry().obstacle(applied) or "")

    def test_normalised_image_is_that_of_crystals_and_geometry(
        self, folder: Path, lines, efficiencies
    ) -> None:
        shape = Cylinder((8.0, 6.0, 2.0), (15.0, 15.0, 6.0), activity=1.0, mu_per_mm=0.0)
        scan = simulate_listmode(
            ShapePhantom("cylinder", (shape,)), RING, n_prompts=2500, seed=6, randoms_fraction=0,
            duration_s=3, efficiencies=efficiencies,
        )  # fmt: skip
        scan = replace(scan, mu_map=None)
        write_listmode(scan, folder / "ours.h5")
        path = files.write_scan(folder / "scan.cdh", scan)
        values = np.prod(efficiencies[lines], axis=1) * RING.geometric_factor(lines)
        norm = self.write(folder, lines, values)
        protocol = with_settings(ListModeProtocol(), SETTINGS)
        ours, theirs = (
            next(e for e in run(study, on=ON) if isinstance(e, Finished)).volume.values
            for study in (
                Study(data=folder / "ours.h5", protocol=protocol),
                Study(data=path, normalisation=norm, protocol=protocol),
            )
        )
        assert ours.any()
        np.testing.assert_allclose(theirs, ours, atol=1e-4 * ours.max())

    def test_dropped_file_is_recognised_as_normalisation(self, folder: Path, lines) -> None:
        found = purpose_of(self.write(folder, lines, np.ones(len(lines))))
        assert found.role is not None
        assert (found.purpose, found.role.key) == ("input", "normalisation")

    def test_attenuation_in_a_normalisation_is_ignored(self, folder: Path, lines) -> None:
        ones = np.ones(len(lines))
        path = files.write_normalisation(
            folder / "norm.cdh", lines, {"acf": 3 * ones, "norm": ones}
        )
        components = read_components(path, RING)
        assert components.lines is not None
        assert (components.lines.values == 1).all()
        assert "attenuation corrections are not used" in components.notes[0]

    @pytest.mark.parametrize(
        ("changes", "error", "message"),
        [
            ({"Number of events": 7}, FileFormatError, "describes 7 lines"),
            ({"Maximum number of lines per event": 3}, FileFormatError, "up to 3 lines"),
            ({"Normalization correction flag": 0}, FileFormatError, "no normalisation"),
        ],
    )
    def test_faulty_headers_of_a_scan_are_refused(
        self, folder: Path, lines, changes, error, message
    ) -> None:
        path = self.write(folder, lines, np.ones(len(lines)), **changes)
        with pytest.raises(error, match=message):
            read_components(path, RING)

    def test_invalid_lines_are_refused(self, folder: Path, lines) -> None:
        twice = np.concatenate([lines, lines[:1, ::-1]])
        with pytest.raises(DataError, match="listed twice"):
            read_components(self.write(folder, twice, np.ones(len(twice))), RING)
        with pytest.raises(GeometryError, match="has only 96"):
            read_components(self.write(folder, lines + 50, np.ones(len(lines))), RING)
        with pytest.raises(DataError, match="all normalisation factors are 0"):
            read_components(self.write(folder, lines, np.zeros(len(lines))), RING)
        with pytest.raises(DataError, match="is -1"):
            values = np.ones(len(lines))
            path = files.write_normalisation(folder / "norm.cdh", lines, {"norm": -values})
            read_components(path, RING)


class TestDamage:
    def test_missing_table_is_refused(self, scan: ListMode, tmp_path: Path) -> None:
        path = files.write_scan(tmp_path / "scan.cdh", scan)
        with pytest.raises(ScannerMissingError, match=r"SMALL_RING\.lut"):
            read_listmode(path)
        (tmp_path / "SMALL_RING.geom").write_text("modality: PET\n")
        with pytest.raises(ScannerMissingError, match="-olut"):
            read_listmode(path)

    def test_right_one_of_two_tables_is_used(self, scan: ListMode, folder: Path) -> None:
        files.write_table(folder / "OTHER.lut", RING)
        path = files.write_scan(folder / "scan.cdh", scan)
        assert read_listmode(path).n_events == scan.n_events
        path = files.write_scan(folder / "scan.cdh", scan, Scanner_name="THIRD")
        with pytest.raises(ScannerMissingError, match="Look-up tables in the same folder: 2,"):
            read_listmode(path)

    @pytest.mark.parametrize(
        ("key", "value", "message"),
        [
            ("Data mode", "sinogram", "list-mode or histogram"),
            ("Data type", "SPECT", "expected PET"),
            ("Maximum number of lines per event", 4, "up to 4 lines"),
            ("Number of events", 7, "states 7; copy both files again"),
            ("Number of events", "many", "expected a number"),
            ("TOF resolution (ps)", 0, "TOF resolution is 0 ps"),
            ("Data filename", "..", "does not name a data file"),
        ],
    )
    def test_faulty_headers_of_a_scan_are_refused(
        self, scan, folder: Path, key: str, value: object, message: str
    ) -> None:
        path = files.write_scan(folder / "scan.cdh", scan, **{key: value})
        with pytest.raises(FileFormatError, match=message):
            read_listmode(path)

    def test_truncated_scan_is_refused(self, scan: ListMode, folder: Path) -> None:
        path = files.write_scan(folder / "scan.cdh", scan)
        data = path.with_suffix(".cdf")
        data.write_bytes(data.read_bytes()[:-7])
        with pytest.raises(CutOffError, match="its last event has only 9 of 16 bytes"):
            read_listmode(path)
        found = read_listmode(path, complete_events=True)
        np.testing.assert_array_equal(found.crystals, scan.crystals[:-1])
        data.write_bytes(data.read_bytes()[: 16 * 100])
        with pytest.raises(CutOffError, match="contains only 100 of the"):
            read_listmode(path)
        found = read_listmode(path, complete_events=True)
        n_missing = scan.n_events - 100
        assert (found.info[EVENTS], found.info[MISSING]) == (100, n_missing)
        assert f"(events used: 100, records missing: {n_missing:,})" in found.notes[0]

    def test_header_flag_that_contradicts_the_file_is_refused(
        self, scan: ListMode, folder: Path
    ) -> None:
        path = files.write_scan(folder / "scan.cdh", scan, **{files.KEYS["norm"]: 1})
        with pytest.raises((FileFormatError, GeometryError)):
            read_listmode(path)

    def test_table_with_extra_bytes_is_refused(self, scan: ListMode, folder: Path) -> None:
        path = files.write_scan(folder / "scan.cdh", scan)
        table = folder / "SMALL_RING.lut"
        good = table.read_bytes()
        table.write_bytes(np.frombuffer(good, "<f4").astype(">f4").tobytes())
        with pytest.raises(FileFormatError, match=r"SMALL_RING\.lut"):
            read_listmode(path)
        table.write_bytes(good[:-3])
        with pytest.raises(FileFormatError, match="24 bytes per crystal"):
            read_listmode(path)
        table.write_bytes(good[:-240])
        with pytest.raises(GeometryError, match="has only 86"):
            read_listmode(path)
