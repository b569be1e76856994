"""Drive the window through its states and save a picture of each.

python -m tests.app.take_screenshots FOLDER THEME [WIDTH HEIGHT]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from app.models.preferences import Preferences
from app.models.run_record import RunState
from app.shell.application import make_app, make_window
from app.shell.main_window import MainWindow
from app.shell.panels import MeasureTab
from app.views.line import Line
from engine.backend.devices import DeviceInfo, cpu_device
from engine.modalities.demos import demo_folder
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.xray_ct.demo import CtDemo
from engine.profiling import Profile
from tests.engine import engine_sources

PATIENCE_S = 120.0


class Photographer:
    """Waits for states and keeps pictures."""

    def __init__(self, app: QApplication, window: MainWindow, folder: Path, theme: str) -> None:
        self.app, self.window, self.folder, self.theme = app, window, folder, theme

    def wait(self, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not ready():
            self.app.processEvents()
            time.sleep(0.005)
            if time.monotonic() > end:
                raise TimeoutError("the window never came to this state")
        self.settle()

    def settle(self) -> None:
        for _ in range(8):
            self.app.processEvents()
            time.sleep(0.01)

    def shoot(self, name: str, widget: QWidget | None = None) -> None:
        self.settle()
        picture = (widget or self.window).grab()
        if not picture.save(str(self.folder / f"{name}-{self.theme}.png")):
            raise OSError(f"{name}: the picture was not written")


def drive(shots: Photographer) -> None:
    window = shots.window
    session, runner = window.session, window.runner
    shots.wait(lambda: not window.commands.is_busy)
    shots.shoot("empty")
    window.commands.open_study(PetDemo().make(demo_folder()))
    shots.wait(lambda: not session.obstacle() and not window.commands.is_busy)
    shots.shoot("loaded")
    for step in window.steps[1:]:
        step.set_open(True)
    window.steps[0].set_open(False)
    shots.shoot("steps")
    for step in window.steps:
        step.set_open(step is window.steps[1])
    runner.start()
    record = session.run.record
    shots.wait(lambda: len(record.images.items) >= 2 and has_speed(record.profile))
    shots.shoot("running")
    runner.pause()
    shots.settle()
    shots.shoot("paused")
    window.tabs.setCurrentIndex(1)
    shots.shoot("profile")
    window.tabs.setCurrentIndex(0)
    runner.pause()
    shots.wait(lambda: session.run.state is RunState.FINISHED)
    window.actions_.log.setChecked(True)
    window.tabs.setCurrentIndex(2)
    shots.shoot("finished")
    window.actions_.log.setChecked(False)
    window.tabs.setCurrentIndex(0)
    shoot_devices(shots)
    shoot_ct(shots)
    shoot_dual_head(shots)
    broken = shots.folder / "broken.l.hdr"
    broken.write_text("this is no header\n")
    window.commands.open_path(broken)
    shots.wait(lambda: window.centre.message_bar.problem is not None)
    shots.shoot("error")


def has_speed(profile: Profile | None) -> bool:
    return profile is not None and profile.events_per_s is not None


def shoot_devices(shots: Photographer) -> None:
    """The device's menu with and without a usable GPU, and a GPU that stops."""
    window = shots.window
    choice, chooser = window.session.device, window.header.device
    processor = cpu_device()
    gpu = DeviceInfo("cuda", "NVIDIA GeForce RTX 4090", 24 << 30, 21 << 30, processor.threads)
    reason = "CuPy, which drives the GPU, is not installed; run the set-up again."
    for name, found in (("devices", gpu), ("no-gpu", replace(gpu, why_not=reason))):
        menu = chooser.menu()
        menu.aboutToShow.disconnect()  # else the devices of this machine would be shown
        menu.popup(chooser.mapToGlobal(chooser.rect().bottomLeft()))
        choice.set_found((processor, found))
        shots.shoot(name, menu)
        menu.aboutToShow.connect(chooser.look)
        menu.close()
    choice.choose("cpu")
    window.runner.source = engine_sources.breaking_card
    window.runner.start()
    shots.wait(lambda: window.centre.message_bar.problem is not None)
    shots.wait(lambda: not window.commands.is_busy)
    choice.set_found((processor, gpu))
    choice.choose("auto")
    shots.shoot("gpu-stopped")
    window.runner.source = None


