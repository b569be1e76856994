"""Fixtures of window tests: a small scan, the application, and windows that clean up."""

from __future__ import annotations

import gc
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.state.models.device_choice import DeviceChoice
from app.state.models.inputs import DATA, SCANNER, Input
from app.state.models.preferences import Preferences
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.context import AppContext
from app.state.services.previews import Previews
from app.state.services.queueing.queue_commands import QueueCommands
from app.state.services.result_commands import ResultCommands
from app.state.services.runner import Runner
from app.state.services.unfinished_work import UnfinishedWork
from app.state.services.volume_commands import VolumeCommands
from app.ui.theme.theme import Theme
from engine.core import paths
from engine.core.backend.devices import cpu_device
from engine.geometry.ring import RingScanner, RingSettings
from engine.jobs.loader import CallsHere, ForeignFiles, Loader
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from tests.app.engine_in_thread import EngineInThread
from tests.processes import working_for

LOADERS: list[Loader] = []
"""Processes that read files for several tests."""
PATIENCE_MS = 60_000
"""The first run compiles kernels if their cache is empty."""
POLL_MS = 10


class PatientBot(QtBot):
    """Wait up to `PATIENCE_MS` by default, and count only the time in which this process runs.

    A busy machine may give the process little time, or pause it.
    """

    def waitUntil(self, callback: Callable[[], object], *, timeout: int = PATIENCE_MS) -> None:
        for _ in range(timeout // POLL_MS):
            if callback():
                return
            self.wait(POLL_MS)
        super().waitUntil(callback, timeout=POLL_MS)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **options: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **options)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """Return a bot with the time limits of these tests."""
    return PatientBot(request)


@pytest.fixture(scope="session")
def tiny_ring() -> RingScanner:
    """A ring scanner with few lines of response."""
    settings = RingSettings(
        name="Tiny ring",
        n_rings=6,
        n_crystals_per_ring=48,
        radius_mm=80,
        ring_pitch_mm=6,
        max_ring_difference=5,
        n_tangential=24,
        gap_places=(0, 12, 24, 36),
        voxel_mm=(6, 6, 6),
        fov_mm=(96, 36),
    )
    return RingScanner(settings)


