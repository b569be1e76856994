"""Protocols that the user pinned for kinds of scanners.

A pin lives only in the memory of the window. It ends with the day, when another user logs in, and
when the window closes.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from engine.modalities import Protocol


@dataclass(frozen=True)
class ProtocolPin:
    """A pinned protocol, with the day and the login that it holds for."""

    protocol: Protocol
    day: date
    login: str


class ProtocolPins:
    """Pins by kind of scanner.

    Parameters
    ----------
    today, login
        return the day and the name of the user
    """

    def __init__(
        self, today: Callable[[], date] = date.today, login: Callable[[], str] | None = None
    ) -> None:
        self._today, self._login = today, login or _login
        self._pins: dict[str, ProtocolPin] = {}

    def put(self, kind: str, protocol: Protocol | None) -> None:
        """Pin a protocol for a kind of scanner; None: unpin it."""
        self._pins.pop(kind, None)
        if protocol is not None and kind:
            self._pins[kind] = ProtocolPin(protocol, self._today(), self._login())

    def of(self, kind: str) -> Protocol | None:
        """Return the protocol that is pinned for a kind of scanner now; None if none is."""
        pin = self._pins.get(kind)
        if pin is not None and (pin.day, pin.login) != (self._today(), self._login()):
            del self._pins[kind]
            return None
        return pin.protocol if pin is not None else None

    def clear(self) -> None:
        """End all pins, as another person takes over."""
        self._pins.clear()


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a login without a name
        return ""
