"""Tests of the set-up: when it installs, and its messages."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import accumulate
from operator import itemgetter
from pathlib import Path

import pytest
from environment import (
    Environment,
    Stamp,
    extras_after,
    lacks_a_version,
    pip_error,
    pip_news,
    project_hash,
    read_stamp,
)
from locked import FOLDER, MACHINES, this_machine
from machine import SetupError

posix = pytest.mark.skipif(os.name != "posix", reason="the stand-in for pip is a shell script")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a project with a lock in a folder with a space; its pip logs and succeeds."""
    root = tmp_path / "my clone"
    python = Environment(root).python
    python.parent.mkdir(parents=True)
    (root / "pyproject.toml").write_text("[project]\n")
    (root / FOLDER).mkdir(parents=True)
    (root / FOLDER / MACHINES).write_text(f"3.10 plan9-mips\n{this_machine()}\n")
    for group, name in (
        ("base", "numpy"),
        ("tune", "tqdm"),
        ("test", "pytest"),
        ("cuda12", "cuda"),
    ):
        (root / FOLDER / f"{group}.txt").write_text(f"{name}==1 \\\n    --hash=sha256:{group}\n")
    python.write_text(
        "#!/bin/sh\n"
        'echo "$*" >> asked\n'
        '[ ! -e "$PYTHONPATH/pip" ] || echo "$*" >> asked-of-first-pip\n'
        'case "$*" in *cuda*) echo "ERROR: No matching distribution found."; exit 1 ;; esac\n'
        '[ ! -e incomplete ] || case "$*" in *require-hashes*) '
        'echo "ERROR: No matching distribution found."; exit 1 ;; esac\n'
        '[ ! -e offline ] || { echo "ERROR: no network."; exit 1; }\n'
    )
    python.chmod(0o755)
    return root


PIP = "-m pip install --disable-pip-version-check --no-input --progress-bar off --no-compile "
TOOLS = f"--require-hashes -r {FOLDER}/tools.txt"
LIBRARIES = "--no-deps --no-build-isolation --require-hashes -r "
PROJECT = "--no-deps --no-build-isolation -e "


def asked(root: Path, name: str = "asked") -> list[str]:
    """Return the packages that pip was asked to install, run by run."""
    lines = (root / name).read_text().replace(f"{root}/.venv/", "").splitlines()
    runs = [line.removeprefix(PIP) for line in lines if line.startswith("-m pip")]
    sets = accumulate(run == TOOLS for run in runs)
    # After the tools, pip runs several times in parallel.
    keys = [
        (n, run != TOOLS, run * ("--no-deps" in run)) for n, run in zip(sets, runs, strict=True)
    ]
    return [run for _, run in sorted(zip(keys, runs, strict=True), key=itemgetter(0))]


def locked(*extras: str) -> list[str]:
    """Return the arguments of pip when extras are installed from the lock."""
    return [
        TOOLS,
        *sorted(
            [
                LIBRARIES + "lock-compiler.txt",
                LIBRARIES + "lock-rest.txt",
                f"{PROJECT}.[{','.join(extras)}]" if extras else PROJECT + ".",
            ]
        ),
    ]


@posix
def test_unchanged_project_installs_once(clone: Path) -> None:
    for _ in range(2):
        Environment(clone).install(["test"])
    Environment(clone).install([])
    assert asked(clone) == locked("test")
    assert (clone / "asked").read_text().count("compileall.compile_dir") == 1


