"""Demos are created completely, once, from a seed. They can be read and reconstructed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import binary_dilation, binary_erosion

from engine.cli.exit_codes import DONE
from engine.cli.main import main, parser
from engine.core.backend import cpu
from engine.core.errors import ResourceError
from engine.data.runs.events import Corrected, Finished
from engine.data.volume import Volume
from engine.io import (
    read_efficiencies,
    read_histogram,
    read_listmode,
    read_mu_map,
    read_projections,
    read_volume,
)
from engine.jobs.reconstruction import run
from engine.modalities.demo import Demo
from engine.modalities.demos import DEMOS, demo_folder
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.studies import Study, find_protocol, read_study
from engine.modalities.xray_ct.demo import CtDemo
from engine.simulate.jaw import SOFT

N_PROMPTS = 3000
SMALL = (
    PetDemo(n_prompts=N_PROMPTS),
    CtDemo(n_views=100, n_rows=64, n_columns=100),
    DualHeadDemo(n_prompts=200_000, n_points=1 << 8),
)

TINY = CtDemo(n_views=4, n_rows=16, n_columns=24)
"""The demo for tests that apply to all demos."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new folder with small demos of all kinds."""
    return tmp_path_factory.mktemp("demo") / "new"


@pytest.fixture(scope="module", params=SMALL, ids=lambda demo: demo.key)
def demo(request: pytest.FixtureRequest, folder: Path) -> Demo:
    """Return a demo of this kind, created."""
    found: Demo = request.param
    steps: list[float] = []
    found.make(folder, on_progress=lambda done, total: steps.append(done / total))
    assert steps == sorted(steps)
    assert steps[-1] == 1
    return found


@pytest.fixture
def study(demo: Demo, folder: Path) -> Study:
    """Return the path of the study file."""
    return read_study(demo.study(folder))


def reconstructed(study: Study) -> tuple[Volume, dict[str, str]]:
    """Reconstruct a study; return the image and the applied corrections."""
    message = {}
    for event in run(study, on=cpu(2)):
        if isinstance(event, Corrected) and event.state == "applied":
            message[event.kind] = event.text
        elif isinstance(event, Finished):
            volume = event.volume
    return volume, message


@pytest.mark.essential
def test_demo_can_be_read_and_moved_with_its_folder(demo: Demo, folder: Path, study: Study) -> None:
    parts = [study.data, *study.inputs.values(), demo.truth(folder)]
    assert all(part.is_file() and part.parent == folder for part in parts if part is not None)
    assert str(folder) not in demo.study(folder).read_text("utf-8")
    assert study.protocol.modality == demo.key
    assert demo.make(folder) == study


