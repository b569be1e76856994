"""Editors for nested settings: one of several types, a list, or none."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.ui.forms.fields import Editor, Fault, QuietCombo, SettingsEditor, Value
from app.views.literal_text import LiteralLabel, literal_tip
from engine.core.settings import Settings
from engine.geometry import Point

Kinds = tuple[type[Settings], ...]
FormMaker = Callable[[type[Settings]], SettingsEditor]
"""Creates the form of a settings class. Forms contain these editors, which cannot import them."""


def title_of(kind: type[Settings]) -> str:
    """Return the name of a settings class for a menu.

    Parameters
    ----------
    kind
        the class; without a `title` its own name is used
    """
    return str(getattr(kind, "title", kind.__name__))


def _add_title(kinds: Kinds) -> str:
    """Return the label of the button that appends a member to a list of settings."""
    if all(getattr(kind, "noun", "") == "filter" for kind in kinds):
        return tr("Add filter")
    return tr("Add")


def _column(parent: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(parent)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(6)
    return column


class UnionEditor(Editor):
    """One of several settings classes. Each keeps its values while another one is selected."""

    def __init__(self, kinds: Kinds, form: FormMaker) -> None:
        super().__init__()
        self._kinds = kinds
        self._box = QuietCombo()
        # All forms are created at once: switching kinds then needs no layout work.
        self._forms = [form(kind) for kind in kinds]
        column = _column(self)
        column.addWidget(self._box)
        for kind, inner in zip(kinds, self._forms, strict=True):
            self._box.addItem(title_of(kind))
            inner.edited.connect(self.edited)
            column.addWidget(inner)
        self._box.activated.connect(self._use_kind)
        self.setFocusProxy(self._box)
        self._show_form()

    def raw(self) -> Value:
        return self._form.raw()

    def show_value(self, value: Value) -> None:
        self._box.setCurrentIndex(self._kinds.index(type(value)))
        self._form.show_value(value)
        self._show_form()

    def show_faults(self, faults: list[Fault]) -> None:
        raw = self._form.raw()
        tag = raw.get("kind", raw.get("modality"))
        # pydantic puts the tag of a discriminated union into the location of an error.
        inner = [(w[1:] if w and w[0] == tag else w, text) for w, text in faults]
        self._form.show_faults(inner)

    def set_expert(self, expert: bool) -> None:
        for form in self._forms:
            form.set_expert(expert)

    def show_voxels(self, voxel_mm: Point) -> None:
        for form in self._forms:
            form.show_voxels(voxel_mm)

    @property
    def _form(self) -> SettingsEditor:
        return self._forms[self._box.currentIndex()]

    def _use_kind(self) -> None:
        self._show_form()
        self.edited.emit()

    def _show_form(self) -> None:
        for form in self._forms:
            # An empty form would leave a gap in the layout.
            form.setVisible(form is self._form and not form.is_empty)


class _Entry(QWidget):
    """One member of a list: its title, its buttons and its form."""

    removed, raised, lowered = Signal(), Signal(), Signal()

    def __init__(self, value: Settings, form: FormMaker) -> None:
        super().__init__()
        self.form = form(type(value))
        self.form.show_value(value)
        self.title = LiteralLabel(title_of(type(value)))
        self.title.setProperty("role", "entry")
        head = QHBoxLayout()
        head.setSpacing(0)
        head.addWidget(self.title, 1)
        for text, tip, signal in (
            ("↑", tr("Earlier"), self.raised),
            ("↓", tr("Later"), self.lowered),
            ("✕", tr("Remove"), self.removed),
        ):
            button = QToolButton()
            button.setText(text)
            button.setToolTip(literal_tip(tip))
            button.setAccessibleName(f"{tip}: {self.title.text()}")
            button.setAutoRaise(True)
            button.clicked.connect(signal)
            head.addWidget(button)
        column = _column(self)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self.form)


class ListEditor(Editor):
    """A sequence of settings: add, remove, move."""

    def __init__(self, kinds: Kinds, form: FormMaker) -> None:
        super().__init__()
        self._form = form
        self._kinds = {title_of(kind): kind for kind in kinds}
        self._entries: list[_Entry] = []
        self._expert = False
        # Stored for members that are added later.
        self._voxel_mm: Point | None = None
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        self._add = QPushButton(_add_title(kinds))
        self._add.setToolTip(tr("Add an entry at the end of the list"))
        self._add.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        menu = QMenu(self._add)
        for title, kind in self._kinds.items():
            menu.addAction(title).triggered.connect(lambda _=False, k=kind: self.add(k()))
        self._add.setMenu(menu)
        column = _column(self)
        column.addLayout(self._list)
        column.addWidget(self._add)
        self.setFocusProxy(self._add)

    def raw(self) -> Value:
        return [entry.form.raw() for entry in self._entries]

    def show_value(self, value: Value) -> None:
        shown = [entry.form.value() for entry in self._entries]
        # Rebuilding would take the focus from the field that the user is editing.
        if list(value) == shown:
            return
        for entry in self._entries:
            self._list.removeWidget(entry)
            # `deleteLater` alone would leave the old entry visible until the next event.
            entry.setParent(None)
            entry.deleteLater()
        self._entries = [self._entry(member) for member in value]

    def add(self, value: Settings) -> None:
        """Append a member, as the user would.

        Parameters
        ----------
        value
            settings of the member
        """
        self._entries.append(self._entry(value))
        self.edited.emit()

    def remove(self, index: int) -> None:
        """Remove a member, as the user would.

        Parameters
        ----------
        index
            its index
        """
        self.show_value([e.form.value() for i, e in enumerate(self._entries) if i != index])
        self.edited.emit()

    def shift(self, index: int, by: int) -> None:
        """Move a member, as the user would.

        Parameters
        ----------
        index
            its index
        by
            −1 for up, 1 for down
        """
        values = [entry.form.value() for entry in self._entries]
        # `pop` is evaluated first, so the new index refers to the shorter list.
        values.insert(max(0, index + by), values.pop(index))
        self.show_value(values)
        self.edited.emit()

    def show_faults(self, faults: list[Fault]) -> None:
        for i, entry in enumerate(self._entries):
            own = [(w[1:], text) for w, text in faults if w and w[0] == i]
            tag = entry.form.raw().get("kind")
            entry.form.show_faults([(w[1:] if w and w[0] == tag else w, t) for w, t in own])

    def set_expert(self, expert: bool) -> None:
        self._expert = expert
        for entry in self._entries:
            entry.form.set_expert(expert)

    def show_voxels(self, voxel_mm: Point) -> None:
        self._voxel_mm = voxel_mm
        for entry in self._entries:
            entry.form.show_voxels(voxel_mm)

    def _entry(self, value: Settings) -> _Entry:
        entry = _Entry(value, self._form)
        entry.form.set_expert(self._expert)
        if self._voxel_mm is not None:
            entry.form.show_voxels(self._voxel_mm)
        entry.form.edited.connect(self.edited)
        # The index is looked up at the click, because members move.
        entry.removed.connect(lambda: self.remove(self._entries.index(entry)))
        entry.raised.connect(lambda: self.shift(self._entries.index(entry), -1))
        entry.lowered.connect(lambda: self.shift(self._entries.index(entry), 1))
        self._list.addWidget(entry)
        return entry


class OptionalEditor(Editor):
    """Settings that may be absent, behind a check box."""

    def __init__(self, kind: type[Settings], form: FormMaker) -> None:
        super().__init__()
        self._box, self._form = QCheckBox(tr("On")), form(kind)
        column = _column(self)
        column.addWidget(self._box)
        column.addWidget(self._form)
        # `clicked` and not `toggled`: only the user's action counts as an edit.
        self._box.clicked.connect(self._show_or_hide_form)
        self._form.edited.connect(self.edited)
        self._form.hide()

    def raw(self) -> Value:
        return self._form.raw() if self._box.isChecked() else None

    def show_value(self, value: Value) -> None:
        self._box.setChecked(value is not None)
        self._form.setVisible(value is not None)
        # Without a value, the form keeps its last entries for when it is switched on again.
        if value is not None:
            self._form.show_value(value)

    def show_faults(self, faults: list[Fault]) -> None:
        self._form.show_faults(faults)

    def show_voxels(self, voxel_mm: Point) -> None:
        self._form.show_voxels(voxel_mm)

    def _show_or_hide_form(self, on: bool) -> None:
        self._form.setVisible(on)
        self.edited.emit()
