"""Collect the pages of the guide for its site and for the wheel.

As a hook of mkdocs it adds pages from other folders: the settings from their classes, the
conventions and the file formats from the engine. `packaging/wheel_build.py` adds the pages that
Help shows to the wheel.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import notebooks

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
SECTIONS = ("user", "physics")
"""Folders of the guide that the wheel contains. Contributors have a clone."""
SUFFIXES = (".md", ".webp")
HOME = Path("resources") / "guide"
"""Folder of the pages in an installation."""
ELSEWHERE = {
    "physics/conventions.md": ROOT / "engine" / "CONVENTIONS.md",
    "physics/formats.md": ROOT / "engine" / "io" / "FORMATS.md",
}

SEARCH_BOOST = {"user": 2.0, "contributing": 0.5}
"""Weight of a section in the search of the site; the default is 1."""
GALLERY = Path("physics") / "gallery.md"
"""Page of the notebooks."""
LISTS = ("physics/settings.md", "physics/api.md", GALLERY.as_posix())
LIST_BOOST = 0.25
"""Weight of generated pages, which contain every name."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside the folder docs."""
    from mkdocs.structure.files import File

    from engine.modalities.settings_page import settings_text

    pages = {name: path.read_text("utf-8") for name, path in ELSEWHERE.items()}
    pages["physics/settings.md"] = settings_text()
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    for figure in figures():
        name = f"{GALLERY.parent.as_posix()}/{notebooks.BUILT.name}/{figure.name}"
        files.append(File.generated(config, name, content=figure.read_bytes()))
    return files


def on_page_markdown(markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rank guides above generated pages in the search: most readers look for an explanation."""
    section = page.file.src_uri.split("/")[0]
    boost = LIST_BOOST if page.file.src_uri in LISTS else SEARCH_BOOST.get(section, 1.0)
    page.meta.setdefault("search", {"boost": boost})
    return with_notebooks(markdown) if page.file.src_uri == GALLERY.as_posix() else markdown


def with_notebooks(gallery: str) -> str:
    """Return the page of the notebooks with their code, and with their output if they ran."""
    parts = (notebooks.section(path) for path in notebooks.sources())
    return "\n".join([gallery, *(f"#{part}" for part in parts)])


def figures() -> list[Path]:
    """Return the figures of the notebooks that ran."""
    shown = with_notebooks("")
    return [path for path in sorted(notebooks.BUILT.glob("*.webp")) if path.name in shown]


def pages(root: Path = ROOT) -> list[Path]:
    """Return the files of the folder docs that the wheel contains."""
    docs = root / "docs"
    found = (path for section in SECTIONS for path in (docs / section).rglob("*"))
    return sorted(path.relative_to(docs) for path in found if path.suffix in SUFFIXES)


def copy_into(folder: Path, root: Path = ROOT) -> None:
    """Copy these pages into a folder."""
    for page in pages(root):
        target = folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / "docs" / page, target)
    gallery = folder / GALLERY
    gallery.write_text(with_notebooks(gallery.read_text("utf-8")), "utf-8")
    for figure in figures():
        target = gallery.parent / notebooks.BUILT.name / figure.name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(figure, target)
