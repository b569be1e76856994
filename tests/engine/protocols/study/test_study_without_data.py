"""Tests that no folder is searched for the scan of a settings file without one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import engine
from engine.core.errors import SettingsError


def test_file_without_data_searches_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "tracer.toml").write_text('[tracer]\nnuclide = "F-18"\n')
    (tmp_path / "none.toml").write_text("[inputs]\n")
    monkeypatch.chdir(tmp_path / "here")
    listed: list[str] = []
    is_watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if is_watching and event in ("os.scandir", "os.listdir"):
            listed.append(str(Path(str(arguments[0] or ".")).absolute()))

    sys.addaudithook(watch)
    for name in ("tracer.toml", "none.toml"):
        with pytest.raises(SettingsError):
            engine.read_study(tmp_path / name)
    is_watching = False
    assert str(Path.cwd()) not in listed
