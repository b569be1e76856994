"""A report on A4 pages: as a PDF, or as pictures of its pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from engine.results.reports.blocks import ResultReport
from engine.results.reports.page_flow import PageFlow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCREEN_DPI = 150
SMALLER, SMALLEST = 0.85, 0.45
"""Steps in which pictures shrink until a brief report fits on its page, and how far."""


def to_pdf(report: ResultReport) -> bytes:
    """Return the pages as a PDF."""
    from matplotlib.backends.backend_pdf import PdfPages

    out = BytesIO()
    facts = {"Title": report.title, "Creator": "Isocenter", "Author": report.site}
    with _type(embeds_pixels=True), PdfPages(out, metadata=facts) as pages:
        for page in set_pages(report):
            pages.savefig(page)
    return out.getvalue()


def to_images(report: ResultReport, dpi: int = SCREEN_DPI) -> list[bytes]:
    """Return a PNG of each page."""
    with _type():
        return [_png(page, dpi) for page in set_pages(report)]


def set_pages(report: ResultReport) -> list[Figure]:
    """Return the pages; pictures of a brief report shrink where it would not fit on one."""
    factor = 1.0
    pages = PageFlow(report).pages
    while report.is_brief and len(pages) > 1 and factor > SMALLEST:
        factor *= SMALLER
        pages = PageFlow(report.with_smaller_illustrations(factor)).pages
    return pages


@contextmanager
def _type(*, embeds_pixels: bool = False) -> Iterator[None]:
    """Set type that other programs can search and copy, as wide in pictures as it is in print.

    `embeds_pixels` puts all pixels of a picture into a PDF; without it their letters are blurred.
    """
    from matplotlib import rc_context, rcParams

    resampling = "none" if embeds_pixels else rcParams["image.interpolation"]
    with rc_context(
        {"pdf.fonttype": 42, "text.hinting": "none", "image.interpolation": resampling}
    ):
        yield


def _png(page: Figure, dpi: int) -> bytes:
    out = BytesIO()
    page.savefig(out, format="png", dpi=dpi, facecolor="white")
    return out.getvalue()
