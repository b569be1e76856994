"""The demo study is made whole, once, from a seed, and reads back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.demo import (
    MU_MAP,
    NORMALISATION,
    SCAN,
    STUDY,
    TRUTH,
    demo_folder,
    demo_protocol,
    make_demo,
)
from engine.errors import ResourceError
from engine.io import read_efficiencies, read_listmode, read_mu_map, read_volume
from engine.study import Study, read_study

N_PROMPTS = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small demo."""
    folder = tmp_path_factory.mktemp("demo") / "new"
    make_demo(folder, n_prompts=N_PROMPTS)
    return folder


@pytest.fixture
def study(folder: Path) -> Study:
    """Its study file."""
    return read_study(folder / STUDY)


def test_the_study_reads_back(folder: Path, study: Study) -> None:
    assert study.protocol == demo_protocol()
    assert (study.data, study.attenuation) == (folder / SCAN, folder / MU_MAP)
    assert study.normalisation == folder / NORMALISATION


def test_the_study_moves_with_its_folder(folder: Path) -> None:
    assert str(folder) not in (folder / STUDY).read_text("utf-8")


def test_the_scan_has_all_a_study_can_hold(study: Study) -> None:
    data = read_listmode(study.data)
    assert data.n_prompts == pytest.approx(N_PROMPTS, abs=5 * np.sqrt(N_PROMPTS))
    assert data.n_delayed == pytest.approx(0.2 * N_PROMPTS, abs=5 * np.sqrt(0.2 * N_PROMPTS))
    assert data.tof_bins is not None and data.time_ms is not None
    assert study.attenuation is not None and study.normalisation is not None
    mu_map = read_mu_map(study.attenuation, data.scanner)
    assert mu_map.values.max() == pytest.approx(0.0151, rel=1e-3)
    efficiencies = read_efficiencies(study.normalisation, data.scanner)
    live = efficiencies[data.scanner.alive]
    assert np.count_nonzero(live == 0) == 6
    assert live[live > 0].std() == pytest.approx(0.1, rel=0.05)
    assert efficiencies[data.crystals].min() > 0


def test_the_scan_does_not_give_its_corrections_away(study: Study) -> None:
    data = read_listmode(study.data)
    assert data.mu_map is None and data.efficiencies is None


def test_the_truth_is_in_the_units_and_place_of_the_image(folder: Path, study: Study) -> None:
    truth = read_volume(folder / TRUTH)
    data = read_listmode(study.data)
    grid = study.protocol.grid.grid_for(data.scanner)
    assert truth.unit == "counts/mm"
    assert truth.grid.shape == grid.shape
    np.testing.assert_allclose(truth.grid.centre_mm, grid.centre_mm, atol=1e-4)
    assert truth.values.max() == pytest.approx(7 * data.info["counts_per_mm"], rel=1e-3)


def test_it_is_made_only_once(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    make_demo(folder, n_prompts=N_PROMPTS)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize("name", [SCAN, MU_MAP, STUDY])
def test_a_lost_or_damaged_file_is_made_again(name: str, folder: Path, tmp_path: Path) -> None:
    whole = (folder / SCAN).read_bytes()
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    if name == MU_MAP:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(b"damaged")
    make_demo(tmp_path, n_prompts=N_PROMPTS)
    assert read_study(tmp_path / STUDY).protocol == demo_protocol()
    assert (tmp_path / MU_MAP).is_file()
    again = read_listmode(tmp_path / SCAN)
    (tmp_path / "first.h5").write_bytes(whole)
    np.testing.assert_array_equal(again.crystals, read_listmode(tmp_path / "first.h5").crystals)


def test_its_own_folder_is_the_users(isocenter_home: Path) -> None:
    assert demo_folder().is_relative_to(isocenter_home)
    assert demo_folder().is_dir()


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("not a folder")
    with pytest.raises(ResourceError, match="cannot be made"):
        make_demo(tmp_path / "demo" / "inner", n_prompts=N_PROMPTS)
