"""A user's own `app.py`, `engine.py` or `resources` gives one sentence, not a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from isocenter_start import obstacle

from engine.cli import exit_codes

ROOT = Path(__file__).resolve().parents[2]


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Start the command in `folder`, which is also first on PYTHONPATH."""
    paths = os.pathsep.join(map(str, (folder, ROOT / "packaging", ROOT)))
    code = "import sys; sys.path.remove(''); from isocenter_start import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("app.py", "app"),
        ("engine.py", "engine"),
        ("resources.py", "resources"),
        ("app/__init__.py", "app"),
    ],
)
def test_file_that_shadows_a_package_is_named(tmp_path: Path, name: str, package: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("raise SystemExit('the wrong file ran')\n")
    done = started(tmp_path, "--version")
    place = file.parent if file.stem == "__init__" else file
    assert (done.returncode, done.stdout) == (exit_codes.USER_FAULT, "")
    assert done.stderr == (
        f"isocenter: {place} hides the program's own package '{package}'; "
        "rename it, or remove its folder from PYTHONPATH.\n"
    )


def test_data_folder_named_like_a_package_is_harmless(tmp_path: Path) -> None:
    (tmp_path / "resources").mkdir()
    done = started(tmp_path, "--version")
    assert (done.returncode, done.stderr) == (0, "")


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isocenter_start.PACKAGES", ("app", "no_such_package_of_ours"))
    assert "'no_such_package_of_ours' is missing" in obstacle()


def test_command_starts_with_the_check() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"isocenter": "isocenter_start:run"}
    assert obstacle() == ""
