"""The ways of looking at a volume, put together: the strip beside the views, and their rows."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.control.context import AppContext
from app.looking.layout_menu import LayoutMenu
from app.looking.look_strip import LookStrip
from app.looking.slab_bar import SlabBar
from app.views.ortho_view import OrthoView

LAYOUT_TIP = "Four views, one large, or a light-box of many slices; it is remembered"
SLAB_TIP = "Show several slices as one: the highest, mean or lowest of their values (B)"


class Looking:
    """What stands beside and above the views; `bars` go above them, one below the other."""

    def __init__(self, context: AppContext, views: OrthoView) -> None:
        self._state = context.session.view
        self.strip = LookStrip(context.theme)
        self.slab_bar = SlabBar(self._state, context.theme)
        self.slab = self.strip.add(
            "Slab", "slab", SLAB_TIP, clicked=lambda _: self._state.toggle_slab()
        )
        self.layout = self.strip.add("Layout", "layout", LAYOUT_TIP)
        self.layout.setMenu(LayoutMenu(views, context.preferences, self.layout))
        views.add_beside(self.strip)
        for signal in (self._state.slab_changed, self._state.volume_changed):
            signal.connect(self.refresh)
        self.refresh()

    @property
    def bars(self) -> tuple[QWidget, ...]:
        """The rows over the views; each is there while it is wanted."""
        return (self.slab_bar,)

    def refresh(self) -> None:
        """Show what is on."""
        has_volume = self._state.volume is not None
        self.slab.setEnabled(has_volume)
        self.slab.setChecked(bool(self._state.slab.kind))
