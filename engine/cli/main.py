"""The command line: its parser, and the way from words to a command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from engine.cli.streams import say_what_can_be_said
from engine.cli.verbs import VERBS, Verbs, add_options, add_verb
from engine.protocols.run_context.environment import program_version


def parser(verb: str | None = None) -> argparse.ArgumentParser:
    """Build the parser of one verb, or of all."""
    return _parser(lambda verbs: add_options(verbs, verb))


def _parser(add: Callable[[Verbs], object]) -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="isocenter",
        description="Turn PET and X-ray CT scans into images. Without a verb: open the window.",
        epilog="Research use only. Not for diagnosis or treatment.",
    )
    top.add_argument("--version", action="version", version=f"isocenter {program_version()}")
    top.set_defaults(reads_apart=False)
    add(top.add_subparsers(dest="verb", metavar="VERB", required=True))
    return top


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    """Parse with no more than is asked for: the words of all verbs, or the options of one."""
    verb = argv[0] if argv else ""
    if verb in VERBS:
        return parser(verb).parse_args(argv)

    def words_alone(verbs: Verbs) -> None:
        for name in VERBS:
            add_verb(verbs, name)

    return _parser(words_alone).parse_args(argv)  # ends: help, version, or no such verb


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    say_what_can_be_said()
    arguments = _parsed(sys.argv[1:] if argv is None else argv)
    from engine.cli.actions import act  # help is there without the engine

    return act(arguments)
