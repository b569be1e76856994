"""The centre of the window: message bar, welcome or ready card or views, and the scrubber."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QSizePolicy, QTabBar, QVBoxLayout, QWidget

from app.language.translation import tr
from app.output.results.film_strip import FilmStrip
from app.shell.message_bar import MessageBar
from app.shell.ready_card import ReadyCard
from app.shell.welcome import WelcomeCard, page
from app.state.models.inputs import DATA
from app.state.services.context import AppContext
from app.state.services.image_plane_reader import ImagePlaneReader
from app.state.services.slice_saving import keep_slices
from app.ui.theme.joined_row import JoinedRow
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import PageStack
from app.viewing.fusion.fusion_bar import FusionBar
from app.viewing.viewer_tools.tools import ViewerTools
from app.views.scrubber import NO_ITERATES, IterationScrubber
from app.views.slices.ortho_view import OrthoView
from app.workspace.ct_inspection.planes_page import PlanesPage
from app.workspace.ct_inspection.scan_pages import PAGES, ScanPages
from engine.modalities import ProjectionsSummary

SCRUBBER_PX = 420
"""Least width of the scrubber next to the controls of the views."""
OF_PROJECTIONS = (1, 2)
"""Indices of the tabs that only X-ray scans have."""


class CentralArea(QWidget):
    """Page for the current state: no scan, a scan, or images.

    An X-ray scan has tabs for volume, projections, geometry and oblique planes. Projections are
    shown when it is opened, and the volume from the start of a run. Other images have tabs for
    volume and oblique planes.
    """

    def __init__(
        self,
        context: AppContext,
        *,
        open_scan: Callable[[], object],
        demo: Callable[[str], object],
        resume: Callable[..., object],
        show_log: Callable[[], object],
        live: Callable[[], object],
        live_demo: Callable[[int], object],
    ) -> None:
        super().__init__()
        self._context = context
        self._session, self._theme = context.session, context.theme
        self._study, self._run = context.session.study, context.session.run
        self.message_bar = MessageBar(context.theme, resume, show_log)
        self.welcome = WelcomeCard(
            context.theme, open_scan=open_scan, demo=demo, cancel=context.commands.stop,
            live=live, live_demo=live_demo,
        )  # fmt: skip
        self.ready = ReadyCard(context)
        self.views = OrthoView(self._session.view)
        self.fusion = FusionBar(context, self.views)
        self.scrubber, self.strip = IterationScrubber(), FilmStrip(context)
        self.viewer_tools = ViewerTools(context, self.views, self.scrubber)
        self.scan = ScanPages(context)
        self._has_controls = True
        self.tabs = QTabBar()
        self._lay_out()
        study, run = self._study, self._run
        session = self._session
        # Problems never open a dialog, which would block the window during a run.
        session.problem_raised.connect(self.message_bar.report)
        study.inputs_changed.connect(self._follow_scan)
        run.state_changed.connect(self._follow_state)
        session.view.volume_changed.connect(self._show)
        run.images_changed.connect(self._show_images)
        self.tabs.currentChanged.connect(self._show)
        self.scan.planes.two_fit_changed.connect(self._show)
        # Single letters work because no page has a text field that needs them.
        for index, key in enumerate("VPGS"):
            QShortcut(QKeySequence(key), self, lambda index=index: self.show_page(index))
        copying = QShortcut(QKeySequence.StandardKey.Copy, self.views, self.fusion.copy_views)
        # Only in the views: Ctrl+C in a text field must copy text.
        copying.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        # The order matters: return from an opened volume to the run, then select the iterate.
        self.scrubber.iterate_selected.connect(session.volumes.return_to_image)
        self.scrubber.iterate_selected.connect(run.select)
        self._theme.changed.connect(self._paint)
        self._labels: list[str] = []
        self._scan: ProjectionsSummary | None = None
        self._was_active = self._is_live = False
        self._live: QWidget | None = None
        self._paint()
        self._show()

    def _lay_out(self) -> None:
        self._radiographs = QWidget()
        # Keys for slices must work as soon as the page is shown.
        self._radiographs.setFocusProxy(self.views.axial)
        column = QVBoxLayout(self._radiographs)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for bar in self.viewer_tools.bars:
            column.addWidget(bar)
        column.addWidget(self.views, 1)
        # One row for both leaves more room for the images.
        self._below = JoinedRow(self.views.toolbar, self.scrubber, second_px=SCRUBBER_PX)
        column.addWidget(self._below)
        column.addWidget(self.strip)
        self._pages = PageStack()
        self._welcome_page, self._ready_page = page(self.welcome), page(self.ready)
        for each in (self._welcome_page, self._ready_page, self._radiographs, *self.scan.widgets):
            self._pages.addWidget(each)
        for title, tip in PAGES:
            self.tabs.setTabToolTip(self.tabs.addTab(title), tip)
        self.tabs.setExpanding(False)
        self.tabs.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.tabs.setAccessibleName(tr("Scan views"))
        self.tabs.hide()
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.setSpacing(0)
        outside.addWidget(self.message_bar)
        self._above = JoinedRow(self.tabs, self.fusion)
        outside.addWidget(self._above)
        outside.addWidget(self._pages, 1)

    def show_controls(self, on: bool) -> None:
        """Show the controls of the views, or only the images.

        Parameters
        ----------
        on
            False on the page Prepare
        """
        self._has_controls = on
        self.viewer_tools.strip.setVisible(on)
        self._below.setVisible(on)
        self.scan.projections.toolbar.setVisible(on)
        self.strip.offer(on)
        self._show()

    @property
    def shows_views(self) -> bool:
        """True if an image is displayed."""
        return self._pages.currentWidget() is self._radiographs

    def add_live(self, live: QWidget) -> None:
        """Add the page of a live scan.

        Parameters
        ----------
        live
            page; it may be wider than the centre, because the side panels are hidden next to it
        """
        self._live = live
        # Its minimum width must not count while the panels are visible.
        live.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._pages.addWidget(live)

    @property
    def shows_live(self) -> bool:
        """True if the page of a live scan is displayed."""
        return self._is_live

    def show_live(self, on: bool) -> None:
        """Show the page of a live scan, or the page for the current state again."""
        self._is_live = on
        self._show()

    def show_page(self, index: int) -> None:
        """Show a tab and focus its page.

        Parameters
        ----------
        index
            0 volume, 1 projections, 2 geometry, 3 oblique planes; a hidden tab is ignored
        """
        if self._has_tabs and self.tabs.isTabVisible(index):
            self.tabs.setCurrentIndex(index)
            self._current.setFocus()

    @property
    def _has_tabs(self) -> bool:
        """True if there is more than one page."""
        return self._scan is not None or self._has_volume

    def _show_tabs(self) -> None:
        """Show the tabs for the current state; only X-ray scans have projections."""
        for index in OF_PROJECTIONS:
            self.tabs.setTabVisible(index, self._scan is not None)
        self.tabs.setVisible(self._has_tabs and not self._is_live)
        # The size hint of Qt counts hidden tabs too.
        rects = [
            self.tabs.tabRect(i) for i in range(self.tabs.count()) if self.tabs.isTabVisible(i)
        ]
        self.tabs.setMaximumWidth(sum(rect.width() for rect in rects))
        # Qt may have cached the height from before the style sheet, which cuts off the underline.
        self.tabs.updateGeometry()

    @cached_property
    def image_planes(self) -> PlanesPage:
        """Oblique planes of an image that is not from an X-ray scan; created on demand."""
        reader = ImagePlaneReader(self._session, self._context.commands)
        made = PlanesPage(reader, lambda shown: keep_slices(self, self._context, shown))
        made.set_colours(view_colours(self._theme))
        self._pages.addWidget(made)
        return made

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        # Asking the property would create the page.
        if "image_planes" in self.__dict__:
            self.image_planes.set_colours(colours)
        self.views.set_colours(colours)
        self.scrubber.set_colours(colours)
        self.scan.set_colours(colours)

    def _follow_scan(self) -> None:
        """Show the projections of a scan that was just opened."""
        found = self._study.xray
        scan = found.scan if found is not None else None
        if scan is not self._scan:
            self._scan = scan
            self._show_tabs()
            # With an image on the screen the user stays there.
            self.tabs.setCurrentIndex(1 if scan is not None and not self._has_volume else 0)
        self._show()

    def _follow_state(self) -> None:
        """Show the volume when a run starts."""
        # Only at the start: during a run the user can switch tabs.
        if self._run.state.is_active and not self._was_active:
            self.tabs.setCurrentIndex(0)
        self._was_active = self._run.state.is_active
        self._show()

    @property
    def _has_volume(self) -> bool:
        return self._session.view.volume is not None

    @property
    def _current(self) -> QWidget:
        """The page for the current state."""
        if self._is_live and self._live is not None:
            return self._live
        index = self.tabs.currentIndex() if self._has_tabs else 0
        if index > 0 and self._scan is not None:
            return self.scan.widgets[index - 1]
        if index > 0:
            return self.image_planes
        if self._has_volume:
            return self._radiographs
        return self._ready_page if DATA in self._study.inputs else self._welcome_page

    def _show(self) -> None:
        self._show_tabs()
        current = self._current
        self._pages.setCurrentWidget(current)
        fits = isinstance(current, PlanesPage) and current.shows_two
        self.fusion.setVisible(self._has_controls and (current is self._radiographs or fits))
        self._above.arrange()

    def _show_images(self) -> None:
        labels = self._run.record.images.captions
        before, self._labels = self._labels, list(labels)
        # One new iterate: appending keeps the position of the scrubber.
        if before and labels[:-1] == before:
            self.scrubber.append(labels[-1])
        else:
            waiting = tr("Previous image (no iterations yet)") if self._has_volume else NO_ITERATES
            self.scrubber.set_iterates(labels, self._run.record.early or waiting)
