"""Forms from settings classes, and settings from forms. No form is written by hand.

Labels, units, bounds, tooltips and expert fields come from `engine.core.settings.setting`. A form
emits `changed(value)` only if the whole value is valid. Otherwise each error is shown under its
field.
"""

from __future__ import annotations

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QGroupBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.language.translation import named
from app.ui.forms.field_editors import editor_for
from app.ui.forms.field_facts import faults_of, tip_of
from app.ui.forms.fields import ConstantEditor, Editor, Fault, SettingsEditor, SwitchEditor, Value
from app.ui.theme.formatting import words
from app.ui.theme.widgets import label
from app.views.literal_text import LiteralLabel, literal_tip
from engine.core.settings import Settings
from engine.data import Plain
from engine.geometry import Point

CAPTION_PX, MAX_CAPTION_PX = 112, 130
"""Common width of the captions, so that fields align."""
Hints = dict[str, str]
"""The meaning of empty fields, by field name."""


class Form(SettingsEditor):
    """All fields of a settings class in a column.

    Parameters
    ----------
    kind : the settings class
    value : initial value; None for the defaults
    only : names of the fields to show; None for all. The others keep their values.
    bare : True without captions, for a form of one field with a label next to it
    hints : texts of empty optional fields, by field name
    second : field that starts a second column; "" for one column
    """

    changed = Signal(object)

    def __init__(
        self,
        kind: type[Settings],
        value: Settings | None = None,
        *,
        only: tuple[str, ...] | None = None,
        bare: bool = False,
        hints: Hints | None = None,
        second: str = "",
    ) -> None:
        super().__init__()
        self._kind = kind
        self._value: Settings | None = value
        self._rows = {
            name: _Row(name, field, hints or {}, bare)
            for name, field in kind.model_fields.items()
            if only is None or name in only
        }
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.setSpacing(6)
        columns = QHBoxLayout()
        columns.setSpacing(24)
        outside.addLayout(columns)
        column, groups = _column_in(columns), [list[_Row]()]
        for name, row in self._rows.items():
            if name == second:
                column.addStretch(1)
                column = _column_in(columns)
                groups.append([])
            column.addWidget(row)
            groups[-1].append(row)
            row.editor.edited.connect(self._edited)
        if second:
            column.addStretch(1)
        for rows in groups:
            _align(rows)
        self._fault = _fault_label()
        outside.addWidget(self._fault)
        self.set_expert(False)
        if value is not None:
            self.show_value(value)
        else:
            self._show_defaults()

    @property
    def has_expert(self) -> bool:
        """True if the expert switch would show more fields."""
        return any(row.expert for row in self._rows.values())

    @property
    def has_only_expert(self) -> bool:
        """True if all fields need the expert switch."""
        return all(row.expert for row in self._rows.values())

    @property
    def is_empty(self) -> bool:
        """True if no field is visible."""
        return all(isinstance(row.editor, ConstantEditor) for row in self._rows.values())

    def value(self) -> Settings | None:
        """Return the last valid value."""
        return self._value

    def checked(self) -> Settings | None:
        """Return the entered settings, or show the errors under the fields and return None."""
        try:
            value = self._kind.model_validate(self.raw())
        except ValidationError as error:
            self.show_faults(faults_of(error))
            return None
        self.show_faults([])
        return value

    def raw(self) -> Plain:
        # Fields that are not shown keep their values.
        values = self._value.model_dump() if self._value else {}
        return values | {name: row.editor.raw() for name, row in self._rows.items()}

    def show_value(self, value: Value) -> None:
        """Show a value without emitting a signal.

        Parameters
        ----------
        value
            settings of the class of this form
        """
        # The same value again: only the display is refreshed, for example after an undo.
        if value == self._value and self._value is not None and not self._has_faults():
            self._show(value)
            return
        self._value = value
        self._show(value)
        self.show_faults([])

    def set_hints(self, hints: Hints) -> None:
        """Set the meaning of empty fields.

        Parameters
        ----------
        hints
            texts by field name
        """
        for name, hint in hints.items():
            self._rows[name].editor.set_hint(hint)

    def show_voxels(self, voxel_mm: Point) -> None:
        """Show the defaults for a voxel size in empty fields.

        Parameters
        ----------
        voxel_mm
            voxel size x, y, z [mm]
        """
        if self._value is not None:
            self.set_hints(self._value.default_texts(voxel_mm))
        for row in self._rows.values():
            row.editor.show_voxels(voxel_mm)

    def set_unit(self, written: str, shown: str) -> None:
        """Show another unit in captions.

        Parameters
        ----------
        written
            unit in the settings, such as "mm"
        shown
            unit to show, such as "pixels"
        """
        for row in self._rows.values():
            row.show_unit(shown if row.unit == written else row.unit)

    def set_expert(self, expert: bool) -> None:
        """Show or hide expert fields.

        Parameters
        ----------
        expert
            True to show them
        """
        # Nested forms have expert fields of their own.
        for row in self._rows.values():
            row.set_expert(expert)

    def show_faults(self, faults: list[Fault]) -> None:
        """Show errors under their fields; others below the form.

        Parameters
        ----------
        faults
            locations and messages
        """
        own = [text for where, text in faults if not where or where[0] not in self._rows]
        self._fault.setText("\n".join(own))
        self._fault.setVisible(bool(own))
        for name, row in self._rows.items():
            row.show_faults([(w[1:], text) for w, text in faults if w and w[0] == name])

    def _has_faults(self) -> bool:
        return not self._fault.isHidden()

    def _show(self, value: Settings) -> None:
        for name, row in self._rows.items():
            row.editor.show_value(getattr(value, name))
        self._hide_unused(value)

    def _hide_unused(self, value: Settings | None) -> None:
        """Hide the fields that have no effect with these values; they keep their content."""
        unused = value.unused_fields() if value is not None else ()
        for name, row in self._rows.items():
            row.set_used(name not in unused)

    def _show_defaults(self) -> None:
        for row in self._rows.values():
            default = row.field.get_default(call_default_factory=True)
            if not row.field.is_required():
                # Required fields stay empty: there is no value to suggest.
                row.editor.show_value(default)
        try:
            self._value = self._kind.model_validate(self.raw())
        except ValidationError:
            self._value = None  # required fields are still empty
        self._hide_unused(self._value)

    def _edited(self) -> None:
        # First, so that an outer form can validate the value as part of its own.
        self.edited.emit()
        value = self.checked()
        # Leaving a field without a change must not create an undo step.
        if value is not None and value != self._value:
            self._value = value
            self._hide_unused(value)
            self.changed.emit(value)


