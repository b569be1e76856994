"""Tests of the PETSIRD reader: files of the format's library are restored, faults refused."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import CutOffError, DataError, FileFormatError
from engine.corrections.normalisation import Normalisation
from engine.data.listmode import ListMode
from engine.data.runs.events import Finished
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import read_listmode, write_listmode
from engine.io.petsird.stream import YardlStream, signed
from engine.io.safety.cut_off import EVENTS
from engine.io.safety.open_input import open_input
from engine.jobs.reconstruction import run
from engine.live.pet.event_batch import head_of
from engine.live.pet.live_corrections import LiveCorrections
from engine.modalities.listmode_pet.event_summary import EventSummary
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder
from tests.engine.io.petsird import petsird_files as files

ON = cpu(1)
RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=3, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=5,
        max_ring_difference=1, n_tangential=24, voxel_mm=(5, 5, 5), fov_mm=(60, 15),
        tof=TofSettings(fwhm_ps=300, bin_ps=150, n_bins=5),
    )
)  # fmt: skip
SETTINGS = (
    *("algorithm.iterations=2", "algorithm.subsets=1", "finishing=[]", "fit_to_scan=false"),
    *("grid.voxel_mm=[5, 5, 5]", "grid.diameter_mm=60", "grid.length_mm=15"),
    *("corrections.randoms.use=off", "corrections.scatter.use=off"),
)


@pytest.fixture(scope="module")
def scan() -> ListMode:
    """Return a scan of a small off-centre cylinder with delayeds."""
    shape = Cylinder((8.0, 0.0, 2.0), (15.0, 15.0, 6.0), activity=1.0, mu_per_mm=0.0)
    phantom = ShapePhantom("cylinder", (shape,))
    found = simulate_listmode(
        phantom, RING, n_prompts=2500, seed=5, randoms_fraction=0.1, duration_s=3
    )
    return replace(found, mu_map=None)


@pytest.fixture(scope="module")
def written(scan: ListMode, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return files.write_scan(tmp_path_factory.mktemp("petsird") / "scan.petsird", scan)


def lines(scan: ListMode) -> np.ndarray:
    """Return events as sorted rows: lower and higher crystal, TOF bin from the lower, and kind."""
    low, high = scan.crystals.min(axis=1), scan.crystals.max(axis=1)
    swapped = scan.crystals[:, 0] > scan.crystals[:, 1]
    tof = np.where(swapped, RING.tof.n_bins - 1 - scan.tof_bins, scan.tof_bins)
    rows = np.stack([low, high, tof, scan.delayed, scan.time_ms // 1000], -1)
    return rows[np.lexsort(rows.T)]


class TestScanIsRestored:
    def test_events_are_restored(self, scan: ListMode, written: Path) -> None:
        found = read_listmode(written)
        np.testing.assert_array_equal(lines(found), lines(scan))
        assert found.duration_s == scan.duration_s
        assert found.notes == ()

    def test_scanner_is_restored(self, written: Path) -> None:
        found = read_listmode(written).scanner
        assert isinstance(found, CrystalMap)
        np.testing.assert_allclose(found.positions_mm, RING.positions_mm, atol=2e-5)
        pairs = np.indices((RING.n_crystals,) * 2).reshape(2, -1).T
        ours = RING.in_coincidence(pairs) | RING.in_coincidence(pairs[:, ::-1])
        np.testing.assert_array_equal(found.in_coincidence(pairs), ours)
        assert found.tof is not None
        assert found.tof.fwhm_ps == pytest.approx(300, rel=1e-6)
        assert (found.tof.n_bins, found.tof.bin_ps) == (5, pytest.approx(150, rel=1e-6))

    def test_image_equals_that_of_our_own_format(
        self, scan: ListMode, written: Path, tmp_path: Path
    ) -> None:
        write_listmode(scan, tmp_path / "ours.h5")
        ours, theirs = (self.image(path) for path in (tmp_path / "ours.h5", written))
        np.testing.assert_allclose(theirs, ours, atol=1e-4 * ours.max())

    @staticmethod
    def image(path: Path) -> np.ndarray:
        study = Study(data=path, protocol=with_settings(ListModeProtocol(), SETTINGS))
        return next(e for e in run(study, on=ON) if isinstance(e, Finished)).volume.values

    def test_compressed_file_is_read(self, written: Path, tmp_path: Path) -> None:
        packed = tmp_path / "scan.petsird.gz"
        packed.write_bytes(gzip.compress(written.read_bytes(), 1))
        np.testing.assert_array_equal(
            read_listmode(packed).crystals, read_listmode(written).crystals
        )

    def test_scan_survives_conversion_to_our_list_mode(self, written: Path, tmp_path: Path) -> None:
        found = read_listmode(written)
        write_listmode(found, tmp_path / "scan.h5")
        again = read_listmode(tmp_path / "scan.h5")
        assert again.scanner.fingerprint() == found.scanner.fingerprint()


@pytest.fixture(scope="module")
def two_types(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, object]:
    """Write two module types with several crystals, energies and all kinds of efficiencies."""
    p, rng = files.library(), np.random.default_rng(2)
    angles = np.arange(6) * np.pi / 3
    small, large = np.array([(-4, 0), (4, 0.0)]), np.array([(-4, -4), (4, -4), (0, 4.0)])
    types = [
        files.modules(angles, np.zeros(6), small, 60),
        files.modules(angles[:4] + 0.5, np.full(4, 2.0), large, 70),
    ]
    energies = [(430, 500, 560, 610), (430, 520, 610)]
    scanner = files.scanner_of(types, energies, np.linspace(-90, 90, 4), 45.0)
    n_modules, n_bins = (6, 4), (2 * 3, 3 * 2)
    luts, vectors = [], []
    for a in range(2):
        luts.append([])
        vectors.append([])
        for b in range(a + 1):
            lut = rng.integers(-1, 3, (n_modules[a], n_modules[b]))
            lut.flat[0] = 2  # the last group occurs at least once
            rows = [row[: i + 1] if a == b else row for i, row in enumerate(lut.tolist())]
            luts[-1].append(rows)
            vectors[-1].append(
                [
                    p.ModulePairEfficiencies(
                        values=rng.uniform(0.5, 1, (n_bins[a], n_bins[b])).tolist(), sgid=k
                    )
                    for k in range(3)
                ]
            )
    bins = [rng.uniform(0.2, 1, m * n).tolist() for m, n in zip(n_modules, n_bins, strict=True)]
    scanner.detection_efficiencies = p.DetectionEfficiencies(
        calibration_factor=2.0,
        detection_bin_efficiencies=bins,
        module_pair_sgidlut=luts,
        module_pair_efficiencies_vectors=vectors,
    )
    lists = [
        [[p.CoincidenceEvent(detection_bins=[30, 1], tof_idx=0)]],
        [[p.CoincidenceEvent(detection_bins=[23, 35], tof_idx=2)], []],
    ]
    block = p.EventTimeBlock(time_interval=p.TimeInterval(start=5, stop=9), prompt_events=lists)
    path = tmp_path_factory.mktemp("types") / "types.petsird"
    return files.write(path, scanner, [p.TimeBlock.EventTimeBlock(block)]), scanner


class TestTypesOfModules:
    def test_crystals_are_at_the_positions_of_the_library(self, two_types) -> None:
        path, scanner = two_types
        found = read_listmode(path).scanner.positions_mm
        from petsird.helpers.geometry import transform_BoxShape

        corners = []
        for type_of in scanner.scanner_geometry.replicated_modules:
            elements = type_of.object.detecting_elements
            for outer in type_of.transforms:
                for inner in elements.transforms:
                    box = transform_BoxShape(
                        outer, transform_BoxShape(inner, elements.object.shape)
                    )
                    corners.append(np.mean([c.c for c in box.corners], axis=0))
        middle = (np.min(corners, axis=0) + np.max(corners, axis=0))[2] / 2
        np.testing.assert_allclose(found, corners - np.array([0, 0, middle]), atol=2e-5)

    def test_events_name_their_crystals(self, two_types) -> None:
        found = read_listmode(two_types[0])
        # Bin 30 of 6 × 2 crystals × 3 energies is crystal 10. Bin 23 of 4 × 3 crystals × 2 energies
        # is crystal 11.
        assert found.crystals.tolist() == [[10, 0], [12 + 11, 11]]
        assert found.tof_bins is not None
        assert found.tof_bins.tolist() == [0, 2]
        assert (found.duration_s, found.time_ms.tolist()) == (0.004, [0, 0])

    def test_lines_have_the_efficiency_of_the_library(self, two_types) -> None:
        """Efficiencies are summed over the energies of both photons."""
        from petsird.helpers import get_detection_efficiency

        path, scanner = two_types
        scan = read_listmode(path)
        n = scan.scanner.n_crystals
        pairs = np.array([(i, j) for i in range(n) for j in range(i)], np.int32)
        expected = np.zeros(len(pairs))
        types, energies, first = np.repeat([0, 1], 12), (3, 2), (0, 12)
        for k, (i, j) in enumerate(pairs):
            a, b = types[i], types[j]
            ends = [
                [(c - first[t]) * energies[t] + e for e in range(energies[t])]
                for c, t in ((i, a), (j, b))
            ]
            expected[k] = sum(
                get_detection_efficiency(
                    scanner, (a, b), x, detection_bin_2=y, with_calibration_factor=False
                )
                for x in map(int, ends[0])
                for y in map(int, ends[1])
            )
        scan = replace(scan, crystals=pairs, tof_bins=None, time_ms=None)
        found = Normalisation().apply(scan, on=ON).factors
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        assert (expected == 0).any()
        np.testing.assert_array_equal(scan.scanner.in_coincidence(pairs), expected > 0)
        assert scan.info["calibration_factor"] == 2

    def test_summary_states_the_normalisation_in_the_scan(self, two_types) -> None:
        scan = replace(read_listmode(two_types[0]), efficiencies=None)
        assert EventSummary.of(scan).brings == ("normalisation",)

    def test_events_on_insensitive_lines_are_not_used(self, two_types) -> None:
        scan = read_listmode(two_types[0])
        n = scan.scanner.n_crystals
        crystals = np.array([(i, j) for i in range(n) for j in range(i)], np.int32)
        found = scan.components.pairs
        values = found.values.copy()
        values[: len(values) // 2] = 0
        components = replace(scan.components, pairs=replace(found, values=values))
        scan = replace(scan, components=components, tof_bins=None, time_ms=None, crystals=crystals)
        live = LiveCorrections(head_of(scan), ListModeProtocol(), on=ON)
        _, usable = live.prepared(scan)
        np.testing.assert_array_equal(usable, Normalisation().apply(scan, on=ON).factors > 0)
        assert usable.any()
        assert (scan.scanner.in_coincidence(crystals) & ~usable).any()
        live.close()

    def test_scan_with_pair_efficiencies_is_not_converted_to_our_list_mode(
        self, two_types, tmp_path
    ) -> None:
        with pytest.raises(FileFormatError, match="module-pair"):
            write_listmode(read_listmode(two_types[0]), tmp_path / "scan.h5")


class TestOtherBlocks:
    @pytest.fixture
    def header(self) -> object:
        return files.ring_scanner(RING)

    def blocks(self, *more: object) -> list[object]:
        crystals = np.array([[3, 18], [40, 60]])
        events = files.events_of(crystals, None, 1)
        return [*more, files.event_block(0, 10, events), files.event_block(10, 20, events)]

    def test_live_time_and_singles_are_read(self, header, tmp_path) -> None:
        p, n = files.library(), RING.n_crystals
        fractions = [np.linspace(0.5, 1, n), np.linspace(0.3, 0.8, n)]
        more = [
            p.TimeBlock.DeadTimeTimeBlock(
                p.DeadTimeTimeBlock(
                    time_interval=p.TimeInterval(start=start, stop=stop),
                    alive_time_fractions=p.AliveTimeFractions(
                        singles_alive_time_fractions=[one.astype(np.float32)]
                    ),
                )
            )
            for one, start, stop in zip(fractions, (0, 5), (5, 20), strict=True)
        ]
        singles = p.SinglesHistogramTimeBlock(
            time_interval=p.TimeInterval(start=0, stop=20),
            singles_per_detection_bin_histogram=[list(range(n))],
        )
        more.append(p.TimeBlock.SinglesHistogramTimeBlock(singles))
        path = files.write(tmp_path / "a.petsird", header, self.blocks(*more))
        found = read_listmode(path)
        expected = fractions[0] / 4 + 3 * fractions[1] / 4
        np.testing.assert_allclose(found.efficiencies, expected, rtol=1e-6)
        n_detected = np.bincount(found.crystals.ravel(), minlength=n)
        parts = [float(np.average(one / expected, weights=n_detected)) for one in fractions]
        assert found.live_times is not None
        assert found.live_times.starts_ms.tolist() == [0, 5]
        assert found.live_times.pairs == pytest.approx(np.square(parts), rel=1e-6)
        write_listmode(found, tmp_path / "own.h5")
        again = read_listmode(tmp_path / "own.h5").live_times
        assert again.starts_ms.tolist() == [0, 5]
        assert again.pairs.tolist() == found.live_times.pairs.tolist()
        assert found.singles is not None
        assert found.singles.tolist() == list(range(n))
        assert found.coincidence_window_ps == pytest.approx(375)
        assert found.has_singles

    def test_moving_bed_is_refused(self, header, tmp_path) -> None:
        p = files.library()

        def bed(z_mm: float, start: int) -> object:
            block = p.BedMovementTimeBlock(
                time_interval=p.TimeInterval(start=start, stop=start),
                transform=files.moved(np.eye(3), (0, 0, z_mm)),
            )
            return p.TimeBlock.BedMovementTimeBlock(block)

        path = files.write(tmp_path / "still.petsird", header, self.blocks(bed(30, 0)))
        assert any("The bed is 0, 0, 30 mm" in note for note in read_listmode(path).notes)
        path = files.write(tmp_path / "a.petsird", header, [*self.blocks(bed(0, 0)), bed(30, 20)])
        with pytest.raises(DataError, match="bed or gantry move"):
            read_listmode(path)
        path = files.write(tmp_path / "b.petsird", header, [*self.blocks(), bed(30, 20)])
        with pytest.raises(DataError, match="bed or gantry move"):
            read_listmode(path)

    def test_patient_name_is_not_read(self, header, tmp_path) -> None:
        p = files.library()
        drug = p.DICOMRadiopharmaceuticalInformation(
            radionuclide_total_dose=185.0,
            radiopharmaceutical_start_date_time=np.datetime64("2026-01-02T09:00:00", "ns"),
            radionuclide_code_sequence=p.DICOMBasicCodeSequence(code_meaning="^18^Fluorine"),
        )
        exam = p.ExamInformation(
            patient=p.DICOMPatientInformation(patient_id="Somebody"),
            start_of_acquisition=np.datetime64("2026-01-02T10:00:00", "ns"),
            radiopharmaceuticals=[drug],
        )
        found = read_listmode(files.write(tmp_path / "a.petsird", header, self.blocks(), exam))
        assert found.info["isotope"] == "F-18"
        assert found.info["injected_bq"] == 1.85e8
        assert found.info["injected_at"] == "2026-01-02T09:00:00"
        assert found.info["scan_start"] == "2026-01-02T10:00:00"
        assert "Somebody" not in repr(found.info) + repr(found.notes)


class TestDamage:
    def test_file_truncated_within_a_block_is_refused(self, written: Path, tmp_path: Path) -> None:
        whole = read_listmode(written)
        path = tmp_path / "cut.petsird"
        path.write_bytes(written.read_bytes()[:-500])
        with pytest.raises(CutOffError, match=r"complete blocks: 2\)"):
            read_listmode(path)
        found = read_listmode(path, complete_events=True)
        n = int(np.count_nonzero(whole.time_ms < 2000))
        np.testing.assert_array_equal(found.crystals, whole.crystals[:n])
        assert any("no end mark" in note for note in found.notes)
        # The window and the record of the run need this to report that the scan is incomplete.
        assert found.info[EVENTS] == n and EVENTS not in whole.info

    def test_file_truncated_between_blocks_is_refused(self, written: Path, tmp_path: Path) -> None:
        path = tmp_path / "cut.petsird"
        path.write_bytes(written.read_bytes()[:-1])
        with pytest.raises(CutOffError, match=r"complete blocks: 3\)"):
            read_listmode(path)

    @pytest.mark.parametrize("n_bytes", [600, 14_000])
    def test_file_truncated_within_the_header_is_refused(
        self, written: Path, tmp_path: Path, n_bytes: int
    ) -> None:
        path = tmp_path / "cut.petsird"
        path.write_bytes(written.read_bytes()[:n_bytes])
        with pytest.raises(FileFormatError, match="ends within its header"):
            read_listmode(path)

    def test_bin_outside_the_scanner_is_refused(self, tmp_path: Path) -> None:
        events = files.events_of(np.array([[500, 1]]), None, 1)
        path = files.write(
            tmp_path / "a.petsird", files.ring_scanner(RING), [files.event_block(0, 1, events)]
        )
        with pytest.raises(FileFormatError, match=r"detection bin 500.*has only 96"):
            read_listmode(path)

    def test_changed_header_byte_gives_one_sentence_or_a_scan(
        self, written: Path, tmp_path: Path
    ) -> None:
        from engine.core.errors import EngineError

        good, rng = bytearray(written.read_bytes()), np.random.default_rng(1)
        path = tmp_path / "bad.petsird"
        for at in rng.integers(11, len(good), 60):
            bad = bytearray(good)
            bad[at] ^= int(rng.integers(1, 256))
            path.write_bytes(bad)
            try:
                read_listmode(path)
            except EngineError as e:
                assert "\n" not in str(e)


def test_integers_of_any_length_are_read(tmp_path: Path, rng: np.random.Generator) -> None:
    expected = [0, 127, 128, 2**32 - 1, 2**64 - 1, *rng.integers(0, 2**63, 50).tolist()]
    encoded = bytearray(b"yardl\x01\0\0\0")
    for value in expected:
        while value >= 128:
            encoded.append(value & 0x7F | 0x80)
            value >>= 7
        encoded.append(value)
    path = tmp_path / "numbers"
    path.write_bytes(encoded)
    with open_input(path) as file:
        assert YardlStream(file).wholes(len(expected)).tolist() == expected
    assert signed(np.arange(5, dtype=np.uint64)).tolist() == [0, -1, 1, -2, 2]


@pytest.mark.slow
def test_sample_equals_that_of_the_library(shared_data: Path) -> None:
    p = files.library()
    path = shared_data / "pet-petsird-format-sample" / "petsird_generator_sample.petsird.gz"
    found = read_listmode(path)
    with gzip.open(path) as packed:
        stream = p.BinaryPETSIRDReader(packed)
        header = stream.read_header()
        blocks = [block.value for block in stream.read_time_blocks()]
    n_energies = [edges.number_of_bins() for edges in header.scanner.event_energy_bin_edges]
    first = (0, 40 * 56)
    expected = [
        [bin_ // n_energies[t] + first[t] for bin_, t in zip(e.detection_bins, (a, b), strict=True)]
        for block in blocks
        for a in range(2)
        for b in range(a + 1)
        for e in block.prompt_events[a][b]
    ]
    np.testing.assert_array_equal(found.crystals, expected)


def test_triggers_are_read_and_unused_traces_are_reported(tmp_path: Path) -> None:
    p = files.library()
    kinds = p.ExternalSignalTypeEnum
    reported = {
        7: kinds.RESP_TRIGGER,
        3: kinds.ECG_TRIGGER,
        4: kinds.ECG_TRACE,
        9: kinds.ECG_TRIGGER,
    }
    exam = p.ExamInformation(
        external_signals=[p.ExternalSignal(type=kind, id=key) for key, kind in reported.items()]
    )
    event = p.CoincidenceEvent(detection_bins=[20, 3], tof_idx=2)
    blocks = [files.event_block(100, 101, [event]), files.event_block(1900, 1901, [event])]
    for key, ms in [(3, 200), (7, 250), (4, 260), (3, 1000), (9, 1050), (7, 1300), (12, 1400)]:
        block = p.ExternalSignalTimeBlock(
            time_interval=p.TimeInterval(start=ms, stop=ms), signal_id=key, signal_values=[]
        )
        blocks.append(p.TimeBlock.ExternalSignalTimeBlock(block))
    path = files.write(tmp_path / "gated.petsird", files.ring_scanner(RING), blocks, exam)
    found = read_listmode(path)
    times = {each.name: each.time_ms.tolist() for each in found.triggers}
    assert times == {"respiration": [150, 1200], "ecg": [100, 900], "ecg 2": [950]}
    assert "2 blocks of external signals are not used." in found.notes
