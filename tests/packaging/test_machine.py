"""What the set-up concludes from a machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from machine import SetupError, apt_install, extra_for, has_display

posix = pytest.mark.skipif(os.name != "posix", reason="apt-get is of Debian and its kin")


@pytest.mark.parametrize(
    ("cuda", "extra"),
    [((11, 8), None), ((12, 0), "cuda12"), ((12, 9), "cuda12"), ((13, 0), "cuda13")],
)
def test_extra_follows_the_driver(cuda: tuple[int, int], extra: str | None) -> None:
    assert extra_for(cuda) == extra


@pytest.mark.parametrize(
    ("platform", "environ", "shown"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("win32", {}, True),
        ("darwin", {}, True),
    ],
)
def test_display_is_told_from_the_environment(
    platform: str, environ: dict[str, str], shown: bool
) -> None:
    assert has_display(platform, environ) is shown


def program(folder: Path, name: str, text: str) -> None:
    """Put a shell script where PATH finds it first."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@posix
def test_missing_apt_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match=r"Qt is out; .*sudo apt-get update && .* libgl1 libegl1`"):
        apt_install(["libgl1", "libegl1"], why="Qt is out")


@posix
def test_package_lists_are_fetched_when_absent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = tmp_path / "calls"
    program(tmp_path, "sudo", 'shift; exec "$@"')
    program(
        tmp_path,
        "apt-get",
        f'echo "$*" >> "{calls}"\ncase "$*" in *update*) : ;; *) grep -q update "{calls}" ;; esac',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    apt_install(["libgl1"], why="Qt is out")
    verbs = ["update" if "update" in call else "install" for call in calls.read_text().splitlines()]
    assert verbs == ["install", "update", "install"]


@posix
def test_failing_apt_gives_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path, "sudo", 'shift; exec "$@"')
    program(tmp_path, "apt-get", 'echo "E: no space left" >&2; exit 100')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(SetupError, match=r"E: no space left.*please run"):
        apt_install(["libgl1"], why="Qt is out")
