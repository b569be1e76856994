"""The sentence about an internal error, the same in every part of the window."""

from __future__ import annotations

from app.language.translation import tr


def internal_error(fault: Exception) -> str:
    """Return a sentence about an error that the program did not expect.

    Parameters
    ----------
    fault
        the error; its message is put on one line
    """
    # Lines of a long message would show as codes of control characters.
    words = " ".join(str(fault).split())
    return tr("Internal error ({name}: {e}); please report it.", name=type(fault).__name__, e=words)
