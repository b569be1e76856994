"""The table of compiled kernels: threads, registers and occupancy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.language.translation import tr
from app.run.profile_text import percent
from app.ui.theme.formatting import size
from app.ui.theme.widgets import label, set_tone
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from engine.core.profiling import Kernel

KERNELS = {
    "forward": tr("Forward"),
    "back": tr("Back"),
    "update": tr("Forward/back"),
    "replicates": tr("Forward/back (replicates)"),
    "joseph forward": tr("Forward (ray-driven)"),
    "joseph back": tr("Back (ray-driven)"),
    "matrix forward": tr("Forward"),
    "matrix back": tr("Back"),
}
"""Displayed names of the kernels that do the main work of a stage."""
REGISTERS_TIP = tr(
    "Registers are the fastest memory available to a thread. The fewer a kernel uses, the more "
    "threads can run on the GPU at once."
)
OCCUPANCY_TIP = tr(
    "Threads that run on the GPU at once, as a share of the maximum (occupancy). While "
    "some threads wait for memory, others can compute. Above about 50 %, more threads "
    "rarely help."
)
THREADS_TIP = tr("Threads in one block. They share the memory of the block.")


class KernelTable(QWidget):
    """One line for each compiled kernel; hidden without kernels."""

    HEADS = (
        (tr("Kernel"), tr("A program that runs on the GPU.")),
        (tr("Threads"), THREADS_TIP),
        (tr("Registers"), REGISTERS_TIP),
        (tr("Occupancy"), OCCUPANCY_TIP),
    )

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, 1)
        right = Qt.AlignmentFlag.AlignRight
        for at, (title, tip) in enumerate(self.HEADS):
            head = label(title, "caption" if at else "")
            head.setToolTip(literal_tip(tip))
            self._grid.addWidget(head, 0, at, right if at else Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._lines: list[tuple[ElidedLabel, QLabel, QLabel, QLabel]] = []

    def show_kernels(self, kernels: tuple[Kernel, ...]) -> None:
        """Replace all lines.

        Parameters
        ----------
        kernels
            kernels of the run; empty hides the table
        """
        while len(self._lines) < len(kernels):
            self._lines.append(self._new_line(len(self._lines) + 1))
        for i, line in enumerate(self._lines):
            for each in line:
                each.setVisible(i < len(kernels))
            if i < len(kernels):
                _fill(line, kernels[i])
        self.setVisible(bool(kernels))

    def _new_line(self, at: int) -> tuple[ElidedLabel, QLabel, QLabel, QLabel]:
        line = ElidedLabel(), label("", "number"), label("", "number"), label("", "number")
        line[0].setProperty("role", "caption")
        self._grid.addWidget(line[0], at, 0)
        line[3].setToolTip(literal_tip(OCCUPANCY_TIP))
        for column in (1, 2, 3):
            self._grid.addWidget(line[column], at, column, Qt.AlignmentFlag.AlignRight)
        return line


def _fill(line: tuple[ElidedLabel, QLabel, QLabel, QLabel], kernel: Kernel) -> None:
    line[0].set_full_text(KERNELS.get(kernel.name, kernel.name))
    line[1].setText(str(kernel.n_threads))
    line[1].setToolTip(literal_tip(_threads_tip(kernel)))
    line[2].setText(str(kernel.registers))
    # Spilled registers are the most frequent reason for a slow kernel.
    set_tone(line[2], "warning" if kernel.local_bytes else "")
    line[2].setToolTip(literal_tip(_registers_tip(kernel)))
    line[3].setText(percent(kernel.occupancy))


def _threads_tip(kernel: Kernel) -> str:
    """Return the explanation of threads, with the shared memory of a kernel."""
    return tr(
        "{THREADS_TIP} This kernel uses {size} of shared memory.",
        THREADS_TIP=THREADS_TIP,
        size=size(kernel.shared_bytes),
    )


def _registers_tip(kernel: Kernel) -> str:
    """Return the explanation of registers, with a warning if they are not sufficient.

    Parameters
    ----------
    kernel
        compiled kernel; `local_bytes` above 0 means that registers are spilled to slow memory
    """
    if not kernel.local_bytes:
        return REGISTERS_TIP
    return tr(
        "{REGISTERS_TIP} This kernel needs more registers than are available, so each "
        "thread also uses {local_bytes} bytes of slow memory.",
        REGISTERS_TIP=REGISTERS_TIP,
        local_bytes=kernel.local_bytes,
    )
