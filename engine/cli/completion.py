"""`isocenter completion`: a script that completes verbs and options with the tab key."""

from __future__ import annotations

import argparse

from engine.cli.console import Console
from engine.cli.verbs import Verbs, add_verb

SHELLS = ("bash", "zsh", "tcsh")
HOW = """Add one line to the start file of your shell:
  bash   ~/.bashrc   eval "$(isocenter completion bash)"
  zsh    ~/.zshrc    eval "$(isocenter completion zsh)"
  tcsh   ~/.tcshrc   isocenter completion tcsh > ~/.isocenter.csh; source ~/.isocenter.csh
Loading the script from a file is faster: isocenter completion bash > FILE, then `source FILE`."""


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter completion`."""
    p = add_verb(verbs, "completion")
    p.formatter_class = argparse.RawDescriptionHelpFormatter
    p.epilog = HOW
    p.add_argument("shell", choices=SHELLS, help="shell that loads the script")
    p.set_defaults(act=_print)


def _print(arguments: argparse.Namespace, console: Console) -> None:
    # Imported here: other verbs must not load it
    import shtab

    from engine.cli.main import parser

    console.page(shtab.complete(_with_files(parser()), shell=arguments.shell).rstrip("\n"))


def _with_files(top: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Mark the options that name files, so that the shell completes their paths."""
    import shtab

    from engine.cli.parser import leaves

    for command in leaves(top):
        for action in command._actions:
            if _names_file(action):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return top


def _names_file(action: argparse.Action) -> bool:
    from pathlib import Path

    return action.type is Path
