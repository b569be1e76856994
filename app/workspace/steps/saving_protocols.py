"""Save the current settings as a new protocol, or as the next version after a question."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.state.models.protocols.library import ListedProtocol
from app.state.services.context import AppContext
from app.ui.theme.questions import ask, show_reason


def save_as(parent: QWidget, context: AppContext, name: str) -> None:
    """Save the settings, unless the name belongs to a protocol that cannot be changed.

    Parameters
    ----------
    parent
        parent of the dialogs
    context
        the window's state and actions
    name
        name of the protocol
    """
    protocol = context.session.study.protocol
    found = context.preferences.library.find(protocol.model_copy(update={"name": name}))
    if found is not None and found.fixed:
        show_reason(parent, tr("Not saved"), found.fixed)
    # A new version changes what others get under this name, so the user must agree.
    elif found is None or ask(parent, tr("Save as the next version"), _question(found), tr("Save")):
        context.commands.save_protocol(name)


def _question(found: ListedProtocol) -> str:
    name, next_one = found.protocol.name, found.revision + 1
    return tr(
        "{name!r} already exists (version {revision}). Save these settings as version "
        "{next_one}? The previous version is kept.",
        name=name,
        revision=found.revision,
        next_one=next_one,
    )
