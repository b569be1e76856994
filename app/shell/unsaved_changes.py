"""Questions before something is lost: each tells what, and asks for leave."""

from __future__ import annotations

from app.language.translation import tr
from app.shell.dialogs.questions import Dialogs
from app.state.models.session import Session


def may_forget_image(session: Session, dialogs: Dialogs) -> bool:
    """Ask before an image goes that could not be kept among the results."""
    record = session.run.record
    if not record.is_only_here or session.run.state.is_active:
        return True
    return gives_up_image(dialogs, record.local_title)


def gives_up_image(dialogs: Dialogs, title: str) -> bool:
    """Ask whether the image of a scan may go that could not be kept among the results."""
    text = tr(
        "The image of {title} exists only in this window. It could not be saved to the results "
        "and was not exported. Discard it?",
        title=title,
    )
    return dialogs.confirm(tr("Image not saved"), text, tr("Discard"))


def aborts_to_close(dialogs: Dialogs) -> bool:
    """Ask whether the run may end, since the window is to be closed."""
    text = tr(
        "Closing the window aborts the run. The last image is saved to the results. You can "
        "resume the run later from its last checkpoint."
    )
    return dialogs.confirm(tr("A reconstruction is running"), text, tr("Abort and close"))
