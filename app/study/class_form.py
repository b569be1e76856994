"""A form for values of more than one class, such as protocols of PET and of CT."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.forms.forms import Form
from engine.settings import Settings


class ClassForm(QWidget):
    """Shows the form of the value's class; one is made when it is first needed.

    `make` returns the form of a value.
    """

    changed = Signal(object)

    def __init__(self, make: Callable[[Settings], Form]) -> None:
        super().__init__()
        self._make = make
        self._forms: dict[type[Settings], Form] = {}
        self._current: type[Settings] | None = None
        self._expert = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    @property
    def form(self) -> Form:
        """The form on show; a value must have been shown."""
        return self._forms[self._current]

    def show_value(self, value: Settings) -> None:
        """Show a value of any class."""
        kind = type(value)
        if kind not in self._forms:
            self._forms[kind] = made = self._make(value)
            made.set_expert(self._expert)
            made.changed.connect(self.changed)
            self._column.addWidget(made)
        if kind is not self._current:
            self._current = kind
            for each, form in self._forms.items():
                form.setVisible(each is kind)
        self.form.show_value(value)

    def set_expert(self, expert: bool) -> None:
        """Show or hide what only experts need, in all forms."""
        self._expert = expert
        for form in self._forms.values():
            form.set_expert(expert)
