"""The middle of the window: banner, welcome or ready card or views, and the iteration scrubber."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.banner import Banner
from app.view_colours import view_colours
from app.views.ortho_view import OrthoView
from app.views.scrubber import IterationScrubber
from app.welcome import ReadyCard, WelcomeCard, page
from app.workbench import Workbench


class Centre(QWidget):
    """Shows what fits the state: nothing yet, a scan, or images."""

    def __init__(
        self,
        bench: Workbench,
        *,
        open_scan: Callable[[], object],
        demo: Callable[[], object],
        start: Callable[[], object],
        resume: Callable[..., object],
        show_log: Callable[[], object],
    ) -> None:
        super().__init__()
        self._session, self._theme = bench.session, bench.theme
        self.banner = Banner(bench.theme, resume, show_log)
        self.welcome = WelcomeCard(bench.theme, open_scan=open_scan, demo=demo)
        self.ready = ReadyCard(bench, start)
        self.views = OrthoView(self._session.view_state)
        self.scrubber = IterationScrubber()
        pictures = QWidget()
        column = QVBoxLayout(pictures)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.views, 1)
        column.addWidget(self.scrubber)
        self._pages = QStackedWidget()
        self._welcome_page, self._ready_page = page(self.welcome), page(self.ready)
        self._pictures = pictures
        for each in (self._welcome_page, self._ready_page, pictures):
            self._pages.addWidget(each)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.setSpacing(0)
        outside.addWidget(self.banner)
        outside.addWidget(self._pages, 1)
        session = self._session
        session.problem_raised.connect(self.banner.tell)
        session.inputs_changed.connect(self._show)
        session.state_changed.connect(self._show)
        session.view_state.volume_changed.connect(self._show)
        session.images_changed.connect(self._show_images)
        self.scrubber.iterate_selected.connect(session.select)
        self._theme.changed.connect(self._paint)
        self._labels: list[str] = []
        self._paint()
        self._show()

    @property
    def shows_views(self) -> bool:
        """Whether there is an image on show."""
        return self._pages.currentWidget() is self._pictures

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        self.views.set_colours(colours)
        self.scrubber.set_colours(colours)

    def _show(self) -> None:
        session = self._session
        if session.view_state.volume is not None:
            current = self._pictures
        elif "data" in session.inputs:
            current = self._ready_page
        else:
            current = self._welcome_page
        self._pages.setCurrentWidget(current)

    def _show_images(self) -> None:
        labels = self._session.record.images.labels
        before, self._labels = self._labels, list(labels)
        if before and labels[:-1] == before:
            self.scrubber.append(labels[-1])
        else:
            self.scrubber.set_iterates(labels)
