"""List of the saved kernel variants, with a button that removes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.services.commands import Commands
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip
from engine.tools.tuning import KERNELS

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.tuning import StoredForm

COLUMNS = (tr("Kernel"), tr("Size"), tr("Speed"), tr("Machine"), tr("Found"))
MAX_ROWS = 4
NOTHING = tr("No variants are saved. All kernels use the default variant.")
SOME = tr(
    "A variant is used only on the computer where it was found, and only for images of a "
    "similar size (rounded to a power of two)."
)
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
TIP = tr("Use the default variant again")


class VariantList(QWidget):
    """List the saved variants, and remove the selected ones."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self.forms: list[StoredForm] = []
        self.text = label("", "muted", wrap=True)
        self.tree = _tree()
        self.tree.itemSelectionChanged.connect(self._enable_remove)
        self.forget = button(tr("Remove"), self._remove_selected, TIP)
        # Return in a field must not remove variants.
        self.forget.setAutoDefault(False)
        row = QHBoxLayout()
        row.addWidget(self.text, 1)
        row.addWidget(self.forget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.tree)
        column.addLayout(row)
        self._enable_remove()

    def refresh(self) -> None:
        """Read the saved variants in a thread."""
        self._commands.run_task(
            lambda _: _read_variants(), self._show, failed=tr("The list could not be read.")
        )

    def _show(self, forms: list[StoredForm]) -> None:
        self.forms = forms
        self.tree.clear()
        for form in forms:
            self.tree.addTopLevelItem(_row(form))
        self.text.setText(SOME if forms else NOTHING)
        self._fit(min(len(forms), MAX_ROWS))
        # An empty list would only take space.
        self.tree.setVisible(bool(forms))
        self.forget.setVisible(bool(forms))
        self._enable_remove()

    def _fit(self, n_rows: int) -> None:
        """Fit the height to the rows, so that the plot gets the remaining space."""
        if n_rows:
            head = self.tree.header().sizeHint().height()
            self.tree.setFixedHeight(head + n_rows * self.tree.sizeHintForRow(0) + 4)

    def _enable_remove(self) -> None:
        self.forget.setEnabled(bool(self.tree.selectedItems()))
        self.forget.setToolTip(
            literal_tip(TIP if self.forget.isEnabled() else tr("Select a variant first"))
        )

    def _remove_selected(self) -> None:
        # Collected before the thread starts, because the list is read again afterwards.
        doomed = [self.forms[index.row()] for index in self.tree.selectionModel().selectedRows()]

        def forget(_: object) -> None:
            from engine.tools.tuning import forget_stored

            for form in doomed:
                forget_stored(form)

        self._commands.run_task(
            forget,
            lambda _: None,
            failed=tr("Some variants could not be removed."),
            on_end=self.refresh,
        )


def _read_variants() -> list[StoredForm]:
    from engine.tools.tuning import stored_forms

    return stored_forms()


def _tree() -> QTreeWidget:
    tree = QTreeWidget()
    tree.setAccessibleName(tr("Saved variants"))
    tree.setHeaderLabels(COLUMNS)
    tree.setRootIsDecorated(False)
    tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    tree.setUniformRowHeights(True)
    tree.headerItem().setTextAlignment(2, RIGHT)
    head = tree.header()
    head.setStretchLastSection(False)
    for column in range(len(COLUMNS)):
        head.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
    head.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
    return tree


def _row(form: StoredForm) -> QTreeWidgetItem:
    kernel = KERNELS.get(form.kernel, form.kernel)
    speed = f"{form.gain:.2f} ×" if form.is_current else tr("not used")
    row = QTreeWidgetItem([kernel, form.shape, speed, form.machine, form.tuned_utc[:10]])
    row.setTextAlignment(2, RIGHT)
    values = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in form.values.items())
    # A variant depends on the source of its kernel, so another version may not use it.
    state = (
        ""
        if form.is_current
        else tr("Found with another version of Isocenter. Tune again to use a variant.")
    )
    for column in range(len(COLUMNS)):
        row.setToolTip(column, literal_tip(f"{values}. {form.machine}. {state}".strip()))
    return row
