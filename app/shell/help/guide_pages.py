"""The guide's pages: where they lie, in which order, and their text.

They are Markdown and are rendered by the window itself: no network, no web engine, and a clone
shows them as an installation does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from app.language.translation import tr

SECTIONS = {"user": tr("For technicians"), "physics": tr("For physicists")}
LINK = re.compile(r"^\d+\. \[(?P<title>.+?)\]\((?P<name>[\w-]+\.md)\)", re.MULTILINE)
API = re.compile(r"^::: (?P<name>[\w.]+)$", re.MULTILINE)
"""A line of the site that becomes the documentation of a name; here it says how to read it."""
ENGINE_PAGES = {
    "physics/conventions.md": ("CONVENTIONS.md",),
    "physics/formats.md": ("io", "FORMATS.md"),
}


@dataclass(frozen=True)
class GuidePage:
    """A page: its name from the guide's folder, "user/pet.md", and its title."""

    name: str
    title: str
    section: str


def guide_folder() -> Path:
    """Return the folder of the pages: beside the resources, or that of a clone."""
    resources = Path(str(files("resources")))
    installed = resources / "guide"
    return installed if installed.is_dir() else resources.parent / "docs"


def pages(folder: Path) -> list[GuidePage]:
    """Return the pages in the order in which the first page of each section names them."""
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
    """Return the Markdown of a page; of the settings it is made from their classes."""
    if name == "physics/settings.md":
        from engine.modalities import settings_text

        return settings_text()
    if name in ENGINE_PAGES:
        return files("engine").joinpath(*ENGINE_PAGES[name]).read_text("utf-8")
    text = (folder / name).read_text("utf-8")
    return API.sub(lambda found: f"- in Python: `help({found['name']})`", text)
