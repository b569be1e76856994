"""What every panel is given: the state, what the user can do, colours, memory."""

from __future__ import annotations

from dataclasses import dataclass

from app.commands import Commands
from app.preferences import Preferences
from app.previews import Previews
from app.session import Session
from app.theme import Theme


@dataclass(frozen=True)
class Workbench:
    """Session, commands, theme, preferences and previews of one window."""

    session: Session
    commands: Commands
    theme: Theme
    preferences: Preferences
    previews: Previews
