"""Ask for the passphrase of the signing key, once per session, before the first signature."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.models.session import Session
from app.ui.theme.questions import ask_text
from engine.core.errors import EngineError
from engine.results.reports import needs_passphrase, unlock

MAX_TRIES = 3
UNSIGNED = tr(
    "Results, sign-offs, reports and the audit log of this session are not signed, because the "
    "signing key is locked. To enter its passphrase, restart Isocenter."
)


class KeyUnlocking:
    """Unlocks the key that signs.

    Parameters
    ----------
    parent
        parent of the dialog
    session
        session that shows the outcome
    """

    def __init__(self, parent: QWidget, session: Session) -> None:
        self._parent, self._session = parent, session
        self._was_asked = False

    def ask(self) -> None:
        """Ask if the key is locked; if the user cancels, the session continues without it."""
        if self._was_asked or not needs_passphrase():
            return
        self._was_asked = True
        if not self._is_unlocked():
            self._session.add_log("warning", UNSIGNED)
            self._session.raise_problem(Problem(tr("The signing key is locked."), UNSIGNED))

    def _is_unlocked(self) -> bool:
        words = tr("Passphrase for the signing key")
        for _ in range(MAX_TRIES):
            entered = ask_text(self._parent, tr("Sign results"), words, "", hidden=True)
            if not entered:
                return False
            try:
                unlock(entered)
            except EngineError:
                words = tr(
                    "The passphrase is wrong. Enter the passphrase for the signing key again."
                )
            else:
                return True
        return False
