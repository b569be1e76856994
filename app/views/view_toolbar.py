"""The row below the views: colour map, window, convention."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from app.language.keys import name_of_key
from app.language.translation import tr
from app.views.colour.window_controls import WindowControls
from app.views.literal_text import literal_tip
from app.views.state import ViewState


class ViewToolbar(WindowControls):
    """Shows and changes the display settings of the linked views."""

    has_auto = False  # the menu of the windows and the key A set it automatically

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        # Set first: the base class calls `more_controls` and `refresh`.
        self._state = state
        super().__init__(state, parent=parent)

    def more_controls(self) -> tuple[QPushButton, ...]:
        self.convention = QPushButton()
        self.convention.clicked.connect(self._toggle_convention)
        return (self.convention,)

    def _toggle_convention(self) -> None:
        is_radiological = self._state.convention == "radiological"
        self._state.set_convention("neurological" if is_radiological else "radiological")

    def refresh(self) -> None:
        state = self._state
        self.convention.setText(name_of_key(state.convention))
        # The button states the current convention, so the tooltip explains its effect.
        tip = (
            tr("The patient's right is on the left of the screen. Click to change it.")
            if state.convention == "radiological"
            else tr("The patient's right is on the right of the screen. Click to change it.")
        )
        self.convention.setToolTip(literal_tip(tip))
        super().refresh()
