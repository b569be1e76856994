"""Saving the settings at hand as a protocol: a new one, or the next version after a question."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.control.context import AppContext
from app.look.questions import ask, tell
from app.models.protocol_library import ListedProtocol


def save_as(parent: QWidget, context: AppContext, name: str) -> None:
    """Save the settings under a name, unless it belongs to what may not be changed."""
    protocol = context.session.study.protocol
    found = context.preferences.library.find(protocol.model_copy(update={"name": name}))
    if found is not None and found.fixed:
        tell(parent, "Not saved", found.fixed)
    elif found is None or ask(parent, "Save as the next version", _question(found), "Save"):
        context.commands.save_protocol(name)


def _question(found: ListedProtocol) -> str:
    name, next_one = found.protocol.name, found.revision + 1
    return (
        f"There is {name!r}, version {found.revision}. Save these settings as its version "
        f"{next_one}? The version before is kept."
    )
