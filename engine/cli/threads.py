"""Option `--threads`, and numbers of things that must be at least one."""

from __future__ import annotations

import argparse


def count(text: str) -> int:
    """Parse a whole number of at least 1.

    Parameters
    ----------
    text
        value of the option

    Raises
    ------
    argparse.ArgumentTypeError
        for other values
    """
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not valid; expected a whole number of at least 1"
        )
    return value


def add_threads(p: argparse._ActionsContainer) -> None:
    """Add `--threads`.

    Parameters
    ----------
    p
        parser of a verb, or a group of its options
    """
    p.add_argument(
        "--threads", type=count, metavar="N", help="number of CPU threads (default: all cores)"
    )
