"""Two buttons that switch between the pages of the window."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from app.language.translation import tr
from app.shell.page.pages import Page, Pages


class PageSwitch(QWidget):
    """The buttons Prepare and Judge; that of the displayed page is checked."""

    def __init__(self, pages: Pages) -> None:
        super().__init__()
        self._pages = pages
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        prepare, judge = QToolButton(), QToolButton()
        prepare.setText(tr("Prepare"))
        prepare.setToolTip(tr("Choose the scan, protocol and corrections, and start the run"))
        prepare.setProperty("segment", "first")
        judge.setText(tr("Judge"))
        judge.setToolTip(tr("Look at the image, measure it, and sign it off"))
        judge.setProperty("segment", "last")
        self.buttons: dict[Page, QToolButton] = {"prepare": prepare, "judge": judge}
        for page, made in self.buttons.items():
            made.setCheckable(True)
            made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            made.setProperty("role", "segment")
            made.clicked.connect(partial(self._show_page, page))
            row.addWidget(made)
        pages.changed.connect(self._show)
        self._show()

    def _show_page(self, page: Page) -> None:
        self._pages.show(page)
        # A click on the checked button would uncheck it.
        self._show()

    def _show(self) -> None:
        for page, each in self.buttons.items():
            each.setChecked(page == self._pages.current)
