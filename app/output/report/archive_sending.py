"""Send signed results to the archive after their time in the outbox, and let the user recall them.

The site switches this on. Rejected images are never sent.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.language.translation import tr
from app.output.report.report_commands import send_result
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button
from app.views.literal_text import LiteralLabel, literal_tip
from app.views.slices.labels import shortened
from engine.results.reports import Judgement, Site

TICK_MS = 250
TITLE_CHARACTERS = 40


def sends_after_sign_off(site: Site, judgement: Judgement | None) -> bool:
    """Return True if the site sends an image with this judgement by itself.

    Parameters
    ----------
    site
        settings of the site
    judgement
        judgement of the image; None before there is one
    """
    return bool(site.archive_signed and site.node and judgement != "not acceptable")


class ArchiveSending(QWidget):
    """Line with the result that is sent next, its remaining time, and the button that recalls it.

    Attributes
    ----------
    recall : takes the result back

    Parameters
    ----------
    context : context with the outbox
    succeed : shows the message of the node that has accepted a result
    """

    def __init__(self, context: AppContext, succeed: Callable[[str], object]) -> None:
        super().__init__()
        self._succeed = succeed
        self._context, self._outbox = context, context.session.outbox
        self._icon, self.text = LiteralLabel(), LiteralLabel()
        set_icon(self._icon, "send", context.theme, "warning")
        self.recall = button(tr("Recall"), self._recall_first, tr("Do not send this image"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for each in (self._icon, self.text, self.recall):
            row.addWidget(each)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._release_due)
        self._outbox.changed.connect(self._show)
        self._outbox.due.connect(self._send)
        self._show()

    def _show(self) -> None:
        waiting = self._outbox.waiting
        self.setVisible(bool(waiting))
        if not waiting:
            self._timer.stop()
            return
        self._timer.start()
        first, node = waiting[0], self._context.preferences.site.node
        n = ceil(self._outbox.seconds_left(first))
        more = tr(" (and {n} more)", n=len(waiting) - 1) if len(waiting) > 1 else ""
        self.text.setText(tr("Sends to {node} in {n} s", node=node, n=n) + more)
        self.text.setToolTip(literal_tip(shortened(first.title, TITLE_CHARACTERS)))

    def _release_due(self) -> None:
        self._outbox.release()
        self._show()

    def _recall_first(self) -> None:
        if self._outbox.waiting:
            first = self._outbox.waiting[0]
            self._outbox.recall(first.id)
            text = tr("{title} was recalled and not sent.", title=first.title)
            self._context.session.add_log("info", text)

    def _send(self, id: str) -> None:
        site = self._context.preferences.site
        # The settings may have changed in the meantime
        if site.archive_signed and site.node:
            send_result(self._context, self._succeed, with_image=True, id=id)
        else:
            self._outbox.finish(id)
