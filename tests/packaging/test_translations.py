"""Tests of translations: complete, with placeholders, and compiled as shipped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from translations import (
    FOLDER,
    ROOT,
    _names_in,
    _texts_in,
    all_texts,
    compile_catalogue,
    translations_in,
)

CATALOGUES = sorted(FOLDER.glob("*.ts"))
VALUE = re.compile(r"{([\w.]*)[^}]*}")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    found = all_texts(ROOT)
    assert len(found) > 1500, "the sources were not found"
    return found


@pytest.mark.essential
@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_every_text_is_translated_and_no_other(path: Path, texts: dict[str, str]) -> None:
    known = translations_in(path)
    assert [text for text in texts if not known.get(text)] == [], "packaging/translations.py"
    assert [text for text in known if text not in texts] == [], "packaging/translations.py"


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_placeholders_and_marks_are_preserved(path: Path) -> None:
    plural = {"value"}  # suffix of an English plural
    for text, translation in translations_in(path).items():
        expected, given = set(VALUE.findall(text)), set(VALUE.findall(translation))
        assert given <= expected and expected - given <= plural, text
        assert text.count("&") == translation.count("&") and text.count("\t") == translation.count(
            "\t"
        ), text
        assert "<" in text or "<" not in translation, (
            f"HTML marks that the English text lacks: {text}"
        )
        ends = (text[:1] == " ", text[-1:] == " ")
        assert (translation[:1] == " ", translation[-1:] == " ") == ends, (
            f"spaces at the ends: {text}"
        )


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_shipped_catalogue_equals_its_compilation(path: Path, tmp_path: Path) -> None:
    compiled = compile_catalogue(path, tmp_path / "made.qm")
    assert compiled.read_bytes() == path.with_suffix(".qm").read_bytes(), (
        "packaging/translations.py"
    )


def test_texts_are_found_in_calls() -> None:
    source = 'x = tr("One " "text")\ny = tr("{n} of them", n=1), other("none")\n'
    assert list(_texts_in(source)) == ["One text", "{n} of them"]
    source = (
        'class A:\n    title: ClassVar[str] = "Its name"\n'
        '    size: int = setting(1, "What it is", label="Size")\nb = Role(text="Words", key="k")\n'
    )
    assert set(_names_in(source)) == {"Its name", "What it is", "Size", "Words"}


def test_texts_in_constants_are_found() -> None:
    source = (
        'SCAN, NONE = "from the scan", "not stated"\nANY = "any"\n'
        "a: int = setting(1, empty=SCAN)\nb: int = setting(1, ANY, empty=NONE)\n"
    )
    assert set(_names_in(source)) == {"from the scan", "not stated", "any"}
