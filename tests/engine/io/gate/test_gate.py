"""Tests of the GATE reader: trees with the published names are restored, faults refused."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.core.arrays import Array
from engine.core.backend import cpu
from engine.core.errors import (
    EngineError,
    FileFormatError,
    GeometryError,
    ResourceError,
    ScannerMissingError,
)
from engine.core.settings import to_toml
from engine.data.listmode import ListMode
from engine.data.runs.events import Finished
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import read_listmode, read_volume, write_listmode
from engine.io.first_bytes import is_root
from engine.io.gate import crystals as gate_crystals
from engine.io.gate import trees as gate_trees
from engine.io.safety.open_input import InputFile, open_input
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder
from tests.engine.io.gate import gate_files as files

ON = cpu(1)
RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=4, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=5,
        max_ring_difference=3, n_tangential=24, voxel_mm=(5, 5, 5), fov_mm=(60, 15),
        block_rings=2, block_places=4, gap_places=(7,),
        tof=TofSettings(fwhm_ps=300, bin_ps=150, n_bins=5),
    )
)  # fmt: skip
SETTINGS = (
    *("algorithm.iterations=2", "algorithm.subsets=2", "finishing=[]", "fit_to_scan=false"),
    *("corrections.randoms.use=off", "corrections.scatter.use=off", "reproducible=true"),
)


@pytest.fixture(scope="module")
def scan() -> ListMode:
    """Return a scan of a small off-centre cylinder."""
    shape = Cylinder((8.0, 0.0, 2.0), (15.0, 15.0, 6.0), activity=1.0, mu_per_mm=0.0)
    phantom = ShapePhantom("cylinder", (shape,))
    found = simulate_listmode(
        phantom, RING, n_prompts=3000, seed=5, randoms_fraction=0.1, duration_s=3
    )
    return replace(found, mu_map=None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the scanner's file."""
    (tmp_path / "scanner.toml").write_text(to_toml(RING.settings))
    return tmp_path


def same_events(found: ListMode, scan: ListMode) -> None:
    np.testing.assert_array_equal(found.crystals, scan.crystals)
    np.testing.assert_array_equal(found.tof_bins, scan.tof_bins)
    np.testing.assert_array_equal(found.time_ms, scan.time_ms - scan.time_ms[0])


