"""A copy of the tree in which one fault at a time is planted and the tests are run."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from importlib.util import cache_from_source
from pathlib import Path

from tests.mutation.faults import Fault, faults_in, planted
from tests.mutation.targets import EQUIVALENT, Target

ROOT = Path(__file__).parents[2]
PARTS = (
    *("app", "engine", "isocenter", "resources", "tests", "packaging", "docs"),
    *("pyproject.toml", "README.md"),
)


class Copy:
    """A copy of the tree in a temporary folder, for the duration of a `with` block."""

    def __enter__(self) -> Copy:
        self._folder = tempfile.TemporaryDirectory(prefix="isocenter-mutation-")
        self.root = Path(self._folder.name) / "tree"
        self.root.mkdir()
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, self.root / part)
            elif source.exists():
                shutil.copy2(source, self.root / part)
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def check(self, targets: list[Target], limit_s: float) -> None:
        """Raise an error if tests fail without a fault: they would seem to detect every fault."""
        for target in targets:
            if self._tested(target, limit_s) != "survived":
                raise RuntimeError(
                    f"{', '.join(target.tests)}: fail or take too long without a fault"
                )

    def verdict(self, target: Target, fault: Fault, limit_s: float) -> str:
        """Return "caught", "timeout" (which counts as caught) or "survived"."""
        file = self.root / fault.file
        sound = file.read_text(encoding="utf-8")
        _change(file, planted(sound, fault, target.only))
        try:
            return self._tested(target, limit_s)
        finally:
            _change(file, sound)

    def _tested(self, target: Target, limit_s: float) -> str:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        settings = {"PYTHONPATH": str(self.root)}
        try:
            done = subprocess.run(
                [*command, *target.tests],
                cwd=self.root,
                env=os.environ | settings,
                capture_output=True,
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "timeout"
        return "caught" if done.returncode else "survived"


def _change(file: Path, text: str) -> None:
    """Write a source without stale bytecode: Python may not notice a change within one second."""
    file.write_text(text, encoding="utf-8")
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


def drawn(root: Path, targets: list[Target], count: int, seed: int) -> list[tuple[Target, Fault]]:
    """Draw equally many random faults for each target; equal seeds give equal faults."""
    found = []
    for target in targets:
        source = (root / target.file).read_text(encoding="utf-8")
        faults = faults_in(target.file, source, target.only)
        lot = random.Random(f"{seed} {target.file}")
        lot.shuffle(faults)
        share = -(-count // len(targets))
        faults = [fault for fault in faults if fault.key not in EQUIVALENT]
        found += [(target, fault) for fault in faults[:share]]
    return found
