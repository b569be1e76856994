"""Errors, warnings and texts of the window are whole sentences, and the check can fail."""

from __future__ import annotations

import pytest

from tests.architecture import Source
from tests.sentences.fragments import Site, open_sites, reviewed, sites
from tests.sentences.literals import Program


def found_in(*codes: str) -> list[Site]:
    """Return the sites of a program of some files."""
    names = ["engine/a.py", "engine/b.py"]
    modules = frozenset(("engine.a", "engine.b"))
    pairs = zip(names, codes, strict=False)
    return list(sites(Program(tuple(Source(path, code, modules) for path, code in pairs))))


@pytest.mark.essential
def test_no_sentence_is_assembled_from_fragments() -> None:
    found = open_sites()
    assert not found, "\n".join(["", *map(str, found)])


def test_each_accepted_fragment_has_a_reason() -> None:
    assert all(len(reason.split()) > 2 for reason in reviewed().values())


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            'WAY_OUT = "copy the file again"\n'
            'def f(n):\n    raise DataError(f"{n} is damaged; {WAY_OUT}.")',
            id="constant",
        ),
        pytest.param(
            'def f(n):\n    what = "the events" if n else "the lines"\n'
            '    raise DataError(f"{what} need {n} GiB.")',
            id="variable",
        ),
        pytest.param(
            'WORDS = {1: "line integrals", 2: "transmissions"}\n'
            'def f(k):\n    raise DataError(f"this file contains {WORDS[k]}.")',
            id="table",
        ),
        pytest.param(
            'from enum import Enum\nclass Kind(Enum):\n    A = "line integrals"\n'
            'def f(k: Kind):\n    raise DataError(f"this file contains {k.value}.")',
            id="enum",
        ),
        pytest.param(
            'def g(n):\n    return "is missing" if n else f"has {n} bytes"\n'
            'def f(n):\n    raise DataError(f"this file {g(n)}, expected 3.")',
            id="function",
        ),
        pytest.param(
            'def f(what):\n    raise DataError(f"{what} need 3 GiB.")\n'
            'def g():\n    f("the events")',
            id="parameter",
        ),
        pytest.param(
            'def f(what):\n    raise DataError(f"{what} need 3 GiB.")\n'
            'def g(noun):\n    f(noun)\ndef h():\n    g("the events")',
            id="one more level",
        ),
        pytest.param(
            "class A:\n    what: str\n    def f(self):\n"
            '        raise DataError(f"{self.what} need 3 GiB.")\na = A("the events")',
            id="field",
        ),
        pytest.param(
            'def f(n):\n    log.warn("{what} need {n} GiB.".format(what="the events", n=n))',
            id="format",
        ),
        pytest.param(
            'def f(n):\n    raise DataError("the file is damaged; " + ("retry" if n else "stop"))',
            id="sum",
        ),
        pytest.param(
            'def f(n):\n    return tr("{what} need {n} GiB.", what=tr("the events"), n=n)',
            id="window",
        ),
        pytest.param(
            'def g(n):\n    return f"{n} is damaged; " + ("retry" if n else "stop")\n'
            "def f(n):\n    raise DataError(g(n))",
            id="text of a function",
        ),
        pytest.param(
            'def f(n):\n    for what, k in (("the events", 1), ("the lines", 2)):\n'
            '        raise DataError(f"{what} need {k} GiB.")',
            id="loop",
        ),
    ],
)
def test_planted_fragment_is_found(code: str) -> None:
    assert found_in(code)


def test_fragment_from_another_file_is_found() -> None:
    code = 'from engine.b import WAY_OUT\ndef f(n):\n    raise DataError(f"{n} is old; {WAY_OUT}.")'
    assert found_in(code, 'WAY_OUT = "copy it again"')
    assert not found_in(code, 'WAY_OUT = "GATE"')


@pytest.mark.parametrize(
    "code",
    [
        'def f(p, n):\n    raise DataError(f"{p.name}: has {n:,} bytes, expected 3.")',
        'FIX = "Copy the file again."\ndef f(p):\n    raise DataError(f"{p}: damaged. {FIX}")',
        'def f(p):\n    g(p, "the file is damaged.")\n'
        'def g(p, text):\n    raise DataError(f"{p}: {text}")',
        'def f(e):\n    raise DataError(f"the file cannot be read ({e.strerror}).")',
        'UNITS = ("keV", "mm")\ndef f(u):\n    raise DataError(f"expected {UNITS[0]}, got {u!r}.")',
        "def f(n):\n    raise DataError(f\"{'wrong key' if n else 'no key'!r} is not a name.\")",
    ],
    ids=["numbers", "two sentences", "label", "foreign reason", "units", "quoted"],
)
def test_data_and_whole_sentences_are_accepted(code: str) -> None:
    assert not found_in(code)
