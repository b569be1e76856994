"""Replace file and folder names of a study by pseudonyms in messages and records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Self, TypeVar

from engine.core.json_types import Plain
from engine.core.paths import real_path
from engine.data.runs.events import Event
from engine.io.input_files import files_behind
from engine.protocols.privacy.key import ending_of, pseudonym_of
from engine.protocols.study.study import StudyValues

FOLDER_WORD = "(folder)"
"""Replacement for a folder."""
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
"""Common names of files and folders that identify nobody and are left in messages."""
MIN_CHARACTERS = 3
MAX_DIGITS = 5
"""Longest number that cannot be a patient number."""
STATED = ("text", "detail")
"""Fields of events that users read."""

E = TypeVar("E", bound=Event)


@dataclass(frozen=True)
class Names:
    """Names and their replacements, the longest first.

    Attributes
    ----------
    instead : pairs of a regular expression and its replacement
    """

    instead: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, study: StudyValues) -> Self:
        """Return the names of a study's files; none if the study may be identified.

        Parameters
        ----------
        study
            study with its files

        Returns
        -------
        of
            also covers files that are read together with the named ones, and their folders
        """
        if study.identified:
            return cls()
        pairs: dict[str, str] = {}
        for role, path in study.files.items():
            # The key of the scan is "data"; its pseudonym starts with "study".
            pairs |= dict(_of_file(path, "study" if role == "data" else role))
        return cls(tuple(pairs.items()))

    @staticmethod
    def title(study: StudyValues) -> str:
        """Return scan and protocol in a line, with the pseudonym of the scan.

        Parameters
        ----------
        study
            an identified study keeps its own title
        """
        if study.identified:
            return study.title
        name = pseudonym_of(study.data)
        return f"{name.removesuffix(ending_of(name))}, {study.protocol_label}"

    @classmethod
    def of_files(cls, files: Mapping[str, Path]) -> Self:
        """Return the names of some files without opening any of them.

        Parameters
        ----------
        files
            path of each file by its role

        Returns
        -------
        files
            unlike `of`, this omits files that a header refers to
        """
        pairs: dict[str, str] = {}
        for role, path in files.items():
            pairs |= dict(_pairs(path, "study" if role == "data" else role, (path,)))
        return cls(tuple(pairs.items()))

    def text(self, text: str) -> str:
        """Return a text with pseudonyms in place of names.

        Parameters
        ----------
        text
            a message or any other text
        """
        if not self.instead:
            return text
        return self._pattern.sub(self._replaced, text)

    def values(self, value: Plain) -> Plain:
        """Return JSON values with pseudonyms in place of names, in texts and in keys.

        Parameters
        ----------
        value
            nested dictionaries and lists; other types do not change
        """
        if not self.instead:
            return value
        return {self.text(key): self._value(item) for key, item in value.items()}

    def event(self, event: E) -> E:
        """Return an event whose texts contain no names.

        Parameters
        ----------
        event
            event of a run; only its fields in `STATED` are searched
        """
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
        # The longest alternative must come first, or a folder would be replaced inside a longer
        # path.
        longest_first = sorted(self.instead, key=lambda pair: len(pair[0]), reverse=True)
        words = (f"(?P<w{self._order[pair[0]]}>{pair[0]})" for pair in longest_first)
        # Letters or digits next to a match mean that it is only part of another word.
        return re.compile(rf"(?<![^\W_])(?:{'|'.join(words)})(?![^\W_])")

    @cached_property
    def _order(self) -> dict[str, int]:
        return {name: i for i, (name, _) in enumerate(self.instead)}

    def _replaced(self, found: re.Match[str]) -> str:
        # Named groups tell which of many patterns matched without searching again.
        return self.instead[int(str(found.lastgroup)[1:])][1]


def is_name(word: str) -> bool:
    """Return True if a word without an ending may be a person's name or number.

    Parameters
    ----------
    word
        part of a file or folder name

    Returns
    -------
    is_name
        Lower-case words in ASCII letters count as ordinary, because names are usually capitalised
    """
    if word.isdigit():
        return len(word) > MAX_DIGITS
    is_ordinary = word.isascii() and word.isalpha() and word.islower()
    return len(word) >= MIN_CHARACTERS and not is_ordinary and word.lower() not in ORDINARY


@lru_cache(maxsize=256)  # a run uses its study many times
def _of_file(path: Path, kind: str) -> tuple[tuple[str, str], ...]:
    return tuple(dict(_pairs(path, kind, files_behind(path, by_library=False))).items())


def _pairs(path: Path, kind: str, files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield patterns of a file, of files that are read with it, and of their folders."""
    own = pseudonym_of(path, kind)
    stem = own.removesuffix(ending_of(own))
    for each in files:
        alias = own if each == path else stem + ending_of(each.name)
        yield from _spellings(each, alias, stem)
    # Messages contain paths as given, as absolute paths and with links resolved.
    for place in (path, path.absolute(), real_path(path)):
        for folder in place.parents:
            # The root and a drive letter identify nobody.
            if len(folder.parts) > 1:
                yield re.escape(str(folder)), FOLDER_WORD
            if is_name(folder.name):
                yield re.escape(folder.name), FOLDER_WORD


def _spellings(path: Path, alias: str, stem: str) -> Iterator[tuple[str, str]]:
    """Yield a file's paths, its name, and its name without ending if it may be a person's.

    Digits match any number, so that the thousand images of a stack are one pattern.
    """
    for place in dict.fromkeys((path, path.absolute(), real_path(path))):
        yield _any_number(str(place)), alias
    # A short ordinary name without an ending would also match normal words of a sentence.
    if path.suffix or is_name(path.name):
        yield _any_number(path.name), alias
    for part in dict.fromkeys((path.name.removesuffix(ending_of(path.name)), path.stem)):
        if is_name(part):
            yield _any_number(part), stem
        # A surname can be part of a file name, such as "Miller_pet_2"; each part is checked.
        for word in re.split(r"[\W_]+", part):
            if len(word) > MIN_CHARACTERS and is_name(word):
                yield re.escape(word), stem


def _any_number(text: str) -> str:
    # Three digits or more are a counter of images.
    return re.sub(r"\d{3,}", r"\\d{3,}", re.escape(text))
