"""Print the changelog of a release after checking that all files agree on its version.

python packaging/release_notes.py v0.2.0
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FULL_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class ReleaseError(Exception):
    """The project is not ready for this tag."""


def release_notes(tag: str, root: Path = ROOT) -> str:
    """Return the changelog entries of the version that `tag` names.

    Parameters
    ----------
    tag
        such as v0.2.0
    root
        folder of the project

    Returns
    -------
    the section of the changelog, as Markdown without its heading

    Raises
    ------
    ReleaseError
        if the tag, `pyproject.toml`, `CITATION.cff` and `CHANGELOG.md` disagree, or the version
        has no date
    """
    version = tag.removeprefix("v")
    stated = {
        "pyproject.toml": tomllib.loads(_text(root, "pyproject.toml"))["project"]["version"],
        "CITATION.cff": _first(r"^version: (\S+)$", _text(root, "CITATION.cff")),
        "CHANGELOG.md": _first(r"^## (\S+) - ", _text(root, "CHANGELOG.md")),
    }
    for name, found in stated.items():
        if tag != f"v{found}":
            raise ReleaseError(f"{name}: version {found or '(none)'}, but the tag is {tag}.")
    head, _, rest = _text(root, "CHANGELOG.md").partition(f"\n## {version} - ")[2].partition("\n")
    if not FULL_DATE.fullmatch(head.strip()):
        raise ReleaseError(f"CHANGELOG.md: {version} is dated {head.strip()!r}; write the day.")
    return rest.split("\n## ")[0].strip() + "\n"


def _text(root: Path, name: str) -> str:
    return (root / name).read_text("utf-8")


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


if __name__ == "__main__":
    try:
        sys.stdout.write(release_notes(sys.argv[1]))
    except ReleaseError as e:
        sys.exit(f"release: {e}")
