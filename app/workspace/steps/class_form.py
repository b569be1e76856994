"""A form for values of several classes, such as protocols of PET and CT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.forms.forms import Form
from engine.core.settings import Settings

S = TypeVar("S", bound=Settings)


class ClassForm(QWidget, Generic[S]):
    """Shows the form for the class of a value; a form is created when it is first needed.

    `make` returns the form for a value.
    """

    changed = Signal(object)

    def __init__(self, make: Callable[[S], Form], value: S) -> None:
        super().__init__()
        self._make = make
        # Forms are reused, so that switching back and forth is fast.
        self._forms: dict[type[Settings], Form] = {}
        self._expert = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.form = self._form_for(value)

    def show_value(self, value: S) -> None:
        """Show a value.

        Parameters
        ----------
        value
            settings of any class
        """
        shown, self.form = self.form, self._form_for(value)
        # Hide first, or both forms would be visible for a moment and the panel would jump.
        if shown is not self.form:
            shown.hide()
            self.form.show()
        self.form.show_value(value)

    def set_expert(self, expert: bool) -> None:
        """Show or hide expert fields in all forms.

        Parameters
        ----------
        expert
            True to show them
        """
        self._expert = expert
        for form in self._forms.values():
            form.set_expert(expert)

    def _form_for(self, value: S) -> Form:
        kind = type(value)
        if kind not in self._forms:
            self._forms[kind] = made = self._make(value)
            # The switch may have been set before this form existed.
            made.set_expert(self._expert)
            made.changed.connect(self.changed)
            self._column.addWidget(made)
        return self._forms[kind]
