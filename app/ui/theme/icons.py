"""Named icons from an icon font in the palette colours."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QPalette, QPixmap, QPixmapCache
from PySide6.QtWidgets import QAbstractButton, QLabel

from app.ui.theme.theme import Theme

GLYPHS = {
    "open": "ph.folder-open",
    "export": "ph.export",
    "start": "ph.play-fill",
    "pause": "ph.pause-fill",
    "finish": "ph.check-bold",
    "abort": "ph.stop-fill",
    "dark": "ph.moon",
    "light": "ph.sun",
    "help": "ph.question",
    "ok": "ph.check-circle-fill",
    "warning": "ph.warning-fill",
    "missing": "ph.warning-circle-fill",
    "info": "ph.info",
    "off": "ph.circle",
    "waiting": "ph.circle-dashed",
    "closed": "ph.caret-right-bold",
    "opened": "ph.caret-down-bold",
    "remove": "ph.x-bold",
    "add": "ph.plus-bold",
    "up": "ph.arrow-up-bold",
    "down": "ph.arrow-down-bold",
    "scan": "ph.file",
    "ring": "ph.circle-dashed",
    "beam": "ph.triangle",
    "panels": "ph.equals",
    "recent": "ph.clock",
    "resume": "ph.arrow-clockwise-bold",
    "save": "ph.floppy-disk",
    "log": "ph.terminal-window",
    "device": "ph.cpu",
    "undo": "ph.arrow-u-up-left",
    "redo": "ph.arrow-u-up-right",
    "menu": "ph.list",
    "line": "ph.ruler",
    "pin": "ph.push-pin-fill",
    "back": "ph.arrow-left-bold",
    "forward": "ph.arrow-right-bold",
    "folder": "ph.folder",
    "new_folder": "ph.folder-plus",
    "list": "ph.list-bold",
    "details": "ph.rows",
    "disk": "ph.hard-drive",
    "live": "ph.broadcast",
    "protocols": "ph.bookmarks",
    "lock": "ph.lock-simple",
    "unlock": "ph.lock-simple-open",
    "report": "ph.file-text",
    "print": "ph.printer",
    "plug_in": "ph.puzzle-piece",
    "send": "ph.paper-plane-tilt",
    "settings": "ph.gear",
    "share": "ph.share-network",
    "changed": "ph.circle-fill",
    "slab": "ph.stack",
    "film": "ph.film-strip",
    "layout": "ph.squares-four",
    "copy": "ph.copy",
    "magnifier": "ph.magnifying-glass-plus",
    "annotate": "ph.pencil-simple",
    "angle": "ph.caret-left-bold",
    "arrow": "ph.arrow-up-right",
    "text": "ph.text-t",
    "curve": "ph.scribble-loop",
    "progress": "ph.chart-line",
    "profile": "ph.gauge",
    "regions": "ph.selection",
    "results": "ph.clock-counter-clockwise",
    "preview": "ph.eye",
    "next": "ph.arrow-right-bold",
    "swap": "ph.arrows-left-right-bold",
}
OTHER = "ph.file"
"""Glyph for unknown icons."""
LABEL_ICON_PX = 16
Target = QAction | QAbstractButton | QLabel


def draw(name: str, theme: Theme, colour: str = "text") -> QIcon:
    """Return an icon in a colour of the theme.

    Parameters
    ----------
    name
        key of `GLYPHS`; unknown names give a file icon
    theme
        the theme
    colour
        field of `Colours`; disabled buttons use a dimmed one
    """
    # Imported late: the icon font is loaded at its import.
    import qtawesome

    c = theme.colours
    drawn: QIcon = qtawesome.icon(
        GLYPHS.get(name, OTHER), color=getattr(c, colour), color_disabled=c.disabled
    )
    return drawn


def draw_in(name: str, palette: QPalette) -> QIcon:
    """Return an icon in the text colour of a palette, for windows that close soon.

    Parameters
    ----------
    name
        key of `GLYPHS`
    palette
        the palette
    """
    import qtawesome

    # Dialogs of Qt have no theme object, only a palette.
    group, words = QPalette.ColorGroup, QPalette.ColorRole.WindowText
    drawn: QIcon = qtawesome.icon(
        GLYPHS[name],
        color=palette.color(group.Active, words),
        color_disabled=palette.color(group.Disabled, words),
    )
    return drawn


class Follower(QObject):
    """Redraws the icon of its parent after a change of theme."""

    def __init__(self, target: Target, theme: Theme) -> None:
        # As a child of the target, so that both are deleted together.
        super().__init__(target)
        self._target, self._theme = target, theme
        self._name, self._colour = "", "text"
        theme.changed.connect(self.show)

    def follow(self, name: str, colour: str) -> None:
        """Show an icon; nothing is drawn if it is unchanged.

        Parameters
        ----------
        name
            key of `GLYPHS`
        colour
            field of `Colours`
        """
        # Panels refresh often, and drawing an icon from the font is slow.
        if (name, colour) != (self._name, self._colour):
            self._name, self._colour = name, colour
            self.show()

    def show(self) -> None:
        """Draw the icon in the current theme."""
        # A label has no icon, so it gets a pixmap in the resolution of its screen.
        if isinstance(self._target, QLabel):
            ratio = self._target.devicePixelRatioF()
            self._target.setPixmap(_pixmap(self._name, self._theme, self._colour, ratio))
        else:
            self._target.setIcon(draw(self._name, self._theme, self._colour))


def _pixmap(name: str, theme: Theme, colour: str, ratio: float) -> QPixmap:
    """Return the pixmap of an icon, the same one for all labels."""
    # Qt caches a scaled copy of each pixmap on a label, also when the label is gone.
    key, found = f"{name} {getattr(theme.colours, colour)} {ratio}", QPixmap()
    if not QPixmapCache.find(key, found):
        size = QSize(LABEL_ICON_PX, LABEL_ICON_PX)
        found = draw(name, theme, colour).pixmap(size, ratio)
        QPixmapCache.insert(key, found)
    return found


def set_icon(target: Target, name: str, theme: Theme, colour: str = "text") -> None:
    """Set an icon that follows the theme.

    Parameters
    ----------
    target
        button, action or label
    name
        key of `GLYPHS`
    theme
        the theme
    colour
        field of `Colours`
    """
    # One follower per target, or old icons would come back at the next change of theme.
    follower = target.findChild(Follower, options=Qt.FindChildOption.FindDirectChildrenOnly)
    (follower or Follower(target, theme)).follow(name, colour)
