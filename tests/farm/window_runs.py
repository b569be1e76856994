"""Run one study many times in one window, and measure the memory of the window.

`python -m tests.farm.window_runs --runs 500` prints the resident memory after every 10 runs and
exits with 1 if it grows by 5 MB or more. The first runs do not count: they fill caches of the
libraries. `--explain` also prints the kinds of objects that became more.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.shell.application import make_app, make_window
from app.shell.main_window import MainWindow
from app.state.models.run_record import RunState
from engine.modalities import Study, read_study
from tests.app.engine_in_thread import EngineInThread
from tests.farm.results import make_study

MAX_MB = 5.0
EVERY = 10
PATIENCE_S = 900.0
POLL_MS = 5


@dataclass
class Memory:
    """Memory of this process over the runs.

    Attributes
    ----------
    figures : number of runs, resident memory [MB] and descriptors
    """

    figures: list[tuple[int, float, int]] = field(default_factory=list)

    def measure(self, n_runs: int) -> None:
        """Collect garbage, and store the figures."""
        gc.collect()
        this = psutil.Process()
        self.figures.append((n_runs, this.memory_info().rss / 1e6, this.num_fds()))
        n, megabytes, descriptors = self.figures[-1]
        sys.stdout.write(f"{n:5} runs {megabytes:8.1f} MB {descriptors:4} descriptors\n")
        sys.stdout.flush()

    def growth(self, warm_up: int) -> float:
        """Return the growth after the warm-up [MB]."""
        warm = [megabytes for n, megabytes, _ in self.figures if n >= warm_up]
        return warm[-1] - warm[0]


def counted() -> Counter[str]:
    """Return the number of living objects of each class, and of Qt's children."""
    found: Counter[str] = Counter(type(each).__qualname__ for each in gc.get_objects())
    app = QApplication.instance()
    for top in (*QApplication.topLevelWidgets(), *([app] if app else [])):
        children = top.findChildren(QObject)
        found.update(f"Qt {each.metaObject().className()}" for each in children)
    return found


def explain(before: Counter[str], after: Counter[str]) -> None:
    """Print the classes with more objects than before."""
    for name, more in (after - before).most_common(25):
        sys.stdout.write(f"    {more:7} more: {name}\n")


class Runs:
    """Run a study again and again in the event loop of the window.

    Qt deletes widgets later only in a loop, as it does for users.
    """

    def __init__(self, window: MainWindow, arguments: argparse.Namespace, study: Study) -> None:
        self.memory = Memory()
        self._window, self._arguments, self._study = window, arguments, study
        self._n, self._is_running, self._last_s = 0, False, time.monotonic()
        self._before: Counter[str] = Counter()
        self._timer = QTimer(interval=POLL_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        """Start the next run after the last one has ended."""
        window = self._window
        state = window.session.run.state
        if time.monotonic() - self._last_s > PATIENCE_S:
            self._give_up(f"has not finished after {PATIENCE_S:g} s")
        if self._is_running and state in (RunState.FAILED, RunState.ABORTED):
            self._give_up(f"has ended as {state}: {window.session.log[-1].text}")
        if self._is_running and state is not RunState.FINISHED:
            return
        if window.runner.job is not None or window.commands.is_busy:
            return
        if self._is_running:
            self._ended()
        elif not window.session.device.found:
            return
        if self._n == self._arguments.runs:
            self._timer.stop()
            window.close()
            return
        self._is_running, self._last_s = True, time.monotonic()
        if self._n:
            window.start()
        else:
            window.runner.open_and_start(self._study)

    def _give_up(self, why: str) -> None:
        sys.stdout.write(f"run {self._n + 1} {why}\n")
        self._timer.stop()
        QApplication.exit(1)

    def _ended(self) -> None:
        self._n, self._is_running = self._n + 1, False
        if self._n % EVERY:
            return
        self.memory.measure(self._n)
        if self._arguments.explain:
            after = counted()
            if self._n > self._arguments.warm_up:
                explain(self._before, after)
            else:
                self._before = after


def run_often(arguments: argparse.Namespace, folder: Path) -> float | None:
    """Run the study in a window; return the growth of the memory [MB], None if a run failed."""
    app = make_app()
    window = make_window(app)
    window.dialogs.confirm = lambda *words: True  # type: ignore[method-assign]  # the user agrees
    window.show()
    runs = Runs(window, arguments, read_study(make_study(folder)))
    if arguments.in_thread:
        window.runner.engine = EngineInThread  # type: ignore[assignment]  # the same interface
    code = app.exec()
    return None if code else runs.memory.growth(arguments.warm_up)


def main() -> int:
    """Run from the command line; 1 if the memory grows too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--warm-up", type=int, default=50, metavar="RUNS")
    parser.add_argument("--explain", action="store_true", help="print which objects became more")
    parser.add_argument("--in-thread", action="store_true", help="run the engine in a thread")
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ISOCENTER_HOME"] = f"{folder}/home"
        started = time.monotonic()
        growth = run_often(arguments, Path(folder))
    if growth is None:
        return 1
    n = arguments.runs - arguments.warm_up
    sys.stdout.write(
        f"{n} runs after the warm-up: {growth:+.1f} MB ({time.monotonic() - started:.0f} s), "
        f"expected less than {MAX_MB:g} MB\n"
    )
    return 0 if growth < MAX_MB else 1


if __name__ == "__main__":
    sys.exit(main())
