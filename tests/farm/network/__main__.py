"""Run the farm of the network: `python -m tests.farm.network --messages 2000 --seed 1`.

It damages frames, events and DICOM answers, and gives them to the program. It exits with 1 after a
fault: a traceback, a crash, a hang, too much memory, or a wrong value that was accepted. A printed
case is repeated by `--only KIND --case NUMBER`. `tests.farm.network.in_window` does the same with
the window.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
import warnings
from collections import Counter
from functools import partial
from random import Random

from tests.farm.network.kinds import KINDS, Kind
from tests.farm.runner import FAULTS, Outcome, run

WALL_S = 60.0
"""A case without output for longer than this counts as hung."""


def outcomes_of(name: str, first: int, n_cases: int, seed: int) -> list[Outcome]:
    """Run cases of one kind, each in a child with limits."""
    warnings.simplefilter("ignore")
    kind = next(each for each in KINDS if each.name == name)
    if kind.prepare is not None:
        kind.prepare()
    numbers = range(first, first + n_cases)
    cases = [partial(kind.act, Random(f"{seed} {name} {k}")) for k in numbers]
    return run(cases, silence_s=WALL_S)


def main() -> int:
    """Run from the command line; 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000, help="damaged messages, about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="kinds with this in their names")
    parser.add_argument("--case", type=int, help="number of a single case")
    parser.add_argument("--workers", type=int, default=4, help="kinds at the same time")
    a = parser.parse_args()
    chosen = [kind for kind in KINDS if not a.only or a.only in kind.name]
    words = [(kind.name, *_numbers(kind, chosen, a), a.seed) for kind in chosen]
    n_faults, begun = 0, time.monotonic()
    _say(("kind", "cases", "messages", "read", "refused", *FAULTS))
    # DICOM cases mostly wait, so several kinds run at the same time
    with multiprocessing.get_context("fork").Pool(a.workers) as pool:
        results = [pool.apply_async(outcomes_of, each) for each in words]
        for kind, (_, first, *_), result in zip(chosen, words, results, strict=True):
            outcomes = result.get()
            n_faults += _report(kind, outcomes, first)
    sys.stdout.write(f"{n_faults} faults, {time.monotonic() - begun:.0f} s\n")
    return 1 if n_faults else 0


def _numbers(kind: Kind, chosen: list[Kind], a: argparse.Namespace) -> tuple[int, int]:
    """Return the first case and the number of cases."""
    if a.case is not None:
        return a.case, 1
    share = kind.share / sum(each.share for each in chosen)
    return 0, max(round(a.messages * share / kind.per_case), 2)


def _report(kind: Kind, outcomes: list[Outcome], first: int) -> int:
    counts = Counter(outcome.verdict for outcome in outcomes)
    verdicts = (str(counts[verdict]) for verdict in ("read", "refused", *FAULTS))
    n = len(outcomes)
    _say((kind.name, str(n), str(n * kind.per_case), *verdicts))
    for each in outcomes:
        if each.verdict in FAULTS:
            sys.stdout.write(f"    case {first + each.index}: {each.verdict} {each.text}\n")
    return sum(counts[fault] for fault in FAULTS)


def _say(columns: tuple[str, ...]) -> None:
    sys.stdout.write(f"{columns[0]:<18}" + "".join(f"{c:>10}" for c in columns[1:]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
