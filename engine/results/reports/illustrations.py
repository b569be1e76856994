"""Images from bytes in memory, and the template of the web page."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image


def image_of(data: bytes) -> Image:
    """Return the image in a PNG or JPEG."""
    from PIL import Image

    return Image.open(BytesIO(data))


def page_template() -> str:
    """Return the template of a report as a web page."""
    return (files("resources") / "report" / "page.html.j2").read_text("utf-8")
