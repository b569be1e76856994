"""Help: workflow, shortcuts and glossary."""

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
        tr("1  Scan"),
        tr(
            "Open a PET or X-ray CT scan, or drop it on the window. The card shows the scanner, "
            "the patient and the number of warnings."
        ),
    ),
    (
        tr("2  Protocol"),
        tr(
            "The defaults suit most scans. Fast, Standard and Fine change the voxel size "
            "and the number of iterations together. “More” shows all settings."
        ),
    ),
    (
        tr("3  Corrections"),
        tr("Each row shows the effect of a correction, or the reason why it is not applied."),
    ),
    (
        tr("4  Inputs"),
        tr("Add a μ-map, a normalisation and the other files that the corrections need."),
    ),
    (
        tr("Start"),
        tr(
            "The status line shows the memory and time the run needs. During the "
            "run you can pause, abort, or finish early and keep the image."
        ),
    ),
    (
        tr("Judge"),
        tr(
            "After the start, the images fill the window. The card above them shows the run and "
            "its warnings. Accept or reject the image there, send it, or open the next scan."
        ),
    ),
    (
        tr("Device"),
        tr(
            "Choose the device in the header. “Automatic” uses the GPU if available. If "
            "the GPU fails, the last image is kept and you can continue on the CPU. “Tune "
            "this machine” in the same menu finds the fastest kernels in about a minute."
        ),
    ),
    (
        tr("Profile"),
        tr(
            "The panel Profile, next to Progress, shows the duration of each stage and the "
            "performance of the device."
        ),
    ),
    (
        tr("Measure"),
        tr(
            "Draw a line across a slice to plot the values along it and to measure the width of "
            "the highest peak. Keep a curve to compare iterations."
        ),
    ),
    (
        tr("Regions"),
        tr(
            "Draw spheres, boxes, polygons or voxels in the slices to measure their mean, peak and "
            "volume. Regions are saved with their scan and apply to all its images."
        ),
    ),
    (
        tr("Results"),
        tr(
            "Every finished image is saved in the panel Results with its settings. There you "
            "can open it, reuse its settings, pin it or delete it."
        ),
    ),
    (
        tr("Several volumes"),
        tr(
            "Above the views, you can overlay a result, an iteration, the μ-map or a file "
            "on the displayed volume. Blend or swipe the two volumes, show them side by "
            "side, or show their difference or ratio."
        ),
    ),
    (tr("Export"), tr("Saves the displayed image, or any stored iteration, with its provenance.")),
)
SHORTCUTS = (
    ("Ctrl+O", tr("Open a file")),
    ("Ctrl+E", tr("Export the image")),
    ("Ctrl+S", tr("Save the study")),
    ("Ctrl+Shift+S", tr("Save the settings as a protocol")),
    ("Ctrl+Shift+E", tr("Sign off and save report")),
    ("Ctrl+,", tr("Settings")),
    ("Ctrl+Shift+O", tr("All studies and the worklist")),
    ("Ctrl+Shift+P", tr("Protocols: save, rename, lock, share")),
    ("Ctrl+R", tr("Start")),
    (tr("Space or Ctrl+P"), tr("Pause or continue")),
    ("Ctrl+K", tr("Finish and keep")),
    ("Ctrl+.", tr("Abort")),
    (tr("Ctrl+Shift+R, Ctrl+U"), tr("Add the study to the queue, or show the queue")),
    (tr("Ctrl+Z, Ctrl+Shift+Z"), tr("Undo or redo a change")),
    (tr("[ and ]"), tr("Previous or next iteration")),
    ("F", tr("Views only")),
    ("L", tr("Switch between drawing lines in the slices and moving the crosshair")),
    ("K", tr("Play or stop a movie in the views")),
    ("E", tr("Add the view to the report")),
    ("Z", tr("Show a magnifying glass at the pointer")),
    ("B", tr("Switch between thick and single slices")),
    ("O", tr("Show or hide the overlaid volume")),
    ("X", tr("Show or hide the crosshair")),
    ("D", tr("Switch between the 3D view and the projection")),
    ("T, M", tr("Rotate the slice by 90°, or mirror it")),
    ("Ctrl+C", tr("Copy the views as an image")),
    ("V, P, G, S", tr("Show the volume, projections, geometry or oblique planes of an X-ray scan")),
    (tr("Ctrl+1 … 4"), tr("Open or close a card")),
    ("Ctrl+J", tr("Switch between Prepare and Judge")),
    ("Ctrl+L", tr("Log")),
    ("Ctrl+Shift+L", tr("Watch a running scan")),
    ("Ctrl+T", tr("Light or dark theme")),
    ("F1", tr("This help")),
    ("Shift+F1", tr("The guide: tutorials, corrections, formulas and file formats")),
    (
        tr("In a view"),
        tr(
            "Left drag: crosshair. Right drag: window. Wheel: slices. Ctrl+wheel: zoom. Double "
            "click: enlarge."
        ),
    ),
    (
        tr("Planes in 3-D"),
        tr(
            "Drag a plane to move it, or drag its round handles to rotate it. 1, 2, 3: "
            "select. PgUp, PgDn: move. Shift+arrows: rotate. Arrows: change the viewpoint. "
            "R: reset planes. 0: reset view."
        ),
    ),
)


class HelpDialog(QDialog):
    """Three tabs: first steps, shortcuts and glossary."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Help"))
        fit_to_screen(self, *SIZE_PX)
        self.tabs = tabs = QTabWidget()
        shortcuts = tuple((_local_keys(keys), text) for keys, text in SHORTCUTS)
        self._rows = (STEPS, shortcuts, tuple(GLOSSARY.items()))
        for title in (tr("First steps"), tr("Shortcuts"), tr("Glossary")):
            tabs.addTab(QWidget(), title)
        tabs.currentChanged.connect(self._fill)
        self._fill(0)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.addWidget(tabs)
        column.addWidget(buttons)

    def _fill(self, index: int) -> None:
        """Fill a page when it is first shown: the whole dialog would take a tenth of a second."""
        page = self.tabs.widget(index)
        if page is not None and page.layout() is None:
            column = QVBoxLayout(page)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(_table(self._rows[index]))


def _local_keys(keys: str) -> str:
    """Return keys with the names on the keyboard of the user: "Strg+O" in German."""
    return keys.replace("Ctrl+", tr("Ctrl+")).replace("Shift+", tr("Shift+"))


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
    # An empty last row takes the remaining space, so that the rows stay at the top.
    grid.setRowStretch(len(rows), 1)
    return scrolled(made)
