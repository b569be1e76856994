"""Ask which image to write where, and write it in a thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.output.export.suv_choice import in_unit_of
from app.output.export.writing import export_folder, export_name, provenance_of, write
from app.state.models.images.shown_result import is_result_shown
from app.state.services.context import AppContext
from app.state.services.saving import may_write
from app.state.services.written_frames import frames_of


def ask_and_export(
    parent: QWidget, context: AppContext, current: int, done: Callable[[str], object]
) -> None:
    """Ask for an export, write the image in a thread, and mark its result as exported.

    Parameters
    ----------
    parent
        parent of the dialogs
    context
        context with the run
    current
        index of the image that is preset
    done
        called with a sentence after writing
    """
    # Imported on demand: it loads all writers.
    from app.output.export.export_dialog import ExportDialog

    record, preferences = context.session.run.record, context.preferences
    volumes = context.session.volumes
    opened = volumes.image.name if volumes.image is not None else ""
    items = record.images.items
    folder, name = export_folder(preferences.export_folder), export_name(record, items[current])
    dialog = ExportDialog(
        parent, items, current, folder, name, record.provenance, record.order,
        suffix=preferences.export_suffix,
        scan=record.study.data.name if record.study is not None else opened,
        is_shown=is_result_shown(volumes, record.result_id),
    )  # fmt: skip
    # A refused overwrite returns to the dialog with all entries.
    while dialog.exec():
        if may_write(parent, dialog.target, context.session):
            break
    else:
        return
    stored, target, kind = dialog.chosen, dialog.target, dialog.values.kind
    preferences.export_folder = str(target.parent)
    preferences.export_suffix = dialog.suffix
    made_by = provenance_of(record, stored, identify=preferences.identify)
    # The user may have stated the patient position in the views.
    shown = context.session.view.positioned(stored.volume)

    def save(_: object) -> Path:
        # In the thread, because a large image would stop the window.
        volume, provenance = in_unit_of(shown, made_by, kind)
        frames = frames_of(record, stored, target, kind)
        return write(volume, target, provenance, frames, record.order)

    def exported(path: Path) -> None:
        record.exported = True
        # An exported result may be removed by the limits of the results.
        context.results.note_exported(record.result_id)
        text = tr("Exported: {target}", target=path)
        context.session.add_log("info", text)
        done(text)

    context.commands.run_task(
        save,
        exported,
        busy=tr("Saving {name}", name=target.name),
        failed=tr("{name} was not saved.", name=target.name),
    )
