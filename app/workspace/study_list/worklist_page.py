"""The worklist: query it and choose the patient of the open scan."""

from __future__ import annotations

from datetime import datetime, timedelta

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import button, label, set_tone
from app.views.literal_text import literal_tip
from app.workspace.study_list.order_table import OrderTable
from engine.core.errors import EngineError
from engine.jobs.study_index import Node, Worklist, WorklistQuery, ask_worklist, call_node

DAYS: tuple[tuple[str, int | None, int | None], ...] = (
    (tr("Today"), 0, 0),
    (tr("Yesterday"), -1, -1),
    (tr("The next seven days"), 0, 6),
    (tr("All days"), None, None),
)
"""First and last day, relative to today."""
KINDS = ((tr("PET"), "PT"), (tr("CT"), "CT"), (tr("All modalities"), ""))
MAX_S = 180.0
"""Time after which a query is ended in any case; it has a limit of 120 s itself."""
NO_NODE = tr("No worklist is configured. Add the worklist node as HOST:PORT in the settings.")
ASK_FIRST = tr("Query the worklist, then choose the patient for the scan.")
CHOOSE = tr("Select an order in the list.")


class WorklistPage(QWidget):
    """Orders of a DICOM modality worklist.

    Signals
    -------
    done : an order was assigned
    """

    done = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._order = context, context.session.order
        self.days, self.kinds, self.patient = QuietCombo(), QuietCombo(), QLineEdit()
        for text, *_ in DAYS:
            self.days.addItem(text)
        for text, key in KINDS:
            self.kinds.addItem(text, key)
        self.patient.setPlaceholderText(tr("Name (* matches any characters)"))
        for each, name, tip in (
            (self.days, tr("Days"), tr("Scheduled dates")),
            (self.kinds, tr("Modality"), tr("Modality of the order")),
            (self.patient, tr("Patient"), tr("Leave blank for all patients")),
        ):
            each.setAccessibleName(name)
            each.setToolTip(literal_tip(tip))
        self.ask = button(tr("Query"), self.ask_node)
        self.message = label(ASK_FIRST, "muted", wrap=True)
        self.list = OrderTable()
        self.now = label("", wrap=True)
        self.take = button(tr("Assign to scan"), self._take, role="primary")
        self.forget = button(
            tr("Clear"), self._order.forget, tr("Remove the patient from the open scan")
        )
        self._lay_out()
        # Return in the name field queries, as in other worklist programs.
        self.patient.returnPressed.connect(self.ask_node)
        self.list.itemSelectionChanged.connect(self._show)
        self.list.doubleClicked.connect(self._take)
        self._order.changed.connect(self._show)
        context.commands.protocols_changed.connect(self._show)  # the settings were changed
        self._show()

    @property
    def question(self) -> WorklistQuery:
        """The query from the fields."""
        _, first, last = DAYS[self.days.currentIndex()]
        # Read at each query, since the window may stay open overnight.
        today = datetime.now().astimezone().date()
        begin, end = (None if n is None else today + timedelta(n) for n in (first, last))
        kind, patient = str(self.kinds.currentData()), self.patient.text().strip()
        return WorklistQuery(begin, end, kind, patient)

    def ask_node(self) -> None:
        """Query the configured node, in a thread."""
        question, site = self.question, self._context.preferences.site
        if not self.ask.isEnabled():
            return
        # One query at a time: a slow node would answer in any order.
        self.ask.setEnabled(False)
        self._show_message(tr("Querying {node} …", node=site.worklist), "muted")

        def work(_: object) -> Worklist | str:
            try:
                node = Node.at(site.worklist, called=site.worklist_called, tls=site.tls)
                return call_node(ask_worklist, node, question, name=node.name, seconds=MAX_S)
            except EngineError as e:
                return str(e)  # shown next to the query

        self._context.commands.run_task(work, self._show_orders, on_end=self._show)

    def _lay_out(self) -> None:
        top, row = QHBoxLayout(), QHBoxLayout()
        for field, stretch in ((self.days, 2), (self.kinds, 1), (self.patient, 3)):
            top.addWidget(field, stretch)
        top.addWidget(self.ask)
        for each in (self.ask, self.take, self.forget):
            each.setAutoDefault(False)
        row.addWidget(self.now, 1)
        row.addWidget(self.forget)
        row.addWidget(self.take)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(self.message)
        column.addWidget(self.list, 1)
        column.addLayout(row)

    def _show_orders(self, found: Worklist | str) -> None:
        if isinstance(found, str):
            self.list.take(())
            self._show_message(found, "missing")
            return
        self.list.take(found.orders)
        n = len(found.orders)
        text = tr("1 order.") if n == 1 else tr("{n:,} orders.", n=n)
        self._show_message(" ".join((text, *found.notes)), "warning" if found.notes else "muted")

    def _show(self) -> None:
        has_node = bool(self._context.preferences.site.worklist)
        self.ask.setEnabled(has_node)
        self.ask.setToolTip(literal_tip(tr("Query the worklist (Return)") if has_node else NO_NODE))
        if not has_node:
            self._show_message(NO_NODE, "warning")
        # Only this message is replaced. The result of a query stays.
        elif self.message.text() == NO_NODE:
            self._show_message(ASK_FIRST, "muted")
        subject = self._order.describe()
        self.now.setText(
            tr("The open scan belongs to {subject}.", subject=subject)
            if subject
            else tr("No patient is assigned to the open scan.")
        )
        chosen = self.list.current is not None
        self.take.setEnabled(chosen)
        tip = tr("DICOM files will be written for this patient until you open another scan")
        self.take.setToolTip(literal_tip(tip if chosen else CHOOSE))
        self.forget.setEnabled(bool(subject))

    def _take(self) -> None:
        order = self.list.current
        if order is None:
            return
        try:
            # Checked against the patient of the files: a scan must not get the wrong name.
            self._order.take(order, self._context.session.patients())
        except EngineError as e:
            self._show_message(str(e), "missing")
            return
        self.done.emit()

    def _show_message(self, text: str, tone: str) -> None:
        self.message.setText(text)
        set_tone(self.message, tone)
