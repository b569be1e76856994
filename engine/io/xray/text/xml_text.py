"""Parse XML files of scanners safely, without loading or expanding other files."""

from __future__ import annotations

import math
from typing import ClassVar, NoReturn
from xml.parsers import expat

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile

MAX_DEPTH = 32


class XmlText:
    """A walk through the elements of one file; kinds of files say what they keep.

    Attributes
    ----------
    file : what is read
    places : names of the elements that the walk is in, without their name spaces
    way_out : what every refusal ends with
    most_bytes : of a file
    may_name_type : whether a document type may be named, as long as it declares nothing
    """

    way_out: ClassVar[str] = "copy or export the scan again"
    most_bytes: ClassVar[int] = 10_000_000
    may_name_type: ClassVar[bool] = False

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.places: list[str] = []
        self._text = ""

    def opened(self, name: str) -> None:
        """An element begins; it is the last of `places`."""

    def closed(self, name: str, text: str) -> None:
        """An element ends, with its text after the last element in it; `places` are around it."""

    def read(self) -> None:
        """Walk through the whole file; raises `FileFormatError` for damage and declarations."""
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self._data, self._doctype
        parser.EntityDeclHandler = self._entity
        parser.buffer_text = True
        try:
            parser.Parse(self.file.text(self.most_bytes), True)
        except expat.ExpatError as e:
            self.refuse(f"damaged XML ({e})")

    def number(self, stated: dict[str, str], name: str, where: str = "") -> float:
        """Return what an element says as a number; `where` names what it is of."""
        of = f" of {where}" if where else ""
        try:
            number = float(stated[name])
        except KeyError:
            self.refuse(f"{where} has no {name}".strip())
        except ValueError:
            self.refuse(f"{name}{of} is {stated[name][:40]!r}, expected a number")
        if not math.isfinite(number):
            self.refuse(f"{name}{of} is {number}")
        return number

    def refuse(self, what: str) -> NoReturn:
        """Refuse the file, with the way out."""
        raise FileFormatError(f"{self.file.name}: {what}; {self.way_out}.")

    def _start(self, name: str, _: dict[str, str]) -> None:
        self.places.append(name.rpartition(":")[2])
        self._text = ""
        if len(self.places) > MAX_DEPTH:
            self.refuse("elements are nested too deeply")
        self.opened(self.places[-1])

    def _end(self, _: str) -> None:
        self.closed(self.places.pop(), self._text.strip())
        self._text = ""

    def _data(self, text: str) -> None:
        self._text += text

    def _doctype(self, _: str, system: str | None, public: str | None, internal: bool) -> None:
        if system or public or internal or not self.may_name_type:
            self.refuse("declares entities or other files, which is refused for safety")

    def _entity(self, *_: object) -> None:
        self.refuse("declares entities, which is refused for safety")
