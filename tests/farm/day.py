"""Simulate a day of use: open scans of several formats with their companions in random order.

`python -m tests.farm.day --openings 200` opens them in the real window, off screen. It counts
inputs that stayed from an earlier scan, and refused files that prevented a start.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app.state.models.inputs import DATA, SCANNER
from app.state.models.session import Session
from tests.farm.scans import Sample, make_refused, make_scans, real_scans

OpenPath = Callable[[Path, str], object]
Settle = Callable[[], None]
SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@dataclass
class Figures:
    """Counts of a day.

    Attributes
    ----------
    carried_over : inputs found in a study that were not given for its scan
    missing : inputs that were given but are not in the study
    dead_starts : refused files after which a study could no longer start
    not_opened : scans that did not open
    """

    openings: int = 0
    aids: int = 0
    refused: int = 0
    carried_over: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    dead_starts: list[str] = field(default_factory=list)
    not_opened: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Return True if nothing went wrong."""
        return not (self.carried_over or self.missing or self.dead_starts or self.not_opened)


class Day:
    """Open scans, companions and unusable files, and compare the inputs of the study."""

    def __init__(
        self, session: Session, open_path: OpenPath, settle: Settle, rng: np.random.Generator
    ) -> None:
        self._session, self._open_path, self._settle, self.rng = session, open_path, settle, rng
        self.figures = Figures()

    def open(self, sample: Sample, refused: list[Path]) -> None:
        """Open a scan, some of its companions in random order, and some unusable files."""
        given = self._open_scan(sample)
        for role, path in self._some(list(sample.aids.items())):
            if role == SCANNER or role not in self._session.study.roles:
                continue
            self._give(path, role if self.rng.random() < 0.5 else "")
            given[role] = str(path)
            self.figures.aids += 1
            self._compare(sample, given)
        could_start = not self._session.obstacle()
        for path in self._some(refused):
            self._give(path, "")
            self.figures.refused += 1
            self._compare(sample, given)
            if could_start and (why := self._session.obstacle()):
                self.figures.dead_starts.append(f"{path.name} with {sample.make}: {why}")

    def _open_scan(self, sample: Sample) -> dict[str, str]:
        self.figures.openings += 1
        self._give(sample.path, "")
        given = {DATA: str(sample.path)}
        if SCANNER in sample.aids:  # it names no scanner: the next one opens it
            self._give(sample.aids[SCANNER], "")
            given[SCANNER] = str(sample.aids[SCANNER])
        self._compare(sample, given)
        if why := self._session.obstacle():
            self.figures.not_opened.append(f"{sample.path}: {why}")
        return given

    def _some(self, items: list) -> list:
        n = int(self.rng.integers(0, min(3, len(items)) + 1)) if items else 0
        return [items[k] for k in self.rng.permutation(len(items))[:n]]

    def _give(self, path: Path, role: str) -> None:
        self._open_path(path, role)
        self._settle()

    def _compare(self, sample: Sample, given: dict[str, str]) -> None:
        there = {role: found.value for role, found in self._session.study.inputs.items()}
        foreign = [f"{role} {value}" for role, value in there.items() if given.get(role) != value]
        absent = [role for role in given if role not in there]
        self.figures.carried_over += [f"{each} with {sample.path}" for each in foreign]
        self.figures.missing += [f"{role} of {sample.path}" for role in absent]


def live(day: Day, samples: list[Sample], refused: list[Path], n_openings: int) -> Figures:
    """Open scans in random order, never the same one twice in a row."""
    last = -1
    for _ in range(n_openings):
        others = [k for k in range(len(samples)) if k != last]
        last = int(day.rng.choice(others))
        day.open(samples[last], refused)
    return day.figures


def main() -> int:
    """Run a long day in the window; return 0 if nothing went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openings", type=int, default=200)
    parser.add_argument("--scans", type=int, default=20)
    parser.add_argument("--seed", type=int, default=20_261_122)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ISOCENTER_HOME"] = f"{folder}/home"
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        return _in_window(Path(folder), arguments)


def _in_window(folder: Path, arguments: argparse.Namespace) -> int:
    from app.shell.application import make_app, make_window

    samples = make_scans(folder / "scans", arguments.scans) + real_scans(SHARED_DATA)
    refused = make_refused(folder / "refused")
    app = make_app()
    window = make_window(app)
    window.dialogs.confirm = lambda *words: True  # the user accepts every question
    window.show()

    def settle() -> None:
        while True:
            app.processEvents()
            if not window.session.study.reading and not window.commands.is_busy:
                return
            time.sleep(0.002)

    settle()
    while not window.session.device.found:
        app.processEvents()
        time.sleep(0.01)
    rng = np.random.default_rng(arguments.seed)
    day = Day(window.session, window.open_path, settle, rng)
    started = time.perf_counter()
    figures = live(day, samples, refused, arguments.openings)
    seconds = time.perf_counter() - started
    window.close()
    sys.stdout.write(json.dumps({**vars(figures), "seconds": round(seconds, 1)}, indent=1) + "\n")
    return 0 if figures.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
