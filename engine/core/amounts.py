"""Numbers with their nouns."""

from __future__ import annotations


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
