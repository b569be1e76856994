"""Tests of the help of all commands: texts and default values of options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from engine.cli.main import main, parser
from engine.cli.parser import help_of, leaves

HIDDEN = ("--point_spread", "--normalisation_sinogram", "--scatter_sinogram")


@pytest.fixture(scope="module")
def options() -> list[tuple[str, argparse.Action]]:
    """Return all visible options and arguments, each with its command."""
    return list(shown())


def shown() -> Iterator[tuple[str, argparse.Action]]:
    for command in leaves(parser()):
        for action in command._actions:
            if action.help is not argparse.SUPPRESS:
                yield command.prog, action


def test_every_option_has_a_help_text(options: list[tuple[str, argparse.Action]]) -> None:
    missing = [(verb, action.dest) for verb, action in options if not action.help]
    assert missing == []
    assert len(options) > 500


def test_every_option_with_a_value_states_its_default(
    options: list[tuple[str, argparse.Action]],
) -> None:
    with_value = [(v, a) for v, a in options if a.option_strings and a.nargs != 0]
    missing = [
        (verb, action.option_strings[-1])
        for verb, action in with_value
        if not any(word in str(help_of(action)) for word in ("(default", "default)", "(required"))
    ]
    assert missing == []
    assert len(with_value) > 200


def test_every_optional_argument_states_its_default(
    options: list[tuple[str, argparse.Action]],
) -> None:
    optional = [(v, a) for v, a in options if not a.option_strings and a.nargs in ("?", "*")]
    missing = [
        (verb, action.dest)
        for verb, action in optional
        if "default" not in str(action.help) and action.help != "the same as -o"
    ]
    assert missing == []
    assert optional


def test_option_without_default_is_found() -> None:
    planted = argparse.ArgumentParser().add_argument("--depth", type=float, help="depth")
    assert help_of(planted) == "depth"  # None is not shown as a default


def test_help_states_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["simulate", "listmode", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "number of prompts (default: 1000000)" in text
    assert "scan file (default: listmode.h5)" in text


def test_options_have_dashes_and_old_spellings_are_hidden(
    options: list[tuple[str, argparse.Action]],
) -> None:
    flags = [flag for _, action in options for flag in action.option_strings]
    assert [flag for flag in flags if "_" in flag] == []
    assert "--point-spread" in flags and "--normalisation-sinogram" in flags
    reconstruct = next(each for each in leaves(parser("reconstruct")) if "reconstruct" in each.prog)
    for old in HIDDEN:
        found = reconstruct.parse_args(["scan.h5", old, "file.txt"])
        new = reconstruct.parse_args(["scan.h5", old.replace("_", "-"), "file.txt"])
        assert vars(found) == vars(new)


def test_abbreviation_ignores_hidden_spellings() -> None:
    reconstruct = next(each for each in leaves(parser("reconstruct")) if "reconstruct" in each.prog)
    assert (
        reconstruct.parse_args(["scan.h5", "--point", "w.txt"]).input_point_spread.name == "w.txt"
    )


def test_every_command_accepts_quiet() -> None:
    for command in leaves(parser()):
        assert "--quiet" in command._option_string_actions, command.prog


@pytest.mark.parametrize(
    "words",
    [["export", "a.nii.gz", "b.png"], ["export", "a.nii.gz", "-o", "b.png"],
     ["export", "a.nii.gz", "--frame", "2", "b.png"], ["export", "-o", "b.png", "a.nii.gz"]],
)  # fmt: skip
def test_output_is_an_argument_or_an_option(words: list[str]) -> None:
    arguments = parser("export").parse_args(words)
    assert arguments.output.name == "b.png"
    assert [str(path) for _, path, _ in arguments.outputs] == ["b.png"]


def test_two_outputs_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", "a.nii.gz", "b.png", "-o", "c.png"])
    assert "two outputs, b.png and c.png; name one." in capsys.readouterr().err
