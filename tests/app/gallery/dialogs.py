"""Screenshots of every dialog and every question."""

from __future__ import annotations

import os
import time

from app.run.tuning.tuning_dialog import TuningDialog
from app.shell.dialogs.storage_dialog import StorageDialog
from app.shell.dialogs.support_dialog import SupportDialog
from app.shell.help.about_box import about_box
from app.shell.help.guide import GuideWindow
from app.shell.help.help_dialog import HelpDialog
from app.state.models.run_record import RunState
from app.state.services.saving import may_write
from app.workspace.ct_inspection.sweep_dialog import SweepDialog
from app.workspace.steps.protocols_dialog import ProtocolsDialog
from engine.core import paths
from engine.kernels.stored_variants import ENDING, FORMAT
from engine.tools.diagnostics import gather
from engine.tools.tuning.storing import write_record
from tests.app.gallery.photographer import Act, Photographer
from tests.app.gallery.systems import CT, PET

DAY_S = 86_400
HELP_PAGES = "steps", "shortcuts", "glossary"


def help_and_guide(shots: Photographer) -> None:
    """Show help and guide."""
    window = shots.window
    dialog = HelpDialog(window)
    dialog.show()
    shots.shoot("dialog-help", dialog)
    pages = dialog.tabs
    for index in range(1, pages.count()):
        pages.setCurrentIndex(index)
        shots.shoot(f"dialog-help-{HELP_PAGES[index]}", dialog)
    dialog.close()
    guide = GuideWindow(window)
    guide.show()
    shots.shoot("dialog-guide", guide)
    guide.search.setText("scatter")
    shots.shoot("dialog-guide-search", guide)
    guide.search.setText("nothing of the kind")
    shots.shoot("dialog-guide-nothing", guide)
    guide.close()
    shots.shoot_dialog("dialog-about", about_box(window))
    shots.shoot_dialog("dialog-support", SupportDialog(window, gather(log=["12:00  info  a"])))


def files(shots: Photographer) -> None:
    """Show the file dialogs and the storage dialog."""
    window = shots.window
    shots.shoot_dialog("dialog-storage-empty", StorageDialog(window, window.context, _agree))
    shots.open(shots.make(PET))
    window.context.preferences.folder_last_used = str(shots.demos)
    shots.shoot_modal("dialog-open", window.choose_any)
    shots.shoot_modal("dialog-save-study", window.dialogs.save_study)
    shots.shoot_modal("dialog-save-protocol", window.dialogs.save_protocol)
    shots.shoot_dialog("dialog-protocols", ProtocolsDialog(window, window.context))
    shots.start()
    shots.finish()
    old = paths.cache_dir() / "sensitivity" / "old.npz"
    old.write_bytes(bytes(5 << 20))
    os.utime(old, (time.time() - 99 * DAY_S,) * 2)
    storage = StorageDialog(window, window.context, window.dialogs.confirm)
    storage.show()
    shots.wait(lambda: bool(storage.items) and shots.is_calm())
    storage.tree.expandAll()
    storage.tree.topLevelItem(0).setSelected(True)
    shots.shoot("dialog-storage", storage)
    shots.shoot_modal("question-storage", storage.remove.click)
    storage.close()
    shots.show_tab("Results")
    results = window.tabs.currentWidget()
    results.select(0)
    shots.shoot_menu("menu-result", results.menu())
    shots.shoot_modal("question-delete", results._delete)
    record = window.session.run.record
    record.result_id, record.exported = "", False
    shots.shoot_modal("question-lost", window.may_forget_image)


def _agree(*words: str) -> bool:
    return True