class _Row(QWidget):
    """A label, its editor and its error message."""

    def __init__(self, name: str, field: FieldInfo, hints: Hints, bare: bool) -> None:
        super().__init__()
        self.field = field
        self._is_used, self._shows_expert = True, False
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        self.expert = bool(extra.get("expert"))
        shown = named(str(extra.get("label") or words(name)))
        self.unit = str(extra.get("unit") or "")
        self._title = title = f"{shown} ({self.unit})" if self.unit else shown
        hint = hints.get(name) or named(str(extra.get("empty") or "")) or None
        self.editor = editor_for(field.annotation, field, title, hint, Form)
        self._fault = _fault_label()
        # Texts come from the engine in English and are translated here.
        tip = tip_of(field)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        grid.setColumnStretch(1, 1)
        in_row = self.editor.is_inline
        self._name: LiteralLabel | None = None  # a label without a layout would outlive its form
        # A check box carries its own label, and a nested form has a frame with a title.
        if bare or isinstance(self.editor, SwitchEditor | Form | ConstantEditor):
            grid.addWidget(_framed(self.editor, title), 1, 0, 1, 2)
        else:
            self._name = self._caption(title, tip, in_row)
            grid.addWidget(self._name, 0, 0, 1, 1 if in_row else 2)
            grid.addWidget(self.editor, *((0, 1, 1, 1) if in_row else (1, 0, 1, 2)))
        grid.addWidget(self._fault, 2, 0, 1, 2)
        self.editor.setToolTip(literal_tip(tip))
        self.editor.name_after(title)

    @property
    def caption_px(self) -> int:
        """Width of the caption next to the editor; 0 if there is none."""
        is_inline = self._name is not None and self.editor.is_inline
        return self._name.sizeHint().width() if self._name is not None and is_inline else 0

    def widen_caption(self, width: int) -> None:
        """Give the caption next to the editor a least width.

        Parameters
        ----------
        width
            the width [px]
        """
        if self._name is not None and self.caption_px:
            self._name.setMinimumWidth(width)

    def show_unit(self, unit: str) -> None:
        """Show this unit next to the field."""
        title = self._title.replace(f"({self.unit})", f"({unit})")
        if self._name is not None:
            self._name.setText(title)
        self.editor.name_after(title)

    def _caption(self, title: str, tip: str, in_row: bool) -> LiteralLabel:
        caption = LiteralLabel(title)
        caption.setBuddy(self.editor)
        caption.setProperty("role", "caption")
        caption.setToolTip(literal_tip(tip))
        if in_row:
            caption.setMinimumWidth(CAPTION_PX)
        return caption

    def set_expert(self, expert: bool) -> None:
        self._shows_expert = expert
        self._show_or_hide()
        self.editor.set_expert(expert)

    def set_used(self, used: bool) -> None:
        """Hide the row while its field has no effect."""
        if used != self._is_used:
            self._is_used = used
            self._show_or_hide()

    def _show_or_hide(self) -> None:
        hidden = isinstance(self.editor, ConstantEditor) or (self.expert and not self._shows_expert)
        self.setVisible(self._is_used and not hidden)

    def show_faults(self, faults: list[Fault]) -> None:
        # Nested editors show errors at their own fields, so the row only shows its own.
        inner = (
            isinstance(self.editor, Form) or type(self.editor).__module__ == "app.ui.forms.choices"
        )
        own = [text for where, text in faults if not inner or not where]
        self._fault.setText("\n".join(own))
        self._fault.setVisible(bool(own))
        self.editor.show_faults(faults)


def _align(rows: list[_Row]) -> None:
    """Let the editors of a column begin at one place, unless a caption is very long."""
    widths = [row.caption_px for row in rows if not row.expert]
    widest = max((width for width in widths if width <= MAX_CAPTION_PX), default=0)
    for row in rows:
        row.widen_caption(max(widest, CAPTION_PX))


def _column_in(row: QHBoxLayout) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(6)
    row.addLayout(column, 1)
    return column


def _framed(editor: Editor, title: str) -> QWidget:
    if not isinstance(editor, Form):
        return editor
    box = QGroupBox(title)
    inside = QVBoxLayout(box)
    inside.addWidget(editor)
    return box


def _fault_label() -> QLabel:
    made = label("", "fault", wrap=True)
    made.hide()
    return made
