"""Window of the guide: list of pages on the left, text on the right."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from posixpath import normpath

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QImage, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.shell.help.guide_pages import GuidePage, guide_folder, page_text, pages
from app.ui.theme.widgets import fit_to_screen, label

SIZE_PX = (1080, 760)
LIST_PX = 230
MARGIN_PX = 40
NAME = Qt.ItemDataRole.UserRole


class PageView(QTextBrowser):
    """View of a page; images are at most as wide as the view."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder, self.name = folder, ""
        # Links go to pages of the guide, not to files or the web.
        self.setOpenLinks(False)
        self.setAccessibleName(tr("Guide page"))

    def show_page(self, name: str) -> None:
        """Show a page.

        Parameters
        ----------
        name
            name relative to the folder of the guide, such as "user/pet.md"
        """
        self.name = name
        features = QTextDocument.MarkdownFeature.MarkdownDialectGitHub
        self.document().setMarkdown(page_text(self._folder, name), features)
        self.moveCursor(QTextCursor.MoveOperation.Start)  # Qt leaves it at the end of the page

    def changeEvent(self, event: QEvent) -> None:
        """Render the page again in the colours of a new theme, at the same position.

        Parameters
        ----------
        event
            event of Qt
        """
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.name:
            place, found = self.verticalScrollBar().value(), self.textCursor()
            # Colours are part of the rendered document, so it is made again; position and selection
            # are restored.
            ends = found.anchor(), found.position()
            self.show_page(self.name)
            found = self.textCursor()
            found.setPosition(ends[0])
            found.setPosition(ends[1], QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(found)
            self.verticalScrollBar().setValue(place)

    def target(self, link: str) -> str:
        """Return the name of the page to which a link leads.

        Parameters
        ----------
        link
            link relative to the current page; a fragment is ignored
        """
        return normpath(str(PurePosixPath(self.name).parent / link.partition("#")[0]))

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load an image relative to the page, scaled to the width of the view.

        Parameters
        ----------
        kind
            resource type of Qt; not used, because pages contain only images
        name
            link in the page
        """
        link = name.toString() if isinstance(name, QUrl) else name
        image = QImage(str(self._folder / self.target(link)))
        width = max(self.viewport().width() - MARGIN_PX, 1)
        if image.width() <= width:
            return image
        return image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)


class GuideWindow(QDialog):
    """All pages for technicians and physicists, with full-text search."""

    def __init__(self, parent: QWidget | None = None, folder: Path | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Guide"))
        fit_to_screen(self, *SIZE_PX)
        self._folder = folder or guide_folder()
        self._pages = pages(self._folder)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search the guide"))
        self.search.setAccessibleName(tr("Search the guide"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.list, self.view = QListWidget(), PageView(self._folder)
        self.list.setAccessibleName(tr("Guide pages"))
        for page in self._pages:
            self.list.addItem(_item(page))
        self.list.currentItemChanged.connect(self._show_item)
        self.view.anchorClicked.connect(
            lambda url: self.open_page(self.view.target(url.toString()))
        )
        self._none = label(tr("No page contains these words."), "muted", wrap=True)
        self._none.hide()
        self._lay_out()
        self.list.setCurrentRow(0)

    def open_page(self, name: str) -> None:
        """Show a page; unknown names are ignored."""
        for row, page in enumerate(self._pages):
            if page.name == name:
                self.list.setCurrentRow(row)

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.addWidget(self.search)
        left.addWidget(self._none)
        left.addWidget(self.list, 1)
        self.search.setFixedWidth(LIST_PX)
        self.list.setFixedWidth(LIST_PX)
        row = QHBoxLayout(self)
        row.addLayout(left)
        row.addWidget(self.view, 1)

    def _show_item(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.view.show_page(item.data(NAME))

    def _filter(self, wanted: str) -> None:
        """Show only the pages that contain a text, and open the first of them."""
        words = wanted.casefold()
        # The guide is small enough to be searched at every key.
        found = [words in page_text(self._folder, p.name).casefold() for p in self._pages]
        for row, is_found in enumerate(found):
            self.list.item(row).setHidden(not is_found)
        self._none.setVisible(not any(found))
        # A page that still matches stays open while the user types.
        if words and any(found) and not found[self.list.currentRow()]:
            self.list.setCurrentRow(found.index(True))
        if words:
            self.view.moveCursor(self.view.textCursor().MoveOperation.Start)
            self.view.find(wanted)


def _item(page: GuidePage) -> QListWidgetItem:
    is_head = page.name.endswith("index.md")
    item = QListWidgetItem(page.title if is_head else f"    {page.title}")
    item.setData(NAME, page.name)
    return item
