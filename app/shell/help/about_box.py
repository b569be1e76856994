"""The box with version, licence, and the places of the licence texts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.language.translation import tr
from app.ui.theme.questions import question_box

ICON_PX = 48
QT_NOTICE = "QT.md"
QT_SOURCE = "https://download.qt.io/official_releases/"
"""Folder with the source code of all versions of Qt and PySide6."""


def licence_folder() -> Path:
    """Return the folder with the licence texts of Qt, in the installation or in the sources."""
    from importlib.metadata import files

    # An editable installation has no texts of its own; they are in the sources.
    found = [file for file in files("isocenter") or () if file.name == QT_NOTICE]
    installed = [Path(str(file.locate())) for file in found]
    sources = Path(__file__).resolve().parents[3] / "LICENSES"
    return next((each.parent for each in installed if each.is_file()), sources)


def about_box(parent: QWidget) -> QMessageBox:
    """Return the box with version and licence."""
    from importlib.metadata import version

    parts = (
        tr("Isocenter {version}", version=version("isocenter")),
        tr("Reconstructs images from PET and X-ray CT data."),
        tr("Research use only. Not for diagnosis or treatment."),
        tr("Free software, BSD-3-Clause licence."),
        tr(
            "The window uses Qt and PySide6 under the LGPL-3.0. Their licence texts are in "
            "{folder}. Their source code is at {source}.",
            folder=licence_folder(),
            source=QT_SOURCE,
        ),
    )
    box = question_box(parent, tr("About Isocenter"), "\n\n".join(parts), "info")
    box.setIconPixmap(parent.windowIcon().pixmap(ICON_PX))
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    # `open` returns at once, so nobody else can delete the box.
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box
