"""Tests of `isocenter results`, which lists, pins and deletes stored results."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core import paths
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Return the names of two results, the newest first."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    grid = ImageGrid((2, 2, 2), (1.0, 1.0, 1.0))
    volume = Volume(np.ones(grid.shape, np.float32), grid, "counts/mm")
    for name in ("old", "new"):
        study = Study(data=tmp_path / f"{name}.l", protocol=ListModeProtocol())
        Results().keep(NewResult(study, volume, {"axes": "LPS"}))
    return [result.id for result in Results().newest_first()]


def test_results_are_listed_with_sizes_and_limits(two, capsys):
    assert main(["results"]) == DONE
    first, second, total, limits = capsys.readouterr().out.splitlines()
    assert first.startswith(two[0]) and "new.l, Standard: finished, 1 mm, 2 × 2 × 2" in first
    assert second.startswith(two[1])
    assert total.startswith("2 results, ") and str(Results().folder) in total
    assert limits == Results().retention.describe()


def test_results_are_pinned_and_deleted_by_name(two, capsys):
    assert main(["results", "--pin", two[0], "--delete", two[1]]) == DONE
    (left,) = Results().newest_first()
    assert left.id == two[0] and left.pinned
    assert main(["results", "--unpin", two[0]]) == DONE
    assert not Results().open(two[0]).pinned
    capsys.readouterr()
    assert main(["results", "--delete", two[0], "nothing"]) == USER_FAULT
    assert "nothing: this result does not exist" in capsys.readouterr().err
    assert len(Results().newest_first()) == 1, "a wrong name did not prevent the deletion"
