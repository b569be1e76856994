"""Plant forty one-line faults in a copy of the tree, one at a time, and run the tests for each.

python -m tests.planted_faults              all faults
python -m tests.planted_faults zeiss live   only those with one of these words in their names
python -m tests.planted_faults --list       the names, and if the old text is still in the file
python -m tests.planted_faults --baseline   the same tests without a fault: all must pass

The faults cover dynamic PET, live PET, signs and senses of rotation in readers, presets, nuclide
tables, stream buffers, orientation and units. Tests must kill at least 36 of the forty, and each of
the first six. A fault survives if its tests pass. Update the list if you rewrite a line in it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.planted_fault_list import FAULTS, Fault

ROOT = Path(__file__).parents[1]
NEEDED = 36
FAILED = 1
"""Exit code of pytest if a test failed."""
LIMIT_S = 600
NOT_COPIED = (".git", ".venv", "build", "docs", ".mypy_cache", ".ruff_cache")


@dataclass(frozen=True)
class Verdict:
    """The result of one fault.

    Attributes
    ----------
    word : "killed", "SURVIVED", "GONE" (old text not found once) or "ERROR" (tests did not run)
    detail : first failed test, or the reason
    seconds : wall time of the tests
    """

    word: str
    detail: str
    seconds: float = 0.0


def is_in_place(fault: Fault, root: Path = ROOT) -> bool:
    """Return True if the old text occurs exactly once in its file."""
    path = root / fault.file
    return path.is_file() and path.read_text("utf-8").count(fault.old) == 1


def try_fault(fault: Fault, copy: Path) -> Verdict:
    """Plant a fault in a copy of the tree, run its tests and restore the file."""
    if not is_in_place(fault, copy):
        return Verdict("GONE", f"{fault.file} does not contain the old text exactly once")
    path = copy / fault.file
    before = path.read_text("utf-8")
    path.write_text(before.replace(fault.old, fault.new), "utf-8")
    try:
        return tested(fault.tests, copy)
    finally:
        path.write_text(before, "utf-8")


def tested(tests: str, copy: Path) -> Verdict:
    """Run tests in a copy of the tree."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += ["-m", "slow or not slow"]  # tests of both tiers
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": ""}
    begun = monotonic()
    try:
        done = subprocess.run(
            [*command, *shlex.split(tests)],
            cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Verdict("ERROR", f"no result after {LIMIT_S} s", LIMIT_S)
    seconds = monotonic() - begun
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    detail = (lines or done.stdout.strip().splitlines()[-1:] or [done.stderr[-200:]])[0]
    words = {0: "SURVIVED", FAILED: "killed"}
    return Verdict(words.get(done.returncode, "ERROR"), detail, seconds)


def baseline(faults: Sequence[Fault], copy: Path) -> int:
    """Run the tests without any fault; return the number of failing groups."""
    failed = 0
    for tests in dict.fromkeys(fault.tests for fault in faults):
        verdict = tested(tests, copy)
        passes = verdict.word == "SURVIVED"
        failed += not passes
        word = "passes" if passes else "FAILS"
        sys.stdout.write(f"{word:8} {verdict.seconds:4.0f} s  {tests}: {verdict.detail}\n")
        sys.stdout.flush()
    return failed


def copied_tree(folder: Path) -> Path:
    """Copy the tree without builds and environments; return the copy.

    Compiled kernels are copied too: tests of live scans fail if they must wait for a compiler.
    """
    target = folder / "copy"
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*NOT_COPIED))
    (target / "docs").symlink_to(ROOT / "docs")
    shared = ROOT.parent / "shared"
    if shared.is_dir():
        (folder / "shared").symlink_to(shared)
    return target


def main() -> int:
    """Return 0 if enough faults are killed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("words", nargs="*")
    options.add_argument("--list", action="store_true")
    options.add_argument("--baseline", action="store_true")
    options.add_argument("--skip", type=int, default=0, metavar="N", help="skip the first N")
    given = options.parse_args()
    chosen = [f for f in FAULTS if not given.words or any(w in f.name for w in given.words)]
    chosen = chosen[given.skip :]
    if given.list:
        for fault in chosen:
            sys.stdout.write(f"{'' if is_in_place(fault) else 'GONE '}{fault.name}\n")
        return 0
    killed = 0
    with TemporaryDirectory(prefix="planted-") as folder:
        copy = copied_tree(Path(folder))
        if given.baseline:
            return baseline(chosen, copy)
        for fault in chosen:
            verdict = try_fault(fault, copy)
            killed += verdict.word == "killed"
            sys.stdout.write(f"{verdict.word:8} {verdict.seconds:4.0f} s  {fault.name}: ")
            sys.stdout.write(f"{verdict.detail}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{killed} of {len(chosen)} killed\n")
    return int(killed < (NEEDED if len(chosen) == len(FAULTS) else len(chosen)))


if __name__ == "__main__":
    sys.exit(main())
