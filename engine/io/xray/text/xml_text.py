"""Parse XML files of scanners safely, without loading or expanding other files."""

from __future__ import annotations

import math
from typing import ClassVar, NoReturn
from xml.parsers import expat

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile

MAX_DEPTH = 32


class XmlText:
    """Parser of one file; subclasses select the elements that they store.

    Attributes
    ----------
    file : the XML file
    places : names of the open elements, without name spaces
    remedy : remedy at the end of every error message
    max_bytes : largest size of a file
    may_name_type : True if a document type is accepted that declares nothing
    """

    remedy: ClassVar[str] = "Copy or export the scan again."
    max_bytes: ClassVar[int] = 10_000_000
    may_name_type: ClassVar[bool] = False

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.places: list[str] = []
        self._text = ""

    def opened(self, name: str) -> None:
        """Handle the begin of an element, the last of `places`.

        Parameters
        ----------
        name
            without name space
        """

    def closed(self, name: str, text: str) -> None:
        """Handle the end of an element, which is no longer in `places`.

        Parameters
        ----------
        name
            without name space
        text
            its text after the last inner element
        """

    def read(self) -> None:
        """Parse the whole file; raise `FileFormatError` for damage and declarations."""
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self._data, self._doctype
        parser.EntityDeclHandler = self._entity
        # Otherwise expat splits texts at line ends and entities.
        parser.buffer_text = True
        try:
            parser.Parse(self.file.text(self.max_bytes), True)
        except expat.ExpatError as e:
            self.refuse(f"the XML is damaged ({e})")

    def number(self, stated: dict[str, str], name: str, where: str = "") -> float:
        """Return the number of an element.

        Parameters
        ----------
        stated
            name of an element -> text
        name
            name of the element
        where
            place in the file such as "frame 3", for error messages

        Raises
        ------
        FileFormatError
            if it is missing, not a number, or not finite
        """
        place = f"{where}: " if where else ""
        try:
            number = float(stated[name])
        except KeyError:
            self.refuse(f"{place}{name!r} is missing")
        except ValueError:
            self.refuse(f"{place}{name!r} is {stated[name][:40]!r}, expected a number")
        if not math.isfinite(number):
            self.refuse(f"{place}{name!r} is {number}, expected a finite number")
        return number

    def refuse(self, what: str) -> NoReturn:
        """Raise a `FileFormatError` with a whole sentence about the problem, and the remedy."""
        raise FileFormatError(f"{self.file.name}: {what}. {self.remedy}")

    def _start(self, name: str, _: dict[str, str]) -> None:
        # Prefixes of name spaces differ between versions of the same program.
        self.places.append(name.rpartition(":")[2])
        self._text = ""
        # Scanner files are flat; deep nesting is hostile.
        if len(self.places) > MAX_DEPTH:
            self.refuse("elements are nested too deeply")
        self.opened(self.places[-1])

    def _end(self, _: str) -> None:
        self.closed(self.places.pop(), self._text.strip())
        self._text = ""

    def _data(self, text: str) -> None:
        self._text += text

    def _doctype(self, _: str, system: str | None, public: str | None, internal: bool) -> None:
        # External entities could read other files, internal ones could expand to gigabytes.
        if system or public or internal or not self.may_name_type:
            self.refuse(
                "the file declares entities or other files, which is not allowed for security "
                "reasons"
            )

    def _entity(self, *_: object) -> None:
        self.refuse("the file declares entities, which is not allowed for security reasons")
