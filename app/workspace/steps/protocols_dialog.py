"""The saved protocols: use, save, rename, lock, delete, share as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.models.protocols.library import LOCKED, OWNERS, ListedProtocol
from app.state.services.context import AppContext
from app.state.services.saving import ask_target
from app.ui.theme.file_dialogs import ask_open
from app.ui.theme.icons import draw
from app.ui.theme.questions import ask, ask_text
from app.ui.theme.widgets import button, fit_to_screen, label, set_tone
from app.views.literal_text import literal_tip
from app.workspace.steps.protocol_facts import ProtocolFacts
from app.workspace.steps.saving_protocols import save_as
from engine.core.errors import EngineError
from engine.core.visible_text import visible_line
from engine.modalities import MODALITIES

SIZE_PX = (860, 560)
COLUMNS = (tr("Protocol"), tr("Version"), tr("Source"))
PLACE = Qt.ItemDataRole.UserRole
KINDS = tr("Protocols (*.toml)")
RUNNING = tr("A reconstruction is running.")


class ProtocolsDialog(QDialog):
    """Lists all protocols by modality and acts on the selected one."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Protocols"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit_to_screen(self, *SIZE_PX)
        self._context, self._study = context, context.session.study
        self._library, self.items = context.preferences.library, list[ListedProtocol]()
        self.tree = _tree()
        self.tree.currentItemChanged.connect(self._show_chosen)
        self.facts = ProtocolFacts(context)
        self.message = label("", "muted", wrap=True)
        self.buttons: dict[str, QPushButton] = {
            "use": button(tr("Use"), self._use_chosen, role="primary"),
            "save": button(tr("Save changes …"), self._save),
            "new": button(tr("New from this study …"), self._new),
            "rename": button(tr("Rename …"), self._rename),
            "lock": button(tr("Lock"), self._lock),
            "delete": button(tr("Delete …"), self._delete),
            "export": button(tr("Share …"), self._export),
            "import": button(tr("Import …"), self._import),
        }
        self._lay_out()
        self._fill(self._study.base.name)

    @property
    def chosen(self) -> ListedProtocol | None:
        """The selected protocol; None if there is none."""
        row = self.tree.currentItem()
        place = row.data(0, PLACE) if row is not None else None
        return self.items[place] if isinstance(place, int) else None

    def _lay_out(self) -> None:
        upper, lower = QHBoxLayout(), QHBoxLayout()
        upper.setSpacing(16)
        upper.addWidget(self.tree, 3)
        upper.addWidget(self.facts, 2)
        for name in ("new", "save", "rename", "lock", "delete", "export", "import"):
            lower.addWidget(self.buttons[name])
        lower.addStretch(1)
        lower.addWidget(button(tr("Close"), self.reject))
        lower.addWidget(self.buttons["use"])
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addLayout(upper, 1)
        column.addWidget(self.message)
        column.addLayout(lower)

    def _fill(self, name: str) -> None:
        """List all protocols again, and select one by name, or else the first of the modality."""
        self.items.clear()
        self.tree.clear()
        current = first = None
        for modality in MODALITIES:
            head = QTreeWidgetItem([modality.title[:1].upper() + modality.title[1:]])
            # Headings can be opened but not selected.
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.tree.addTopLevelItem(head)
            for listed in self._library.listed(modality):
                row = self._row(listed)
                head.addChild(row)
                is_kind = modality is self._study.modality
                first = row if is_kind and first is None else first
                # Names are unique within a modality only; that of the study is preferred.
                if listed.protocol.name == name and (is_kind or current is None):
                    current = row
        self.tree.expandAll()
        # Without a selection, half of the dialog would be empty.
        if (chosen := current or first) is not None:
            self.tree.setCurrentItem(chosen)
        left_out = self._library.left_out()
        self.message.setText(" ".join(tr("Skipped: {each}", each=each) for each in left_out))
        self.message.setVisible(bool(left_out))
        set_tone(self.message, "warning")
        self._show_chosen()

    def _row(self, listed: ListedProtocol) -> QTreeWidgetItem:
        version = str(listed.revision) if listed.revision else ""
        row = QTreeWidgetItem([visible_line(listed.protocol.name), version, OWNERS[listed.source]])
        row.setData(0, PLACE, len(self.items))
        row.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if listed.is_locked:
            row.setIcon(0, draw("lock", self._context.theme, "muted"))
            row.setText(2, LOCKED[listed.source])
        row.setToolTip(0, literal_tip(str(listed.path or OWNERS["program"])))
        self.items.append(listed)
        return row

    def _show_chosen(self) -> None:
        found = self.chosen
        self.facts.show_protocol(found)
        why = tr("Select a protocol in the list.") if found is None else ""
        fixed = why or (found.fixed if found is not None else "")
        shared = found is not None and found.source != "own"
        busy = RUNNING if self._context.session.run.state.is_active else ""
        own = why or (found.fixed if found is not None and shared else "")
        lock = tr("Unlock") if found is not None and found.is_locked else tr("Lock")
        self.buttons["lock"].setText(lock)
        unchanged = "" if self._study.changes else tr("The settings of the study have not changed.")
        of_base = found is not None and found.protocol.name == self._study.base.name
        # Changes are relative to the protocol in use and cannot be saved to another one.
        no_base = "" if of_base else tr("Changes can be saved only to the protocol in use.")
        for name, obstacle, tip in (
            ("use", busy or why, tr("Use this protocol for the current study")),
            (
                "save",
                fixed or busy or no_base or unchanged,
                tr("Save the changes as the next version"),
            ),
            ("new", busy, tr("Save the settings of the study as a new protocol")),
            ("rename", fixed, tr("Rename the protocol and save it as the next version")),
            (
                "lock",
                own,
                tr("A locked protocol cannot be changed, renamed or deleted"),
            ),
            (
                "delete",
                fixed,
                tr(
                    "Delete the protocol. Its last version stays in the folder for earlier "
                    "versions."
                ),
            ),
            ("export", why, tr("Save the protocol as a file for other users")),
            ("import", "", tr("Add a protocol from a shared file")),
        ):
            self.buttons[name].setEnabled(not obstacle)
            self.buttons[name].setToolTip(literal_tip(obstacle or tip))

    # Actions of the buttons

    def _use_chosen(self) -> None:
        found = self.chosen
        # The dialog stays open if the protocol does not fit the scan.
        if found is not None and self._run_or_explain(
            lambda: self._study.use_protocol(found.protocol)
        ):
            self.accept()

    def _save(self) -> None:
        found = self.chosen
        if found is not None:
            save_as(self, self._context, found.protocol.name)
            self._fill(found.protocol.name)

    def _new(self) -> None:
        name = ask_text(self, tr("New protocol"), tr("Protocol name"), "").strip()
        if name:
            save_as(self, self._context, name)
            self._fill(name)

    def _rename(self) -> None:
        found = self.chosen
        if found is None:
            return
        name = ask_text(self, tr("Rename"), tr("Protocol name"), found.protocol.name).strip()
        if name and self._run_or_explain(lambda: self._library.rename(found, name)):
            self._refresh_after_change(name)

    def _lock(self) -> None:
        found = self.chosen
        if found is not None and self._run_or_explain(
            lambda: self._library.lock(found, on=not found.is_locked)
        ):
            self._refresh_after_change(found.protocol.name)

    def _delete(self) -> None:
        found = self.chosen
        if found is None:
            return
        text = tr(
            "Delete {name!r}, version {revision}? Its file stays in the folder for earlier "
            "versions.",
            name=found.protocol.name,
            revision=found.revision,
        )
        if ask(self, tr("Delete this protocol?"), text, tr("Delete")):
            self._run_or_explain(lambda: self._library.delete(found))
            # The list is read again even after a failure: the file may be gone already.
            self._refresh_after_change("")

    def _export(self) -> None:
        found = self.chosen
        if found is None:
            return
        name = self._library.path_for(found.protocol).name
        start = Path(self._context.preferences.folder_last_used) / name
        target = ask_target(self, self._context.session, tr("Share a protocol"), start, KINDS)
        if target is not None:
            self._run_or_explain(lambda: self._library.export_protocol(found, target))

    def _import(self) -> None:
        folder = self._context.preferences.folder_last_used
        path = ask_open(self, tr("Import a protocol"), folder, KINDS)
        if path is not None:
            imported = self._run_or_explain(lambda: self._library.import_protocol(path))
            self._refresh_after_change("")
            if imported:
                self.message.setText(tr("{name} was added to your protocols.", name=path.name))
                self.message.show()

    def _run_or_explain(self, act: Callable[[], object]) -> bool:
        """Run an action. Show the reason and return False if it is refused."""
        try:
            act()
        except EngineError as e:
            self._context.session.raise_problem(
                Problem(tr("The protocols were not changed."), str(e))
            )
            self.message.setText(str(e))
            self.message.show()
            return False
        return True

    def _refresh_after_change(self, name: str) -> None:
        # `_fill` replaces the message, which should stay until the next action.
        words = self.message.text() if self.message.isVisible() else ""
        self._fill(name or self._study.base.name)
        self._context.commands.protocols_changed.emit()
        if words:
            self.message.setText(words)
            self.message.show()


def _tree() -> QTreeWidget:
    tree = QTreeWidget()
    tree.setAccessibleName(tr("Protocols"))
    tree.setHeaderLabels(COLUMNS)
    tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    # Qt then measures one row instead of all.
    tree.setUniformRowHeights(True)
    tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    tree.headerItem().setTextAlignment(1, right)
    head = tree.header()
    head.setStretchLastSection(False)
    head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for column in (1, 2):
        head.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
    return tree
