"""Saving the settings at hand as a protocol: a new one, or the next version after a question."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.state.models.protocols.library import ListedProtocol
from app.state.services.context import AppContext
from app.ui.theme.questions import ask, tell


def save_as(parent: QWidget, context: AppContext, name: str) -> None:
    """Save the settings under a name, unless it belongs to what may not be changed."""
    protocol = context.session.study.protocol
    found = context.preferences.library.find(protocol.model_copy(update={"name": name}))
    if found is not None and found.fixed:
        tell(parent, tr("Not saved"), found.fixed)
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
