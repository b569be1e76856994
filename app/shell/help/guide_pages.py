"""Pages of the guide: folder, order and text.

They are Markdown and rendered by the window itself, without network or web engine. A clone shows
the same pages as an installation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from app.language.translation import tr

SECTIONS = {"user": tr("For technicians"), "physics": tr("For physicists")}
# The order of pages is in the numbered list of each index page, which the web site shows too.
LINK = re.compile(r"^\d+\. \[(?P<title>.+?)\]\((?P<name>[\w-]+\.md)\)", re.MULTILINE)
API = re.compile(r"^::: (?P<name>[\w.]+)$", re.MULTILINE)
"""Line of the web site that becomes the documentation of a name; here it names the help."""
ENGINE_PAGES = {
    "physics/conventions.md": ("CONVENTIONS.md",),
    "physics/formats.md": ("io", "FORMATS.md"),
}


@dataclass(frozen=True)
class GuidePage:
    """A page: name in the folder of the guide, such as "user/pet.md", title and section."""

    name: str
    title: str
    section: str


def guide_folder() -> Path:
    """Return the folder of the pages: in the resources, or `docs` in a clone."""
    resources = Path(str(files("resources")))
    installed = resources / "guide"
    return installed if installed.is_dir() else resources.parent / "docs"


def pages(folder: Path) -> list[GuidePage]:
    """Return all pages in the order of the links on the first page of each section.

    Parameters
    ----------
    folder
        folder of the guide
    """
    found = []
    for section, heading in SECTIONS.items():
        index = f"{section}/index.md"
        text = page_text(folder, index)
        found.append(GuidePage(index, heading, section))
        found += [
            GuidePage(f"{section}/{link['name']}", link["title"], section)
            for link in LINK.finditer(text)
        ]
    return found


def page_text(folder: Path, name: str) -> str:
    """Return the Markdown of a page.

    Parameters
    ----------
    folder
        folder of the guide
    name
        name of the page; that of the settings is generated from their classes
    """
    if name == "physics/settings.md":
        from engine.modalities import settings_text

        return settings_text()
    if name in ENGINE_PAGES:
        return files("engine").joinpath(*ENGINE_PAGES[name]).read_text("utf-8")
    text = (folder / name).read_text("utf-8")
    return API.sub(lambda found: f"- in Python: `help({found['name']})`", text)
