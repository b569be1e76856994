"""Screenshots without an open scan: start page, menus, devices, and refused files."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta

import numpy as np

from app.language.translation import tr
from app.state.models.messages import Answer, Problem
from engine.analysis.regions import image_mark
from engine.core.backend.devices import DeviceInfo, cpu_device
from engine.data import Volume
from engine.geometry.grid import ImageGrid
from engine.jobs import EditedStudy, UnsentResult, WindowWork, WindowWorkFile
from tests.app.gallery.photographer import Act, Photographer, tab_name
from tests.app.gallery.queueing import NIGHT
from tests.app.gallery.systems import CT, PET
from tests.engine import engine_sources

MENUS = ("file", "edit", "run", "view", "help")
NO_CUPY = "CuPy, which is required for the GPU, is not installed; run the set-up again."


def first_page(shots: Photographer) -> None:
    """Show the window without a study."""
    window = shots.window
    shots.shoot("start-empty")
    for name, action in zip(MENUS, window.menuBar().actions(), strict=True):
        shots.shoot_menu(f"menu-{name}", action.menu())
    for number in range(5):
        shots.show_step(number)
        shots.shoot(f"start-step-{number + 1}")
    shots.show_step(0)
    for index in range(window.tabs.count()):
        if window.tabs.isTabVisible(index):
            name = tab_name(window.tabs.widget(index))
            shots.show_tab(name)
            shots.shoot(f"start-{name.lower()}")
    window.page_panels.show_panel(-1)
    window.pages.show("prepare")
    window.centre.welcome.show_busy("Simulating the PET scan", 3, 10)
    window.status.flash("Drop to open", 0)
    shots.shoot("start-demo")
    window.centre.welcome.show_busy("")
    window.status.flash("")


def offers(shots: Photographer) -> None:
    """Show recent scans, interrupted jobs, and the unfinished work of an earlier window."""
    window = shots.window
    for demo in (CT, PET):
        shots.open(shots.make(demo))
    shots.start()
    window.runner.abort()
    shots.wait(lambda: shots.has_ended() and shots.is_calm())
    window.centre.message_bar.clear()
    shots.shoot_menu("menu-recent", _submenu(shots, "Open recent"))
    shots.shoot_menu("menu-demos", _submenu(shots, "Try a demo"))
    shots.shoot_menu("menu-window", window.centre.views.toolbar.presets.menu())
    window.session.run.forget()
    window.session.study.set_input("data", None)
    window.welcome_lists._show()
    shots.wait(shots.is_calm)
    shots.shoot("start-offers")
    unfinished = window.context.unfinished
    unsent = UnsentResult(id="1", title="FDG-0412.l, Brain FDG")
    edited = EditedStudy(study=shots.make(PET).model_dump_json(), changed=NIGHT)
    WindowWorkFile().write(WindowWork(unsent=(unsent,), edited=(edited,)), closed=True)
    unfinished.recover()
    shots.wait(lambda: bool(unfinished.left.unsent) and shots.is_calm())
    shots.shoot("start-unfinished")
    window.centre.message_bar.clear()
    # later windows of the gallery must not offer it
    unfinished.drop_unsent(unsent.id)
    unfinished.drop_edited(edited)


def replaced_scans(shots: Photographer) -> None:
    """Show offers of edited settings after their scans were replaced or moved."""
    window, bar = shots.window, shots.window.centre.message_bar
    session, unfinished = window.session, window.context.unfinished
    demo = shots.make(PET)
    folders = [shots.folder / "settings" / name for name in ("Monday", "Tuesday")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(demo.data, folder / "FDG-0412.h5")
    scan, other = (folder / "FDG-0412.h5" for folder in folders)
    other.write_bytes(other.read_bytes() + b"of another patient")
    edits: list[EditedStudy] = []
    for path, iterations in ((scan, 3), (other, 3), (scan, 5)):
        shots.open(demo.model_copy(update={"data": path, "fingerprints": {}}))
        algorithm = session.study.protocol.algorithm.model_copy(update={"iterations": iterations})
        session.study.set_protocol(
            session.study.protocol.model_copy(update={"algorithm": algorithm})
        )
        text = session.study.to_study().model_dump_json()
        edits.append(EditedStudy(study=text, changed=NIGHT + timedelta(minutes=len(edits) // 2)))
    window.commands.save_study(folders[0] / "study.toml")
    session.study.set_input("data", None)
    for each in unfinished.left.edited:
        unfinished.drop_edited(each)
    bar.clear()
    unfinished.edited.add(edits)
    shots.wait(shots.is_calm)
    shots.shoot("edits-two-offers")
    moved = scan.rename(folders[0] / "archived.h5")
    shutil.copy(other, scan)
    unfinished.reopen(edits[0])
    shots.wait(lambda: bar.problem is not None and shots.is_calm())
    shots.shoot("edits-not-restored")
    for path, name in ((scan, "edits-other-scan"), (moved, "edits-moved-scan")):
        bar.clear()
        if path == scan:
            unfinished.drop_edited(edits[1])
        window.commands.open_path(path)
        shots.wait(lambda: bar.problem is not None and shots.is_calm())
        shots.shoot(name)
    bar.clear()
    window.commands.open_path(folders[0] / "study.toml")
    shots.wait(lambda: bar.problem is not None and shots.is_calm())
    shots.shoot("edits-changed-study")
    session.study.set_input("data", None)
    bar.clear()
    study = edits[0].to_study().model_copy(update={"fingerprints": {}})
    unfinished.reopen(EditedStudy(study=study.model_dump_json(), changed=NIGHT))
    shots.wait(lambda: bar.problem is not None)
    shots.shoot("edits-old-version")
    bar.clear()
    for each in unfinished.left.edited:
        unfinished.drop_edited(each)


def damaged_regions(shots: Photographer) -> None:
    """Show the message about a truncated region file."""
    window = shots.window
    grid = ImageGrid((24, 24, 24), (2.0, 2.0, 2.0))
    values = np.random.default_rng(1).random(grid.shape, np.float32)
    volume = Volume(values, grid, "kBq/mL")
    shots.show_tab("Regions")
    path = window.tabs.currentWidget().storage.file_of(image_mark(volume))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('format = "isocenter-regi')
    window.session.show_file(volume, "FDG-0412.nii.gz")
    shots.wait(lambda: window.centre.message_bar.problem is not None and shots.is_calm())
    shots.shoot("regions-damaged")
    path.unlink()


def _submenu(shots: Photographer, title: str):
    menu = shots.window.menuBar().actions()[0].menu()
    found = next(each.menu() for each in menu.actions() if each.text() == tr(title))
    found.aboutToShow.emit()
    return found


def problems(shots: Photographer) -> None:
    """Show refused files, a slow file, and invalid settings."""
    window, bar = shots.window, shots.window.centre.message_bar
    broken = shots.folder / "settings" / "broken.l.hdr"
    broken.write_text("this is no header\n")
    window.commands.open_path(broken)
    shots.wait(lambda: bar.problem is not None)
    shots.shoot("problem-file")
    shots.open(shots.make(PET))
    window.commands.open_path(broken)
    shots.wait(lambda: bar.problem is not None)
    shots.shoot("problem-with-scan")
    window.session.raise_problem(
        Problem("Internal error.", "ZeroDivisionError: division by zero. " * 9, "Saved." * 30)
    )
    shots.shoot("problem-many-words")
    offer = Answer("Use the 1,204,331 complete events", "Open the complete part", lambda: None)
    words = "scan.l: the file is truncated; its last record has 5 of 8 bytes."
    window.session.raise_problem(Problem("scan.l cannot be opened.", words, answer=offer))
    shots.shoot("problem-answer")
    bar.clear()
    window.commands.busy_changed.emit("Reading demo-pet.h5")
    window.commands.stoppable_changed.emit(True)
    shots.shoot("reading")
    window.commands.stoppable_changed.emit(False)
    window.commands.busy_changed.emit("")


def devices(shots: Photographer) -> None:
    """Show the device menu with and without a usable GPU, and a GPU that fails."""
    window = shots.window
    choice, chooser = window.session.device, window.header.device
    processor = cpu_device()
    gpu = DeviceInfo("cuda", "NVIDIA GeForce RTX 4090", 24 << 30, 21 << 30, processor.threads)
    for name, found in (("devices", gpu), ("devices-no-gpu", replace(gpu, obstacle=NO_CUPY))):
        menu = chooser.menu()
        menu.aboutToShow.disconnect()  # otherwise the menu would show the devices of this machine
        choice.set_found((processor, found))
        shots.shoot_menu(name, menu)
        menu.aboutToShow.connect(chooser.refresh)
    choice.choose("cuda")
    shots.shoot("devices-obstacle")
    choice.choose("cpu")
    shots.open(shots.make(PET))
    window.runner.source = engine_sources.breaking_card
    window.runner.start()
    shots.wait(lambda: window.centre.message_bar.problem is not None and shots.has_ended())
    shots.wait(shots.is_calm)
    choice.set_found((processor, gpu))
    choice.choose("auto")
    shots.shoot("gpu-stopped")


START = (
    Act(
        (
            *("start-empty", "start-demo", *(f"menu-{name}" for name in MENUS)),
            *(f"start-step-{n}" for n in range(1, 6)),
            *(f"start-{name}" for name in ("progress", "profile", "facts", "measure", "results")),
        ),
        first_page,
    ),
    Act(("start-offers", "start-unfinished", "menu-recent", "menu-demos", "menu-window"), offers),
    Act(
        (
            *("edits-two-offers", "edits-not-restored", "edits-other-scan", "edits-old-version"),
            *("edits-moved-scan", "edits-changed-study"),
        ),
        replaced_scans,
    ),
    Act(("regions-damaged",), damaged_regions),
    Act(
        ("problem-file", "problem-with-scan", "problem-many-words", "problem-answer", "reading"),
        problems,
    ),
    Act(("devices", "devices-no-gpu", "devices-obstacle", "gpu-stopped"), devices),
)
