"""`isocenter results`: list, pin and delete stored images."""

from __future__ import annotations

import argparse
from itertools import combinations

from engine.cli.console import Console
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import SettingsError
from engine.results import Result, Results, image_names
from engine.results.result import PINNED

MIB = 2**20


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter results`.

    Without options it lists all results. The limits of storage never remove a pinned one.
    """
    p = add_verb(verbs, "results")
    p.add_argument("--delete", nargs="+", default=[], metavar="RESULT", help="delete these results")
    p.add_argument(
        "--pin", nargs="+", default=[], metavar="RESULT", help="keep these results forever"
    )
    p.add_argument(
        "--unpin",
        nargs="+",
        default=[],
        metavar="RESULT",
        help="apply the storage limits to these results again",
    )
    p.set_defaults(act=_results)


def _results(arguments: argparse.Namespace, console: Console) -> None:
    results = Results()
    _refuse_contradictions(arguments)
    # All are opened before the first change, so that a wrong name changes nothing
    ids = dict.fromkeys((*arguments.delete, *arguments.pin, *arguments.unpin))
    named = [results.open(id) for id in ids]
    for result in named:
        if result.id in arguments.delete:
            results.delete(result)
            console.line(f"Deleted: {result.id}, {result.record.title}")
        else:
            result.mark(PINNED, on=result.id in arguments.pin)
            word = "Pinned" if result.id in arguments.pin else "No longer pinned"
            console.line(f"{word}: {result.id}, {result.record.title}")
    if not named:
        _list(results, console)


def _refuse_contradictions(arguments: argparse.Namespace) -> None:
    for one, other in combinations(("delete", "pin", "unpin"), 2):
        if twice := set(getattr(arguments, one)) & set(getattr(arguments, other)):
            raise SettingsError(
                f"{min(twice)}: --{one} and --{other} contradict each other. Nothing was changed; "
                "remove one."
            )


def _list(results: Results, console: Console) -> None:
    if results.note:
        console.note(f"{results.note}")
    found = results.newest_first()
    # Several results of one scan get numbers, as in the window
    names = image_names([result.named for result in found])
    for result in found:
        console.line(_line(result, names[result.id]))
    total = sum(result.n_bytes for result in found)
    n = "1 result" if len(found) == 1 else f"{len(found):,} results"
    console.line(f"{n}, {total / MIB:,.0f} MiB in {results.folder}")
    console.line(results.retention.describe())


def _line(result: Result, name: str) -> str:
    record, mark = result.record, ", pinned" if result.pinned else ""
    return (
        f"{result.id}  {result.created:%Y-%m-%d %H:%M}  {name}, {result.scan}, {record.protocol}: "
        f"{record.run_record.describe_ending()}, "
        f"{record.voxels}, {result.n_bytes / MIB:,.1f} MiB{mark}"
    )
