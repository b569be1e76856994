"""Tests of the wheel: it works without a clone, and contains no development files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import guide
import pytest

from tests.extensions.trial import share_compiled

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OUR_FOLDERS = ("app", "engine", "isocenter", "resources")
LEFT_OUT = ("tests/", "docs/", "examples/", "packaging/", "resources/guide/contributing")


def run(*command: object, **options: object) -> str:
    """Run a command and return its output."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of a copy of the project. The source tree stays clean."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "copy"
    listed = run("git", "ls-files", "-co", "--exclude-standard", cwd=ROOT).splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    isolation = () if int(version("setuptools").split(".")[0]) < 77 else ("--no-build-isolation",)
    run(*pip, "wheel", "--no-deps", *isolation, "-w", folder, copy)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """Return a new environment with the wheel and the libraries of this one."""
    folder = wheel.parent / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (site,) = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").split()
    # a .pth file adds the libraries, but not this project's editable installation
    Path(site, "libraries.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
    run(*pip, "install", "--no-deps", "--no-index", "--no-compile", "--force-reinstall", wheel)
    return python.parent


def test_wheel_contains_guide_and_resources(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {(guide.HOME / page).as_posix() for page in guide.pages()} <= names
    for folder in ("scanners", "protocols", "icons", "fonts"):
        shipped = {p.relative_to(ROOT).as_posix() for p in (ROOT / "resources" / folder).iterdir()}
        assert shipped <= names
    assert {
        "engine/CONVENTIONS.md",
        "engine/py.typed",
        "engine/kernels/rays.cu",
        "isocenter/py.typed",
    } <= names


def test_wheel_contains_licence_texts_of_qt_and_the_font(wheel: Path) -> None:
    names = {Path(name).name for name in zipfile.ZipFile(wheel).namelist() if "licenses/" in name}
    assert {"LICENSE", "QT.md", "LGPL-3.0-only.txt", "GPL-3.0-only.txt"} <= names
    assert {"ROBOTO.md", "Apache-2.0.txt"} <= names


def test_wheel_excludes_development_files(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.startswith(LEFT_OUT)] == []
    # Python takes 3.5 MB, the guide 1.9 MB (its images 1.7 MB), the font 0.5 MB, the list of the
    # 2,000 files 0.4 MB, the translations 0.1 MB
    assert wheel.stat().st_size < 7e6


def test_installation_runs_without_a_clone(installed: Path, tmp_path: Path) -> None:
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    home = tmp_path / "home"
    options = {"cwd": tmp_path, "env": variables | {"ISOCENTER_HOME": str(home)}}
    share_compiled(installed, home / "cache")  # only machine code, from the same sources
    command = installed / "isocenter"
    assert run(command, "--version", **options).strip() == f"isocenter {PROJECT['version']}"
    assert run(installed / "python", "-m", "isocenter", "--version", **options).split() == [
        "isocenter",
        PROJECT["version"],
    ]
    assert "brain-fdg" in run(command, "protocols", **options)
    names = "import isocenter as iso; print(iso.ImageGrid((1, 2, 3), (1.0, 1.0, 1.0)).n_voxels)"
    assert run(installed / "python", "-c", names, **options).strip() == "6"
    where = (
        "import engine, app.shell.help.guide_pages as g; print(engine.__file__, g.guide_folder())"
    )
    code, pages = run(installed / "python", "-c", where, **options).split()
    assert Path(pages) == Path(code).parents[1] / guide.HOME
    assert installed.parent in Path(code).parents
    size = ("--views", "24", "--detector", "32", "16", "--pixel", "12")
    run(command, "simulate", "projections", "-o", "scan.h5", "--noiseless", *size, **options)
    run(command, "reconstruct", "scan.h5", "-o", "volume.nii.gz", "--device", "cpu", **options)
    assert (tmp_path / "volume.nii.gz").stat().st_size > 1000
    assert [*(home / "cache").glob("kernels-*")]
    output = run(command, "uninstall", "--yes", **options)
    assert "run `pip uninstall isocenter`" in output and str(home / "results") in output
    assert not [*(home / "cache").glob("kernels-*")]
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "--python", installed / "python", "uninstall", "--yes", "isocenter")
    assert [name for name in OUR_FOLDERS if (Path(code).parents[1] / name).exists()] == []
