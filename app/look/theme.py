"""Colours, palette, style sheet and font: light and dark, switched while running."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from string import Template

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

STYLE_FILE = Path(__file__).with_name("theme.qss")
ICON_FOLDER = Path(__file__).parents[2] / "resources" / "icons"
FONT_POINTS = 10
LINEAR_BELOW = 0.04045


@dataclass(frozen=True)
class Colours:
    """The colours of one theme, "#rrggbb" each; neutral greys and one accent."""

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
    look: str
    missing: str
    message_bar: str

    @property
    def is_dark(self) -> bool:
        """Whether text is lighter than its ground."""
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
    look="#f2b84b",
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
    look="#7d5200",
    missing="#a8231b",
    message_bar="#fbe6e4",
)
THEMES = {"dark": DARK, "light": LIGHT}


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb" (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= LINEAR_BELOW else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 ... 21 (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def palette(c: Colours) -> QPalette:
    """Return the Qt palette of a theme."""
    role = QPalette.ColorRole
    colours = {
        role.Window: c.panel,
        role.WindowText: c.text,
        role.Base: c.field,
        role.AlternateBase: c.raised,
        role.Text: c.text,
        role.Button: c.button,
        role.ButtonText: c.text,
        role.BrightText: c.on_accent,
        role.Highlight: c.accent,
        role.HighlightedText: c.on_accent,
        role.ToolTipBase: c.raised,
        role.ToolTipText: c.text,
        role.PlaceholderText: c.disabled,
        role.Link: c.link,
        role.LinkVisited: c.link,
        role.Light: c.hover,
        role.Midlight: c.hover,
        role.Mid: c.line,
        role.Dark: c.line,
        role.Shadow: c.canvas,
    }
    result = QPalette()
    for key, colour in colours.items():
        result.setColor(key, QColor(colour))
    for key in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, key, QColor(c.disabled))
    return result


def style_sheet(c: Colours) -> str:
    """Return the style sheet of a theme."""
    places = {"icons": ICON_FOLDER.as_posix(), "theme": "dark" if c.is_dark else "light"}
    return Template(STYLE_FILE.read_text(encoding="utf-8")).substitute(asdict(c) | places)


@cache
def load_font() -> QFont:
    """Register the bundled text font and return it at the window's size."""
    import font_roboto

    for weight in ("Regular", "Medium", "Bold"):
        path = Path(font_roboto.font_directory) / f"Roboto-{weight}.ttf"
        QFontDatabase.addApplicationFont(str(path))
    return QFont("Roboto", FONT_POINTS)


class Theme(QObject):
    """The theme in use; `changed` after a switch."""

    changed = Signal()

    def __init__(self, app: QApplication, name: str = "dark") -> None:
        super().__init__()
        self._app = app
        self.name = name if name in THEMES else "dark"
        if not app.styleSheet():  # a style set anew makes Qt look at every widget again
            app.setStyle("Fusion")
            app.setFont(load_font())
        self._apply()

    @property
    def colours(self) -> Colours:
        """Colours of the theme in use."""
        return THEMES[self.name]

    def toggle(self) -> None:
        """Switch between dark and light."""
        self.use("light" if self.name == "dark" else "dark")

    def use(self, name: str) -> None:
        """Switch to the theme called `name`."""
        self.name = name
        self._apply()
        self.changed.emit()

    def _apply(self) -> None:
        sheet = style_sheet(self.colours)
        if sheet == self._app.styleSheet():
            return
        scheme = Qt.ColorScheme.Dark if self.colours.is_dark else Qt.ColorScheme.Light
        self._app.styleHints().setColorScheme(scheme)
        self._app.setPalette(palette(self.colours))
        self._app.setStyleSheet(sheet)
