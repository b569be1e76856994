"""Tests of the suggestions that a new user's first commands print.

`first_commands.json` lists commands with a text that standard output or error must contain. It was
written before the suggestions.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from engine.cli.main import main
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save, write_listmode
from engine.io.scanners import read_scanner
from engine.simulate import derenzo, simulate_listmode

COMMANDS: list[list[str]] = json.loads(
    Path(__file__).with_name("first_commands.json").read_text("utf-8")
)
PYDANTIC = ("valid dictionary", "valid tuple", "valid integer", "Input should", "pydantic")


class Ended(NamedTuple):
    """Output and exit code of a command."""

    out: str
    err: str
    code: int


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> Ended:
    try:
        code = main(words)
    except SystemExit as end:  # argparse exits
        code = int(end.code or 0)
    return Ended(*capsys.readouterr(), code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of a new user: a scan, an image and a text file."""
    path: Path = tmp_path_factory.mktemp("first")
    scan = simulate_listmode(derenzo(), read_scanner("demo-ring"), n_prompts=200, seed=1)
    write_listmode(scan, path / "scan.h5")
    grid = ImageGrid((2, 3, 4), (2.0, 2.0, 2.0))
    save(Volume(np.zeros(grid.shape, np.float32), grid, "1/mm"), path / "image.nii.gz", None)
    (path / "README.md").write_text("# A project\n", "utf-8")
    return path


@pytest.mark.parametrize(("command", "expected"), COMMANDS, ids=[each[0] for each in COMMANDS])
def test_first_command_prints_its_suggestion(
    command: str,
    expected: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    ended = run(shlex.split(command), capsys)

    assert expected in ended.out + ended.err
    assert not any(word in ended.err for word in PYDANTIC), ended.err
    assert "Traceback" not in ended.err
    assert sorted(folder.iterdir()) == before, "a wrong command wrote a file"


def test_list_has_at_least_sixty_commands() -> None:
    assert len({command for command, _ in COMMANDS}) >= 60


def test_inspect_states_the_fault_of_a_text_file_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    ended = run(["inspect", "README.md"], capsys)
    fault = next(line for line in ended.out.splitlines() if "FAULT: " in line)
    assert ended.code == 2
    assert (ended.out + ended.err).count(fault.partition("FAULT: ")[2]) == 1
    assert ended.err == "isocenter: README.md: not usable; the report above states why.\n"
