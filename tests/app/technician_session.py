"""Simulate a technician: from a scan to its signed and sent report, with the mouse only.

python -m tests.app.technician_session FOLDER SCAN

Clicks go to the window at the position of the button, so they hit any widget that covers it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QListView,
    QPushButton,
    QScrollBar,
    QTreeView,
    QWidget,
)

from app.shell.application import make_app, make_window
from app.shell.main_window import MainWindow
from app.shell.shutdown import leave
from app.state.models.passphrase import hashed
from app.state.models.preferences import Preferences
from app.state.models.run_record import RunState
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.results import Results
from engine.results.reports import Site, signatures_of
from tests.app.engine_in_thread import EngineInThread
from tests.engine.io.dicom.test_dicom_network import node

PATIENCE_S = 120.0
N_TURNS = 5
SIZE = (1280, 720)
PASSPHRASE = "correct horse"


class InputCounter(QObject):
    """Count the mouse and key presses that the windows receive."""

    def __init__(self) -> None:
        super().__init__()
        self.presses = self.keys = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QWindow):
            self.presses += event.type() == QEvent.Type.MouseButtonPress
            self.keys += event.type() == QEvent.Type.KeyPress
        return False


def click(widget: QWidget, at: QPoint | None = None) -> None:
    """Click a widget at its visible position."""
    for _ in range(N_TURNS):
        QApplication.processEvents()  # the last message may have moved the widget
    assert widget.isVisible() and widget.isEnabled(), widget.objectName()
    place = widget.mapTo(widget.window(), at or widget.rect().center())
    window = widget.window().windowHandle()
    QTest.mouseClick(window, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


def wait(app: QApplication, ready: Callable[[], bool], what: str) -> None:
    """Run the event loop until the window has reached a state."""
    end = time.monotonic() + PATIENCE_S
    while not ready():
        app.processEvents()
        time.sleep(0.005)
        assert time.monotonic() < end, f"timeout: {what}"


def choose(app: QApplication, name: str) -> None:
    """Choose a file in the open dialog with two clicks."""
    dialog = app.activeModalWidget()
    assert isinstance(dialog, QFileDialog)
    view: QListView | QTreeView = dialog.findChild(QListView, "listView")
    if not view.isVisible():
        view = dialog.findChild(QTreeView, "treeView")

    def row() -> QPoint | None:
        root = view.rootIndex()
        model = view.model()
        for k in range(model.rowCount(root)):
            index = model.index(k, 0, root)
            if index.data() == name:
                return view.visualRect(index).center()
        return None

    wait(app, lambda: row() is not None, "the file in the list")
    click(view.viewport(), row())
    buttons = dialog.findChild(QDialogButtonBox)
    accept = buttons.button(QDialogButtonBox.StandardButton.Open)
    assert isinstance(accept, QPushButton)
    click(accept)


def prepare(folder: Path, scan: Path, archive: str) -> Preferences:
    """Set up as the physicist: a locked protocol, a passphrase, a folder, a DICOM node."""
    preferences = Preferences(folder / "home")
    library = preferences.library
    algorithm = {"kind": "osem", "iterations": 1, "subsets": 2}
    quick = ListModeProtocol.model_validate({"algorithm": algorithm, "finishing": []})
    library.save(quick, "Site PET")
    listed = library.find(quick.model_copy(update={"name": "Site PET"}))
    assert listed is not None
    library.lock(listed, on=True)
    (folder / "reports").mkdir()
    site = Site(name="Test site", reports=str(folder / "reports"), node=archive, called="ARCHIVE")
    preferences.set_site(site)
    preferences.technician, preferences.passphrase = True, hashed(PASSPHRASE)
    preferences.folder_last_used = str(scan.parent)
    return preferences


def reconstruct_and_send(app: QApplication, window: MainWindow, scan: Path) -> InputCounter:
    """Take a scan to its signed and sent report."""
    counter, session = InputCounter(), window.session
    scan_card, card, start = window.workflow.scan, window.header.judging, window.header.choice.start
    app.installEventFilter(counter)
    QTimer.singleShot(300, lambda: choose(app, scan.name))
    click(scan_card.open)
    is_idle = lambda: not window.commands.is_busy  # noqa: E731
    wait(app, lambda: "data" in session.study.inputs and is_idle(), "the scan")
    assert session.study.base.name == "Site PET", "the site's protocol was not selected"
    wait(app, start.isEnabled, "Start")
    click(start)
    done = lambda: session.run.state is RunState.FINISHED and bool(session.run.record.result_id)  # noqa: E731
    wait(app, lambda: done() and is_idle(), "the result")
    wait(app, card.sign_off.judgement.isEnabled, "the judgement")
    click(card.sign_off.judgement.buttons["acceptable"])
    wait(app, card.sign_off.send.isEnabled, "the signature")
    click(card.sign_off.send)
    sent = lambda: "accepted the report" in card.sign_off.message.text() and is_idle()  # noqa: E731
    wait(app, sent, "the answer of the archive")
    app.removeEventFilter(counter)
    return counter


def main(folder: Path, scan: Path) -> None:
    """Run the session, and print its outcome as one line of JSON."""
    os.environ["ISOCENTER_HOME"] = str(folder / "home")
    received: list[str] = []

    def answer(event) -> int:
        received.append(str(event.dataset.SOPClassUID.name))
        return 0x0000

    with node(answer) as archive:
        run(make_app(), folder, scan, (f"{archive.host}:{archive.port}", received))


def run(app: QApplication, folder: Path, scan: Path, archive: tuple[str, list[str]]) -> None:
    """Run the session with an archive that accepts every object."""
    address, received = archive
    window = make_window(app, prepare(folder, scan, address))
    window.resize(*SIZE)
    window.runner.engine = EngineInThread
    window.show()
    found = lambda: window.session.device.found != () and not window.commands.is_busy  # noqa: E731
    wait(app, found, "the window")
    counter = reconstruct_and_send(app, window, scan)
    result = Results().open(window.session.run.record.result_id)
    bars = window.workflow.findChildren(QScrollBar)
    reported = {
        "size": [window.width(), window.height()],
        "scrolls": [bar.value() for bar in bars if bar.value()],
        "sent": sorted(received),
        "platform": QGuiApplication.platformName(),
        "clicks": counter.presses,
        "keys": counter.keys,
        "signed": [each.judgement for each in signatures_of(result)],
        "pinned": result.pinned,
        "reports": [each.name for each in (folder / "reports").iterdir()],
        "visible": sorted(n for n, a in window.actions_.named().items() if a.isVisible()),
    }
    sys.stdout.write(json.dumps(reported) + "\n")
    sys.stdout.flush()
    window.runner.shut_down()
    window.commands.wait()
    leave(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
