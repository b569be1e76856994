"""Values of options that no command can use: one sentence, and no default in their place."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main, parser
from engine.cli.outputs import refuse_outputs
from engine.cli.parser import leaves
from engine.core.errors import EngineError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.modalities.studies import find_protocol

LEAVES = {leaf.prog: leaf for leaf in leaves(parser())}
VALUED = [
    pytest.param(leaf, action, id=f"{prog} {action.option_strings[-1]}")
    for prog, leaf in LEAVES.items()
    for action in leaf._actions
    if action.option_strings and action.nargs != 0
]
CONVERTED = [each for each in VALUED if each.values[1].type not in (None, int, float, Path)]


def refusal(leaf: argparse.ArgumentParser, words: list[str], capsys) -> str:
    with pytest.raises(SystemExit) as ended:
        leaf.parse_args(words)
    assert ended.value.code == USER_FAULT
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(("leaf", "action"), VALUED)
def test_empty_value_is_refused(leaf, action, capsys) -> None:
    option, n = action.option_strings[-1], action.nargs if isinstance(action.nargs, int) else 1
    words = [f"{option}="] if n == 1 else [option, *[""] * n]
    said = refusal(leaf, words, capsys)
    assert said.endswith(": the value is empty; give one, or remove the option.")
    assert option in said


@pytest.mark.parametrize("words", [["inspect", ""], ["reconstruct", ""], ["export", "a.h5", ""]])
def test_empty_place_is_refused(words, capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(words)
    assert "the value is empty; give one." in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("leaf", "action"), CONVERTED)
def test_unsuitable_value_is_explained_in_words(leaf, action, capsys) -> None:
    said = refusal(leaf, [f"{action.option_strings[-1]}=?"], capsys)
    assert "'?' is not valid" in said
    # argparse would print the name of a Python function
    assert " value: " not in said


@pytest.mark.parametrize("number", ["0", "-1", "1e-30", "1e30", "nan", "soon"])
def test_unusable_rate_is_refused(number, capsys) -> None:
    said = refusal(LEAVES["isocenter live watch"], ["scan.h5", f"--rate={number}"], capsys)
    assert f"{number!r} is not valid; expected a number from 0.001 to 1,000,000" in said


@pytest.mark.parametrize("number", ["4097", "9" * 20])
def test_too_many_threads_are_refused(number, capsys) -> None:
    said = refusal(LEAVES["isocenter reconstruct"], ["s.h5", f"--threads={number}"], capsys)
    assert (
        f"{number!r} is not valid; expected a whole number of at least 1 and at most 4,096" in said
    )


def test_folder_is_not_a_protocol(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"not a known protocol; choose from .*ct-body-hu"):
        find_protocol(str(tmp_path))


def test_text_that_names_a_folder_is_not_searched(tmp_path, monkeypatch) -> None:
    """A value such as "..", meant as text, does not list the files of a disk."""
    save(
        Volume(np.ones((2, 2, 2), np.float32), ImageGrid((2, 2, 2), (1, 1, 1)), "1/mm"),
        tmp_path / "a.h5",
    )
    seen: list[Path] = []
    monkeypatch.setattr("engine.cli.outputs.files_with", lambda path: seen.append(path) or [path])
    arguments = LEAVES["isocenter reconstruct"].parse_args(
        [str(tmp_path / "a.h5"), "-o", str(tmp_path / "b.h5"), "--protocol", str(tmp_path)]
    )
    refuse_outputs(arguments)
    assert seen == [tmp_path / "a.h5"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["curve", "a.h5", "-o", "c.csv", "--at"], "expected X,Y,Z in mm"),
        (["quality", "a.h5", "--phantom=nema-nu2", "--place"], "expected X,Y,Z in mm"),
        (["register", "a.h5", "a.h5", "-o", "m.h5", "--motion"], "expected six numbers"),
        (
            ["calibrate", "a.h5", "--activity-mbq=1", "--volume-ml=1", "--region"],
            "expected X,Y,Z,RADIUS,LENGTH in mm",
        ),
    ],
)
@pytest.mark.parametrize("value", ["nan,0,0", "0,0,inf,9,9,9", "0,0", "a,b,c", ",", "1e400,0,0"])
def test_lists_of_numbers_are_finite_and_complete(
    command, said, value, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    grid = ImageGrid((2, 2, 2), (1, 1, 1))
    save(Volume(np.ones(grid.shape, np.float32), grid, "1/mm"), tmp_path / "a.h5")
    assert main([*command[:-1], f"{command[-1]}={value}"]) == USER_FAULT
    assert f"{command[-1]} {value!r}: {said}" in capsys.readouterr().err
