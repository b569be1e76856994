"""Tests of the guide in the window: list of pages, links, images, and search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument

from app.shell.help.guide import GuideWindow
from app.shell.help.guide_pages import guide_folder, page_text, pages
from app.ui.theme.theme import Theme

FOLDER = guide_folder()
PAGES = pages(FOLDER)
NAMES = {page.name for page in PAGES}
LINK = re.compile(r"\]\(([\w./-]+?)(?:#[\w-]+)?\)")


def test_every_page_of_the_folder_is_listed_once() -> None:
    written = {
        path.relative_to(FOLDER).as_posix()
        for section in ("user", "physics")
        for path in (FOLDER / section).glob("*.md")
    }
    assert written <= NAMES
    assert len(NAMES) == len(PAGES) > 12


@pytest.mark.parametrize("name", sorted(NAMES))
def test_links_of_a_page_have_targets(name: str) -> None:
    text = page_text(FOLDER, name)
    targets = {(FOLDER / name).parent / link for link in LINK.findall(text)}
    paths = {Path(*target.parts).resolve().relative_to(FOLDER.resolve()) for target in targets}
    missing = [p for p in paths if p.as_posix() not in NAMES and not (FOLDER / p).is_file()]
    assert not missing
    assert ":::" not in text


def test_images_are_found_and_fit_the_page(qtbot) -> None:
    guide = GuideWindow(folder=FOLDER)
    qtbot.addWidget(guide)
    guide.show()
    guide.open_page("user/pet.md")
    kind = QTextDocument.ResourceType.ImageResource.value
    image = guide.view.loadResource(kind, QUrl("pictures/pet-loaded.webp"))
    assert 300 < image.width() <= guide.view.viewport().width()
    assert "pictures/pet-loaded.webp" in guide.view.toHtml()


def test_page_opens_at_its_top(qtbot) -> None:
    guide = GuideWindow(folder=FOLDER)
    qtbot.addWidget(guide)
    guide.resize(800, 400)
    guide.show()
    for name in ("user/pet.md", "user/index.md"):
        guide.open_page(name)
        bar = guide.view.verticalScrollBar()
        qtbot.waitUntil(lambda bar=bar: bar.maximum() > 0)
        assert bar.value() == 0


def test_links_are_legible_after_a_theme_change_and_search_hits_stay(qtbot, qapp) -> None:
    theme = Theme(qapp, "light")
    guide = GuideWindow(folder=FOLDER)
    qtbot.addWidget(guide)
    guide.resize(800, 400)
    guide.show()
    guide.search.setText("dual-head")
    found = guide.view.textCursor().selectedText()
    theme.use("dark")
    qtbot.waitUntil(lambda: not theme.is_refreshing)
    assert guide.view.textCursor().selectedText() == found != ""
    guide.search.clear()
    guide.open_page("user/index.md")
    assert theme.colours.link in guide.view.toHtml()
    theme.use("light")
    assert theme.colours.link in guide.view.toHtml()
    theme.use("dark")


def test_search_without_hits_states_this(qtbot) -> None:
    guide = GuideWindow(folder=FOLDER)
    qtbot.addWidget(guide)
    guide.show()
    guide.search.setText("nothing of the kind")
    assert guide._none.isVisible()
    guide.search.clear()
    assert not guide._none.isVisible()


def test_link_opens_its_page(qtbot) -> None:
    guide = GuideWindow(folder=FOLDER)
    qtbot.addWidget(guide)
    guide.open_page("user/pet.md")
    guide.view.anchorClicked.emit(QUrl("corrections.md"))
    assert guide.view.name == "user/corrections.md"
    assert "Corrections and numbers" in guide.view.toPlainText()


def test_search_lists_the_pages_with_the_words(qtbot) -> None:
    guide = GuideWindow(folder=FOLDER)
    qtbot.addWidget(guide)
    guide.search.setText("Casey & Hoffman")
    shown = [page.name for row, page in enumerate(PAGES) if not guide.list.item(row).isHidden()]
    assert shown == ["physics/randoms.md"]
    assert guide.view.name == "physics/randoms.md"
    guide.search.clear()
    assert not any(guide.list.item(row).isHidden() for row in range(len(PAGES)))


def test_settings_page_matches_the_program() -> None:
    text = page_text(FOLDER, "physics/settings.md")
    for key in (
        "voxel_mm",
        "iterations",
        "fwhm_mm",
        "error_percent",
        "n_points",
        "mu_water_per_mm",
    ):
        assert f"| `{key}` |" in text, key