@pytest.fixture(scope="session")
def small_study(tiny_ring: RingScanner, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return a study of a cylinder in the tiny ring with a few thousand events."""
    from engine.io import write_listmode
    from engine.simulate import simulate_listmode, uniform_cylinder

    folder = tmp_path_factory.mktemp("small-study")
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    data = simulate_listmode(phantom, tiny_ring, n_prompts=20_000, seed=7, attenuation=False)
    write_listmode(data, folder / "small.h5")
    algorithm = {"kind": "osem", "iterations": 3, "subsets": 2}
    protocol = {"name": "Small", "algorithm": algorithm, "finishing": [{"kind": "median"}]}
    return Study(data=folder / "small.h5", protocol=ListModeProtocol.model_validate(protocol))


@pytest.fixture
def long_study(small_study: Study) -> Study:
    """Return the small study with more iterations than a test waits for."""
    algorithm = small_study.protocol.algorithm.model_copy(update={"iterations": 1000})
    protocol = small_study.protocol.model_copy(update={"algorithm": algorithm})
    return small_study.model_copy(update={"protocol": protocol})


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    """Return preferences in an empty folder."""
    return Preferences(tmp_path / "home")


@pytest.fixture(scope="session")
def loader() -> Iterator[Loader]:
    """Return the process that reads files; all windows of the tests share it."""
    new_loader = Loader()
    new_loader.start()
    LOADERS.append(new_loader)
    yield new_loader
    new_loader.close()


def read_input(role: str, value: str, scanner: str | None, geometry: Any) -> Input:
    """Read one input in this process; raise an error if it is refused."""
    files, path = ForeignFiles(CallsHere()), Path(value)
    if role == DATA:
        scan = files.scan(path, scanner)
        return Input(value, scan.text, scan)
    if role == SCANNER:
        found = files.scanner(value)
        return Input(value, found.describe(), found)
    content = files.auxiliary(role, path, geometry)
    return Input(value, content.text, content.content)


class Controls:
    """The controllers of a window without the window, for tests of single panels."""

    def __init__(self, preferences: Preferences, loader: Loader) -> None:
        session = Session(DeviceChoice("cpu", (cpu_device(2),)))
        commands = Commands(session, preferences, loader)
        theme = Theme(QApplication.instance(), preferences.theme)
        previews = Previews(session, commands)
        self.session, self.commands = session, commands
        results = ResultCommands(session, commands)
        volumes = VolumeCommands(session, commands)
        queue = QueueCommands(session, commands, preferences, results)
        unfinished = UnfinishedWork(session, commands, queue, results)
        self.context = AppContext(
            *(session, commands, theme, preferences, previews, results, volumes, queue), unfinished
        )
        self.runner = Runner(session, preferences, commands)

    def open_path(self, path: Path) -> None:
        """Open a file as if it was dropped on the window."""
        self.commands.open_path(path)


@pytest.fixture
def controls(qtbot, qapp, preferences, loader) -> Iterator[Controls]:
    """Return a session with its controllers; check that no thread or process remains."""
    new_controls = Controls(preferences, loader)
    yield new_controls
    shut_down(qtbot, new_controls)


@pytest.fixture(autouse=True)
def no_work_of_earlier_windows() -> Iterator[None]:
    """Prevent a window from taking over the work of another test's window."""
    yield
    shutil.rmtree(paths.windows_dir(), ignore_errors=True)


@pytest.fixture(autouse=True)
def no_collection_in_threads() -> Iterator[None]:
    """Prevent threads from collecting Qt objects; Python collects them between tests."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def parent(qtbot) -> Iterator[QWidget]:
    """Return a parent widget for dialogs; it deletes them at the end of the test."""
    widget = QWidget()
    qtbot.addWidget(widget)
    yield widget


@pytest.fixture
def window(qtbot, qapp, preferences, loader):
    """Return a visible window; check that no thread or process remains."""
    from app.shell.application import make_window

    new_window = make_window(qapp, preferences, loader)
    new_window.dialogs.confirm = lambda *words: True  # the user confirms every question
    new_window.runner.engine = EngineInThread
    qtbot.addWidget(new_window)
    new_window.show()
    ready = lambda: new_window.session.device.found != () and not new_window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(ready, timeout=PATIENCE_MS)
    yield new_window
    shut_down(qtbot, new_window)
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # Qt deletes a closed window later


@pytest.fixture
def choose_file(qapp: QApplication) -> Callable[[Path], None]:
    """Return a function that chooses a file in the next file dialog, as the user would."""

    def choose(path: Path) -> None:
        def answer() -> None:
            dialog = qapp.activeModalWidget()
            assert isinstance(dialog, QFileDialog)
            dialog.setDirectory(str(path.parent))
            dialog.selectFile(path.name)
            dialog.accept()

        QTimer.singleShot(0, qapp, answer)

    return choose


def shut_down(qtbot, window) -> None:
    """Stop all work, and check that no process of the test remains."""
    window.runner.shut_down()
    window.commands.wait()
    has_ended = lambda: window.runner.job is None and not window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(has_ended, timeout=PATIENCE_MS)
    assert still_working() == []


def still_working() -> list[psutil.Process]:
    """Return the processes of this test that are still running after the time limit."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < end:
        shared = {loader.pid for loader in LOADERS}
        found = [each for each in working_for() if each.pid not in shared]
        if not found:
            return []
        time.sleep(0.02)
    return found


@pytest.fixture
def own_process(window) -> None:
    """Run the engine of the window in a separate process, as for users."""
    window.runner.engine = None


@pytest.fixture
def opened(qtbot, window, small_study) -> Callable[..., None]:
    """Open a study in the window and wait until it can start."""

    def open_study(study: Study | None = None) -> None:
        window.commands.open_study(study or small_study)
        ready = lambda: window.session.obstacle() == "" and not window.commands.is_busy  # noqa: E731
        qtbot.waitUntil(ready, timeout=PATIENCE_MS)

    return open_study
