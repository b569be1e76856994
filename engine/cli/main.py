"""Entry point of the command line: parse the arguments and run the command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from engine.cli.exit_codes import TOO_FEW_FILES, USER_FAULT, is_out_of_files
from engine.cli.parser import Parser, leaves
from engine.cli.streams import escape_missing_characters
from engine.cli.verbs import VERBS, Verbs, add_options, add_verb
from engine.core.printing import print_line

QUIET = "print results, warnings and errors, but no progress"
WORDS = {"version": ["--version"], "help": ["--help"]}
"""Words that new users try as verbs, with the option that they mean."""


def parser(verb: str | None = None) -> Parser:
    """Build the parser of the command line.

    Parameters
    ----------
    verb
        the only verb with options; None for all verbs, which imports all their modules
    """
    return _parser(lambda verbs: add_options(verbs, verb))


def _parser(add: Callable[[Verbs], object]) -> Parser:
    top = Parser(
        prog="isocenter",
        description="Turn PET and X-ray CT scans into images. Without a verb: open the window.",
        epilog="Tab completion: `isocenter completion bash --help`. "
        "Research use only. Not for diagnosis or treatment.",
    )
    top.add_argument("--version", action=_Version, help="show the version and exit")
    top.set_defaults(reads_apart=False)
    # Typed as its base class: modules add their verbs through it
    verbs: Any = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    add(verbs)
    for command in leaves(top):
        command.add_argument("--quiet", action="store_true", help=QUIET)
    return top


class _Version(argparse.Action):
    """Prints the version. It is found only on request, because that takes as long as `--help`."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from engine.protocols.run_context.environment import program_version

        print_line(f"isocenter {program_version()}")
        parser.exit()


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments, loading only the module of the requested verb."""
    # `isocenter help reconstruct` is `isocenter reconstruct --help`
    if argv[:1] == ["help"] and len(argv) > 1:
        argv = [*argv[1:], "--help"]
    elif argv and argv[0] in WORDS:
        argv = WORDS[argv[0]]
    # An option before the verb, such as --version, needs only the names of the verbs
    verb = argv[0] if argv else ""
    if verb in VERBS:
        return parser(verb).parse_args(argv)

    def add_names(verbs: Verbs) -> None:
        for name in VERBS:
            add_verb(verbs, name)

    top = _parser(add_names)
    if verb.startswith("-"):
        top.refuse_first(verb)
    return top.parse_args(argv)  # exits: help, version or an unknown verb


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv
        arguments without the name of the program; None for those of the process

    Returns
    -------
    exit_code
        see `engine.cli.exit_codes`; argparse itself exits with 2 for wrong options
    """
    # First: even the help has characters such as μ, which an ASCII terminal lacks
    escape_missing_characters()
    try:
        arguments = _parsed(sys.argv[1:] if argv is None else argv)
        from engine.cli.actions import act  # keeps --help fast: no engine import

        return act(arguments)
    # An import can also fail for lack of descriptors, so this is outside of `act`
    except (OSError, ImportError) as e:
        if not is_out_of_files(e):
            raise
        print_line(f"isocenter: {TOO_FEW_FILES}", sys.stderr)
        return USER_FAULT
