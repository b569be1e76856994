"""A window for `tests.farm.results` that runs a study, reports its images and reads orders.

python -m tests.farm.results_window STUDY.toml

It prints `engine PID`, `finished JOB DIGEST` and `stopped`. Its orders are `start`, `resume`,
`finish`, `abort` and `quit`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QObject, QTimer, Signal

from app.shell.application import make_app, make_window
from app.shell.main_window import MainWindow
from app.state.models.run_record import RunState
from engine.jobs import hash_array
from engine.modalities import read_study

POLL_MS = 5


class Orders(QObject):
    """Pass lines of standard input to the thread of the window."""

    came = Signal(str)

    def read(self) -> None:
        for line in sys.stdin:
            self.came.emit(line.strip())


class Told:
    """Report events of the window, each once."""

    def __init__(self, window: MainWindow) -> None:
        self._window, self._engine = window, 0
        window.session.run.state_changed.connect(self._follow)
        self._timer = QTimer()
        self._timer.timeout.connect(self._look)
        self._timer.start(POLL_MS)

    def _look(self) -> None:
        job = self._window.runner.job
        pid = job.process.pid if job is not None else None
        if pid and pid != self._engine:
            self._engine = pid
            say(f"engine {pid}")

    def _follow(self) -> None:
        run = self._window.session.run
        if run.state is RunState.FINISHED and run.record.result is not None:
            say(f"finished {run.record.job} {hash_array(run.record.result.values)}")
        elif run.state in (RunState.FAILED, RunState.ABORTED):
            say("stopped")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def resume(window: MainWindow) -> None:
    """Resume an interrupted run, or start again if nothing was saved."""
    problem = window.centre.message_bar.problem
    if problem is not None and problem.job:
        window.centre.message_bar.resume.click()
    else:
        window.start()


def main(study: Path) -> int:
    app = make_app()
    window = make_window(app)
    window.dialogs.confirm = lambda *words: True  # type: ignore[method-assign]  # the user agrees
    window.show()
    told, orders = Told(window), Orders()
    runner = window.runner
    acts: dict[str, Callable[[], object]] = {
        "start": window.start,
        "resume": lambda: resume(window),
        "finish": runner.finish,
        "abort": runner.abort,
        "quit": window.close,
    }
    orders.came.connect(lambda line: acts[line]())
    Thread(target=orders.read, daemon=True).start()
    runner.open_and_start(read_study(study))
    code = app.exec()
    del told
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
