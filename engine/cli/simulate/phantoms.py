"""Message for an unknown phantom of `isocenter simulate`."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.errors import SettingsError


def no_such_phantom(name: str, known: Iterable[str], more: str = "") -> SettingsError:
    """Return the error for an unknown phantom, with a suggestion.

    Parameters
    ----------
    name
        value of `--phantom`
    known
        valid names
    more
        other valid values, such as ", or a volume"
    """
    from engine.cli.suggestions import nearest

    names = list(known)
    near = nearest(name, names)
    meant = f" Did you mean {near!r}?" if near else ""
    return SettingsError(f"--phantom {name!r}: expected one of {', '.join(names)}{more}.{meant}")
