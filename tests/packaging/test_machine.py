"""Tests of the detection of GPUs, display and package manager."""

from __future__ import annotations

import os
from pathlib import Path

import machine
import pytest
from machine import Gpus, SetupError, apt_install, extra_for, gpus, has_display

from engine.core.backend import driver
from tests.machines.made import can_be_made, put_up
from tests.machines.table import MACHINES

posix = pytest.mark.skipif(
    os.name != "posix", reason="apt-get exists only on Debian and its derivatives"
)


@pytest.mark.parametrize(
    ("cuda", "capabilities", "extra"),
    [
        ((11, 8), (89,), None),
        ((12, 0), (89,), "cuda12"),
        ((12, 9), (61,), "cuda12"),
        ((13, 0), (75,), "cuda13"),
        ((13, 0), (61,), "cuda12"),  # Pascal
        ((13, 0), (70,), "cuda12"),  # Volta: the V100
        ((13, 0), (120, 52), "cuda12"),  # one CuPy for both cards
        ((13, 1), (90, 35), "cuda13"),  # a GPU that CuPy does not support is ignored
        ((13, 0), (35,), None),
    ],
)
def test_extra_matches_driver_and_gpus(
    cuda: tuple[int, int], capabilities: tuple[int, ...], extra: str | None
) -> None:
    assert extra_for(Gpus(cuda, capabilities)) == extra


@pytest.mark.skipif(not can_be_made(), reason="no C compiler, or not Linux")
@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("CUDA 13", "cuda13"),
        ("CUDA 12", "cuda12"),
        ("Pascal with a new driver", "cuda12"),
        ("Volta with a CuPy for newer GPUs", "cuda12"),
        ("share of a card", "cuda13"),
        ("two cards", "cuda13"),
        ("driver without a card", None),
        ("no permission", None),
        ("old driver", None),
        ("no GPU and no driver", None),
    ],
)
def test_gpus_are_listed_by_the_driver(
    name: str, extra: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put_up(MACHINES[name], monkeypatch, tmp_path)
    monkeypatch.setattr(machine, "CUDA_LIBRARIES", driver.LIBRARIES)

    found = gpus()

    assert (None if found is None else extra_for(found)) == extra


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
def test_display_is_detected_from_the_environment(
    platform: str, environ: dict[str, str], shown: bool
) -> None:
    assert has_display(platform, environ) is shown


def program(folder: Path, name: str, text: str) -> None:
    """Write a shell script into a folder that is first on PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@posix
def test_missing_apt_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SetupError, match=r"Qt is missing; .*sudo apt-get update && .* libgl1 libegl1`"
    ):
        apt_install(["libgl1", "libegl1"], why="Qt is missing")


@posix
def test_missing_package_lists_are_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    program(tmp_path, "sudo", 'shift; exec "$@"')
    program(
        tmp_path,
        "apt-get",
        f'echo "$*" >> "{calls}"\ncase "$*" in *update*) : ;; *) grep -q update "{calls}" ;; esac',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    apt_install(["libgl1"], why="Qt is missing")
    verbs = ["update" if "update" in call else "install" for call in calls.read_text().splitlines()]
    assert verbs == ["install", "update", "install"]


@posix
def test_failing_apt_gives_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path, "sudo", 'shift; exec "$@"')
    program(tmp_path, "apt-get", 'echo "E: no space left" >&2; exit 100')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(SetupError, match=r"E: no space left.*please run"):
        apt_install(["libgl1"], why="Qt is missing")