class TestScanIsRestored:
    def test_events_of_version_9_are_restored(
        self, scan: ListMode, folder: Path, rng: np.random.Generator
    ) -> None:
        prompts = scan.prompts
        path = files.write(folder / "a.root", {"Coincidences": files.gate_9(prompts, rng)})
        found = read_listmode(path)
        same_events(found, prompts)
        assert found.delayed is None
        assert found.notes == ()

    @pytest.mark.parametrize("of_actor", [False, True])
    def test_events_of_version_10_are_restored(
        self, scan: ListMode, folder: Path, rng: np.random.Generator, of_actor: bool
    ) -> None:
        prompts = scan.prompts
        branches = files.gate_10(prompts, rng, of_actor=of_actor)
        found = read_listmode(files.write(folder / "a.root", {"Coincidences": branches}))
        same_events(found, prompts)
        assert found.info["crystals"] == "nearest to the detected photon"

    def test_image_equals_that_of_our_own_format_bit_by_bit(
        self, scan: ListMode, folder: Path, rng: np.random.Generator
    ) -> None:
        prompts = scan.prompts
        path = files.write(folder / "a.root", {"Coincidences": files.gate_9(prompts, rng)})
        write_listmode(prompts, folder / "ours.h5")
        images = []
        for each in (folder / "ours.h5", path):
            study = Study(
                data=each,
                scanner=str(folder / "scanner.toml") if each == path else None,
                protocol=with_settings(ListModeProtocol(), SETTINGS),
            )
            images.append(next(e for e in run(study, on=ON) if isinstance(e, Finished)).volume)
        np.testing.assert_array_equal(images[0].values, images[1].values)
        assert images[0].values.any()

    def test_delayeds_and_singles_are_read(
        self, scan: ListMode, folder: Path, rng: np.random.Generator
    ) -> None:
        delayeds = files.gate_9(scan.delayeds, rng)
        delayeds["time2"] = delayeds["time2"] + 500e-9
        singles_at = np.repeat(np.flatnonzero(RING.alive), 3)
        points = files.places(singles_at, RING, rng).astype(np.float32)
        singles = files.numbers(singles_at, RING, "") | {"time": np.zeros(len(singles_at))}
        singles |= {f"globalPos{a}": v for a, v in zip("XYZ", points.T, strict=True)}
        trees = {
            "Singles": singles,
            "Coincidences": files.gate_9(scan.prompts, rng),
            "delay": delayeds,
        }
        found = read_listmode(files.write(folder / "a.root", trees))
        for ours, theirs in ((scan.prompts, found.prompts), (scan.delayeds, found.delayeds)):
            np.testing.assert_array_equal(theirs.crystals, ours.crystals)
            np.testing.assert_array_equal(theirs.tof_bins, ours.tof_bins)
        assert found.singles is not None
        np.testing.assert_array_equal(found.singles, 3 * RING.alive)
        assert found.coincidence_window_ps == pytest.approx(300, rel=1e-3)
        assert any("window is the largest time difference" in note for note in found.notes)

    def test_crystal_map_can_be_the_scanner(
        self, scan: ListMode, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        alive = np.flatnonzero(RING.alive)
        ring_of, place = np.divmod(alive, RING.settings.n_crystals_per_ring)
        rows = [
            f"{r} {p} {x:.6f} {y:.6f} {z:.6f}"
            for r, p, (x, y, z) in zip(ring_of, place, RING.positions_mm[alive], strict=True)
        ]
        (tmp_path / "crystal_map.txt").write_text("\n".join(rows))
        prompts = scan.prompts
        path = files.write(tmp_path / "a.root", {"Coincidences": files.gate_9(prompts, rng)})
        found = read_listmode(path)
        assert isinstance(found.scanner, CrystalMap)
        np.testing.assert_array_equal(alive[found.crystals], prompts.crystals)


class TestTruth:
    def test_events_are_counted_by_their_origin(self, scan, folder, rng) -> None:
        branches = files.gate_9(scan.prompts, rng)
        n = len(branches["time1"])
        branches["eventID2"][:100] += 1
        branches["comptonPhantom1"][50:200] = 1
        branches["RayleighPhantom2"][150:220] = 2
        found = read_listmode(files.write(folder / "a.root", {"Coincidences": branches}))
        assert (found.info["n_randoms"], found.info["n_scattered"]) == (100, 120)
        assert found.info["n_trues"] == n - 220

    def test_decay_positions_are_read_as_a_volume(self, scan, folder, rng) -> None:
        branches = files.gate_9(scan.prompts, rng)
        n = len(branches["time1"])
        points = rng.normal((8.0, -3.0, 2.0), 4.0, (n, 3)).astype(np.float32)
        for axis, values in zip("XYZ", points.T, strict=True):
            branches[f"sourcePos{axis}1"] = values
        branches["eventID2"][:100] += 1
        volume = read_volume(files.write(folder / "a.root", {"Coincidences": branches}))
        assert volume.values.sum() == n - 100
        z, y, x = np.indices(volume.grid.shape).reshape(3, -1)
        voxels = np.stack([x, y, z], -1) + 0.5 - np.array(volume.grid.shape[::-1]) / 2
        centres = voxels * volume.grid.voxel_mm
        mean = np.average(centres, axis=0, weights=volume.values.ravel())
        bound = max(volume.grid.voxel_mm) / 2
        np.testing.assert_allclose(mean, points[100:].mean(axis=0), atol=bound)

    def test_masked_source_positions_are_refused(self, scan, folder, rng) -> None:
        path = files.write(folder / "a.root", {"Coincidences": files.gate_9(scan.prompts, rng)})
        with pytest.raises(FileFormatError, match="sourcePosX1"):
            read_volume(path)


class TestCrystals:
    def test_larger_numbers_in_a_later_part_are_read(self, scan, folder, rng, monkeypatch) -> None:
        prompts = scan.prompts
        order = np.argsort(prompts.crystals.max(axis=1), kind="stable")
        path = files.write(
            folder / "a.root", {"Coincidences": files.gate_9(prompts.select(order), rng)}
        )
        whole = read_listmode(path)
        monkeypatch.setattr(gate_trees, "AT_ONCE", 100)
        np.testing.assert_array_equal(read_listmode(path).crystals, whole.crystals)

    def test_blurred_positions_are_assigned_to_different_crystals(
        self, rng: np.random.Generator
    ) -> None:
        """If two GATE crystals have the same nearest crystal, the one with more events gets it."""
        alive = np.flatnonzero(RING.alive)
        at = RING.positions_mm[alive]
        at[1] = 0.51 * at[0] + 0.49 * at[1]
        counts = np.full(len(alive), 50.0)
        counts[1] = 2
        found = gate_crystals._one_each(at, counts, RING, "a.root")
        np.testing.assert_array_equal(found, alive)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"radius_mm": 90.0}, "from any crystal of"),
            ({"first_angle_deg": 0.45 * 360 / 32}, "from the crystal centres"),
            ({"ring_pitch_mm": 9.0}, "from the crystal centres|several crystals near"),
            ({"n_rings": 8, "max_ring_difference": 7}, r"detected in 12\d crystals.*has 248"),
            ({"n_rings": 2, "max_ring_difference": 1, "fov_mm": (60, 10)}, "crystals"),
        ],
    )
    def test_other_scanner_is_refused(self, scan, folder, rng, changes, message) -> None:
        other = RING.settings.model_copy(update=changes)
        (folder / "other.toml").write_text(to_toml(other))
        prompts = scan.prompts
        many = prompts.select(np.tile(np.arange(prompts.n_events), 4))
        path = files.write(folder / "a.root", {"Coincidences": files.gate_9(many, rng)})
        with pytest.raises(GeometryError, match=message):
            read_listmode(path, scanner=str(folder / "other.toml"))


