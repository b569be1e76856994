"""The changelog has the form of Keep a Changelog, with short entries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"
VERSION = re.compile(r"## \d+\.\d+\.\d+ - (\d{4}-\d\d-\d\d|unreleased|never released)")
SECTIONS = ("### Added", "### Changed", "### Fixed")
MAX_WORDS = 15


def faults(text: str) -> Iterator[str]:
    """Yield the malformed lines, each with the reason."""
    version, section = "", ""
    seen: Counter[tuple[str, str]] = Counter()
    for line in text.splitlines():
        if line.startswith("## "):
            version, section = line, ""
            if not VERSION.fullmatch(line):
                yield f"{line}: write `## 1.2.3 - 2026-11-28`"
        elif line.startswith("#") and version:
            section = line
            if line not in SECTIONS:
                yield f"{line}: use one of {', '.join(SECTIONS)}"
        elif line and version:
            seen[version, line] += 1
            yield from _faults_of_an_entry(line, section)
    yield from (f"{line}: twice in {version}" for (version, line), n in seen.items() if n > 1)


def _faults_of_an_entry(line: str, section: str) -> Iterator[str]:
    if not section or not re.match(r"- \S", line):
        yield f"{line}: write one entry per line, under a section"
    n_words = len(line.removeprefix("- ").split())
    if n_words > MAX_WORDS:
        yield f"{line}: {n_words} words, at most {MAX_WORDS}"
    if not line.endswith("."):
        yield f"{line}: end with a full stop"


@pytest.mark.essential
def test_changelog_is_well_formed() -> None:
    found = list(faults(CHANGELOG.read_text("utf-8")))
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("## 1.0", "write `## 1.2.3"),
        ("## 1.0.0 - unreleased\n### You can now", "use one of"),
        ("## 1.0.0 - unreleased\n- X.", "under a section"),
        ("## 1.0.0 - unreleased\n### Added\nA story.", "one entry per line"),
        ("## 1.0.0 - unreleased\n### Added\n- X", "full stop"),
        ("## 1.0.0 - unreleased\n### Added\n- " + "x " * 15 + "x.", "16 words"),
        ("## 1.0.0 - unreleased\n### Added\n- X.\n### Fixed\n- X.", "twice"),
    ],
)
def test_malformed_changelog_is_found(text: str, reason: str) -> None:
    (fault,) = faults(text)
    assert reason in fault


def test_well_formed_changelog_has_no_fault() -> None:
    text = "# Changelog\n\nIntroduction.\n\n## 1.2.3 - 2026-11-28\n\n### Added\n\n- X.\n- Y.\n"
    assert not list(faults(text))
