"""Tests of the themes: contrast of texts, distinct letters, and the stored choice."""

from __future__ import annotations

import re
from dataclasses import asdict

import pytest
from PySide6.QtGui import QFont, QImage, QPainter, QPalette

from app.state.models.preferences import Preferences
from app.ui.theme.theme import (
    ROLES,
    STYLE_FILE,
    THEMES,
    Theme,
    contrast,
    load_font,
    palette,
    style_sheet,
)

READABLE = 4.5
"""WCAG 2.2 AA for text; 3 for the outlines of controls."""
TEXTS = ("text", "muted", "link", "ok", "warning", "missing")
GROUNDS = ("canvas", "panel", "raised", "field", "button", "hover", "message_bar")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXTS)
def test_texts_have_sufficient_contrast(theme, text, ground):
    colours = THEMES[theme]
    assert contrast(getattr(colours, text), getattr(colours, ground)) >= READABLE


@pytest.mark.parametrize("theme", THEMES)
def test_texts_of_buttons_and_disabled_texts_are_legible(theme):
    c = THEMES[theme]
    assert contrast(c.on_accent, c.accent) >= READABLE
    assert contrast(c.on_accent, c.accent_hover) >= READABLE
    for ground in (c.panel, c.raised, c.field):
        assert contrast(c.disabled, ground) >= READABLE


@pytest.mark.parametrize("theme", THEMES)
def test_outlines_of_controls_are_visible(theme):
    c = THEMES[theme]
    assert contrast(c.border, c.panel) >= 3
    assert contrast(c.link, c.panel) >= 3, "the focus outline has too little contrast"


def test_contrast_of_black_and_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_style_sheet_is_short_and_complete():
    lines = STYLE_FILE.read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) < 150
    sheet = style_sheet()
    assert "$" not in sheet
    for path in re.findall(r"url\((.*?)\)", sheet):
        assert not QImage(path).isNull(), path


def test_palette_has_the_theme_colours():
    shown = palette(THEMES["dark"])
    assert shown.color(QPalette.ColorRole.Window).name() == THEMES["dark"].panel
    places = [getattr(QPalette.ColorRole, place) for place in ROLES.values()]
    assert len(set(places)) == len(asdict(THEMES["dark"])), "two colours share a palette role"
    for name, place in ROLES.items():
        there = shown.color(QPalette.ColorGroup.Active, QPalette.ColorRole[place]).name()
        assert there == getattr(THEMES["dark"], name)
    disabled = shown.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.WindowText)
    assert disabled.name() == THEMES["dark"].disabled


def drawn(letter: str, font: QFont) -> bytes:
    image = QImage(40, 40, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    painter.setFont(font)
    painter.drawText(8, 30, letter)
    painter.end()
    return bytes(image.constBits())


def test_different_letters_look_different(qapp):
    font = load_font()
    assert font.family() == "Roboto"
    pictures = {letter: drawn(letter, font) for letter in "AnIso1lμ−"}
    assert len(set(pictures.values())) == len(pictures)


def test_switching_notifies_widgets_and_application(qtbot, qapp):
    theme = Theme(qapp, "dark")
    with qtbot.waitSignal(theme.changed):
        theme.toggle()
    assert theme.name == "light"
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == THEMES["light"].panel
    theme.use("dark")


def test_chosen_theme_is_remembered(tmp_path, window):
    window.toggle_theme()
    chosen = window.context.theme.name
    window.context.preferences.save()
    assert Preferences(window.context.preferences.folder).theme == chosen == "light"
    window.toggle_theme()
