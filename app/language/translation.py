"""Texts of the window in another language, by Qt's translator.

The language is chosen before the first text is made, and holds until the program ends: texts of
modules are translated when these are imported. English is what stands in the source.
"""

from __future__ import annotations


def tr(text: str, /, **values: object) -> str:
    """Return a text in the language of the window, with values in the places of their names."""
    return text.format(**values) if values else text
