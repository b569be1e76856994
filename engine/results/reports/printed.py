"""A report on A4 pages, as a PDF or as images of its pages."""

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
"""Factor of each step in which images shrink until a brief report fits on one page, and limit."""


def to_pdf(report: ResultReport) -> bytes:
    """Return the pages as a PDF."""
    from matplotlib.backends.backend_pdf import PdfPages

    out = BytesIO()
    facts = {"Title": report.title, "Creator": "Isocenter", "Author": report.site}
    if report.signed:
        facts["Keywords"] = report.signed
    with _type(embeds_pixels=True), PdfPages(out, metadata=facts) as pages:
        for page in set_pages(report):
            pages.savefig(page)
    return out.getvalue()


def to_images(report: ResultReport, dpi: int = SCREEN_DPI) -> list[bytes]:
    """Return a PNG of each page.

    Parameters
    ----------
    report
        report to draw
    dpi
        resolution [pixels per inch]
    """
    with _type():
        return [_png(page, dpi) for page in set_pages(report)]


def set_pages(report: ResultReport) -> list[Figure]:
    """Return the pages; in a brief report images shrink until it fits on one page.

    Parameters
    ----------
    report
        report to set

    Returns
    -------
    list of Figure
        more than one page for a brief report only if images at the smallest size do not fit
    """
    factor, smaller = 1.0, report
    pages = PageFlow(report).pages
    # Page breaks are only known after setting the pages, so smaller images are tried in steps.
    while report.is_brief and len(pages) > 1 and factor > SMALLEST:
        factor *= SMALLER
        before, smaller = smaller, report.with_smaller_illustrations(factor)
        if smaller == before:  # all images have their smallest size
            break
        pages = PageFlow(smaller).pages
    return pages


@contextmanager
def _type(*, embeds_pixels: bool = False) -> Iterator[None]:
    """Use fonts that can be searched and copied, with equal widths in images and in print.

    `embeds_pixels` stores all pixels of an image in the PDF; otherwise letters in images blur.
    """
    from matplotlib import rc_context, rcParams

    resampling = "none" if embeds_pixels else rcParams["image.interpolation"]
    # Type 42 embeds the font as TrueType, while the default (type 3) cannot be searched in all
    # viewers. Hinting changes letter widths at screen resolution, and lines would run over.
    with rc_context(
        {"pdf.fonttype": 42, "text.hinting": "none", "image.interpolation": resampling}
    ):
        yield


def _png(page: Figure, dpi: int) -> bytes:
    out = BytesIO()
    page.savefig(out, format="png", dpi=dpi, facecolor="white")
    return out.getvalue()
