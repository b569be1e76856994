"""Protocols that the user pinned for kinds of scanners.

A pin exists only in memory. It ends with the day, when another user logs in, and when the window
closes.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from engine.modalities import Protocol


@dataclass(frozen=True)
class ProtocolPin:
    """A pinned protocol with the day and login for which it is valid."""

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

    def pin(self, kind: str, protocol: Protocol | None) -> None:
        """Pin a protocol, or remove the pin.

        Parameters
        ----------
        kind
            kind of scanner; "" is ignored
        protocol
            the protocol; None removes the pin
        """
        self._pins.pop(kind, None)
        if protocol is not None and kind:
            self._pins[kind] = ProtocolPin(protocol, self._today(), self._login())

    def of(self, kind: str) -> Protocol | None:
        """Return the protocol that is pinned for a kind of scanner.

        Parameters
        ----------
        kind
            kind of scanner

        Returns
        -------
        None if there is no pin or it has expired
        """
        pin = self._pins.get(kind)
        # Day and login are compared at each use: a window may stay open overnight on a shared
        # console.
        if pin is not None and (pin.day, pin.login) != (self._today(), self._login()):
            del self._pins[kind]
            return None
        return pin.protocol if pin is not None else None

    def clear(self) -> None:
        """Remove all pins, because another person takes over."""
        self._pins.clear()


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # the account has no name
        return ""
