"""A window for `tests.farm.results` that runs a study, reports its images and reads commands.

python -m tests.farm.results_window STUDY.toml

It prints `engine PID`, `finished JOB DIGEST` and `stopped`. Its commands are `start`, `resume`,
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


class CommandInput(QObject):
    """Pass lines of standard input to the thread of the window."""

    received = Signal(str)

    def read(self) -> None:
        for line in sys.stdin:
            self.received.emit(line.strip())


class EventReport:
    """Report events of the window, each once."""

    def __init__(self, window: MainWindow) -> None:
        self._window, self._engine = window, 0
        window.session.run.state_changed.connect(self._follow)
        self._timer = QTimer()
        self._timer.timeout.connect(self._report_engine)
        self._timer.start(POLL_MS)

    def _report_engine(self) -> None:
        job = self._window.runner.job
        pid = job.process.pid if job is not None else None
        if pid and pid != self._engine:
            self._engine = pid
            write_line(f"engine {pid}")

    def _follow(self) -> None:
        run = self._window.session.run
        if run.state is RunState.FINISHED and run.record.result is not None:
            write_line(f"finished {run.record.job} {hash_array(run.record.result.values)}")
        elif run.state in (RunState.FAILED, RunState.ABORTED):
            write_line("stopped")


def write_line(text: str) -> None:
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
    report, commands = EventReport(window), CommandInput()
    runner = window.runner
    acts: dict[str, Callable[[], object]] = {
        "start": window.start,
        "resume": lambda: resume(window),
        "finish": runner.finish,
        "abort": runner.abort,
        "quit": window.close,
    }
    commands.received.connect(lambda line: acts[line]())
    Thread(target=commands.read, daemon=True).start()
    runner.open_and_start(read_study(study))
    code = app.exec()
    del report
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
