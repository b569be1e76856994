"""Text for a terminal or a label: control characters become visible marks, numbers have nouns.

Names of files, answers of a network and headers can contain control characters. A terminal obeys
them: they set its title, erase a line or hide text. Bidirectional characters reverse the order in
which a name is read, so that `gpj.exe` looks like `exe.jpg`.
"""

from __future__ import annotations

import re

_BIDIRECTIONAL = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_LINES = "\u2028\u2029"
# C0, DEL and C1. Lone surrogates stand for bytes of a name that are not UTF-8: a terminal could
# receive these bytes, and 0x9B is an escape
_CONTROL = "\x00-\x1f\x7f-\x9f\ud800-\udfff"
_LINE = re.compile(f"[{_CONTROL}{_LINES}{_BIDIRECTIONAL}]")
_PARAGRAPHS = re.compile(f"(?![\t\n])[{_CONTROL}{_LINES}{_BIDIRECTIONAL}]")


def amount(n: int, noun: str) -> str:
    """Return a number with its noun: "1 flat", "1,200 flats".

    Parameters
    ----------
    n
        number, at least 0
    noun
        English noun in the singular, with a plural in -s
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def visible_line(text: str) -> str:
    """Return a text as one line without control characters.

    Parameters
    ----------
    text
        any text

    Returns
    -------
    line
        the text with marks such as `<U+202E>` for control characters, line breaks, bidirectional
        characters and bytes that are not text
    """
    return _LINE.sub(_mark, text)


def visible_text(text: str) -> str:
    """Return a text of several lines without control characters.

    Parameters
    ----------
    text
        any text

    Returns
    -------
    text
        as `visible_line`, but line feeds and tabs stay
    """
    return _PARAGRAPHS.sub(_mark, text)


def _mark(found: re.Match[str]) -> str:
    return f"<U+{ord(found[0]):04X}>"
