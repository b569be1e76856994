"""Help: the workflow in a few sentences, every shortcut, and the words of the field."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.ui.theme.glossary import GLOSSARY
from app.ui.theme.widgets import fit_to_screen, label, scrolled

SIZE_PX = (640, 620)
STEPS = (
    (
        tr("1  Study"),
        tr(
            "Open a scan of PET or X-ray CT, or drop it on the window. Add a μ-map and crystal "
            "efficiencies to a PET scan if you have them."
        ),
    ),
    (
        tr("2  Corrections"),
        tr(
            "Each row says whether the correction is applied, what it did, or why it "
            "cannot be used."
        ),
    ),
    (
        tr("3, 4, 5  Settings"),
        tr(
            "Sound values are there already. Fast, Standard and "
            "Fine change voxels and iterations together."
        ),
    ),
    (
        tr("Start"),
        tr(
            "Memory and time stand in the lowest line before you press it. While it runs you "
            "may pause, abort, or finish early and keep the image."
        ),
    ),
    (
        tr("Device"),
        tr(
            "In the header. Automatic takes the GPU where there is one. If it fails, the "
            "last image "
            "is kept and you may go on on the CPU. Tune this machine, in the same menu, "
            "finds out in "
            "a minute which kernels are fastest here."
        ),
    ),
    (
        tr("Profile"),
        tr("Beside the progress: where the time goes, and what the device reaches while it works."),
    ),
    (
        tr("Measure"),
        tr(
            "Draw a line across a slice to see the values along it, with the width of the highest "
            "peak. Keep a curve to compare iterations."
        ),
    ),
    (
        tr("Regions"),
        tr(
            "Draw balls, boxes, polygons or voxels in the slices to read mean, peak and volume in "
            "them. They are kept with their scan, and hold for every image of it."
        ),
    ),
    (
        tr("Results"),
        tr(
            "Every finished image is kept there with its settings. Open one, take its "
            "settings, pin "
            "or delete it."
        ),
    ),
    (
        tr("Several volumes"),
        tr(
            "Over the views: lay a result, an iterate, the μ-map or any file over the "
            "volume on show, "
            "blended, swiped, side by side, as difference or ratio."
        ),
    ),
    (tr("Export"), tr("Writes the image on show, or any kept iteration, with its provenance.")),
)
SHORTCUTS = (
    ("Ctrl+O", tr("Open a file")),
    ("Ctrl+E", tr("Export the image")),
    ("Ctrl+S", tr("Save the study")),
    ("Ctrl+Shift+S", tr("Save the protocol under a name")),
    ("Ctrl+Shift+E", tr("Sign off, and report")),
    ("Ctrl+,", tr("Settings")),
    ("Ctrl+Shift+O", tr("All studies, and the worklist")),
    ("Ctrl+Shift+P", tr("Protocols: save, rename, lock, share")),
    ("Ctrl+R", tr("Start")),
    (tr("Space or Ctrl+P"), tr("Pause, go on")),
    ("Ctrl+K", tr("Finish and keep")),
    ("Ctrl+.", tr("Abort")),
    (tr("Ctrl+Shift+R, Ctrl+U"), tr("Add the study to the queue, show the queue")),
    (tr("Ctrl+Z, Ctrl+Shift+Z"), tr("Undo, redo a setting")),
    (tr("[ and ]"), tr("Earlier, later iteration")),
    ("F", tr("Views only")),
    ("L", tr("Draw lines in the slices, or move the crosshair again")),
    ("K", tr("Play a film in the views, or rest")),
    ("Z", tr("A magnifying glass under the pointer")),
    ("B", tr("Several slices as one, or single slices again")),
    ("O", tr("Hide the volume that lies over another one, and show it again")),
    ("T, M", tr("Turn the slice by a quarter, mirror it")),
    ("Ctrl+C", tr("Copy the views as a picture")),
    ("V, P, G, S", tr("Volume, projections, geometry, slices in space of an X-ray scan")),
    (tr("Ctrl+1 … 5"), tr("Open or close a step")),
    ("Ctrl+L", tr("Log")),
    ("Ctrl+Shift+L", tr("Follow a running X-ray scan")),
    ("Ctrl+T", tr("Light or dark")),
    ("F1", tr("This help")),
    ("Shift+F1", tr("The guide: first scans step by step, corrections, formulas, files")),
    (
        tr("In a view"),
        tr(
            "Drag left: crosshair. Drag right: window. Wheel: slices. Ctrl+wheel: zoom. "
            "Double click: enlarge."
        ),
    ),
    (
        tr("Planes in 3-D"),
        tr(
            "Drag a plane: move it. Drag its round handles: turn it. 1, 2, 3: choose. PgUp, PgDn: "
            "move. Shift+arrows: turn. Arrows: look from elsewhere. R: planes, 0: view as at first."
        ),
    ),
)


class HelpDialog(QDialog):
    """Three pages: how it goes, the keys, and what words mean."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Help"))
        fit_to_screen(self, *SIZE_PX)
        self.tabs = tabs = QTabWidget()
        tabs.addTab(_table(STEPS), tr("How it goes"))
        tabs.addTab(_table(SHORTCUTS), tr("Shortcuts"))
        tabs.addTab(_table(tuple(GLOSSARY.items())), tr("Words"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.addWidget(tabs)
        column.addWidget(buttons)


def _table(rows: tuple[tuple[str, str], ...]) -> QWidget:
    made = QWidget()
    grid = QGridLayout(made)
    grid.setContentsMargins(6, 14, 14, 6)
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(8)
    grid.setColumnStretch(1, 1)
    for i, (name, text) in enumerate(rows):
        head: QLabel = label(name, "entry", wrap=True)
        head.setMinimumWidth(130)
        words = label(text, wrap=True)
        for column, each in enumerate((head, words)):
            each.setAlignment(Qt.AlignmentFlag.AlignTop)
            grid.addWidget(each, i, column)
    grid.setRowStretch(len(rows), 1)
    return scrolled(made)
