"""Remove names from text for readers outside of the institution.

A patient's name can be in a scan, a file or a folder, in any spelling, so names are not searched
for. A word stays if it is part of the program, or if it is a short number. Everything else is
replaced by a mark, the same for the same word. Known names are replaced first, as a whole.
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
"""Most digits of a number that stays; longer ones are replaced, except after a decimal point."""
FRAME = re.compile(r'^(\s*)File "([^"]+)", line (\d+)(, in .*)?$')
"""A line of a traceback; the following lines are code."""
IDENTITY = r"(?<![\w.])\d+(?:\.\d+){3,}(?![\w.]*\d)"
"""Numbers separated by points, such as DICOM UIDs of patients and studies."""
DATE = r"(?<!\d)(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d{4}|\d\d))(?!\d)"
PATH = r"""(?<![\w.)\]])(?:~|[A-Za-z]:)?[/\\](?=[^\s/\\])[^\s"'<>|]*"""
FILE = r"""[^\s"'()=/\\]*[^\W\d][^\s"'()=/\\]*\.[A-Za-z]\w{0,4}\b"""
NUMBER = r"(?<![\w.])\d{1,5}\.\d+(?:[eE][-+]?\d+)?(?![\w.]*\d)"
WORD = r"[^\W_]+"


@dataclass
class Redaction:
    """Replaces everything that is not part of the program by marks.

    Attributes
    ----------
    names : texts that are always replaced as a whole: users, machines, files and folders
    """

    names: frozenset[str] = frozenset()
    _marks: dict[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """Redact a text of several lines; source lines of the program in tracebacks stay.

        Parameters
        ----------
        text
            any text
        """
        return "\n".join(self._lines(text.splitlines()))

    def value(self, value: object) -> object:
        """Redact JSON values: numbers stay, texts and keys are redacted.

        Parameters
        ----------
        value
            JSON value
        """
        match value:
            case dict():
                return {self.line(str(key)): self.value(item) for key, item in value.items()}
            case list() | tuple():
                return [self.value(item) for item in value]
            case bool() | int() | float() | None:
                return value
        return self.line(str(value))

    def line(self, text: str) -> str:
        """Redact a single line.

        Parameters
        ----------
        text
            line without a line break
        """
        # A name may be composed or decomposed Unicode, depending on the file system
        return self._pattern.sub(self._replaced, unicodedata.normalize("NFC", text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Longest first: a name within a longer one must not split it
        longest_first = sorted({_composed(name) for name in self.names}, key=len, reverse=True)
        # Single letters are too common to be names, and would destroy the text
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
                # The suffix tells the kind of the file, and is needed for support
                return self._mark(text) + _known_suffix(text)
        return self._mark(text)

    def _mark(self, text: str) -> str:
        # Without case: the same name in another spelling gets the same mark
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
                cleaned = f'{frame[1]}File "{place}", line {frame[3]}{frame[4]}'
                yield cleaned if is_ours else self.line(line)
            # Source lines are indented deeper than their location
            elif code_depth >= 0 and depth > code_depth:
                yield line
            else:
                code_depth = -1
                yield self.line(line)


def names_of(paths: Iterable[Path | str]) -> frozenset[str]:
    """Return the texts to remove for known files: their names, stems and folders.

    Parameters
    ----------
    paths
        files and folders
    """
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
    """Return True if a file name consists of lower-case words of the program."""
    return text == text.lower() and all(_is_ours(word) for word in words(text))


def _known_suffix(text: str) -> str:
    suffix = Path(text).suffix
    return suffix if suffix[1:] in vocabulary() else ""


def _place_of(path: Path) -> str:
    """Return the location of code of the program, a library or Python; else an empty text."""
    # The path within the program is public, the folder of its installation is not
    if any(path.is_relative_to(PROGRAM / part) for part in PARTS):
        return path.relative_to(PROGRAM).as_posix()
    for name in ("purelib", "platlib", "stdlib"):
        home = Path(sysconfig.get_path(name))
        if path.is_relative_to(home):
            return path.relative_to(home).as_posix()
    frozen = str(path).startswith("<frozen ")
    return str(path) if frozen and sys.implementation.name == "cpython" else ""
