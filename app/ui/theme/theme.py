"""Colours, palette, style sheet and font. Themes are switched while the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

STYLE_FILE = Path(__file__).with_name("theme.qss")
ICON_FOLDER = Path(__file__).parents[3] / "resources" / "icons"
FONT_FOLDER = Path(__file__).parents[3] / "resources" / "fonts"
FONT_POINTS = 10
LINEAR_BELOW = 0.04045
AT_ONCE = 60
"""Number of widgets to refresh before events are processed: a few milliseconds of work."""


@dataclass(frozen=True)
class Colours:
    """The colours of one theme as "#rrggbb": neutral greys and one accent."""

    canvas: str
    panel: str
    raised: str
    field: str
    button: str
    hover: str
    line: str
    border: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_hover: str
    on_accent: str
    link: str
    ok: str
    warning: str
    missing: str
    message_bar: str

    @property
    def is_dark(self) -> bool:
        """True if text is lighter than its background."""
        return luminance(self.text) > luminance(self.panel)


DARK = Colours(
    canvas="#101214",
    panel="#1b1e22",
    raised="#22262b",
    field="#14171a",
    button="#2c3137",
    hover="#373d44",
    line="#30353b",
    border="#6b747e",
    text="#e3e6e8",
    muted="#a9b0b7",
    disabled="#8b939b",
    accent="#2670bd",
    accent_hover="#2d6fb3",
    on_accent="#ffffff",
    link="#79b8f5",
    ok="#6fcf97",
    warning="#f2b84b",
    missing="#ff9d94",
    message_bar="#3a2426",
)
LIGHT = Colours(
    canvas="#e9ebed",
    panel="#f3f4f6",
    raised="#ffffff",
    field="#ffffff",
    button="#e6e9ec",
    hover="#d9dde2",
    line="#d3d7dc",
    border="#7d858e",
    text="#1a1d21",
    muted="#515962",
    disabled="#626a73",
    accent="#1d65b3",
    accent_hover="#17579c",
    on_accent="#ffffff",
    link="#17579c",
    ok="#17683a",
    warning="#7d5200",
    missing="#a8231b",
    message_bar="#fbe6e4",
)
THEMES = {"dark": DARK, "light": LIGHT}


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2).

    Parameters
    ----------
    colour
        "#rrggbb"

    Returns
    -------
    0 for black to 1 for white
    """
    # sRGB values must be linearised before they are weighted.
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= LINEAR_BELOW else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2).

    Parameters
    ----------
    one, other
        "#rrggbb", in any order

    Returns
    -------
    1 to 21; text needs 4.5
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


ROLES = {
    "canvas": "Shadow",
    "panel": "Window",
    "raised": "AlternateBase",
    "field": "Base",
    "button": "Button",
    "hover": "Light",
    "line": "Mid",
    "border": "Dark",
    "text": "WindowText",
    "muted": "PlaceholderText",
    "disabled": "ToolTipText",
    "accent": "Highlight",
    "accent_hover": "Accent",
    "on_accent": "HighlightedText",
    "link": "Link",
    "ok": "Midlight",
    "warning": "LinkVisited",
    "missing": "BrightText",
    "message_bar": "ToolTipBase",
}
"""Palette role of each colour, so that one style sheet works for every theme."""


def palette(c: Colours) -> QPalette:
    """Return the Qt palette of a theme.

    Parameters
    ----------
    c
        colours of the theme
    """
    role = QPalette.ColorRole
    result = QPalette()
    for name, place in ROLES.items():
        result.setColor(role[place], QColor(getattr(c, name)))
    # Qt uses three roles for text, and all of them must change with the theme.
    for key in (role.Text, role.ButtonText):
        result.setColor(key, QColor(c.text))
    for key in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, key, QColor(c.disabled))
    return result


def style_sheet() -> str:
    """Return the style sheet, which refers to colours by their palette role."""
    places = {name: f"palette({_in_style_sheets(place)})" for name, place in ROLES.items()}
    # The file is a template, because style sheets cannot define names for colours.
    text = STYLE_FILE.read_text(encoding="utf-8")
    return Template(text).substitute(places, icons=ICON_FOLDER.as_posix())


