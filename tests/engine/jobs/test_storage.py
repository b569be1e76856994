"""Tests of stored jobs and caches: sizes, ages, removal, and files in use."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from engine.cli.main import main
from engine.core import paths
from engine.core.errors import ResourceError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.safety.audit_log import log_file
from engine.io.safety.locks import only_writer
from engine.jobs.caches import MAX_DAYS, drop_unused
from engine.jobs.checkpoint import Job
from engine.jobs.storage import choose_stored, remove_stored, stored
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results

DAY_S = 86_400.0


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with three jobs, a damaged one, and an entry in each cache."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    (tmp_path / "scan.l").write_bytes(b"events")
    study = Study(data=tmp_path / "scan.l", protocol=ListModeProtocol())
    for name in ("running", "killed", "done"):
        Job.create(study, paths.jobs_dir() / name)
    killed = Job(paths.jobs_dir() / "killed")
    dead_owner = killed.record.owner.model_copy(update={"pid": 2**22 + 1})
    killed._change(owner=dead_owner)
    Job(paths.jobs_dir() / "done").mark("finished")
    (paths.jobs_dir() / "damaged").mkdir()
    (paths.jobs_dir() / "damaged" / "job.json").write_text("{")
    for cache, name, n_bytes, days in (
        ("sensitivity", "new.npz", 3000, 0.0),
        ("sensitivity", "old.npz", 1000, 100.0),
        ("demo", "old.h5", 500, 400.0),
        ("kernels-abc", "kernel.nbi", 70, 0.0),
    ):
        path = paths.cache_dir() / cache / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(n_bytes))
        os.utime(path, (time.time() - days * DAY_S,) * 2)
    return tmp_path


def names(kind: str) -> list[str]:
    """Return the file or folder names of all entries of a kind."""
    return [item.path.name for item in stored() if item.kind == kind]


def test_every_entry_is_listed_with_its_size_and_age() -> None:
    kinds = ["interrupted", "ended", "ended", "running", "demo", "kernels", *["sensitivity"] * 2]
    found = stored()
    assert [item.kind for item in found] == kinds
    assert names("interrupted") == ["killed"] and set(names("ended")) == {"done", "damaged"}
    old = next(item for item in found if item.path.name == "old.npz")
    assert (old.n_bytes, round(old.age_days)) == (1000, 100)


def test_selection_follows_kind_and_age() -> None:
    found = stored()
    old = {item.path.name for item in choose_stored(found, ["caches"], 30)}
    assert old == {"old.npz", "old.h5"}
    assert all(
        item.kind != "running" for item in choose_stored(found, ["running", "caches", "ended"])
    )


def test_entries_in_use_are_not_removed() -> None:
    running, new = (next(i for i in stored() if i.path.stem == n) for n in ("running", "new"))
    with pytest.raises(ResourceError, match="this job is still running"):
        remove_stored(running)
    with (
        only_writer(new.path),
        pytest.raises(ResourceError, match="another process is still writing"),
    ):
        remove_stored(new)
    assert running.path.exists() and new.path.exists()


def test_job_claimed_after_listing_is_not_removed() -> None:
    killed = next(item for item in stored() if item.kind == "interrupted")
    Job(killed.path).claim()
    with pytest.raises(ResourceError, match="this job is still running"):
        remove_stored(killed)


def keep_result(home: Path) -> None:
    """Store an image as a result."""
    grid = ImageGrid((4, 5, 6), (2.0, 2.0, 2.0))
    volume = Volume(np.ones(grid.shape, np.float32), grid, "counts/mm", {"axes": "LPS"})
    study = Study(data=home / "scan.l", protocol=ListModeProtocol(name="Brain"))
    Results().keep(NewResult(study, volume, {"axes": "LPS"}))


def test_results_are_listed_with_their_size_and_stay(home: Path, capsys) -> None:
    keep_result(home)
    (found,) = (item for item in stored() if item.kind == "results")
    (result,) = Results().newest_first()
    assert (found.path, found.n_bytes) == (result.folder, result.n_bytes)
    assert "Brain" in found.name
    assert choose_stored([found], ["results", "caches"]) == []
    with pytest.raises(ResourceError, match="Delete it in the panel Results"):
        remove_stored(found)
    assert main(["storage", "--clear", "results", "--yes"]) == 2
    assert "unknown kind" in capsys.readouterr().err
    assert result.folder.exists()


def test_long_unused_caches_are_removed_automatically(home: Path) -> None:
    assert MAX_DAYS < 100
    drop_unused()
    assert names("sensitivity") == ["new.npz"]
    assert names("demo") == ["old.h5"]
    assert names("interrupted") == ["killed"]


def test_command_line_lists_and_removes_entries(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["storage", "--each"]) == 0
    output = capsys.readouterr().out
    assert "Interrupted jobs" in output and "killed" in output and "Cache: sensitivity" in output
    assert main(["storage", "--clear", "caches", "--older-than", "30d"]) == 2
    assert "Add --yes to remove the selection" in capsys.readouterr().err
    assert main(["storage", "--clear", "caches", "--older-than", "30d", "--yes"]) == 0
    assert names("sensitivity") == ["new.npz"] and names("demo") == []
    assert names("interrupted") == ["killed"]
    assert main(["storage", "--clear", "interrupted", "ended", "--yes"]) == 0
    assert (names("interrupted"), names("ended"), names("running")) == ([], [], ["running"])
    entries = [json.loads(line) for line in log_file().read_bytes().splitlines()]
    deleted = {entry["facts"]["job"] for entry in entries if entry["what"] == "run deleted"}
    assert deleted == {"killed", "done", "damaged"}
    assert main(["storage", "--clear", "nonsense", "--yes"]) == 2
    assert "--clear nonsense: unknown kind. Expected one of" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["storage", "--clear", "caches", "--older-than", "soon"])
