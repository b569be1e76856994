"""Storage on disk: jobs, results and caches, with buttons that remove them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.services.context import AppContext
from app.ui.theme.formatting import size
from app.ui.theme.widgets import button, fit_to_screen, label
from app.views.literal_text import literal_tip
from engine.core.errors import EngineError
from engine.jobs import StoredItem, choose_stored, kind_title, remove_stored, stored

SIZE_PX = (720, 460)
COLUMNS = (tr("Content"), tr("Size"), tr("Last used"))
PATHS = Qt.ItemDataRole.UserRole
OLD_DAYS = 30
Confirm = Callable[[str, str, str], bool]


class StorageDialog(QDialog):
    """List of stored items by kind; selected ones can be removed after a question."""

    def __init__(self, parent: QWidget | None, context: AppContext, confirm: Confirm) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Storage"))
        fit_to_screen(self, *SIZE_PX)
        self._context, self._confirm = context, confirm
        self.items: list[StoredItem] = []
        self.sum = label(tr("Calculating disk usage …"), wrap=True)
        self.message = label("", "muted", wrap=True)
        self.message.hide()
        self.tree = _tree()
        self.tree.itemSelectionChanged.connect(self._enable_buttons)
        self.remove = button(tr("Remove selected …"), self._remove_selected)
        self.remove_old = button(
            tr("Remove caches unused for {OLD_DAYS} days …", OLD_DAYS=OLD_DAYS),
            self._remove_old,
            tr("Caches are recreated when needed, which takes time"),
        )
        self.close_button = button(tr("Close"), self.accept, role="primary")
        self._lay_out()
        self._enable_buttons()
        self.refresh()

    def refresh(self) -> None:
        """Read the disk in a thread."""
        failed = tr("The folders could not be read.")
        self._context.commands.run_task(lambda _: stored(), self._show, failed=failed)

    @property
    def selected(self) -> list[StoredItem]:
        """Selected items that can be removed, each once; a kind includes all of its items."""
        paths = {path for row in self.tree.selectedItems() for path in row.data(0, PATHS)}
        found = [item for item in self.items if str(item.path) in paths]
        # Drops running jobs and results, which cannot be removed here.
        return choose_stored(found, [item.kind for item in found])

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for each in (self.remove, self.remove_old):
            buttons.addWidget(each)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addWidget(self.sum)
        column.addWidget(self.tree, 1)
        column.addWidget(self.message)
        column.addLayout(buttons)

    def _show(self, items: list[StoredItem]) -> None:
        self.items = items
        self.tree.clear()
        for kind in dict.fromkeys(item.kind for item in items):
            some = [item for item in items if item.kind == kind]
            head = _row(kind_title(kind), some)
            for item in some:
                row = _row(item.name, [item])
                row.setToolTip(0, literal_tip(str(item.path)))
                head.addChild(row)
            self.tree.addTopLevelItem(head)
        total = size(sum(item.n_bytes for item in items))
        self.sum.setText(
            tr(
                "Isocenter uses {total} on this disk for its own files. Interrupted "
                "jobs can be resumed. Caches save time and are recreated when needed. "
                "Delete results one by one in the panel Results.",
                total=total,
            )
        )
        self._enable_buttons()

    def _enable_buttons(self) -> None:
        chosen = self.selected
        self.remove.setEnabled(bool(chosen))
        tip = tr(
            "{n_chosen:,} selected, {size}",
            n_chosen=len(chosen),
            size=size(sum(item.n_bytes for item in chosen)),
        )
        self.remove.setToolTip(
            literal_tip(
                tip
                if chosen
                else tr(
                    "Select jobs or caches first. Running jobs and results cannot be removed here."
                )
            )
        )
        self.remove_old.setEnabled(bool(self._old_caches()))

    def _old_caches(self) -> list[StoredItem]:
        return choose_stored(self.items, ["caches"], OLD_DAYS)

    def _remove_selected(self) -> None:
        self._remove_after_question(self.selected)

    def _remove_old(self) -> None:
        self._remove_after_question(self._old_caches())

    def _remove_after_question(self, doomed: list[StoredItem]) -> None:
        n_jobs = sum(item.kind == "interrupted" for item in doomed)
        n, total = len(doomed), size(sum(item.n_bytes for item in doomed))
        text = (
            tr("Remove 1 entry ({total})?", total=total)
            if n == 1
            else tr("Remove {n:,} entries ({total})?", n=n, total=total)
        )
        if n_jobs:
            # The program creates caches again. An interrupted job is lost.
            lost = (
                tr("1 interrupted job will be lost.")
                if n_jobs == 1
                else tr("{n:,} interrupted jobs will be lost.", n=n_jobs)
            )
            text = f"{text} {lost}"
        if doomed and self._confirm(tr("Remove from disk"), text, tr("Remove")):
            self._context.commands.run_task(
                lambda _: _remove_items(doomed),
                self._show_faults,
                failed=tr("Some entries could not be removed."),
            )

    def _show_faults(self, faults: list[str]) -> None:
        self.message.setText(" ".join(faults) or tr("Removed."))
        self.message.show()
        self.refresh()


def _remove_items(doomed: list[StoredItem]) -> list[str]:
    """Remove items; return the reasons why some could not be removed."""
    faults = []
    for item in doomed:
        try:
            remove_stored(item)
        except EngineError as e:
            faults.append(str(e))
    return faults


def _tree() -> QTreeWidget:
    tree = QTreeWidget()
    tree.setAccessibleName(tr("Jobs, results and caches on the disk"))
    tree.setHeaderLabels(COLUMNS)
    tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    tree.setUniformRowHeights(True)
    # Names of jobs differ at the end.
    tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for column in (1, 2):
        tree.headerItem().setTextAlignment(column, right)
    head = tree.header()
    head.setStretchLastSection(False)
    head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for column in (1, 2):
        head.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
    return tree


def _row(name: str, items: list[StoredItem]) -> QTreeWidgetItem:
    n = len(items)
    what = f"{name} ({n:,})" if n > 1 else name
    # A kind is as recent as its newest item.
    days = min(item.age_days for item in items)
    if days < 1:
        used = tr("today")
    else:
        used = tr("{days:,.0f} days ago", days=days) if days >= 1.5 else tr("1 day ago")
    row = QTreeWidgetItem([what, size(sum(item.n_bytes for item in items)), used])
    # Rows of a kind store all paths, so that selecting one selects its items.
    row.setData(0, PATHS, [str(item.path) for item in items])
    for column in (1, 2):
        row.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return row
