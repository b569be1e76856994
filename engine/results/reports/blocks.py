"""Elements of a report (sections of rows, tables, texts, images) for any output format."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Tone = Literal["", "warning", "muted"]


@dataclass(frozen=True)
class ReportRow:
    """A name and its value; `tone` "warning" marks a value that needs attention."""

    name: str
    value: str
    tone: Tone = ""


@dataclass(frozen=True)
class Illustration:
    """An image in a report.

    Attributes
    ----------
    png : content of the PNG file
    caption : text below the image
    width : fraction of the page width
    min_share : fraction of the page width below which the image is never scaled down
    """

    png: bytes
    caption: str
    width: float = 1.0
    min_share: float = 0.0

    def smaller(self, factor: float) -> Illustration:
        """Return the image with its width multiplied by a factor, as far as `min_share` allows."""
        return replace(self, width=max(factor * self.width, min(self.min_share, self.width)))


@dataclass(frozen=True)
class Grid:
    """A table; each row has as many cells as the header."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    title : heading
    rows, grids, illustrations : content
    notes : sentences at the beginning
    """

    title: str
    rows: tuple[ReportRow, ...] = ()
    grids: tuple[Grid, ...] = ()
    illustrations: tuple[Illustration, ...] = ()
    notes: tuple[ReportRow, ...] = ()

    def smaller(self, factor: float) -> Section:
        """Return the section with image widths multiplied by a factor."""
        return replace(
            self, illustrations=tuple(each.smaller(factor) for each in self.illustrations)
        )


@dataclass(frozen=True)
class ResultReport:
    """Complete content of a report, in reading order.

    Attributes
    ----------
    title, subtitle : headings
    site, address : issuer; empty if the settings have none
    logo : content of a PNG or JPEG file; empty for none
    sections : sections in order
    footer : text at the bottom of each page
    is_identified : True if it contains file names
    is_brief : True if it should fit on one page
    signed : text by which the file states its signature; empty if it will not be signed
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
    signed: str = ""

    def with_smaller_illustrations(self, factor: float) -> ResultReport:
        """Return the report with image widths multiplied by a factor."""
        return replace(self, sections=tuple(each.smaller(factor) for each in self.sections))
