"""Preview: one slice of the current protocol, with a note that it is not a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.images.volume_display import VolumeDisplay
from app.state.services.context import AppContext
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import label, scrolled, set_tone
from app.views.colour.colour_bar import ColourBar
from app.views.note import Note
from app.views.slices.slice_view import SliceView
from app.views.state import ViewState
from app.views.text import millimetres

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities import PreviewSlice

TITLE = tr("Preview: central slice")
MIN_PX, MAX_PX = 280, 420
HANDLING = tr("Right button: window. Ctrl+wheel: zoom. Middle button: pan. A: automatic window.")


class PreviewView(SliceView):
    """The axial slice of a preview, named in its caption."""

    def __init__(self, state: ViewState) -> None:
        super().__init__(state, "axial")
        self.setAccessibleName(TITLE)

    def caption(self) -> str:
        return tr("Preview")


class PreviewTab(QWidget):
    """A slice between its title and its description."""

    title = tr("Preview")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._previews, self._theme = context.previews, context.theme
        self.state = ViewState(self)
        self._display = VolumeDisplay(self.state)
        self._shown: PreviewSlice | None = None
        self.headline, self.text = label("", "heading", wrap=True), label("", "muted", wrap=True)
        self.view, self.bar = PreviewView(self.state), ColourBar(self.state)
        self.view.setMinimumHeight(MIN_PX)
        self.view.setMaximumHeight(MAX_PX)
        self.unit, self.warnings = label("", "muted"), label("", wrap=True)
        set_tone(self.warnings, "warning")
        self._note = Note(tr("Computing the preview …"), self.view)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        column.addWidget(self.headline)
        column.addWidget(self.view, 100)
        scale = QHBoxLayout()
        scale.addWidget(self.bar, 1)
        scale.addWidget(self.unit)
        column.addLayout(scale)
        column.addWidget(self.text)
        column.addWidget(self.warnings)
        column.addWidget(label(HANDLING, "muted", wrap=True))
        column.addStretch(1)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(scrolled(inside))
        self._previews.changed.connect(self._show)
        self._theme.changed.connect(self._paint)
        self._paint()
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        # Previews cost CPU time, so they are only made while the tab is visible.
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
        preview, fault = self._previews.preview, self._previews.fault
        # The model also signals a change of the protocol; the slice is then still the old one.
        if preview is not self._shown:
            self._shown = preview
            self._display.show(preview.volume if preview else None, refit=True)
        self._note.setVisible(preview is None and not fault)
        self.unit.setText(self.state.shown_unit)
        self.headline.setText(self._headline_text(preview, fault))
        # An old preview is marked, because it does not show the current settings.
        set_tone(self.headline, "" if self._previews.is_current else "warning")
        self.text.setText(fault or words_of(preview))
        set_tone(self.text, "missing" if fault else "muted")
        self.warnings.setText("\n".join(preview.warnings) if preview else "")
        self.warnings.setVisible(bool(self.warnings.text()))

    def _headline_text(self, preview: PreviewSlice | None, fault: str) -> str:
        if preview is None:
            return tr("No preview") if fault else TITLE
        if not self._previews.is_current:
            return tr("Preview with the previous settings")
        unit = self.state.length_unit
        return f"{TITLE}, z {millimetres(preview.volume.grid.centre_mm[2])} {unit}"


def words_of(preview: PreviewSlice | None) -> str:
    """Describe how a preview was made.

    Parameters
    ----------
    preview
        the preview; None gives an empty text
    """
    return (
        tr(
            "This is a preview, not the result of a run. Steps: {value}.",
            value="; ".join(preview.messages),
        )
        if preview
        else ""
    )
