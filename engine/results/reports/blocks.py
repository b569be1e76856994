"""What a report is made of: sections of rows, tables, words and pictures, whatever shows them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Tone = Literal["", "look", "muted"]


@dataclass(frozen=True)
class ReportRow:
    """A name and its value; `tone` "look" for what somebody should look at."""

    name: str
    value: str
    tone: Tone = ""


@dataclass(frozen=True)
class Illustration:
    """A picture.

    Attributes
    ----------
    png : its file
    caption : what it shows
    width : part of the page's width
    """

    png: bytes
    caption: str
    width: float = 1.0


@dataclass(frozen=True)
class Grid:
    """A table; all rows are as long as the head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    title : its heading
    rows, grids, illustrations : what it holds
    notes : sentences, the first ones of it
    """

    title: str
    rows: tuple[ReportRow, ...] = ()
    grids: tuple[Grid, ...] = ()
    illustrations: tuple[Illustration, ...] = ()
    notes: tuple[ReportRow, ...] = ()

    def smaller(self, factor: float) -> Section:
        """Return the section with pictures of a part of their width."""
        smaller = (replace(each, width=factor * each.width) for each in self.illustrations)
        return replace(self, illustrations=tuple(smaller))


@dataclass(frozen=True)
class ResultReport:
    """All of a report, in the order it is read.

    Attributes
    ----------
    title, subtitle : what it is of
    site, address : who issues it; empty where the settings name nobody
    logo : PNG or JPEG; empty for none
    sections : its parts
    footer : at the foot of each page
    is_identified : whether names of files stand in it
    is_brief : whether it should fit on one page
    """

    title: str
    subtitle: str
    site: str
    address: str
    logo: bytes
    sections: tuple[Section, ...]
    footer: str
    is_identified: bool
    is_brief: bool = False

    def with_smaller_illustrations(self, factor: float) -> ResultReport:
        """Return the report with pictures of a part of their width."""
        return replace(self, sections=tuple(each.smaller(factor) for each in self.sections))
