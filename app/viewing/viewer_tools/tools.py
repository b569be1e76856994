"""All viewer tools: the strip of buttons and the rows above the views."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from app.language.translation import tr
from app.state.models.region_model import Tool
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.viewing.viewer_tools.cine import Cine
from app.viewing.viewer_tools.cine_bar import CineBar
from app.viewing.viewer_tools.hanging import Hanging
from app.viewing.viewer_tools.layout_menu import LayoutMenu
from app.viewing.viewer_tools.rendering_bar import RenderingBar
from app.viewing.viewer_tools.slab_bar import SlabBar
from app.viewing.viewer_tools.tool_strip import ViewerToolStrip
from app.views.literal_text import literal_tip
from app.views.scrubber import IterationScrubber
from app.views.slices.ortho_view import OrthoView
from app.views.view_keys import ANYWHERE, KEYS

LAYOUT_TIP = tr(
    "Show four views, one large view, a light box of many slices, or the 3D view (D). The "
    "program remembers the choice for PET, CT, fused images, panels and frames."
)
FILM_TIP = tr("Play and save a movie of the rotating projection, slices, iterations or frames (K)")
MAGNIFIER_TIP = tr("Magnify the image around the pointer by a factor of 3 (Z)")
TOOLS_TIP = tr("Magnify, measure distances and angles, or add arrows, text and curves")
SLAB_TIP = tr("Combine several slices into one: maximum, mean or minimum (B)")

TOOLS: tuple[tuple[Tool, str, str, str], ...] = (
    (
        "distance",
        tr("Distance"),
        "line",
        tr("Drag between two points in a slice. The distance is saved with the scan."),
    ),
    (
        *("angle", tr("Angle"), "angle"),
        tr(
            "Drag from the end of one side of the angle to its vertex, "
            "then click the end of the other side"
        ),
    ),
    ("arrow", tr("Arrow"), "arrow", tr("Drag in a slice from the tail of the arrow to its tip")),
    ("text", tr("Text"), "text", tr("Click in a slice to add text")),
    (
        *("curve", tr("Curve"), "curve"),
        tr(
            "Drag along a vessel or a jaw in a slice. The Measure tab shows a straightened "
            "view of it."
        ),
    ),
)


class ViewerTools:
    """The tools next to and above the views. `bars` are above them."""

    def __init__(self, context: AppContext, views: OrthoView, scrubber: IterationScrubber) -> None:
        self._state = context.session.view
        self.strip = ViewerToolStrip(context.theme)
        self.slab_bar = SlabBar(self._state, context.theme)
        self.slab = self.strip.add(
            tr("Slab"), "slab", SLAB_TIP, clicked=lambda _: self._state.toggle_slab()
        )
        self.cine = Cine(views, scrubber)
        self.cine_bar = CineBar(context, self.cine, views)
        self.film = self.strip.add(tr("Movie"), "film", FILM_TIP, clicked=self.show_film)
        self.rendering_bar = RenderingBar(context, views)
        self.layout = self.strip.add(tr("Layout"), "layout", LAYOUT_TIP)
        self.layout.setMenu(LayoutMenu(views, context.preferences, self.layout))
        self.hanging = Hanging(context, views)
        self.strip.end_group()
        self._regions = context.session.regions
        self.more = self.strip.add(tr("Tools"), "annotate", TOOLS_TIP)
        menu = QMenu(self.more)
        menu.setToolTipsVisible(True)
        self.magnifier = menu.addAction(tr("Magnifier"))
        self.magnifier.setToolTip(literal_tip(MAGNIFIER_TIP))
        self.magnifier.setCheckable(True)
        set_icon(self.magnifier, "magnifier", context.theme)
        self.magnifier.triggered.connect(lambda _: self._state.toggle_magnifier())
        menu.addSeparator()
        self.tools = {
            tool: self._add_tool(menu, context, tool, (name, icon, words))
            for tool, name, icon, words in TOOLS
        }
        self.more.setMenu(menu)
        views.add_side_widget(self.strip)
        QShortcut(QKeySequence("K"), views, self.toggle_film)  # while the views are visible
        # Buttons and lists take the focus from the views, but these keys should still work.
        for key in ANYWHERE:
            QShortcut(QKeySequence(key), views, partial(_handle_key, key, views))
        QShortcut(QKeySequence("D"), views, lambda: views.show_rendering(not views.shows_rendering))
        self.cine.changed.connect(self.refresh)
        self._regions.tool_changed.connect(self.refresh)
        self._state.magnifier_changed.connect(self.refresh)
        for signal in (self._state.slab_changed, self._state.volume_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _add_tool(
        self, menu: QMenu, context: AppContext, tool: Tool, words: tuple[str, str, str]
    ) -> QAction:
        name, icon, tip = words
        made = menu.addAction(name)
        made.setToolTip(literal_tip(tip))
        made.setCheckable(True)
        set_icon(made, icon, context.theme)
        made.triggered.connect(partial(self._take_tool, tool))
        return made

    @property
    def bars(self) -> tuple[QWidget, ...]:
        """The rows above the views. Each is visible while it is needed."""
        return self.slab_bar, self.cine_bar, self.rendering_bar

    def show_film(self, on: bool) -> None:
        """Show the film row and play, or close both.

        Parameters
        ----------
        on
            True to show it
        """
        self.cine_bar.setVisible(on)
        self.cine.play(on)

    def toggle_film(self) -> None:
        """Start or stop playing. The row stays visible."""
        # Playing would change the images that are being recorded.
        if not self.cine_bar.recorder.is_recording:
            self.cine_bar.show()
            self.cine.play(not self.cine.is_playing)

    def _take_tool(self, tool: Tool, on: bool) -> None:
        # Only one tool can use the drag in a slice.
        self._state.set_draws_lines(False)
        self._regions.set_tool(tool if on else "")
        self.refresh()

    def refresh(self) -> None:
        """Show the active tools."""
        has_volume = self._state.volume is not None
        for each in (self.slab, self.film, self.more):
            each.setEnabled(has_volume)
        for action in (self.magnifier, *self.tools.values()):
            action.setEnabled(has_volume)
        for tool, action in self.tools.items():
            action.setChecked(self._regions.tool == tool)
        self.more.setChecked(self._regions.tool in self.tools or self._state.magnifies)
        self.film.setChecked(not self.cine_bar.isHidden())
        # A film cannot continue without a volume.
        if not has_volume:
            self.cine_bar.hide()
        self.magnifier.setChecked(self._state.magnifies)
        self.slab.setChecked(bool(self._state.slab.kind))


def _handle_key(key: Qt.Key, views: OrthoView) -> None:
    """Handle a key for the last used view."""
    if views.state.volume is not None:
        KEYS[key](views.active)
