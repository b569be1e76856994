"""`isocenter uninstall` removes caches, keeps the data of the user, and names their folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.machine import uninstall
from engine.cli.main import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a user with caches, a result and settings."""
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))
    for name in ("cache/sensitivity", "cache/kernels-0123", "cache/demo", "results/one", "jobs"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").write_bytes(b"0" * 1000)
    (tmp_path / "site.toml").write_text("")
    return tmp_path


def test_caches_go_and_data_stay(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["uninstall", "--yes"]) == 0
    said = capsys.readouterr().out
    assert [path for path in (home / "cache").rglob("*") if path.is_file()] == []
    assert (home / "results" / "one" / "file").is_file() and (home / "site.toml").is_file()
    assert all(str(home / name) in said for name in ("results", "jobs"))
    assert "To remove the program, delete the project folder." in said


def test_nothing_goes_without_a_confirmation(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["uninstall"]) == 2
    assert "Nothing was removed" in capsys.readouterr().err
    assert (home / "cache" / "sensitivity" / "file").is_file()


def test_kernels_among_the_files_of_an_installer_go_too(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "site-packages" / "__pycache__"
    (sources / "kernels-4567" / "rays").mkdir(parents=True)
    monkeypatch.setattr(uninstall, "BESIDE_SOURCES", sources)
    monkeypatch.setattr(uninstall, "is_removed_by_pip", lambda: True)
    assert main(["uninstall", "--yes"]) == 0
    assert [*sources.iterdir()] == []
