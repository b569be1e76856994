"""Measure a queue of 1,000 studies: `python -m tests.farm.long_queue --studies 1000`.

It adds studies, lists and moves them, runs some, and refreshes the dialog of the window. No
operation may need more than one second of a processor. Of the command line, starting Python and its
imports do not count. It prints a line for each operation, and exits with 1 if one is too slow.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

MAX_S = 1.0
PATIENCE_S = 600.0


@dataclass
class Times:
    """Processor seconds of operations.

    Attributes
    ----------
    slow : operations that needed too long
    """

    slow: list[str] = field(default_factory=list)

    @contextmanager
    def measured(self, what: str, n: int = 1) -> Iterator[None]:
        """Measure an operation, or the mean of `n` of them."""
        started = time.process_time()
        yield
        seconds = (time.process_time() - started) / n
        sys.stdout.write(f"{what:<40} {seconds:8.3f} s\n")
        sys.stdout.flush()
        if seconds > MAX_S:
            self.slow.append(what)


def fill(times: Times, folder: Path, n: int) -> list[str]:
    """Add studies and return their IDs."""
    from engine.jobs.queue import StudyQueue
    from tests.farm.queue_kills import tiny_study

    study, queue = tiny_study(folder), StudyQueue()
    made = []
    for k in range(n):
        protocol = study.protocol.model_copy(update={"name": f"Study {k}"})
        made.append(study.model_copy(update={"protocol": protocol}))
    with times.measured("add one of the first 100 studies", 100):
        ids = [queue.add(each).id for each in made[:100]]
    ids += [queue.add(each).id for each in made[100:-100]]
    with times.measured("add one of the last 100 studies", 100):
        ids += [queue.add(each).id for each in made[-100:]]
    return ids


def use_engine(times: Times, ids: list[str]) -> None:
    """List, read, move, pause and resume."""
    from engine.jobs.queue import StudyQueue

    queue = StudyQueue()
    with times.measured("list all"):
        found = queue.entries()
    if [each.id for each in found] != ids:
        raise AssertionError("the list has another order than the additions")
    with times.measured("move the last one to the front"):
        queue.move(ids[-1], 0)
    if queue.entries()[0].id != ids[-1]:
        raise AssertionError("the last study is not the first now")
    with times.measured("move one to the middle"):
        queue.move(ids[0], len(ids) // 2)
    with times.measured("pause one"):
        queue.pause(ids[5])
    with times.measured("resume one"):
        queue.resume(ids[5])
    with times.measured("remove one"):
        queue.remove(ids[7])


def use_commands(times: Times, ids: list[str]) -> None:
    """Use the command line."""
    from engine.cli.main import main

    for words in (["list"], ["move", ids[20], "1"], ["pause", ids[21]], ["remove", ids[22]]):
        output = StringIO()
        with times.measured(f"isocenter queue {words[0]}"), redirect_stdout(output):
            code = main(["queue", *words])
        if code:
            raise AssertionError(f"queue {words[0]}: {code} {output.getvalue()[-300:]}")


def use_window(times: Times, n_runs: int) -> None:
    """Show the queue in the dialog of the window, move a study, and run some."""
    from PySide6.QtCore import QEventLoop, QTimer

    from app.shell.application import make_app, make_window
    from app.workspace.queue.queue_dialog import QueueDialog
    from engine.jobs.queue import StudyQueue

    app = make_app()
    window = make_window(app)
    window.show()

    def wait(ready: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not ready():
            loop = QEventLoop()
            QTimer.singleShot(5, loop.quit)
            loop.exec()
            if time.monotonic() > end:
                raise TimeoutError("the window did not come to rest")

    def settle() -> None:
        wait(lambda: not window.commands.is_busy)

    wait(lambda: bool(window.session.device.found))
    settle()
    context = window.context
    with times.measured("window: show the queue"):
        dialog = QueueDialog(window, context)
        dialog.show()
        settle()
        dialog.grab()
    for _ in range(2):
        with times.measured("window: refresh"):
            context.queue.refresh()
            settle()
    with times.measured("window: move a study"):
        context.queue.move(context.session.queue.entries[30].id, 3)
        settle()
    with times.measured("window: scroll to the end"):
        dialog.list.scrollToBottom()
        dialog.grab()
    queue = StudyQueue()
    n_before = _finished(queue)
    context.queue.run()
    wait(lambda: _finished(queue) >= n_before + n_runs)
    context.queue.pause_all()
    settle()
    sys.stdout.write(f"{_finished(queue) - n_before} studies were run\n")
    dialog.close()
    window.close()


def _finished(queue: object) -> int:
    from engine.jobs.queue import StudyQueue

    assert isinstance(queue, StudyQueue)
    return sum(entry.state == "finished" for entry in queue.entries())


def main() -> int:
    """Run from the command line; 1 if an operation is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5, help="studies that are run")
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ISOCENTER_HOME"] = f"{folder}/home"
        times = Times()
        ids = fill(times, Path(folder), arguments.studies)
        use_engine(times, ids)
        use_commands(times, ids)
        use_window(times, arguments.runs)
    sys.stdout.write(f"{arguments.studies:,} studies: {len(times.slow)} slow operations\n")
    return 1 if times.slow else 0


if __name__ == "__main__":
    sys.exit(main())
