"""The dialog of an export names its scan, and warns while the views show other volumes."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel

from app.output.export.export_dialog import NOT_SHOWN, ExportDialog
from app.output.export.exporting import ask_and_export
from app.state.models.images.open_volume import IMAGE, OpenVolume
from app.state.models.run_record import RunRecord
from engine.data import Volume
from engine.geometry import ImageGrid

GRID = ImageGrid((4, 6, 6), (4.0, 4.0, 4.0))


def test_export_names_its_scan_and_warns_of_other_volumes(
    qapp, parent, controls, small_study
) -> None:
    session, volumes = controls.session, controls.session.volumes
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL", {"axes": "LPS"})
    session.show_result(RunRecord("small", small_study), "final", image)
    volumes.add(OpenVolume("file:other", "other.h5", "file", image))
    seen: list[tuple[str, bool]] = []

    def look() -> None:
        dialog = qapp.activeModalWidget()
        assert isinstance(dialog, ExportDialog)
        texts = " ".join(each.text() for each in dialog.findChildren(QLabel))
        seen.append((dialog.scan.full_text, NOT_SHOWN in texts))
        dialog.reject()

    for base in (IMAGE, "file:other"):
        volumes.set_base(base)
        QTimer.singleShot(0, qapp, look)
        ask_and_export(parent, controls.context, 0, lambda text: None)
    assert seen == [(small_study.data.name, False), (small_study.data.name, True)]
