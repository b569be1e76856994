"""Screenshots with names of 255 characters in every place, in narrow and wide windows."""

from __future__ import annotations

import shutil

from PySide6.QtWidgets import QScrollArea

from app.output.export.export_dialog import ExportDialog
from app.shell.dialogs.storage_dialog import StorageDialog
from app.state.models.messages import Problem
from app.state.services.saving import may_write
from app.views.line import Line
from engine.modalities.studies import Study
from tests.app.gallery.photographer import Act, Photographer
from tests.app.gallery.systems import DUAL, MANY, PET

MAX_NAME_BYTES, MAX_PROTOCOL_CHARACTERS = 255, 80
"""Characters of the longest names that a file and a protocol may have."""
FOLDER = "MUSTERMANN^ERIKA^MARIA_19701231_PID-0012345_Untersuchung-Kopf-Hals"


def long_name(start: str, ending: str) -> str:
    """Return a name without spaces, of the greatest length that a file system allows."""
    return f"{start}{'w' * (MAX_NAME_BYTES - len(start) - len(ending))}{ending}"


def renamed(shots: Photographer, study: Study) -> Study:
    """Return a study with the longest file names, in a folder named after a patient."""
    folder = shots.demos / FOLDER
    folder.mkdir(exist_ok=True)
    files = {"data": study.data, **study.inputs}
    copies = {}
    for role, file in files.items():
        ending = "".join(file.suffixes)
        copies[role] = folder / long_name(f"{role}_0123456789_", ending)
        if not copies[role].exists():
            shutil.copy(file, copies[role])
    algorithm = study.protocol.algorithm.model_copy(update={"iterations": MANY})
    changes = {"name": "Protocol_".ljust(MAX_PROTOCOL_CHARACTERS, "w"), "algorithm": algorithm}
    protocol = study.protocol.model_copy(update=changes)
    data = copies.pop("data")
    return study.model_copy(update={"data": data, "inputs": copies, "protocol": protocol})


def long_names(shots: Photographer) -> None:
    """Show long names in every place that shows a name."""
    window, session = shots.window, shots.window.session
    study = renamed(shots, shots.make(PET))
    shots.open(study)
    shots.shoot("long-opened")
    shots.start()
    window.runner.pause()
    shots.settle()
    shots.shoot("long-running")
    window.runner.pause()
    window.runner.finish()
    shots.finish()
    shots.shoot("long-finished")
    shots.show_tab("Facts")
    shots.shoot("long-facts")
    shots.show_tab("Results")
    window.tabs.currentWidget().select(0)
    shots.shoot("long-results")
    shots.shoot_modal("long-delete", window.tabs.currentWidget()._delete)
    name, images = study.data.name, session.run.record.images.items
    target = study.data.with_name(long_name("image_", ".nii.gz"))
    target.touch()
    dialog = ExportDialog(window, images, len(images) - 1, target.parent, target.name[:-7])
    dialog.show()
    shots.shoot("long-export", dialog)
    dialog.close()
    shots.shoot_modal("long-replace", lambda: may_write(window, target, session))
    shots.shoot_modal("long-input", lambda: may_write(window, study.data, session))
    text = f"{name}: not a text file (byte 0 is 0xb7); {name} " * 3
    session.raise_problem(Problem(f"{name} was not opened.", text, f"{name} stays open."))
    window.commands.busy_changed.emit(f"Reading {name}")
    window.commands.stoppable_changed.emit(True)
    shots.shoot("long-problem")
    window.commands.stoppable_changed.emit(False)
    window.commands.busy_changed.emit("")
    window.centre.message_bar.clear()
    storage = StorageDialog(window, window.context, lambda *words: False)
    storage.show()
    shots.wait(lambda: bool(storage.items) and shots.is_calm())
    storage.tree.expandAll()
    shots.shoot("long-storage", storage)
    storage.close()
    session.show_file(images[-1].volume, name)
    shots.shoot("long-picture")
    session.run.forget()
    session.study.set_input("data", None)
    window.welcome_lists._show()
    shots.shoot("long-offers")


def measures(shots: Photographer) -> None:
    """Show line profile, rods, crosshair and layouts."""
    window, view = shots.window, shots.window.session.view
    shots.open(shots.make(DUAL))
    shots.start()
    shots.finish()
    shots.show_tab("Measure")
    view.set_cursor((0.0, 0.0, 0.0))
    _, y, _ = view.cursor_mm
    measure = window.tabs.currentWidget()
    shots.shoot("measure-empty")
    view.set_line(Line("coronal", (-3.0, y, 13.5), (17.5, y, 13.5)))
    shots.wait(lambda: measure.line.profile is not None and bool(measure.rods.rows))
    measure.line.keep.click()
    shots.shoot("measure-line")
    bar = measure.findChild(QScrollArea).verticalScrollBar()
    bar.setValue(bar.maximum())
    shots.shoot("measure-rods")
    window.actions_.full_views.setChecked(True)
    shots.shoot("layout-views-only")
    window.actions_.full_views.setChecked(False)
    window.centre.views.toggle_enlarged(window.centre.views.coronal)
    shots.shoot("layout-enlarged")
    window.centre.views.toggle_enlarged(window.centre.views.coronal)
    shots.show_tab("Progress")
    before = window.size()
    window.resize(window.minimumSize())
    shots.shoot("layout-narrow")
    window.resize(window.screen().availableSize())
    shots.shoot("layout-full-screen")
    window.resize(before)


LONG_NAMES = (
    Act(
        (
            *("long-opened", "long-running", "long-finished", "long-facts", "long-results"),
            *("long-delete", "long-export", "long-replace", "long-input", "long-problem"),
            *("long-storage", "long-picture", "long-offers"),
        ),
        long_names,
    ),
    Act(
        (
            *("measure-empty", "measure-line", "measure-rods", "layout-views-only"),
            *("layout-enlarged", "layout-narrow", "layout-full-screen"),
        ),
        measures,
    ),
)
