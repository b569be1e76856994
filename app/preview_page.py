"""The preview in the window: one slice, what it was made with, and that it is no result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.display import Display
from app.previews import Previews
from app.theme import Theme
from app.view_colours import view_colours
from app.views.note import Note
from app.views.slice_view import SliceView
from app.views.state import ViewState
from app.views.view_toolbar import ViewToolbar
from app.views.words import millimetres
from app.widgets import label, set_tone
from app.words import sentence_case

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.quicklook import Look

TITLE = "Preview: central slice"


class PreviewView(SliceView):
    """The axial slice of a preview; its caption says so."""

    def __init__(self, state: ViewState) -> None:
        super().__init__(state, "axial")
        self.setAccessibleName(TITLE)

    def caption(self) -> str:
        return super().caption().replace("Axial", TITLE)


class PreviewPage(QWidget):
    """A slice with words above and the display controls below."""

    def __init__(self, previews: Previews, theme: Theme) -> None:
        super().__init__()
        self._previews, self._theme = previews, theme
        self.state = ViewState(self)
        self._display = Display(self.state)
        self._shown: Look | None = None
        self.title, self.text = label("", "heading"), label("", "muted", wrap=True)
        self.view, self.toolbar = PreviewView(self.state), ViewToolbar(self.state)
        self.toolbar.convention.setVisible(False)
        self._note = Note("The preview is being made …", self.view)
        head = QFrame()
        words = QVBoxLayout(head)
        words.setContentsMargins(14, 8, 14, 8)
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.text)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self.view, 1)
        column.addWidget(self.toolbar)
        previews.changed.connect(self._show)
        theme.changed.connect(self._paint)
        self._paint()
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        self._previews.watch(True)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._previews.watch(False)
        super().hideEvent(event)

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        self.state.set_colours(colours)
        self._note.set_colours(colours)

    def _show(self) -> None:
        look, fault = self._previews.look, self._previews.fault
        if look is not self._shown:
            self._shown = look
            self._display.show(look.volume if look else None, refit=True)
        self._note.setVisible(look is None and not fault)
        self.title.setText(self._title(look, fault))
        set_tone(self.title, "" if self._previews.is_current else "look")
        self.text.setText(fault or words_of(look))
        set_tone(self.text, "missing" if fault else "muted")

    def _title(self, look: Look | None, fault: str) -> str:
        if look is None:
            return "No preview" if fault else TITLE
        if not self._previews.is_current:
            return "Preview of the settings before; being made anew …"
        unit = self.state.length_unit
        return f"{TITLE}, z {millimetres(look.volume.grid.centre_mm[2])} {unit}"


def words_of(look: Look | None) -> str:
    """What a look was made with, one sentence."""
    return f"{sentence_case('; '.join(look.told))}. No result of a run." if look else ""
