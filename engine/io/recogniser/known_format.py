"""An unsupported format: how to recognise it, and what the user can do with the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.core.errors import EngineError
from engine.io.folder import entries
from engine.io.safety.open_input import InputFile, open_head

Tell = Callable[[InputFile], bool]


@dataclass(frozen=True)
class KnownFormat:
    """One format.

    Attributes
    ----------
    name : what people call it
    tell : whether a file is one, from its first bytes; the name of a file alone never tells
    remedy : what to do, as the second half of a sentence
    """

    name: str
    tell: Tell
    remedy: str

    @property
    def title(self) -> str:
        """The name without its article: "MATLAB 5 file" of "a MATLAB 5 file"."""
        article, _, rest = self.name.partition(" ")
        return rest if article in ("a", "an", "the") else self.name

    def refuse(self, file: InputFile) -> str:
        """Return the sentence on such a file."""
        return f"{file.name}: this is {self.name}, an unsupported format; {self.remedy}."


def begins(*magics: bytes, at: int = 0) -> Tell:
    """Tell by the bytes at a place, any of some."""
    return lambda file: any(file.head[at : at + len(magic)] == magic for magic in magics)


def says(*words: str) -> Tell:
    """Tell by words that must all be in the head of a text, in any case."""
    wanted = [word.casefold().encode() for word in words]

    def tell(file: InputFile) -> bool:
        head = file.head.lower()
        return b"\0" not in head[:512] and all(word in head for word in wanted)

    return tell


def beside(suffix: str, header: str, tell: Callable[[bytes], bool]) -> Tell:
    """Tell raw values by the header of the same name beside them.

    Parameters
    ----------
    suffix
        of the values, lower-case
    header
        suffix of the header, in any case
    tell
        whether the first bytes of the header are those of the format
    """

    def is_one(file: InputFile) -> bool:
        name = file.path.name.lower().removesuffix(".gz")
        if not name.endswith(suffix):
            return False
        wanted = name.removesuffix(suffix) + header
        try:
            names = [each for each in entries(file.path.parent) if each.name.lower() == wanted]
            return any(tell(open_head(each)) for each in names)
        except EngineError:
            return False

    return is_one


def both(one: Tell, other: Tell) -> Tell:
    """Tell where two do."""
    return lambda file: one(file) and other(file)
