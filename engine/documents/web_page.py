"""A report as one web page: pictures inside it, nothing loaded from elsewhere, no script."""

from __future__ import annotations

from base64 import b64encode
from importlib.resources import files

from engine.documents.blocks import Report


def to_html(report: Report) -> bytes:
    """Return the page; what people wrote is text in it, never markup."""
    from jinja2 import Environment

    text = (files("resources") / "report" / "page.html.j2").read_text("utf-8")
    page = Environment(autoescape=True).from_string(text)
    logo = _data(report.logo) if report.logo else ""
    return page.render(report=report, logo=logo, data=_data).encode()


def _data(picture: bytes) -> str:
    kind = "png" if picture.startswith(b"\x89PNG") else "jpeg"
    return f"data:image/{kind};base64,{b64encode(picture).decode()}"