def _in_style_sheets(role: str) -> str:
    """Return the name of a role in style sheets: "BrightText" is "bright-text"."""
    if role.startswith("ToolTip"):
        return f"tooltip-{role.removeprefix('ToolTip').lower()}"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", role).lower()


@cache
def load_font() -> QFont:
    """Load the bundled font and return it in the size of the window."""
    # A bundled font, so that texts have the same width on every computer and fit their fields.
    for weight in ("Regular", "Medium", "Bold"):
        # From a copy in memory: Qt maps a font that it opens itself. An update that shortens the
        # file would then end the window (SIGBUS).
        path = FONT_FOLDER / f"Roboto-{weight}.ttf"
        if path.is_file():
            QFontDatabase.addApplicationFontFromData(path.read_bytes())
    return QFont("Roboto", FONT_POINTS)


class Theme(QObject):
    """The current theme. `changed` is emitted after a switch."""

    changed = Signal()

    def __init__(self, app: QApplication, name: str = "dark") -> None:
        super().__init__()
        self._app = app
        self.name = name if name in THEMES else "dark"
        self._stale: list[QWidget] = []
        # An interval of zero runs when no events are waiting.
        self._soon = QTimer(self)
        self._soon.timeout.connect(self._refresh_some)
        if not app.styleSheet():  # setting a style again makes Qt polish every widget
            # The only style of Qt that follows palette and style sheet on all platforms.
            app.setStyle("Fusion")
            app.setFont(load_font())
            app.setWindowIcon(QIcon(str(ICON_FOLDER / "isocenter.svg")))
            app.setPalette(palette(self.colours))
            app.setStyleSheet(style_sheet())
        self._apply_palette()

    @property
    def colours(self) -> Colours:
        """Colours of the theme in use."""
        return THEMES[self.name]

    @property
    def is_refreshing(self) -> bool:
        """True if hidden widgets have not followed a theme change yet."""
        return bool(self._stale)

    @contextmanager
    def deferred_styles(self) -> Iterator[None]:
        """Style the widgets that are created in this context at the end.

        Qt styles a widget and its children again each time it gets a parent. This takes half of the
        time to create a window with hundreds of widgets.
        """
        sheet = self._app.styleSheet()
        self._app.setStyleSheet("")
        try:
            yield
        finally:
            self._app.setStyleSheet(sheet)

    def toggle(self) -> None:
        """Switch between dark and light."""
        self.use("light" if self.name == "dark" else "dark")

    def use(self, name: str) -> None:
        """Switch to a theme.

        Parameters
        ----------
        name
            "dark" or "light"
        """
        self.name = name
        self._apply_palette()
        self.changed.emit()

    def _apply_palette(self) -> None:
        """Change the palette. A new style sheet would block the window for half a second."""
        changed = palette(self.colours)
        if changed == self._app.palette():
            return
        # Native parts such as the title bar follow this hint, not the palette.
        scheme = Qt.ColorScheme.Dark if self.colours.is_dark else Qt.ColorScheme.Light
        self._app.styleHints().setColorScheme(scheme)
        self._app.setPalette(changed)
        # Visible widgets first; hidden ones follow in idle time.
        widgets = self._app.allWidgets()
        _refresh([widget for widget in widgets if widget.isVisible()])
        self._stale = [widget for widget in widgets if not widget.isVisible()]
        self._soon.start(0)

    def _refresh_some(self) -> None:
        """Refresh some of the hidden widgets."""
        now, self._stale = self._stale[:AT_ONCE], self._stale[AT_ONCE:]
        # A widget may have been deleted since the switch.
        _refresh([widget for widget in now if isValid(widget)])
        if not self._stale:
            self._soon.stop()


def _refresh(widgets: list[QWidget]) -> None:
    """Make the style read its colours again. It caches them per widget."""
    for widget in widgets:
        widget.style().polish(widget)
