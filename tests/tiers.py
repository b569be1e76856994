"""Two tiers of tests: CI runs the short tier, `python -m tests.long_tier` the long one.

python -m tests.tiers [--limit SECONDS] [--unlisted] [pytest options]

A test belongs to the long tier if its source marks it `slow` or `tests/long_tests.txt` lists it.
This command measures the processor seconds of every other test and of every listed one. Then it
writes the list: all tests over the limit, except those that their source marks `essential`. With
`--unlisted` it measures only the tests of CI, and adds the long ones to the list.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.io.safety.atomic_write import write_atomically

LIST = Path(__file__).parent / "long_tests.txt"
LIMIT_S = 0.25
RECORDS = "ISOCENTER_TEST_TIMES"
"""Environment variable with the folder for measured times; without it nothing is measured."""
UNLISTED = "ISOCENTER_UNLISTED_TESTS"
"""Environment variable that is 0 while listed tests are measured too."""


def listed() -> dict[str, float]:
    """Return the names of the listed tests with their processor seconds."""
    lines = LIST.read_text("utf-8").splitlines()
    split = (line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    return {name: float(seconds) for seconds, name in split}


def mark(items: list[pytest.Item]) -> None:
    """Mark the listed tests `slow`, unless this run measures them."""
    if os.environ.get(UNLISTED) == "0":
        return
    names = listed()
    for item in items:
        if item.nodeid in names:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Record the processor seconds of a test, its fixtures and its ended processes."""
    begun = _processor_seconds()
    result = yield
    essential = item.get_closest_marker("essential") is not None
    with (Path(os.environ[RECORDS]) / f"{os.getpid()}.txt").open("a", encoding="utf-8") as file:
        file.write(f"{_processor_seconds() - begun:.2f} {int(essential)} {item.nodeid}\n")
    return result


def _processor_seconds() -> float:
    import resource  # not available on Windows

    ours, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return ours.ru_utime + ours.ru_stime + children.ru_utime + children.ru_stime


def measured(options: list[str], *, unlisted: bool) -> list[tuple[float, bool, str]]:
    """Run the tests; return seconds, whether essential, and name of each, the longest first."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[RECORDS] = folder
        os.environ[UNLISTED] = str(int(unlisted))
        pytest.main(["-p", "tests.tiers", "-n", "2", "--dist", "worksteal", *options])
        lines = [line for file in Path(folder).iterdir() for line in file.read_text().splitlines()]
    split = (line.split(maxsplit=2) for line in lines)
    return sorted(((float(s), e == "1", name) for s, e, name in split), reverse=True)


def main(arguments: list[str]) -> int:
    """Measure the tests and write the list."""
    parser = argparse.ArgumentParser(description="Measure the tests and list the long ones.")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="processor seconds of a test")
    parser.add_argument("--unlisted", action="store_true", help="measure only the tests of CI")
    chosen, options = parser.parse_known_args(arguments)
    times = measured(options, unlisted=chosen.unlisted)
    long = [(s, name) for s, essential, name in times if s > chosen.limit and not essential]
    moved = sum(s for s, _ in long)
    if chosen.unlisted:
        long = sorted([*long, *((s, name) for name, s in listed().items())], reverse=True)
    head = "# Processor seconds and name of each test of the long tier (python -m tests.tiers)\n"
    text = head + "".join(f"{seconds:6.2f} {name}\n" for seconds, name in long)
    write_atomically(text.encode(), LIST)
    total = sum(s for s, _, _ in times)
    sys.stdout.write(
        f"{len(times)} tests, {total:.0f} s; {len(long)} long ones, {moved:.0f} s; "
        f"{total - moved:.0f} s stay in CI\n"
    )
    return 0 if times else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