def test_demo_is_created_only_once(demo: Demo, folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    demo.make(folder)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


class TestPet:
    """Tests of the ring demo."""

    demo = SMALL[0]

    @pytest.fixture
    def study(self, folder: Path) -> Study:
        return self.demo.make(folder)

    def test_scan_has_all_parts_of_a_study(self, study: Study) -> None:
        data = read_listmode(study.data)
        assert data.n_prompts == pytest.approx(N_PROMPTS, abs=5 * np.sqrt(N_PROMPTS))
        assert data.n_delayed == pytest.approx(0.2 * N_PROMPTS, abs=5 * np.sqrt(0.2 * N_PROMPTS))
        assert data.tof_bins is not None and data.time_ms is not None
        assert study.protocol == find_protocol("demo")
        assert {"attenuation", "normalisation"} == set(study.inputs)
        mu_map = read_mu_map(study.inputs["attenuation"], data.scanner)
        assert mu_map.values.max() == pytest.approx(0.0151, rel=1e-3)
        efficiencies = read_efficiencies(study.inputs["normalisation"], data.scanner)
        live = efficiencies[data.scanner.alive]
        assert np.count_nonzero(live == 0) == 6
        assert live[live > 0].std() == pytest.approx(0.1, rel=0.05)
        assert efficiencies[data.crystals].min() > 0

    def test_scan_contains_no_corrections(self, study: Study) -> None:
        data = read_listmode(study.data)
        assert data.mu_map is None and data.efficiencies is None

    def test_truth_is_in_the_units_and_position_of_the_image(
        self, folder: Path, study: Study
    ) -> None:
        truth = read_volume(self.demo.truth(folder))
        data = read_listmode(study.data)
        grid = study.protocol.grid.grid_for(data.scanner)
        assert truth.unit == "counts/mm"
        assert truth.grid.shape == grid.shape
        np.testing.assert_allclose(truth.grid.centre_mm, grid.centre_mm, atol=1e-4)
        assert truth.values.max() == pytest.approx(7 * data.info["counts_per_mm"], rel=1e-3)

    @pytest.mark.slow
    def test_image_has_the_counts_of_the_truth(self, tmp_path: Path) -> None:
        demo = PetDemo(n_prompts=300_000)
        volume, message = reconstructed(demo.make(tmp_path))
        truth = read_volume(demo.truth(tmp_path))
        applied = {"normalisation", "line_geometry", "attenuation", "randoms"}
        assert set(message) == {*applied, "defaults", "subsets"}
        assert volume.unit == truth.unit
        assert volume.values.sum() == pytest.approx(truth.values.sum(), rel=0.03)
        middle = binary_erosion(truth.values > 0.1 * truth.values.max(), iterations=2)
        assert volume.values[middle].mean() == pytest.approx(truth.values[middle].mean(), rel=0.05)


class TestCt:
    """Tests of the cone-beam demo."""

    demo = SMALL[1]

    def test_image_shows_the_truth_after_all_corrections(self, folder: Path) -> None:
        study = self.demo.make(folder)
        scan, truth = read_projections(study.data), read_volume(self.demo.truth(folder))
        assert scan.flats is not None and scan.darks is not None and scan.bad_pixels is not None
        volume, message = reconstructed(study)
        assert {"flat_field", "bad_pixels", "rings", "centre"} <= set(message)
        moved = re.search(r"moved by (\S+)", message["centre"])
        assert moved is not None
        assert float(moved[1]) == pytest.approx(-4.3, abs=0.2)
        assert volume.unit == truth.unit == "1/mm"
        assert volume.grid.shape == truth.grid.shape
        soft = binary_erosion(np.isclose(truth.values, SOFT, atol=1e-6), iterations=3)
        assert soft.sum() > 10_000
        assert volume.values[soft].mean() == pytest.approx(SOFT, rel=0.01)
        support = binary_dilation(truth.values > 0, iterations=2)  # without the corners
        assert volume.values[support].sum() == pytest.approx(truth.values.sum(), rel=0.01)


class TestDualHead:
    """Tests of the panel demo."""

    demo = SMALL[2]

    def test_scan_has_randoms_and_the_rods(self, folder: Path) -> None:
        study = self.demo.make(folder)
        scan = read_histogram(study.data)
        assert scan.efficiencies is None and study.inputs["normalisation"] is not None
        assert scan.n_delayeds == pytest.approx(0.1 * scan.n_prompts, rel=0.02)
        assert scan.info["rods"] == {"radius_mm": 18.0, "along": "y"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("demo", "name"),
    [
        *((TINY, name) for name in (".h5", "-truth.nii.gz", ".toml", ".json")),
        (SMALL[0], "-mu-map.nii.gz"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.key,
)
@pytest.mark.parametrize("lost", [False, True])
def test_lost_or_damaged_file_is_created_again(
    demo: Demo, name: str, lost: bool, folder: Path, tmp_path: Path
) -> None:
    source = folder if demo in SMALL else folder / "tiny"
    demo.make(source)
    whole = {path.name: path.read_bytes() for path in source.glob(demo.name("*"))}
    for file, content in whole.items():
        (tmp_path / file).write_bytes(content)
    path = tmp_path / demo.name(name)
    path.unlink() if lost else path.write_bytes(b"damaged")
    assert demo.make(tmp_path) == read_study(demo.study(tmp_path))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == whole


def test_file_damaged_in_place_is_created_again(tmp_path: Path) -> None:
    scan = TINY.make(tmp_path).data
    whole = scan.read_bytes()
    scan.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    TINY.make(tmp_path)
    assert scan.read_bytes() == whole


def test_other_size_or_version_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TINY.make(tmp_path)
    more = replace(TINY, n_views=6)
    assert read_projections(more.make(tmp_path).data).n_views == 6
    before = (tmp_path / "demo-ct.h5").stat().st_mtime_ns
    monkeypatch.setattr(CtDemo, "version", CtDemo.version + 1)
    more.make(tmp_path)
    assert (tmp_path / "demo-ct.h5").stat().st_mtime_ns > before


def test_interrupted_demo_is_not_complete(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        SMALL[0].make(tmp_path, on_progress=stop)
    assert not SMALL[0].study(tmp_path).exists()


def test_demo_is_complete_only_with_its_study(tmp_path: Path) -> None:
    TINY.study(tmp_path).mkdir()
    with pytest.raises(ResourceError, match="folder"):
        TINY.make(tmp_path)
    TINY.study(tmp_path).rmdir()
    assert (tmp_path / "demo-ct.h5").exists() and not (tmp_path / "demo-ct.json").exists()


def test_default_folder_belongs_to_the_user(isocenter_home: Path) -> None:
    assert demo_folder().is_relative_to(isocenter_home)
    assert demo_folder().is_dir()


def test_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("not a folder")
    with pytest.raises(ResourceError, match="cannot be created"):
        SMALL[0].make(tmp_path / "demo" / "inner")


@pytest.mark.parametrize(
    ("arguments", "key"), [([], "pet"), (["ct"], "ct"), (["dual-head"], "dual-head")]
)
def test_command_creates_the_named_demo(arguments: list[str], key: str) -> None:
    assert parser().parse_args(["demo", *arguments]).demo == key


def test_demo_of_the_readme_can_run_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(DEMOS, "ct", TINY)
    for _ in range(2):
        assert main(["demo", "ct", "--headless", "--device", "cpu"]) == DONE
    assert "Picture:" in capsys.readouterr().out