class TestDamage:
    @pytest.fixture
    def branches(self, scan: ListMode, rng: np.random.Generator) -> dict[str, Array]:
        return files.gate_9(scan.prompts, rng)

    def test_missing_scanner_names_both_remedies(self, branches, scan, tmp_path: Path) -> None:
        path = files.write(tmp_path / "a.root", {"Coincidences": branches})
        found = "Scanner files in the same folder: 0, expected: 1"
        expected = rf"{found}.*Choose the scanner that was simulated.*its \.toml"
        with pytest.raises(ScannerMissingError, match=expected):
            read_listmode(path)
        (tmp_path / "far").mkdir()
        (tmp_path / "far" / "scanner.toml").write_text(to_toml(RING.settings))
        same_events(
            read_listmode(path, scanner=str(tmp_path / "far" / "scanner.toml")), scan.prompts
        )
        (tmp_path / "far" / "scanner.toml").rename(tmp_path / "scanner.toml")
        same_events(read_listmode(path), scan.prompts)

    def test_masked_photon_positions_are_refused(self, branches, folder: Path) -> None:
        del branches["globalPosY2"]
        path = files.write(folder / "a.root", {"Coincidences": branches})
        with pytest.raises(FileFormatError, match="unmask these branches"):
            read_listmode(path)

    def test_file_of_only_singles_is_refused(self, branches, folder: Path) -> None:
        path = files.write(folder / "a.root", {"Singles": {"time": np.zeros(3)}})
        with pytest.raises(FileFormatError, match="Sort the singles into coincidences"):
            read_listmode(path)

    def test_two_coincidence_trees_are_refused(self, branches, folder: Path) -> None:
        path = files.write(folder / "a.root", {"LowEnergy": branches, "HighEnergy": branches})
        with pytest.raises(FileFormatError, match="2 coincidence trees"):
            read_listmode(path)

    def test_times_before_the_scan_are_refused(self, branches, folder: Path) -> None:
        branches["time1"][3] = -5
        path = files.write(folder / "a.root", {"Coincidences": branches})
        with pytest.raises(FileFormatError, match="times run from -5"):
            read_listmode(path)

    def test_file_without_events_is_refused(self, branches, folder: Path) -> None:
        none = {name: values[:0] for name, values in branches.items()}
        path = files.write(folder / "a.root", {"Coincidences": none})
        with pytest.raises(FileFormatError, match="no coincidences"):
            read_listmode(path)

    def test_changed_or_truncated_file_gives_one_sentence_or_a_scan(self, branches, folder) -> None:
        good = bytearray(files.write(folder / "a.root", {"Coincidences": branches}).read_bytes())
        rng, path = np.random.default_rng(3), folder / "bad.root"
        for at in [*rng.integers(4, len(good), 30), *range(4, 100, 4)]:
            bad = bytearray(good)
            bad[at] ^= int(rng.integers(1, 256))
            path.write_bytes(bad if at % 2 else good[:at])
            try:
                read_listmode(path)
            except EngineError as e:
                assert "\n" not in str(e)

    def test_missing_library_is_named(self, branches, folder: Path, monkeypatch) -> None:
        path = files.write(folder / "a.root", {"Coincidences": branches})
        monkeypatch.setitem(sys.modules, "uproot.reading", None)
        with pytest.raises(ResourceError, match=r"pip install 'isocenter\[gate\]"):
            read_listmode(path)


@pytest.mark.parametrize(
    "head",
    [
        *(b"root:x:0:0:root:/root:/bin/bash\n", b"root"),
        *(b"root\0\0\xf6\x18\0\0\0\x01", b"ROOT" + bytes(60)),
    ],
)
def test_only_the_root_header_makes_a_root_file(head: bytes) -> None:
    def file_of(head: bytes) -> Any:
        return SimpleNamespace(head=head)

    assert not is_root(file_of(head))
    assert is_root(file_of(b"root\0\0\xf6\x18\0\0\0\x64"))


def test_sentence_contains_no_object_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: object, file: InputFile) -> None:
        raise ValueError("not a file: <engine.io.gate.trees._Source object at 0x7f00deadbeef>")

    monkeypatch.setattr(gate_trees.RootFile, "__init__", fails)
    (tmp_path / "a.root").write_bytes(b"root")
    with (
        open_input(tmp_path / "a.root") as file,
        pytest.raises(FileFormatError, match="not a file: the file") as found,
        gate_trees.open_root(file),
    ):
        pass
    assert "0x" not in str(found.value)
