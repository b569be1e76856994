"""Texts and images set on A4 pages from top to bottom, as matplotlib figures.

Lines are broken by the real widths of the letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from engine.data.formatting import NO_BREAK, unbroken
from engine.io.raster.png import font
from engine.results.reports.blocks import Grid, Illustration, ReportRow, ResultReport, Section, Tone
from engine.results.reports.illustrations import image_of
from engine.results.reports.logo import decoded_logo

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from PIL.ImageFont import FreeTypeFont

INCH_MM, POINT_MM = 25.4, 25.4 / 72
PAGE_MM = (210.0, 297.0)
LEFT_MM, RIGHT_MM, TOP_MM, BOTTOM_MM = 20.0, 190.0, 36.0, 280.0
VALUE_MM = 66.0
"""Distance of the values of rows from the left edge of the page."""
BODY_PT, HEADING_PT, TITLE_PT, SMALL_PT = 8.5, 10.5, 15.0, 7.0
LINE_MM, GAP_MM = 4.1, 3.5
INK, FAINT, WARNING = "#22282f", "#5b6670", "#8a5200"
COLOURS: dict[Tone, str] = {"": INK, "muted": FAINT, "warning": WARNING}
LOGO_MM = (38.0, 14.0)
MEASURED_PX = 100
BETWEEN_MM = 4.0
"""Space between two images in a row."""
HEADING_LINES = 5
"""Space in lines for a heading above an image that fills the page."""


class PageFlow:
    """Pages that are filled from top to bottom.

    Attributes
    ----------
    pages : one figure for each page
    y_mm : distance of the next element from the top of the last page [mm]
    """

    def __init__(self, report: ResultReport) -> None:
        self._report = report
        self.pages: list[Figure] = []
        self._begin()
        self._line(report.title, TITLE_PT, LEFT_MM, is_bold=True, width=RIGHT_MM - LEFT_MM)
        self._line(report.subtitle, BODY_PT, LEFT_MM, colour=FAINT, width=RIGHT_MM - LEFT_MM)
        for section in report.sections:
            self._section(section)
        # Footers come last, because they state the number of pages.
        for n, page in enumerate(self.pages, 1):
            self._foot(page, n)

    def _section(self, section: Section) -> None:
        self.y_mm += GAP_MM
        rows = _in_rows(section.illustrations)
        first = rows[0] if rows and not section.notes else ()
        # The heading stays with its first content, so that it is never alone at the end of a page.
        self._need(4 * LINE_MM + max((_size_mm(each)[1] for each in first), default=0.0))
        self._line(section.title, HEADING_PT, LEFT_MM, is_bold=True, width=RIGHT_MM - LEFT_MM)
        self.y_mm += 0.6
        for note in section.notes:
            self._row(note)
        for shown in rows:
            self._illustrate(shown)
        for row in section.rows:
            self._row(row)
        for grid in section.grids:
            self._grid(grid)

    def _row(self, row: ReportRow) -> None:
        begin = VALUE_MM if row.name else LEFT_MM
        names = broken(row.name, BODY_PT, VALUE_MM - LEFT_MM - 3)
        values = broken(row.value, BODY_PT, RIGHT_MM - begin)
        if row.tone == "warning":
            self._need(LINE_MM)
            self._text("!", BODY_PT, LEFT_MM - 3, WARNING, is_bold=True)
        # Names and values wrap separately and may have different numbers of lines.
        for k in range(max(len(names), len(values))):
            self._need(LINE_MM)
            if k < len(names):
                self._text(names[k], BODY_PT, LEFT_MM, FAINT)
            if k < len(values):
                self._text(values[k], BODY_PT, begin, COLOURS[row.tone])
            self.y_mm += LINE_MM

    def _grid(self, grid: Grid) -> None:
        width = (RIGHT_MM - LEFT_MM) / len(grid.head)
        for k, cells in enumerate((grid.head, *grid.rows)):
            # A gap of 2 mm keeps the texts of neighbouring columns separate.
            lines = [broken(cell, BODY_PT, width - 2) for cell in cells]
            height = LINE_MM * max(len(each) for each in lines)
            self._need(height)
            for column, each in enumerate(lines):
                for n, text in enumerate(each):
                    at = LEFT_MM + column * width
                    self._text(text, BODY_PT, at, INK if k else FAINT, down_mm=n * LINE_MM)
            self.y_mm += height

    def _illustrate(self, row: Sequence[Illustration]) -> None:
        """Show images next to each other, each with its caption."""
        sizes = [_size_mm(each) for each in row]
        # A caption alone in its row may be as wide as the text.
        widths = [w for w, _ in sizes] if len(row) > 1 else [_caption_mm(row[0], sizes[0][0])]
        captions = [
            broken(each.caption, SMALL_PT, width) for each, width in zip(row, widths, strict=True)
        ]
        highest, n_lines = max(h for _, h in sizes), max(len(each) for each in captions)
        self._need(highest + n_lines * LINE_MM)
        left = LEFT_MM
        for each, (width, height), lines in zip(row, sizes, captions, strict=True):
            self._show(image_of(each.png), left, self.y_mm, width, height)
            for n, text in enumerate(lines):
                self._text(text, SMALL_PT, left, FAINT, down_mm=height + 1 + n * LINE_MM)
            left += width + BETWEEN_MM
        self.y_mm += highest + 1 + n_lines * LINE_MM

    def _line(
        self, text: str, size: float, x_mm: float, *, width: float, colour: str = INK,
        is_bold: bool = False,
    ) -> None:  # fmt: skip
        for each in broken(text, size, width):
            self._need(LINE_MM)
            self._text(each, size, x_mm, colour, is_bold=is_bold)
            self.y_mm += max(LINE_MM, 1.35 * size * POINT_MM)

    def _need(self, height_mm: float) -> None:
        if self.y_mm + height_mm > BOTTOM_MM:
            self._begin()

    def _begin(self) -> None:
        from matplotlib.figure import Figure

        self.pages.append(Figure(figsize=(PAGE_MM[0] / INCH_MM, PAGE_MM[1] / INCH_MM)))
        report, left = self._report, LEFT_MM
        self.y_mm = 14.0
        if report.logo:
            logo = decoded_logo(report.logo)
            scale = min(LOGO_MM[0] / logo.width, LOGO_MM[1] / logo.height)
            self._show(logo, LEFT_MM, 11.0, logo.width * scale, logo.height * scale)
            left += logo.width * scale + 4
        self._text(report.site, HEADING_PT, left, INK, is_bold=True)
        self._text(report.address, BODY_PT, left, FAINT, down_mm=5)
        self.y_mm = 27.0
        self._rule(26.5)
        self.y_mm = TOP_MM - 5 if len(self.pages) == 1 else TOP_MM - 3

    def _foot(self, page: Figure, number: int) -> None:
        from matplotlib.lines import Line2D

        # Figure coordinates of matplotlib run from 0 to 1 and from the bottom up.
        y = 1 - 285 / PAGE_MM[1]
        ends = [LEFT_MM / PAGE_MM[0], RIGHT_MM / PAGE_MM[0]]
        page.add_artist(Line2D(ends, [y, y], color=FAINT, lw=0.4))
        low = 1 - 289.5 / PAGE_MM[1]
        small = type_of(False, SMALL_PT)
        page.text(ends[0], low, self._report.footer, color=FAINT, fontproperties=small)
        count = f"{self._report.title}, page {number} of {len(self.pages)}"
        page.text(
            ends[1], low - 4 / PAGE_MM[1], count, ha="right", color=FAINT, fontproperties=small
        )

    def _rule(self, y_mm: float) -> None:
        from matplotlib.lines import Line2D

        ends = [LEFT_MM / PAGE_MM[0], RIGHT_MM / PAGE_MM[0]]
        y = 1 - y_mm / PAGE_MM[1]
        self.pages[-1].add_artist(Line2D(ends, [y, y], color=FAINT, lw=0.4))

    def _show(self, image: object, x_mm: float, y_mm: float, width: float, height: float) -> None:
        import numpy as np

        wide, high = PAGE_MM
        place = (x_mm / wide, 1 - (y_mm + height) / high, width / wide, height / high)
        axes = self.pages[-1].add_axes(place)
        axes.imshow(np.asarray(image), cmap="gray", vmin=0, vmax=255, aspect="auto")
        axes.set_axis_off()

    def _text(
        self, text: str, size: float, x_mm: float, colour: str, *, is_bold: bool = False,
        down_mm: float = 0.0,
    ) -> None:  # fmt: skip
        y = 1 - (self.y_mm + down_mm + size * POINT_MM) / PAGE_MM[1]
        # Names may contain "$", which matplotlib would otherwise read as a formula.
        self.pages[-1].text(
            x_mm / PAGE_MM[0], y, text, color=colour, parse_math=False,
            fontproperties=type_of(is_bold, size), va="baseline",
        )  # fmt: skip


def _in_rows(shown: Sequence[Illustration]) -> list[list[Illustration]]:
    """Return images in rows, as many next to each other as fit."""
    rows, left = list[list[Illustration]](), 0.0
    for each in shown:
        width = _size_mm(each)[0]
        # Widths are fractions of the text, so their sums have rounding errors.
        if not rows or left + width > RIGHT_MM - LEFT_MM + 1e-6:
            rows, left = [*rows, []], 0.0
        rows[-1].append(each)
        left += width + BETWEEN_MM
    return rows


def _caption_mm(shown: Illustration, width: float) -> float:
    """Return the width of the caption of a single image: the text, or its own for a key image."""
    return width if shown.min_share else RIGHT_MM - LEFT_MM


def _size_mm(shown: Illustration) -> tuple[float, float]:
    """Return width and height of an image; an image higher than a page is scaled down."""
    image = image_of(shown.png)
    width = shown.width * (RIGHT_MM - LEFT_MM)
    most = BOTTOM_MM - TOP_MM - HEADING_LINES * LINE_MM
    height = min(width * image.height / image.width, most)
    return height * image.width / image.height, height


def broken(text: str, size: float, width_mm: float) -> list[str]:
    """Return a text in lines that fit a width.

    Parameters
    ----------
    text
        text to break at spaces
    size
        type size [pt]
    width_mm
        width of the column [mm]

    Returns
    -------
    list of str
        lines; a word wider than the column is broken inside
    """
    lines: list[str] = []
    for word in _words(text, size, width_mm):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and _width_mm(joined, size) <= width_mm:
            lines[-1] = joined
            continue
        while _width_mm(word, size) > width_mm:
            # The mean width of a letter gives the number of letters; one less is on the safe side.
            n = max(1, int(len(word) * width_mm / _width_mm(word, size)) - 1)
            lines.append(word[:n])
            word = word[n:]
        lines.append(word)
    # Text that is copied from the page must have ordinary spaces.
    return [line.replace(NO_BREAK, " ") for line in lines]


def _words(text: str, size: float, width_mm: float) -> Iterator[str]:
    """Yield the words of a text; a number and its unit are one word if it fits the width."""
    for word in unbroken(" ".join(text.split())).split(" "):
        if _width_mm(word, size) <= width_mm:
            yield word
        else:
            yield from word.split(NO_BREAK)


def _width_mm(text: str, size: float) -> float:
    # Widths are measured once at 100 px and scaled, so that all sizes break lines alike.
    return measured().getlength(text) / MEASURED_PX * size * POINT_MM


@cache
def measured() -> FreeTypeFont:
    """Return the font in which widths are measured."""
    return font(MEASURED_PX)


@cache
def type_of(is_bold: bool, size: float) -> FontProperties:
    """Return the font of a line."""
    from matplotlib.font_manager import FontProperties

    # The font of Pillow and of matplotlib is the same file, so that measured widths are correct.
    name = "Roboto-Medium.ttf" if is_bold else "Roboto-Regular.ttf"
    return FontProperties(fname=str(files("resources") / "fonts" / name), size=size)
