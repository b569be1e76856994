"""A window for `tests.farm.network.in_window` that follows streams and queries worklists.

It reads commands from standard input: `follow frames|events ADDRESS`, `state`, `save PATH`,
`forget`, `worklist HOST:PORT`, `ping` and `quit`. Each answer is one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QTimer

from app.live.live_request import LiveRequest
from app.live.pet_request import PetRequest
from app.shell.application import make_app, make_window
from app.shell.main_window import MainWindow
from app.workspace.study_list.worklist_page import WorklistPage
from engine.core.errors import EngineError
from tests.farm.results_window import CommandInput

POLL_MS = 20


class Driver:
    """Carry out the commands with the objects of the window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._live = window.live.commands
        self._worklist = WorklistPage(window.context)
        self._asks = False
        self._timer = QTimer(interval=POLL_MS)
        self._timer.timeout.connect(self._check)
        self._timer.start()

    def obey(self, line: str) -> None:
        """Carry out one command."""
        word, *rest = line.split()
        acts: dict[str, Callable[..., object]] = {
            "follow": self._follow,
            "state": self._state,
            "save": self._save,
            "forget": self._forget,
            "worklist": self._query,
            "ping": lambda: answer(pong=time.monotonic()),
            "quit": self._window.close,
        }
        acts[word](*rest)

    def _follow(self, kind: str, address: str) -> None:
        self._window.live.show()
        is_frames = kind == "frames"
        self._live.page.start(LiveRequest(address) if is_frames else PetRequest(address))
        answer(follows=address)

    def _state(self) -> None:
        model = self._live.model
        text, _ = model.state
        answer(
            state=text,
            ended=model.status.has_ended,
            waiting=model.status.waiting,
            came=0 if model.update is None else model.n_received(model.update),
            messages=list(model.status.messages)[-300:],
        )

    def _save(self, path: str) -> None:
        try:
            write = self._live.model.writer()
            write(Path(path))
            self._live.model.mark_saved()
        except EngineError as e:
            answer(saved="", problem=str(e))
        else:
            answer(saved=path)

    def _forget(self) -> None:
        self._live.model.discard()
        self._live.model.forget()
        answer(forgotten=True)

    def _query(self, address: str) -> None:
        preferences = self._window.context.preferences
        preferences.set_site(preferences.site.model_copy(update={"worklist": address}))
        self._worklist.ask.setEnabled(True)
        self._asks = True
        self._worklist.ask_node()

    def _check(self) -> None:
        """Report the answer to a query when it is shown."""
        page = self._worklist
        if self._asks and page.ask.isEnabled() and not page.message.text().startswith("Querying"):
            self._asks = False
            answer(worklist=page.message.text(), orders=page.list.rowCount())


def answer(**values: object) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Run the window."""
    app = make_app()
    window = make_window(app)
    window.dialogs.confirm = lambda *words: True  # type: ignore[method-assign]  # the user agrees
    window.show()
    driver, commands = Driver(window), CommandInput()
    commands.received.connect(driver.obey)
    Thread(target=commands.read, daemon=True).start()
    answer(ready=True)
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
