"""Names and docstrings keep their rules, and the rules can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture import Rule, Source, sources
from tests.naming import (
    NAMING_RULES,
    classes_that_stand_twice,
    docstrings_stand_alone,
    words_of_the_field,
)

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("rule", NAMING_RULES, ids=lambda rule: rule.__name__)
def test_the_tree_keeps(rule: Rule) -> None:
    found = [f"{s.path}:{line}: {text}" for s in sources(ROOT) for line, text in rule(s)]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("rule", "path", "code", "line"),
    [
        (docstrings_stand_alone, "engine/geometry/ring.py", '"""Where things are."""', 1),
        (docstrings_stand_alone, "app/views/maps.py", 'SEEN = 0.1\n"""Of the window."""', 2),
        (docstrings_stand_alone, "app/views/maps.py", 'def f():\n    """Those: all."""', 2),
        (words_of_the_field, "engine/io/door.py", "x = 1", 1),
        (words_of_the_field, "engine/io/nifti.py", "def f():\n    quicklook_mm = 1", 2),
        (words_of_the_field, "engine/io/nifti.py", "def f(was_told): ...", 1),
        (words_of_the_field, "engine/study/a.py", "class PetPlan: ...", 1),
        (words_of_the_field, "app/models/session.py", "self.bench = 1", 1),
    ],
)
def test_a_planted_violation_is_found(rule: Rule, path: str, code: str, line: int) -> None:
    assert [at for at, _ in rule(Source(path, code))] == [line]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("engine/io/png.py", "draw.rectangle(edges, outline=INK)"),  # a word of another library
        ("engine/cli/bench.py", "benchmark = planned = filter_plan = 1"),
        ("engine/modalities/xray_ct/extent.py", "outline = 1"),
        ("engine/io/nifti.py", '"""What is of those that are where they are."""'),
    ],
)
def test_what_is_allowed_is_not_found(path: str, code: str) -> None:
    assert [fault for rule in NAMING_RULES for fault in rule(Source(path, code))] == []


def test_no_two_public_classes_share_a_name() -> None:
    assert classes_that_stand_twice(sources(ROOT)) == {}


def test_classes_of_one_name_are_found() -> None:
    one, two = Source("engine/a.py", "class A: ..."), Source("app/b.py", "class A: ...")
    other = Source("engine/c.py", "class _A: ...\nclass B: ...")

    assert classes_that_stand_twice([one, two, other]) == {"A": ["engine/a.py", "app/b.py"]}
