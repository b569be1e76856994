"""All studies in one list: find, open and continue them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.formatting import size
from app.ui.theme.questions import ask
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip
from app.workspace.study_list.study_table import DATE, SCAN, THUMBNAIL_PX, FoundStudies, StudyTable
from app.workspace.study_list.study_text import FILTER_NAMES, detail_of
from app.workspace.study_list.table_style import set_up
from engine.jobs.study_index import KnownStudy, known_studies

RUNNING = tr("A reconstruction is running.")
CHOOSE = tr("Select a study in the list.")
NO_IMAGE = tr("This study has no image yet.")
LOOKING = tr("Searching for studies …")
WIDTHS_PX = {0: 150, 1: 90, 3: 130, 4: 110, 5: 150, 6: 90}
OF_QUEUE = ("waiting", "asking", "paused", "failed")


class StudiesPage(QWidget):
    """Results, interrupted runs and the queue.

    Signals
    -------
    done : the requested action continues in the window
    """

    done = Signal()

    def __init__(
        self,
        context: AppContext,
        resume: Callable[[str], object],
        show_queue: Callable[[], object],
    ) -> None:
        super().__init__()
        self._context, self._run = context, context.session.run
        self._resume, self._show_queue = resume, show_queue
        # Replaceable, so that tests need no dialog.
        self.confirm: Callable[[str, str], bool] = self._ask
        self.table = StudyTable(context.theme, self.devicePixelRatioF())
        self.found = FoundStudies(self.table)
        self.search, self.shown = QLineEdit(), QuietCombo()
        self.search.setPlaceholderText(tr("Patient, patient ID, scan, protocol, date"))
        self.search.setAccessibleName(tr("Search"))
        self.search.setToolTip(tr("Show studies that contain all of these words"))
        self.search.setClearButtonEnabled(True)
        self.shown.setAccessibleName(tr("Show"))
        self.shown.setToolTip(tr("Filter the studies by state"))
        for key, name in FILTER_NAMES.items():
            self.shown.addItem(name, key)
        self.view = _table_view(self.found)
        self.count = label(LOOKING, "muted")
        self.detail = label("", "muted", wrap=True)
        self.open = button(tr("Open"), self._open, role="primary")
        self.settings = button(tr("Use settings"), self._use_settings)
        self.folder = button(tr("Show in folder"), self._show_folder)
        self.delete = button(tr("Delete …"), self._delete)
        self._lay_out()
        self.search.textChanged.connect(self._search)
        self.shown.activated.connect(self._search)
        self.view.selectionModel().selectionChanged.connect(self._choose)
        self.view.doubleClicked.connect(self._open)
        self.view.activated.connect(self._open)
        self._run.state_changed.connect(self._choose)
        self._choose()

    @property
    def current(self) -> KnownStudy | None:
        """The selected study; None if there is none."""
        rows = self.view.selectionModel().selectedRows()
        return self.found.study_at(rows[0]) if rows else None

    def refresh(self) -> None:
        """Search for studies on disk, in a thread."""
        # A thread, because each result is a folder with several files.
        failed = tr("The studies could not be listed.")
        self._context.commands.run_task(
            lambda _: known_studies(), self._show_studies, failed=failed
        )

    def _lay_out(self) -> None:
        top, row = QHBoxLayout(), QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.search, 3)
        top.addWidget(self.shown, 2)
        row.setSpacing(8)
        for each in (self.open, self.settings, self.folder, self.delete):
            each.setAutoDefault(False)
            row.addWidget(each)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(self.count)
        column.addWidget(self.view, 1)
        column.addWidget(self.detail)
        column.addLayout(row)

    def _show_studies(self, studies: list[KnownStudy]) -> None:
        chosen = self.current
        self.table.take(studies)
        # The selection is restored by ID, because rows may have moved.
        ids = [] if chosen is None else [each.id for each in studies]
        if chosen is not None and chosen.id in ids:
            at = self.found.mapFromSource(self.table.index(ids.index(chosen.id), 0))
            self.view.selectRow(at.row())
        self._count()
        self._choose()

    def _search(self) -> None:
        self.found.search(self.search.text(), str(self.shown.currentData()))
        self._count()
        # The selected row may be hidden by the filter.
        self._choose()

    def _count(self) -> None:
        shown, total = self.found.rowCount(), len(self.table.studies)
        on_disk = size(sum(each.n_bytes for each in self.table.studies))
        text = tr(
            "{shown:,} of {total:,} shown, {on_disk} on disk",
            shown=shown,
            total=total,
            on_disk=on_disk,
        )
        none = tr("No studies yet. Every finished image is listed here with its patient.")
        self.count.setText(text if total else none)

    def _choose(self) -> None:
        study = self.current
        self.detail.setText(detail_of(study) if study is not None else CHOOSE)
        busy = RUNNING if self._run.state.is_active else ""
        no_image = "" if study is not None and study.result is not None else NO_IMAGE
        of_queue = study is not None and study.state in OF_QUEUE
        interrupted = study is not None and study.state == "interrupted"
        self.open.setText(
            tr("Resume") if interrupted else tr("Show the queue") if of_queue else tr("Open")
        )
        missing = CHOOSE if study is None else ""
        # A queued study can always be shown in the queue, even during a run.
        can_open = "" if of_queue else busy or ("" if interrupted else no_image)
        for each, why, tip in (
            (self.open, missing or can_open, tr("Open the study (Return)")),
            (
                self.settings,
                missing or busy or no_image,
                tr("Use the protocol from this result for the open scan"),
            ),
            (self.folder, missing or no_image, tr("Show the image files in the file manager")),
            (self.delete, missing or no_image, tr("Delete the image of this study from the disk")),
        ):
            each.setEnabled(not why)
            each.setToolTip(literal_tip(why or tip))

    def _open(self) -> None:
        study = self.current
        # A double-click comes here too, even if the button is disabled.
        if study is None or not self.open.isEnabled():
            return
        if study.result is not None:
            self._context.results.open(study.result)
        elif study.state == "interrupted":
            self._resume(study.id)
        else:
            self._show_queue()
        self.done.emit()

    def _use_settings(self) -> None:
        study = self.current
        if study is not None and study.result is not None:
            self._context.results.use_settings(study.result)
            self.done.emit()

    def _show_folder(self) -> None:
        study = self.current
        if study is not None and study.result is not None:
            self._context.results.show_in_folder(study.result)

    def _delete(self) -> None:
        study = self.current
        if study is None or study.result is None:
            return
        text = tr(
            "Delete {scan}, {protocol}, {when:%d %b %Y %H:%M} from the disk?",
            scan=study.scan,
            protocol=study.protocol,
            when=study.when,
        )
        if study.state == "signed off":
            text += " " + tr("Sign-off: {standing}.", standing=study.standing)
        # An image that exists nowhere else deserves a warning.
        if not study.result.exported:
            text += " " + tr("This result has not been exported.")
        if self.confirm(tr("Delete this result?"), text):
            self._context.results.delete(study.result, then=self.refresh)

    def _ask(self, title: str, text: str) -> bool:
        return ask(self, title, text, tr("Delete"))


def _table_view(model: QSortFilterProxyModel) -> QTableView:
    view = QTableView()
    view.setModel(model)
    view.setAccessibleName(tr("Studies"))
    set_up(view, WIDTHS_PX, SCAN)
    view.setIconSize(QSize(THUMBNAIL_PX, THUMBNAIL_PX))
    view.verticalHeader().setDefaultSectionSize(THUMBNAIL_PX + 6)
    view.setSortingEnabled(True)
    # Newest first: this is usually the study that the user looks for.
    view.sortByColumn(DATE, Qt.SortOrder.DescendingOrder)
    return view
