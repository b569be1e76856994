"""Tests of `isocenter uninstall`, which removes caches and leaves the user's data."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.machine import uninstall
from engine.cli.main import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user's folder with caches, a result and settings."""
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))
    for name in ("cache/sensitivity", "cache/kernels-0123", "cache/demo", "results/one", "jobs"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").write_bytes(b"0" * 1000)
    (tmp_path / "site.toml").write_text("")
    return tmp_path


def test_caches_are_removed_and_user_data_stays(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["uninstall", "--yes"]) == 0
    output = capsys.readouterr().out
    assert [path for path in (home / "cache").rglob("*") if path.is_file()] == []
    assert (home / "results" / "one" / "file").is_file() and (home / "site.toml").is_file()
    assert all(str(home / name) in output for name in ("results", "jobs"))
    assert "To remove the program, delete the project folder." in output


def test_nothing_is_removed_without_confirmation(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["uninstall"]) == 2
    assert "Nothing was removed" in capsys.readouterr().err
    assert (home / "cache" / "sensitivity" / "file").is_file()


def test_kernels_in_the_installation_folder_are_removed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "site-packages" / "__pycache__"
    (sources / "kernels-4567" / "rays").mkdir(parents=True)
    monkeypatch.setattr(uninstall, "CACHE_NEXT_TO_SOURCES", sources)
    monkeypatch.setattr(uninstall, "is_removed_by_pip", lambda: True)
    assert main(["uninstall", "--yes"]) == 0
    assert [*sources.iterdir()] == []
