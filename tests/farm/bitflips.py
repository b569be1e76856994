"""Flip single bits in our own file formats and check that no reader returns a different content.

`python -m tests.farm.bitflips --flips 5000`: each read runs in a child process, so that a library
that crashes on a damaged file also counts.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from engine.core.errors import EngineError
from engine.jobs.process.starting import new_process, process_context
from tests.farm.own_files import OwnFile, own_files, plain

REFUSED, SAME = "refused", "read as it was"
OTHER, OUR_FAULT, DIED, HUNG = "READ AS ANOTHER", "TRACEBACK", "DIED", "HUNG"
BAD = (OTHER, OUR_FAULT, DIED, HUNG)
LONGEST_S = 60.0
"""A read that takes longer counts as hung."""


@dataclass(frozen=True)
class Flip:
    """One bit of one file."""

    own: OwnFile
    file: Path
    bit: int

    def __str__(self) -> str:
        return f"{self.own.kind}: bit {self.bit % 8} of byte {self.bit // 8} of {self.file.name}"


def flips_of(files: list[OwnFile], n: int, seed: int) -> list[Flip]:
    """Return bits, equally many of each format; three of four are in bytes that are not zero.

    HDF5 leaves large gaps between its objects, where a flip changes nothing.
    """
    rng, found = np.random.default_rng(seed), []
    content = {file: np.fromfile(file, np.uint8) for own in files for file in own.files}
    for i in range(n):
        own = files[i % len(files)]
        sizes = np.array([content[file].size for file in own.files])
        file = own.files[int(rng.choice(len(sizes), p=sizes / sizes.sum()))]
        filled = np.flatnonzero(content[file])
        byte = rng.integers(content[file].size) if rng.random() < 0.25 else rng.choice(filled)
        found.append(Flip(own, file, 8 * int(byte) + int(rng.integers(8))))
    return found


def outcome_of(flip: Flip, original: object) -> str:
    """Flip a bit, read the file, restore it and return the outcome."""
    content = flip.file.read_bytes()
    changed = bytearray(content)
    changed[flip.bit // 8] ^= 1 << flip.bit % 8
    flip.file.write_bytes(changed)
    try:
        found = flip.own.read(flip.own.path)
    except EngineError:
        return REFUSED
    except Exception as e:  # noqa: BLE001  any other exception counts as a traceback
        return f"{OUR_FAULT} {type(e).__name__}: {e}"
    finally:
        flip.file.write_bytes(content)
    if found is None:
        return REFUSED
    return SAME if plain(found) == original else OTHER


def _work(flips: list[Flip], start: int, answers: Connection) -> None:
    logging.disable(logging.WARNING)
    originals: dict[str, object] = {}
    for i in range(start, len(flips)):
        own = flips[i].own
        if own.kind not in originals:
            originals[own.kind] = plain(own.read(own.path))
        answers.send(outcome_of(flips[i], originals[own.kind]))
    answers.close()


def outcomes(flips: list[Flip]) -> Iterator[str]:
    """Yield the outcome of each flip; start a new child process after a crash or hang."""
    done = 0
    while done < len(flips):
        ours, theirs = process_context().Pipe(duplex=False)
        child = new_process(_work, flips, done, theirs, name="reader")
        content = {flip.file: flip.file.read_bytes() for flip in flips}
        child.start()
        theirs.close()
        for answer in _answers(ours, len(flips) - done):
            done += 1
            yield answer
        child.kill()
        child.join()
        for file, data in content.items():
            file.write_bytes(data)


def _answers(ours: Connection, n: int) -> Iterator[str]:
    """Yield outcomes until the child process ends, crashes or hangs."""
    for _ in range(n):
        if not ours.poll(LONGEST_S):
            yield HUNG
            return
        try:
            yield ours.recv()
        except EOFError:
            yield DIED
            return


def farm(n: int, seed: int) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Flip `n` bits; return counts by format and outcome, and descriptions of faults."""
    counted: Counter[tuple[str, str]] = Counter()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        flips = flips_of(own_files(Path(folder)), n, seed)
        for flip, outcome in zip(flips, outcomes(flips), strict=True):
            kind = next((word for word in BAD if outcome.startswith(word)), outcome)
            counted[flip.own.kind, kind] += 1
            if kind in BAD:
                bad.append(f"{flip}: {outcome}")
    return counted, bad


def main() -> int:
    """Run from the command line; return 1 if a flip was accepted or caused a crash."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    started = time.monotonic()
    counted, bad = farm(arguments.flips, arguments.seed)
    for (kind, outcome), n in sorted(counted.items()):
        sys.stdout.write(f"{kind:30} {outcome:20} {n:6}\n")
    sys.stdout.write("".join(f"{line}\n" for line in bad))
    n_other = sum(n for (_, outcome), n in counted.items() if outcome == OTHER)
    sys.stdout.write(
        f"{sum(counted.values())} flips in {time.monotonic() - started:.0f} s: {n_other} accepted "
        f"with another result, {len(bad) - n_other} other faults\n"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