def shoot_ct(shots: Photographer) -> None:
    """The demo of CT: the scan that is ready, its preparation and its picture."""
    window, session = shots.window, shots.window.session
    window.commands.open_study(CtDemo().make(demo_folder()))
    ready = lambda: session.study.modality.key == "ct" and not session.obstacle()  # noqa: E731
    shots.wait(lambda: ready() and not window.commands.is_busy)
    for step in window.steps:
        step.set_open(step is window.steps[0])
    shots.shoot("ct-loaded")
    shoot_preview(shots)
    shoot_scan_pages(shots)
    for step in window.steps:
        step.set_open(step is not window.steps[0] and step is not window.steps[1])
    shots.shoot("ct-steps")
    for step in window.steps:
        step.set_open(step is window.steps[1])
    window.runner.start()
    shots.wait(lambda: session.run.state is RunState.FINISHED)
    shots.shoot("ct")


def shoot_dual_head(shots: Photographer) -> None:
    """The demo of two panels: the scan, and what is measured of its image."""
    window, session = shots.window, shots.window.session
    window.commands.open_study(DualHeadDemo(n_points=1 << 11).make(demo_folder()))
    shots.wait(lambda: session.study.modality.key == "dual-head" and not session.obstacle())
    shots.wait(lambda: not window.commands.is_busy)
    for step in window.steps:
        step.set_open(step is window.steps[0])
    shots.shoot("dual-head-loaded")
    window.runner.start()
    shots.wait(lambda: session.run.state is RunState.FINISHED)
    measure = window.tabs.findChild(MeasureTab)
    window.tabs.setCurrentWidget(measure)
    session.view.set_cursor((0.0, 0.0, 0.0))
    _, y, _ = session.view.cursor_mm
    session.view.set_line(Line("coronal", (-3.0, y, 13.5), (17.5, y, 13.5)))
    shots.wait(lambda: measure.line.profile is not None and bool(measure.rods.rows))
    shots.shoot("dual-head")


def shoot_preview(shots: Photographer) -> None:
    """The central slice, with the axis where it is not."""
    window, session = shots.window, shots.window.session
    step = session.study.modality.choices(session.study.protocol)["centre"].model_copy(
        update={"column": 110.0}
    )
    session.study.set_protocol(
        session.study.modality.with_choice(session.study.protocol, "centre", step)
    )
    shots.wait(lambda: window.context.previews.is_current and not window.commands.is_busy)
    shots.shoot("ct-preview")
    session.study.undo()
    shots.wait(lambda: window.context.previews.is_current and not window.commands.is_busy)


def shoot_scan_pages(shots: Photographer) -> None:
    """The projections as prepared, and the drawing of the scan, of a view that was chosen."""
    window = shots.window
    pages = window.centre.scan
    pages.state.go_to_view(40)
    pages.projections.stage.setCurrentIndex(1)
    shots.wait(lambda: pages.state.unit == "line integral" and not window.commands.is_busy)
    shots.shoot("ct-projections")
    window.centre.show_page(2)
    shots.shoot("ct-geometry")
    pages.projections.stage.setCurrentIndex(0)
    window.centre.show_page(0)


def shoot_dialogs(shots: Photographer) -> None:
    from app.export.export_dialog import ExportDialog
    from app.shell.help import HelpDialog

    window = shots.window
    images = window.session.run.record.images.items
    for name, dialog in (
        ("export", ExportDialog(window, images, len(images) - 1, shots.folder)),
        ("help", HelpDialog(window)),
    ):
        dialog.show()
        shots.shoot(name, dialog)
        dialog.close()


def main(folder: Path, theme: str, size: tuple[int, int]) -> None:
    app = make_app()
    preferences = Preferences()
    preferences.theme = theme
    window = make_window(app, preferences)
    window.resize(*size)
    window.show()
    shots = Photographer(app, window, folder, theme)
    drive(shots)
    shoot_dialogs(shots)
    window.close()


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        sys.argv[2],
        (int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) > 4 else (1440, 900),
    )