@posix
def test_changed_project_is_installed_again(clone: Path) -> None:
    Environment(clone).install(["test"])
    (clone / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    Environment(clone).install([])
    assert asked(clone) == locked("test") * 2


@posix
def test_changed_lock_is_installed_again(clone: Path) -> None:
    Environment(clone).install([])
    (clone / FOLDER / "base.txt").write_text("numpy==2.4.6\n")
    Environment(clone).install([])
    assert asked(clone) == locked() * 2


@posix
def test_newest_versions_are_installed_on_every_request(clone: Path) -> None:
    newest = [
        "--upgrade pip setuptools",
        "--upgrade --upgrade-strategy eager -e .[test]",
    ]
    for _ in range(2):
        Environment(clone).install(["test"], newest=True)
    assert asked(clone) == newest * 2
    Environment(clone).install([])
    assert asked(clone) == newest * 2 + locked("test"), "the next set-up ignored the lock"


@posix
@pytest.mark.parametrize("machines", [None, "", "3.10 plan9-mips\n"])
def test_machine_unsupported_by_the_lock_is_reported(
    clone: Path, machines: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    (clone / FOLDER / MACHINES).unlink()
    if machines is not None:
        (clone / FOLDER / MACHINES).write_text(machines)
    Environment(clone).install([])
    assert asked(clone)[-1].endswith("--upgrade-strategy eager -e .")
    assert f"The lock was not checked for {this_machine()}" in capsys.readouterr().out


@posix
def test_failed_cupy_installation_continues_without_gpu(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Environment(clone).install(["cuda12", "test"])
    assert asked(clone) == [*locked("cuda12", "test"), *locked("test")]
    assert "going on without the GPU" in capsys.readouterr().out
    Environment(clone).install(["cuda12", "test"])
    assert len(asked(clone)) == 8


@posix
def test_index_without_a_locked_version_is_reported(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (clone / "incomplete").touch()
    Environment(clone).install(["test"])
    assert asked(clone)[0] == TOOLS
    assert asked(clone)[-1].endswith("-e .[test]")
    assert "lacks a version of the lock" in capsys.readouterr().out
    Environment(clone).install(["test"])
    assert len(asked(clone)) == 3, "installed packages were installed again"


def test_library_with_a_wrong_hash_is_never_installed() -> None:
    assert lacks_a_version("ERROR: No matching distribution found for numpy==2.4.6")
    assert not lacks_a_version("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE FILE.")
    assert not lacks_a_version("ERROR: no network.")


@posix
def test_failed_installation_gives_its_reason_and_no_stamp(clone: Path) -> None:
    (clone / "offline").touch()
    with pytest.raises(SetupError, match=r"\(no network\); check the network, see .*install\.log"):
        Environment(clone).install([])
    (clone / "offline").unlink()
    Environment(clone).install([])
    assert asked(clone) == [TOOLS, *locked()]


def first_pip(root: Path) -> Path:
    """Install the pip of this Python into a new environment."""
    folder = root / ".venv" / "first-pip"
    (folder / "pip").mkdir(parents=True)
    return folder


@posix
def test_kernels_compile_before_the_other_libraries_are_installed(clone: Path) -> None:
    folder, calls = first_pip(clone), []
    Environment(clone).install([], once_it_compiles=lambda: calls.append(asked(clone)))
    compiler = f"--only-binary :all: {LIBRARIES}lock-compiler.txt"
    assert sorted(asked(clone, "asked-of-first-pip")) == sorted([TOOLS, compiler])
    assert {*asked(clone)} == {compiler, *locked()} - {LIBRARIES + "lock-compiler.txt"}
    assert len(calls) == 1 and compiler in calls[0]
    assert not folder.exists(), "later runs must use the pip of the lock"
    text = (clone / ".venv" / "lock-compiler.txt").read_text()
    assert text == "numpy==1 \\\n    --hash=sha256:base\n"


@posix
def test_failing_first_pip_is_replaced_by_the_locked_one(clone: Path) -> None:
    first_pip(clone)
    python = Environment(clone).python
    refuse = 'case "$*" in *only-binary*) echo "ERROR: unknown option"; exit 2 ;; esac\n'
    python.write_text(python.read_text() + refuse)
    calls: list[int] = []
    Environment(clone).install([], once_it_compiles=lambda: calls.append(1))
    assert {*locked()} <= {*asked(clone)}
    assert not calls, "the demo compiles its kernels itself"


@pytest.mark.slow
def test_broken_environment_is_recreated(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "my clone")
    environment.python.parent.mkdir(parents=True)
    environment.python.write_text("not a Python")
    environment.make()
    paths = os.environ | {"PYTHONPATH": str(environment.folder / "first-pip")}
    command = [environment.python, "-m", "pip", "--version"]
    done = subprocess.run(command, env=paths, capture_output=True)
    assert done.returncode == 0
    retained = environment.folder / "kept"
    retained.touch()
    environment.make()
    assert retained.exists(), "a working environment was made again"


def test_hash_depends_on_project_and_folder(tmp_path: Path) -> None:
    hashes = set()
    for name, text in (("a", "x"), ("a", "y"), ("b", "y")):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "pyproject.toml").write_text(text)
        hashes.add(project_hash(tmp_path / name))
    assert len(hashes) == 3


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"project": 1, "extras": 2}'])
def test_damaged_stamp_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / "stamp").write_text(text)
    assert read_stamp(tmp_path / "stamp") == Stamp()


@pytest.mark.parametrize(
    ("line", "news"),
    [
        ("Collecting numpy<2.6,>=1.26\n", None),
        ("  Downloading tomli_w-1.2.0-py3-none-any.whl (6.7 kB)\n", None),
        ("  Downloading a-1.0-py3-none-any.whl (1.2 MB)\n", None),
        (
            "Downloading numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl (16.9 MB)\n",
            "numpy 2.4.6, 17 MB",
        ),
        (
            "Downloading nvidia_cublas-13.1-py3-none-linux.whl (1.1 GB)",
            "nvidia_cublas 13.1, 1100 MB",
        ),
        ("Installing collected packages: numpy, scipy, isocenter\n", "unpacking 3 packages"),
    ],
)
def test_pip_news_are_large_downloads(line: str, news: str | None) -> None:
    assert pip_news(line) == news


@pytest.mark.parametrize(
    ("before", "asked", "after"),
    [
        ((), ("cuda12",), ["cuda12"]),
        (("test",), ("cuda13",), ["cuda13", "test"]),
        (("cuda13", "test"), (), ["cuda13", "test"]),
        (("cuda13", "test"), ("cuda12",), ["cuda12", "test"]),
    ],
)
def test_one_cupy_replaces_another(before, asked, after) -> None:
    assert extras_after(before, asked) == after


def test_pip_error_is_the_last_error_line() -> None:
    log = "Collecting x\nERROR: Could not find a version\nERROR: No matching distribution.\nnotice"
    assert pip_error(log) == "No matching distribution"
    assert pip_error("killed\n\n") == "killed"
    assert pip_error("") == "no reason given"


@posix
def test_project_files_are_compiled_despite_pythondontwritebytecode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environment = Environment(tmp_path)
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(sys.executable)
    for package in ("engine", "app"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "part.py").write_text("x = 1\n")
    (tmp_path / "engine" / "broken.py").write_text("x =\n")
    with environment.compiling_own():
        pass
    for package in ("engine", "app"):
        assert len([*(tmp_path / package / "__pycache__").glob("part.*.pyc")]) == 1
