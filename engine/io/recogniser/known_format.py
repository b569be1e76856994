"""An unsupported format: how to recognise it, and how the user can convert the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.core.errors import EngineError
from engine.io.folder import entries
from engine.io.safety.open_input import InputFile, open_head

Tell = Callable[[InputFile], bool]


@dataclass(frozen=True)
class KnownFormat:
    """A format that is recognised but not read.

    Attributes
    ----------
    name : common name without an article, such as "MATLAB 5 file"
    tell : returns True for a file of this format; the name alone is not enough
    remedy : advice, as a whole sentence
    """

    name: str
    tell: Tell
    remedy: str

    def refuse(self, file: InputFile) -> str:
        """Return the error message for such a file."""
        return f"{file.name}: this format is not supported. Format: {self.name}. {self.remedy}"


def says(*words: str) -> Tell:
    """Recognise a text by words in its first bytes, ignoring case.

    Parameters
    ----------
    *words
        words that must all occur
    """
    wanted = [word.casefold().encode() for word in words]

    def tell(file: InputFile) -> bool:
        head = file.head.lower()
        # Zero bytes mean binary data, which can contain such words by chance or as metadata.
        return b"\0" not in head[:512] and all(word in head for word in wanted)

    return tell


def with_header(suffix: str, header: str, tell: Callable[[bytes], bool]) -> Tell:
    """Recognise raw values by an adjacent header of the same name.

    Parameters
    ----------
    suffix
        suffix of the values, in lower case
    header
        suffix of the header; case is ignored
    tell
        returns True for the first bytes of such a header
    """

    def is_one(file: InputFile) -> bool:
        # AFNI writes ".BRIK.gz" next to an uncompressed ".HEAD".
        name = file.path.name.lower().removesuffix(".gz")
        if not name.endswith(suffix):
            return False
        wanted = name.removesuffix(suffix) + header
        try:
            # Listed instead of opened by name: Philips and AFNI use upper and lower case suffixes.
            names = [each for each in entries(file.path.parent) if each.name.lower() == wanted]
            return any(tell(open_head(each)) for each in names)
        except EngineError:
            return False

    return is_one
