"""Names and docstrings follow the rules, and each rule finds a planted violation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture import Rule, Source, sources
from tests.naming import (
    NAMING_RULES,
    OLD_WORDS,
    docstrings_are_independent,
    limits_are_max_and_min,
    words_of_the_field,
)
from tests.private_words import (
    OLD_NAMES,
    REVIEWED_NAMES,
    listed,
    offending,
    private_parts,
    private_words,
)

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.essential
@pytest.mark.parametrize("rule", NAMING_RULES, ids=lambda rule: rule.__name__)
def test_tree_follows_the_rule(rule: Rule) -> None:
    found = [f"{s.path}:{line}: {text}" for s in sources(ROOT) for line, text in rule(s)]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("rule", "path", "code", "line"),
    [
        (docstrings_are_independent, "engine/geometry/ring.py", '"""Where things are."""', 1),
        (docstrings_are_independent, "app/views/maps.py", 'SEEN = 0.1\n"""Of the window."""', 2),
        (docstrings_are_independent, "app/views/maps.py", 'def f():\n    """Those: all."""', 2),
        (words_of_the_field, "engine/io/door.py", "x = 1", 1),
        (words_of_the_field, "engine/io/volumes/nifti.py", "def f():\n    quicklook_mm = 1", 2),
        (words_of_the_field, "engine/io/volumes/nifti.py", "def f(was_told): ...", 1),
        (words_of_the_field, "engine/protocols/study/a.py", "class PetPlan: ...", 1),
        (words_of_the_field, "app/state/models/session.py", "self.bench = 1", 1),
        (limits_are_max_and_min, "app/views/maps.py", "X, _MOST_ROWS = 1, 2", 1),
        (limits_are_max_and_min, "app/views/maps.py", "LEAST: float = 1e-3", 1),
    ],
)
def test_planted_violation_is_found(rule: Rule, path: str, code: str, line: int) -> None:
    assert [at for at, _ in rule(Source(path, code))] == [line]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "engine/io/raster/png.py",
            "draw.rectangle(edges, outline=INK)",
        ),  # a word of another library
        ("engine/cli/machine/bench.py", "benchmark = planned = filter_plan = 1"),
        ("engine/modalities/xray_ct/extent.py", "outline = 1"),
        ("engine/io/volumes/nifti.py", '"""What is of those that are where they are."""'),
    ],
)
def test_allowed_code_is_accepted(path: str, code: str) -> None:
    assert [fault for rule in NAMING_RULES for fault in rule(Source(path, code))] == []


def test_no_new_name_contains_a_private_word() -> None:
    accepted = {*listed(OLD_NAMES), *listed(REVIEWED_NAMES)}
    found = offending(sources(ROOT), private_words())
    new = [f"{place}: {name}" for name, place in found.items() if name not in accepted]
    assert not new, "\n".join(["rename these; engine/CONVENTIONS.md has better words:", *new])


def test_list_of_old_names_only_shrinks() -> None:
    found = offending(sources(ROOT), private_words())
    gone = sorted({*listed(OLD_NAMES)} - set(found))
    assert not gone, f"run `python -m tests.private_words --prune`, which removes {gone}"


def test_reviewed_names_are_few_used_and_explained() -> None:
    lines = REVIEWED_NAMES.read_text("utf-8").splitlines()
    assert all("  # " in line for line in lines)
    assert set(listed(REVIEWED_NAMES)) <= set(offending(sources(ROOT), private_words()))
    assert not {*listed(REVIEWED_NAMES)} & {*listed(OLD_NAMES)}
    assert len(lines) < 25


def test_private_words_equal_those_of_the_glossary() -> None:
    assert {"kept", "beside", "told", "pictures", "at_hand", *OLD_WORDS} <= private_words()
    assert "saved" not in private_words()


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        ("engine/io/a.py", "def kept_bins(beside, *, n): ...", {"kept_bins", "beside"}),
        (
            "engine/io/a.py",
            "class HeldShard:\n    async def is_gone(self): ...",
            {"HeldShard", "is_gone"},
        ),
        ("engine/io/a.py", "f = lambda room: room", {"room"}),
        ("app/look/a.py", "x = 1", {"look"}),
        ("app/a/whose.py", "kept = 1", {"whose", "kept"}),
        ("app/a/b.py", "self.room: int = 1\nx.said = y = 1", {"room", "said"}),
        ("engine/kernels/a.py", "_PLAIN = 1\ndef held(): ...", {"_PLAIN", "held"}),
        ("app/a/b.py", "def at_hand(by_turns, keptness, hand): ...", {"at_hand", "by_turns"}),
    ],
)
def test_private_words_in_names_are_found(path: str, code: str, expected: set[str]) -> None:
    assert set(offending([Source(path, code)], private_words())) == expected


def test_name_is_split_into_words() -> None:
    assert private_parts("isKept_HTTPRoom", frozenset({"kept", "room"})) == {"kept", "room"}
