"""Login name of the session."""

from __future__ import annotations

import getpass


def login_name() -> str:
    """Return the login name; empty if the system does not state it."""
    try:
        return getpass.getuser()[:120]
    except (OSError, KeyError, ImportError):
        return ""
