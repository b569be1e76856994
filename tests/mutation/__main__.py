"""Plant faults and count how many the tests detect: python -m tests.mutation --count 100.

A file stores the results, so the same command continues an interrupted run. The tree is copied;
nothing in it changes. Exit code 1: too many faults survived.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

from tests.emulator.compiled_cache import folder
from tests.mutation.faults import Fault
from tests.mutation.targets import COMPLETE, EQUIVALENT, TARGETS, Target
from tests.mutation.trial import Copy, drawn

ENOUGH = 0.85


def main(arguments: list[str]) -> int:
    """Try the drawn faults that are still untested, and print the counts."""
    parser = argparse.ArgumentParser(prog="tests.mutation", description=__doc__)
    parser.add_argument("files", nargs="*", help="only targets whose path contains one of these")
    parser.add_argument("--count", type=int, default=100, help="faults over all targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one fault")
    parser.add_argument("--again", action="store_true", help="test surviving faults again")
    parser.add_argument("--record", type=Path, default=folder() / "mutation.jsonl")
    options = parser.parse_args(arguments)
    chosen = [t for t in TARGETS if not options.files or any(f in t.file for f in options.files)]
    known = read(options.record)
    if options.again:
        known = {key: verdict for key, verdict in known.items() if verdict != "survived"}
    with Copy() as tree:
        wanted = drawn(tree.root, chosen, options.count, options.seed)
        new = [(target, fault) for target, fault in wanted if fault.key not in known]
        tree.check([t for t in chosen if any(t is target for target, _ in new)], options.limit)
        for target, fault in new:
            known[fault.key] = verdict = tree.verdict(target, fault, options.limit)
            with options.record.open("a") as file:
                file.write(json.dumps({"key": fault.key, "verdict": verdict}) + "\n")
            say(f"{verdict:9} {fault}")
    return report([(t, fault, known[fault.key]) for t, fault in wanted])


def read(record: Path) -> dict[str, str]:
    """Return the verdicts so far, the newest of each fault."""
    if not record.exists():
        return {}
    rows = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return {row["key"]: row["verdict"] for row in rows}


def report(tried: list[tuple[Target, Fault, str]]) -> int:
    """Print the counts by group, and the surviving faults."""
    groups: dict[str, list[str]] = defaultdict(list)
    for target, fault, verdict in tried:
        groups[target.group].append("same" if fault.key in EQUIVALENT else verdict)
    good = True
    for group, verdicts in groups.items():
        counted = [verdict for verdict in verdicts if verdict != "same"]
        caught = sum(verdict != "survived" for verdict in counted)
        good &= caught >= (1.0 if group in COMPLETE else ENOUGH) * len(counted)
        say(f"{group}: {caught} of {len(counted)} caught, {len(verdicts) - len(counted)} the same")
    for _, fault, verdict in tried:
        if verdict == "survived" and fault.key not in EQUIVALENT:
            say(f"survived: {fault}")
    return 0 if good else 1


def say(text: str) -> None:
    """Write a line immediately."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
