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

from app.look.glossary import GLOSSARY
from app.look.widgets import fit_to_screen, label, scrolled

SIZE_PX = (640, 620)
STEPS = (
    (
        "1  Study",
        "Open a scan of PET or X-ray CT, or drop it on the window. Add a μ-map and crystal "
        "efficiencies to a PET scan if you have them.",
    ),
    (
        "2  Corrections",
        "Each row says whether the correction is applied, what it did, or why it cannot be used.",
    ),
    (
        "3, 4, 5  Settings",
        "Sound values are there already. Fast, Standard and "
        "Fine change voxels and iterations together.",
    ),
    (
        "Start",
        "Memory and time stand in the lowest line before you press it. While it runs you "
        "may pause, abort, or finish early and keep the image.",
    ),
    (
        "Device",
        "In the header. Automatic takes the GPU where there is one. If it fails, the last image "
        "is kept and you may go on on the CPU. Tune this machine, in the same menu, finds out in "
        "a minute which kernels are fastest here.",
    ),
    (
        "Profile",
        "Beside the progress: where the time goes, and what the device reaches while it works.",
    ),
    (
        "Measure",
        "Draw a line across a slice to see the values along it, with the width of the highest "
        "peak. Keep a curve to compare iterations.",
    ),
    (
        "Regions",
        "Draw balls, boxes, polygons or voxels in the slices to read mean, peak and volume in "
        "them. They are kept with their scan, and hold for every image of it.",
    ),
    (
        "Results",
        "Every finished image is kept there with its settings. Open one, take its settings, pin "
        "or delete it.",
    ),
    (
        "Several volumes",
        "Over the views: lay a result, an iterate, the μ-map or any file over the volume on show, "
        "blended, swiped, side by side, as difference or ratio.",
    ),
    ("Export", "Writes the image on show, or any kept iteration, with its provenance."),
)
SHORTCUTS = (
    ("Ctrl+O", "Open a file"),
    ("Ctrl+E", "Export the image"),
    ("Ctrl+S", "Save the study"),
    ("Ctrl+Shift+S", "Save the protocol under a name"),
    ("Ctrl+Shift+E", "Sign off, and report"),
    ("Ctrl+,", "Settings"),
    ("Ctrl+Shift+P", "Protocols: save, rename, lock, share"),
    ("Ctrl+R", "Start"),
    ("Space or Ctrl+P", "Pause, go on"),
    ("Ctrl+K", "Finish and keep"),
    ("Ctrl+.", "Abort"),
    ("Ctrl+Shift+R, Ctrl+U", "Add the study to the queue, show the queue"),
    ("Ctrl+Z, Ctrl+Shift+Z", "Undo, redo a setting"),
    ("[ and ]", "Earlier, later iteration"),
    ("F", "Views only"),
    ("L", "Draw lines in the slices, or move the crosshair again"),
    ("K", "Play a film in the views, or rest"),
    ("Z", "A magnifying glass under the pointer"),
    ("B", "Several slices as one, or single slices again"),
    ("O", "Hide the volume that lies over another one, and show it again"),
    ("T, M", "Turn the slice by a quarter, mirror it"),
    ("Ctrl+C", "Copy the views as a picture"),
    ("V, P, G, S", "Volume, projections, geometry, slices in space of an X-ray scan"),
    ("Ctrl+1 … 5", "Open or close a step"),
    ("Ctrl+L", "Log"),
    ("Ctrl+Shift+L", "Follow a running X-ray scan"),
    ("Ctrl+T", "Light or dark"),
    ("F1", "This help"),
    ("Shift+F1", "The guide: first scans step by step, corrections, formulas, files"),
    (
        "In a view",
        "Drag left: crosshair. Drag right: window. Wheel: slices. Ctrl+wheel: zoom. "
        "Double click: enlarge.",
    ),
    (
        "Planes in space",
        "Drag a plane: move it. Drag its round handles: turn it. 1, 2, 3: choose. PgUp, PgDn: "
        "move. Shift+arrows: turn. Arrows: look from elsewhere. R: planes, 0: view as at first.",
    ),
)


class HelpDialog(QDialog):
    """Three pages: how it goes, the keys, and what words mean."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Help")
        fit_to_screen(self, *SIZE_PX)
        self.tabs = tabs = QTabWidget()
        tabs.addTab(_table(STEPS), "How it goes")
        tabs.addTab(_table(SHORTCUTS), "Shortcuts")
        tabs.addTab(_table(tuple(GLOSSARY.items())), "Words")
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
