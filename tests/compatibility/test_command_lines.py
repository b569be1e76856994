"""Every command and option that was documented at 5a791f8c is still accepted.

`command_lines.json` contains the commands of README and guide at that commit, and the options of
each verb. Nothing is executed.
"""

from __future__ import annotations

import argparse
import json
import shlex
import warnings
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import parser

RECORD: dict[str, Any] = json.loads(
    Path(__file__).with_name("command_lines.json").read_text("utf-8")
)


ADDRESS = "tcp://10.0.0.1:8786"
"""Address for commands of the guide that leave it out: `--scheduler ...`."""


@pytest.fixture(scope="module")
def whole() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    return parser()


def verbs_of(top: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return each parser and sub-parser by its words, "queue add"."""
    found = {" ".join(path): top}
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, child in action.choices.items():
                found |= verbs_of(child, (*path, name))
    return found


def missing(top: argparse.ArgumentParser, options: list[dict[str, Any]]) -> list[str]:
    """Return the options of a verb that are missing or accept less than before."""
    known = {flag: action for action in top._actions for flag in action.option_strings}
    places = [action for action in top._actions if not action.option_strings]
    found = []
    for option in options:
        for flag in option["flags"]:
            if flag not in known or not accepts(known[flag], option):
                found.append(flag)
    n_places = sum(not option["flags"] for option in options)
    places = [each for each in places if not isinstance(each, argparse._SubParsersAction)]
    # Arguments that are new may be left out
    added = places[n_places:]
    is_same = len(places) >= n_places and all(each.nargs in ("?", "*") for each in added)
    return found if is_same else [*found, f"{n_places} arguments"]


def accepts(action: argparse.Action, option: dict[str, Any]) -> bool:
    """Return True if an option takes all values that it took before."""
    before, now = option.get("choices"), action.choices
    is_free = now is None or (before is not None and {*before} <= {str(each) for each in now})
    is_as_long = option.get("nargs") == action.nargs
    return is_free and is_as_long and (option.get("required", False) or not action.required)


def test_every_option_of_every_command_still_exists(whole: argparse.ArgumentParser) -> None:
    verbs = verbs_of(whole)
    assert set(RECORD["options"]) <= set(verbs)
    gone = {name: missing(verbs[name], options) for name, options in RECORD["options"].items()}
    assert {name: found for name, found in gone.items() if found} == {}


def test_every_documented_command_is_still_parsed(
    whole: argparse.ArgumentParser, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = []
    for command in RECORD["commands"]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # old names may warn
                words = shlex.split(command.replace("--scheduler ...", f"--scheduler {ADDRESS}"))
                whole.parse_args(words[1:])
        except SystemExit as end:
            if end.code:
                refused.append((command, capsys.readouterr().err))
    assert refused == []
    assert len(RECORD["commands"]) > 150
