"""Tests of foreign text: control characters are replaced by visible marks."""

from __future__ import annotations

import unicodedata

import pytest

from engine.core.visible_text import visible_line, visible_text

MARKS = {
    "title of the terminal": ("a\x1b]0;PWNED\x07b", "a<U+001B>]0;PWNED<U+0007>b"),
    "colour": ("\x1b[31mred", "<U+001B>[31mred"),
    "rewritten sentence": ("damaged\rall fine", "damaged<U+000D>all fine"),
    "second line": ("a\nisocenter: all fine", "a<U+000A>isocenter: all fine"),
    "erased characters": ("evil\b\b\b\bgood", "evil<U+0008><U+0008><U+0008><U+0008>good"),
    "8-bit escape": ("\x9b31mred", "<U+009B>31mred"),
    "8-bit command": ("\x9d0;PWNED\x9c", "<U+009D>0;PWNED<U+009C>"),
    "next line": ("a\x85b", "a<U+0085>b"),
    "line separator": ("a\u2028b\u2029c", "a<U+2028>b<U+2029>c"),
    "reversed suffix": ("a\u202egpj.exe", "a<U+202E>gpj.exe"),
    "isolate": ("a\u2067b\u2069c", "a<U+2067>b<U+2069>c"),
    "marks of direction": ("a\u200eb\u200fc\u061cd", "a<U+200E>b<U+200F>c<U+061C>d"),
    "null": ("a\0b", "a<U+0000>b"),
    "delete": ("a\x7fb", "a<U+007F>b"),
    "byte of a name that is not UTF-8": ("a\udc9bb", "a<U+DC9B>b"),
    "tab": ("a\tb", "a<U+0009>b"),
}


@pytest.mark.parametrize("case", MARKS)
def test_control_character_is_replaced_by_a_mark(case: str) -> None:
    text, line = MARKS[case]
    assert visible_line(text) == line


def test_no_control_character_remains() -> None:
    every = "".join(map(chr, range(0x11_0000)))
    left = set(visible_line(every))
    acting = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not [c for c in left if unicodedata.bidirectional(c) in acting]
    assert not {unicodedata.category(c) for c in left} & {"Cc", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize(
    "text", ["Müller^Jürgen", "山田^太郎", "כהן", "می\u200cخواهم", "μ-map ≤ 3 × 4"]
)
def test_names_in_all_scripts_are_unchanged(text: str) -> None:
    assert visible_line(text) == visible_text(text) == text


def test_paragraphs_keep_their_lines() -> None:
    assert visible_text("a\n\tb\r\x1b") == "a\n\tb<U+000D><U+001B>"
