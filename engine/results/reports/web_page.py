"""A report as a single HTML page with embedded images, without scripts or external resources."""

from __future__ import annotations

from base64 import b64encode

from engine.data.formatting import unbroken
from engine.results.reports.blocks import ResultReport
from engine.results.reports.illustrations import page_template


def to_html(report: ResultReport) -> bytes:
    """Return the page; texts of users are escaped and never become markup."""
    from jinja2 import Environment

    # Titles and remarks come from users and from files.
    environment = Environment(autoescape=True)
    environment.filters["unbroken"] = unbroken
    page = environment.from_string(page_template())
    logo = _data(report.logo) if report.logo else ""
    return page.render(report=report, logo=logo, data=_data).encode()


def _data(image: bytes) -> str:
    kind = "png" if image.startswith(b"\x89PNG") else "jpeg"
    return f"data:image/{kind};base64,{b64encode(image).decode()}"
