"""`isocenter storage`: list and remove jobs, results and caches."""

from __future__ import annotations

import argparse
import re
import sys

from engine.cli.console import Console
from engine.cli.parser import needs
from engine.cli.streams import output
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import ResourceError, SettingsError
from engine.core.paths import cache_dir, jobs_dir
from engine.core.printing import print_line
from engine.jobs.caches import MAX_DAYS, StoredItem
from engine.jobs.storage import (
    CACHES,
    ENDED,
    INTERRUPTED,
    STAYING,
    choose_stored,
    kind_title,
    remove_stored,
    stored,
)

MIB = 2**20
DAYS = {"d": 1.0, "w": 7.0, "h": 1 / 24}


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter storage`.

    Without `--clear` it only lists. Results are listed too, but `isocenter results` deletes them.
    """
    p = add_verb(verbs, "storage")
    p.add_argument(
        "--clear", nargs="+", default=[], metavar="KIND",
        help=f"remove {CACHES}, {ENDED} or {INTERRUPTED} jobs, or one cache by name",
    )  # fmt: skip
    p.add_argument(
        "--older-than", type=_days, default=0.0, metavar="AGE",
        help="only entries not used for this time: 30d, 2w, 12h",
    )  # fmt: skip
    p.add_argument("--each", action="store_true", help="list every job and file")
    p.add_argument("--yes", action="store_true", help="remove without asking")
    needs(p, "--yes", "--clear")
    p.set_defaults(act=_storage)


def _days(text: str) -> float:
    found = re.fullmatch(r"(\d{1,5}(?:\.\d+)?)([dwh])", text.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not valid; expected days, weeks or hours: 30d, 2w or 12h"
        )
    return float(found[1]) * DAYS[found[2]]


def _storage(arguments: argparse.Namespace, console: Console) -> None:
    items = stored()
    if not arguments.clear:
        _list(items, arguments, console)
        return
    known = {CACHES, INTERRUPTED, ENDED, *(item.kind for item in items)} - {*STAYING}
    # All kinds are tested before the first removal
    unknown = [kind for kind in arguments.clear if kind not in known]
    if unknown:
        raise SettingsError(
            f"--clear {unknown[0]}: unknown kind. Expected one of {', '.join(sorted(known))}."
        )
    selected = choose_stored(items, arguments.clear, arguments.older_than)
    for item in selected:
        console.line(_line(item))
    if not selected:
        console.line("Nothing to remove.")
        return
    confirm(selected, is_confirmed=arguments.yes)
    for item in selected:
        remove_stored(item)
    console.line(f"Removed: {sum_of(selected)}")


def confirm(selected: list[StoredItem], *, is_confirmed: bool) -> None:
    """Ask for confirmation before items are removed.

    Parameters
    ----------
    selected
        the items
    is_confirmed
        True if the command confirms it, with --yes

    Raises
    ------
    SettingsError
        if there is no terminal for the question
    ResourceError
        if the user does not agree
    """
    if is_confirmed:
        return
    # A script must confirm with --yes: no answer could be read
    if not sys.stdin.isatty():
        raise SettingsError(
            f"Nothing was removed. Selected: {sum_of(selected)}. Add --yes to remove the selection."
        )
    with output():
        print_line(f"Remove {sum_of(selected)}? [y/N] ", end="")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ResourceError("Nothing was removed, because you did not confirm.")


def _list(items: list[StoredItem], arguments: argparse.Namespace, console: Console) -> None:
    shown = [item for item in items if item.age_days >= arguments.older_than]
    for kind in dict.fromkeys(item.kind for item in shown):
        some = [item for item in shown if item.kind == kind]
        oldest = max(item.age_days for item in some)
        console.line(f"{kind_title(kind):20} {sum_of(some)}, oldest unused for {oldest:.0f} days")
        for item in some if arguments.each else ():
            console.line(f"  {_line(item)}")
    console.line(f"Total: {sum_of(shown)}, in {jobs_dir()} and {cache_dir()}")
    console.line(f"Caches unused for {MAX_DAYS:.0f} days are removed automatically.")


def _line(item: StoredItem) -> str:
    return f"{item.n_bytes / MIB:10,.1f} MiB {item.age_days:6.0f} days  {item.kind}: {item.name}"


def sum_of(items: list[StoredItem]) -> str:
    """Return number and total size of items as text."""
    total = sum(item.n_bytes for item in items)
    return f"{len(items):,} {'entry' if len(items) == 1 else 'entries'}, {total / MIB:,.1f} MiB"
