"""Simulate a technician at work: from a scan to its signed and sent report, with the mouse only.

python -m tests.app.technician_session FOLDER SCAN

Clicks go to the system window at the position of the button, so they hit anything that covers it.
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
SETTLED = 5
SIZE = (1280, 720)
PASSPHRASE = "correct horse"


class Hands(QObject):
    """Count the presses of buttons and keys that the system's windows receive."""

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
    for _ in range(SETTLED):
        QApplication.processEvents()  # the last message has moved the widgets below it
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
        assert time.monotonic() < end, f"never: {what}"


def choose(app: QApplication, name: str) -> None:
    """Choose a file in the dialog that is open, by two clicks."""
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
    """Prepare the physicist's part: a locked protocol, a passphrase, a folder, a DICOM node."""
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


def work(app: QApplication, window: MainWindow, scan: Path) -> Hands:
    """Work from the scan to the signed and sent report."""
    hands, session = Hands(), window.session
    scan_card, card, start = window.workflow.scan, window.header.judging, window.header.choice.start
    app.installEventFilter(hands)
    QTimer.singleShot(300, lambda: choose(app, scan.name))
    click(scan_card.open)
    calm = lambda: not window.commands.is_busy  # noqa: E731
    wait(app, lambda: "data" in session.study.inputs and calm(), "the scan")
    assert session.study.base.name == "Site PET", "the site's own protocol is taken unasked"
    wait(app, start.isEnabled, "Start")
    click(start)
    done = lambda: session.run.state is RunState.FINISHED and bool(session.run.record.result_id)  # noqa: E731
    wait(app, lambda: done() and calm(), "the result")
    wait(app, card.sign_off.judgement.isEnabled, "the judgement")
    click(card.sign_off.judgement.buttons["acceptable"])
    wait(app, card.sign_off.send.isEnabled, "the signature")
    click(card.sign_off.send)
    sent = lambda: "accepted the report" in card.sign_off.message.text() and calm()  # noqa: E731
    wait(app, sent, "the answer of the archive")
    app.removeEventFilter(hands)
    return hands


def main(folder: Path, scan: Path) -> None:
    """Work, and tell it in a line of JSON."""
    os.environ["ISOCENTER_HOME"] = str(folder / "home")
    taken: list[str] = []

    def answer(event) -> int:
        taken.append(str(event.dataset.SOPClassUID.name))
        return 0x0000

    with node(answer) as archive:
        tell(make_app(), folder, scan, (f"{archive.host}:{archive.port}", taken))


def tell(app: QApplication, folder: Path, scan: Path, archive: tuple[str, list[str]]) -> None:
    """Work with an archive that takes everything."""
    address, taken = archive
    window = make_window(app, prepare(folder, scan, address))
    window.resize(*SIZE)
    window.runner.engine = EngineInThread
    window.show()
    found = lambda: window.session.device.found != () and not window.commands.is_busy  # noqa: E731
    wait(app, found, "the window")
    hands = work(app, window, scan)
    result = Results().open(window.session.run.record.result_id)
    bars = window.workflow.findChildren(QScrollBar)
    reported = {
        "size": [window.width(), window.height()],
        "scrolls": [bar.value() for bar in bars if bar.value()],
        "sent": sorted(taken),
        "platform": QGuiApplication.platformName(),
        "clicks": hands.presses,
        "keys": hands.keys,
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
