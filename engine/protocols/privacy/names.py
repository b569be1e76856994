"""Replace file and folder names of a study by pseudonyms in messages and records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Self, TypeVar

from engine.core.json_types import Plain
from engine.data.runs.events import Event
from engine.io.input_files import files_behind
from engine.protocols.privacy.key import ending_of, pseudonym_of
from engine.protocols.study.study import Study

FOLDER_WORD = "(folder)"
"""What stands for a folder."""
ORDINARY = frozenset(
    (
        *(
            "isocenter",
            "home",
            "users",
            "user",
            "root",
            "data",
            "scan",
            "scans",
            "tmp",
            "documents",
        ),
        *("desktop", "downloads", "pet", "ct", "mr", "image", "images", "raw", "projections"),
        *("crystal_map", "brain", "phantom", "study", "studies", "protocol", "volume", "test"),
    )
)
"""Names of files and folders that are nobody's, and may stand in any sentence."""
LEAST_LETTERS = 3
MOST_DIGITS = 5
"""A longer number may be that of a patient."""
STATED = ("text", "detail")
"""Fields of events that people read."""

E = TypeVar("E", bound=Event)


@dataclass(frozen=True)
class Names:
    """Names and their replacements, the longest first.

    Attributes
    ----------
    instead : pattern or plain name -> what is said instead
    """

    instead: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, study: Study) -> Self:
        """Return the names of a study's files; none of a study that may be identified."""
        if study.identified:
            return cls()
        pairs: dict[str, str] = {}
        for role, path in study.files.items():
            pairs |= dict(_of_file(path, "study" if role == "data" else role))
        return cls(tuple(pairs.items()))

    @staticmethod
    def title(study: Study) -> str:
        """Return scan and protocol in a line, the scan by its pseudonym."""
        if study.identified:
            return study.title
        name = pseudonym_of(study.data)
        return f"{name.removesuffix(ending_of(name))}, {study.protocol_label}"

    @classmethod
    def of_files(cls, files: Mapping[str, Path]) -> Self:
        """Return the names of files by their role, and of none that these name; opens no file."""
        pairs: dict[str, str] = {}
        for role, path in files.items():
            pairs |= dict(_pairs(path, "study" if role == "data" else role, (path,)))
        return cls(tuple(pairs.items()))

    def text(self, text: str) -> str:
        """Return a text in which pseudonyms stand for names."""
        if not self.instead:
            return text
        return self._pattern.sub(self._replaced, text)

    def values(self, value: Plain) -> Plain:
        """Return plain values in which pseudonyms stand for names, in texts and in keys."""
        if not self.instead:
            return value
        return {self.text(key): self._value(item) for key, item in value.items()}

    def event(self, event: E) -> E:
        """Return an event whose sentences hold no name."""
        changes = {
            each.name: self.text(getattr(event, each.name))
            for each in fields(event)
            if each.name in STATED
        }
        return replace(event, **changes) if self.instead and changes else event

    def _value(self, value: object) -> object:
        if isinstance(value, str | Path):
            return self.text(str(value))
        if isinstance(value, dict):
            return self.values(value)
        if isinstance(value, list | tuple):
            return [self._value(item) for item in value]
        return value

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self.instead, key=lambda pair: len(pair[0]), reverse=True)
        words = (f"(?P<w{self._order[pair[0]]}>{pair[0]})" for pair in longest_first)
        return re.compile(rf"(?<![^\W_])(?:{'|'.join(words)})(?![^\W_])")

    @cached_property
    def _order(self) -> dict[str, int]:
        return {name: i for i, (name, _) in enumerate(self.instead)}

    def _replaced(self, found: re.Match[str]) -> str:
        return self.instead[int(str(found.lastgroup)[1:])][1]


def is_name(word: str) -> bool:
    """Return True if a word without an ending may be somebody's name or number."""
    if word.isdigit():
        return len(word) > MOST_DIGITS
    is_ordinary = word.isascii() and word.isalpha() and word.islower()
    return len(word) >= LEAST_LETTERS and not is_ordinary and word.lower() not in ORDINARY


@lru_cache(maxsize=256)  # a run asks for its study again and again
def _of_file(path: Path, kind: str) -> tuple[tuple[str, str], ...]:
    return tuple(dict(_pairs(path, kind, files_behind(path))).items())


def _pairs(path: Path, kind: str, files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield patterns of a file, of those read with it and of their folders."""
    own = pseudonym_of(path, kind)
    stem = own.removesuffix(ending_of(own))
    for each in files:
        alias = own if each == path else stem + ending_of(each.name)
        yield from _spellings(each, alias, stem)
    for place in (path, path.absolute(), path.resolve()):
        for folder in place.parents:
            if len(folder.parts) > 1:
                yield re.escape(str(folder)), FOLDER_WORD
            if is_name(folder.name):
                yield re.escape(folder.name), FOLDER_WORD


def _spellings(path: Path, alias: str, stem: str) -> Iterator[tuple[str, str]]:
    """Yield a file's paths, its name, and its name without ending where it may be a person's.

    Digits stand for any, so that the thousand images of a stack are one pattern.
    """
    for place in dict.fromkeys((path, path.absolute(), path.resolve())):
        yield _any_number(str(place)), alias
    if path.suffix or is_name(path.name):
        yield _any_number(path.name), alias
    for part in dict.fromkeys((path.name.removesuffix(ending_of(path.name)), path.stem)):
        if is_name(part):
            yield _any_number(part), stem
        for word in re.split(r"[\W_]+", part):
            if len(word) > LEAST_LETTERS and is_name(word):
                yield re.escape(word), stem


def _any_number(text: str) -> str:
    return re.sub(r"\d{3,}", r"\\d{3,}", re.escape(text))
