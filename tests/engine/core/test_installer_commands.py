"""Tests of the install and repair commands for each kind of installation."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core import paths
from engine.core.paths import is_removed_by_pip


@pytest.mark.parametrize(
    ("mark", "method"),
    [("pipx_metadata.json", "pipx"), ("uv-receipt.toml", "uv"), ("pyvenv.cfg", "pip")],
)
def test_environment_determines_the_installer(tmp_path: Path, mark: str, method: str) -> None:
    (tmp_path / mark).write_text("")
    assert paths.method(tmp_path / "site-packages", tmp_path) == method


def test_clone_is_recognised_in_any_environment(tmp_path: Path) -> None:
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "bootstrap.py").write_text("")
    (tmp_path / "pipx_metadata.json").write_text("")
    assert paths.method(tmp_path, tmp_path) == "clone"
    assert not is_removed_by_pip(tmp_path)


def test_pip_record_next_to_the_program_is_found(tmp_path: Path) -> None:
    (tmp_path / "isocenter-0.2.0.dist-info").mkdir()
    assert is_removed_by_pip(tmp_path)


@pytest.mark.parametrize(
    ("method", "gpu", "repair", "remove"),
    [
        ("clone", "`python3 packaging/bootstrap.py run`", "bootstrap.py", ""),
        ("pip", '`pip install "cupy-cuda12x[ctk]" nvidia-ml-py`', "pip install scipy", "pip "),
        ("pipx", '`pipx inject isocenter "cupy-cuda12x[ctk]"', "pipx reinstall", "pipx "),
        ("uv", '`uv tool install --with "cupy-cuda12x[ctk]"', "uv tool upgrade", "uv tool "),
    ],
)
def test_commands_match_the_installation(
    monkeypatch: pytest.MonkeyPatch, method: str, gpu: str, repair: str, remove: str
) -> None:
    monkeypatch.setattr(paths, "method", lambda: method)
    assert paths.cupy_command(12).startswith(gpu)
    assert repair in paths.repair_command(("scipy",))
    assert remove in paths.remove_command()
    assert ("bootstrap" in paths.repair_command()) == (method == "clone")


def test_driver_newer_than_cupy_gets_the_newest_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "method", lambda: "pip")
    assert "cupy-cuda13x" in paths.cupy_command(14)
    assert "cupy-cuda13x" in paths.cupy_command()