def exports(shots: Photographer) -> None:
    """Export an image: to a new file, over another image, over an input."""
    from app.output.export.export_dialog import ExportDialog

    window, folder = shots.window, shots.folder / "settings"
    study = shots.make(PET)
    shots.open(study)
    shots.start()
    window.runner.finish()
    shots.wait(lambda: window.session.run.state is RunState.FINISHED and shots.is_calm())
    images = window.session.run.record.images.items
    existing = folder / "existing.nii.gz"
    existing.write_bytes(bytes(1 << 20))
    dialog = ExportDialog(window, images, len(images) - 1, folder, "FDG-2024-02-29")
    dialog.show()
    shots.shoot("dialog-export", dialog)
    dialog.path.setText(str(existing))
    shots.shoot("dialog-export-exists", dialog)
    dialog.path.setText(str(folder / "picture.exe"))
    shots.shoot("dialog-export-fault", dialog)
    shots.shoot_modal("dialog-export-choose", dialog._browse)
    dialog.close()
    session = window.session
    shots.shoot_modal("question-replace", lambda: may_write(window, existing, session))
    shots.shoot_modal("question-input", lambda: may_write(window, study.data, session))


def candidates(shots: Photographer) -> None:
    """Show candidates for axis and roll side by side."""
    window = shots.window
    shots.open(shots.make(CT))
    for sweep in window.session.study.modality.sweeps:
        dialog = SweepDialog(window, window.context, sweep)
        dialog.show()
        shots.wait(lambda dialog=dialog: dialog._bar.maximum() > 0)
        shots.shoot(f"dialog-{sweep.kind}-busy", dialog)
        shots.wait(lambda dialog=dialog: not dialog.job.is_busy)
        shots.shoot(f"dialog-{sweep.kind}", dialog)
        dialog.close()


def tuning(shots: Photographer) -> None:
    """Show a search for the fastest kernels: before, running, stopped, and refused."""
    window = shots.window
    shots.open(shots.make(PET))
    shots.shoot_menu("menu-device", window.header.device.menu())
    dialog = TuningDialog(window, window.context)
    dialog.show()
    shots.wait(shots.is_calm)
    shots.shoot("dialog-tuning", dialog)
    _keep_some()
    dialog.stored.refresh()
    shots.wait(shots.is_calm)
    dialog.row.budget.show_number(40)
    dialog.act.click()
    shots.settle()
    shots.shoot("dialog-tuning-prepares", dialog)
    shots.wait(lambda: len(dialog.model.tried) > 6)
    shots.shoot("dialog-tuning-busy", dialog)
    dialog.act.click()
    shots.wait(lambda: not dialog.job.is_busy and shots.is_calm())
    shots.shoot("dialog-tuning-stopped", dialog)
    dialog.row.budget.show_number(0)
    dialog.act.click()
    shots.shoot("dialog-tuning-refused", dialog)
    dialog.close()


def _keep_some() -> None:
    """Store a kernel variant of another machine in the folder of this one."""
    record = {
        "format": FORMAT, "machine": "AMD EPYC 9654 96-Core Processor, 192 threads",
        "kernel": "cone_back", "shape": "upright, 512³, 1024 rows", "source": "another",
        "values": {"threads": 192, "lines": 64, "views": 8}, "gain": 1.31,
        "tuned_utc": "2026-11-23T12:00:00+00:00",
    }  # fmt: skip
    write_record(record, paths.tuning_dir() / f"cone_back-0123{ENDING}")


DIALOGS = (
    Act(
        (
            *(
                "dialog-help",
                "dialog-help-shortcuts",
                "dialog-help-glossary",
                "dialog-guide",
                "dialog-guide-search",
            ),
            *("dialog-guide-nothing", "dialog-about", "dialog-support"),
        ),
        help_and_guide,
    ),
    Act(
        (
            *("dialog-storage-empty", "dialog-open", "dialog-save-study", "dialog-save-protocol"),
            "dialog-protocols",
            *("dialog-storage", "question-storage", "question-delete"),
            *("menu-result", "question-lost"),
        ),
        files,
    ),
    Act(
        (
            *("dialog-export", "dialog-export-exists", "dialog-export-fault"),
            *("dialog-export-choose", "question-replace", "question-input"),
        ),
        exports,
    ),
    Act(
        ("dialog-centre", "dialog-centre-busy", "dialog-roll", "dialog-roll-busy"),
        candidates,
    ),
    Act(
        (
            *("menu-device", "dialog-tuning", "dialog-tuning-prepares", "dialog-tuning-busy"),
            *("dialog-tuning-stopped", "dialog-tuning-refused"),
        ),
        tuning,
    ),
)
