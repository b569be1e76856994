"""Text without names, for eyes outside the house.

A patient's name may stand in a scan, a file or a folder, in any spelling. So no names are looked
for: a word stays if the program itself can say it, or if it is a short number; everything else
becomes a mark, the same for the same word. What is known to be a name goes first, and whole.
"""

from __future__ import annotations

import re
import sys
import sysconfig
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from engine.tools.diagnostics.vocabulary import PARTS, PROGRAM, vocabulary, words

LONGEST_NUMBER = 5
"""Digits in a row that are no identity; longer ones go, unless behind a decimal point."""
FRAME = re.compile(r'^(\s*)File "([^"]+)", line (\d+)(, in .*)?$')
"""A line of a traceback; the next ones are code."""
IDENTITY = r"(?<![\w.])\d+(?:\.\d+){3,}(?![\w.]*\d)"
"""Numbers with points between them, as DICOM gives them to patients and studies."""
DATE = r"(?<!\d)(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d{4}|\d\d))(?!\d)"
PATH = r"""(?<![\w.)\]])(?:~|[A-Za-z]:)?[/\\](?=[^\s/\\])[^\s"'<>|]*"""
FILE = r"""[^\s"'()=/\\]*[^\W\d][^\s"'()=/\\]*\.[A-Za-z]\w{0,4}\b"""
NUMBER = r"(?<![\w.])\d{1,5}\.\d+(?:[eE][-+]?\d+)?(?![\w.]*\d)"
WORD = r"[^\W_]+"


@dataclass
class Redaction:
    """Replaces what the program would not say by marks.

    Attributes
    ----------
    names : texts that go whole wherever they stand: users, machines, files, folders
    """

    names: frozenset[str] = frozenset()
    _marks: dict[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """Return a text of several lines; lines of our own code in tracebacks stay."""
        return "\n".join(self._lines(text.splitlines()))

    def value(self, value: object) -> object:
        """Return plain values: numbers as they are, texts and keys redacted."""
        match value:
            case dict():
                return {self.line(str(key)): self.value(item) for key, item in value.items()}
            case list() | tuple():
                return [self.value(item) for item in value]
            case bool() | int() | float() | None:
                return value
        return self.line(str(value))

    def line(self, text: str) -> str:
        """Return a text with marks for what the program would not say."""
        return self._pattern.sub(self._replaced, unicodedata.normalize("NFC", text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted({_composed(name) for name in self.names}, key=len, reverse=True)
        names = "|".join(re.escape(name) for name in longest_first if len(name) > 1) or "(?!)"
        return re.compile(
            rf"(?P<name>(?<![^\W_])(?i:{names})(?![^\W_]))|(?P<identity>{IDENTITY}|{DATE})|(?P<path>{PATH})"
            f"|(?P<file>{FILE})|(?P<number>{NUMBER})|(?P<word>{WORD})"
        )

    def _replaced(self, found: re.Match[str]) -> str:
        text = found[0]
        match found.lastgroup:
            case "number":
                return text
            case "word":
                return text if _is_ours(text) else self._mark(text)
            case "file" if _is_anonymous(text):
                return text
            case "path" | "file":
                return self._mark(text) + _known_suffix(text)
        return self._mark(text)

    def _mark(self, text: str) -> str:
        return self._marks.setdefault(text.casefold(), f"[{len(self._marks) + 1}]")

    def _lines(self, lines: list[str]) -> Iterator[str]:
        code_depth = -1
        for line in lines:
            frame = FRAME.match(line)
            depth = len(line) - len(line.lstrip())
            if frame is not None:
                place = _place_of(Path(frame[2]))
                code_depth = len(frame[1]) if place else -1
                is_ours = place and frame[4] is not None
                said = f'{frame[1]}File "{place}", line {frame[3]}{frame[4]}'
                yield said if is_ours else self.line(line)
            elif code_depth >= 0 and depth > code_depth:
                yield line
            else:
                code_depth = -1
                yield self.line(line)


def names_of(paths: Iterable[Path | str]) -> frozenset[str]:
    """Return what to take out where these files are known: their names, stems and folders."""
    whole, parts = set[str](), set[str]()
    for path in map(Path, paths):
        whole.add(str(path))
        parts |= {path.name, path.name.partition(".")[0], path.stem, *path.parts}
    return frozenset(whole | {part for part in parts if not _is_anonymous(part)})


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _is_ours(word: str) -> bool:
    return len(word) <= LONGEST_NUMBER if word.isdigit() else word in vocabulary()


def _is_anonymous(text: str) -> bool:
    """Whether a file's name consists of the program's words, none like a person's."""
    return text == text.lower() and all(_is_ours(word) for word in words(text))


def _known_suffix(text: str) -> str:
    suffix = Path(text).suffix
    return suffix if suffix[1:] in vocabulary() else ""


def _place_of(path: Path) -> str:
    """Return where code stands, if it is the program's, a library's or Python's own; else ""."""
    if any(path.is_relative_to(PROGRAM / part) for part in PARTS):
        return path.relative_to(PROGRAM).as_posix()
    for name in ("purelib", "platlib", "stdlib"):
        home = Path(sysconfig.get_path(name))
        if path.is_relative_to(home):
            return path.relative_to(home).as_posix()
    frozen = str(path).startswith("<frozen ")
    return str(path) if frozen and sys.implementation.name == "cpython" else ""
