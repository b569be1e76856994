"""Questions before data are lost."""

from __future__ import annotations

from app.language.translation import tr
from app.shell.dialogs.window_dialogs import Dialogs
from app.state.models.session import Session


def may_forget_image(session: Session, dialogs: Dialogs) -> bool:
    """Ask before an image is discarded that could not be saved to the results.

    Parameters
    ----------
    session
        session with the run
    dialogs
        asks the question

    Returns
    -------
    bool
        True if nothing is lost, or the user agrees
    """
    record = session.run.record
    # During a run nothing can be opened, so nothing is lost.
    if not record.is_only_here or session.run.state.is_active:
        return True
    # The title with names, because only this user sees it.
    return may_discard_image(dialogs, record.local_title)


def may_discard_image(dialogs: Dialogs, title: str) -> bool:
    """Ask if the image of a scan may be discarded.

    Parameters
    ----------
    dialogs
        asks the question
    title
        title of the scan
    """
    text = tr(
        "The image of {title} exists only in this window. It could not be saved to the results "
        "and was not exported. Discard it?",
        title=title,
    )
    return dialogs.confirm(tr("Image not saved"), text, tr("Discard"))


def aborts_to_close(dialogs: Dialogs) -> bool:
    """Ask if the run may be aborted, because the window is about to close."""
    text = tr(
        "Closing the window aborts the run. The last image is saved to the results. You can "
        "resume the run later from its last checkpoint."
    )
    return dialogs.confirm(tr("A reconstruction is running"), text, tr("Abort and close"))


def may_forget_sending(session: Session, dialogs: Dialogs) -> bool:
    """Ask if signed results that were not sent yet may stay here.

    Parameters
    ----------
    session
        session with the outbox
    dialogs
        asks the question

    Returns
    -------
    may_close
        True if none waits, or the user agrees; nothing is sent then
    """
    waiting = session.outbox.waiting
    if not waiting:
        return True
    text = tr(
        "{title} was signed off and not sent yet. If you close the window now, it is not sent.",
        title=", ".join(each.title for each in waiting),
    )
    if not dialogs.confirm(tr("Image not sent"), text, tr("Close without sending")):
        return False
    for each in waiting:
        session.outbox.recall(each.id)
    return True
