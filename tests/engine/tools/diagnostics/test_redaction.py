"""Tests of redaction, which removes identifying text and preserves text of the program."""

from __future__ import annotations

import sys
import traceback
import unicodedata
from pathlib import Path

import pytest

from engine.core.errors import FileFormatError
from engine.tools.diagnostics.redaction import Redaction, names_of
from engine.tools.diagnostics.vocabulary import vocabulary


@pytest.mark.parametrize(
    "text",
    [
        "218,881 prompts, 12.5 s, 504 crystals on 64 rings",
        "the header says 254,201 events, the file holds 254,200; copy the file again.",
        "iteration 3/4, subset 2/21: log-likelihood -1,234,567",
        "TypeError: list index out of range",
        "FileFormatError: No space left on device",
        "Siemens Biograph mMR",
        "voxel_mm = [4.0625, 4.0625, 2.03125]",
    ],
)
def test_words_of_the_program_are_preserved(text: str) -> None:
    assert Redaction().line(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zbigniew Kowalczyk", "[1] [2]"),
        ("KOWALCZYK, kowalczyk", "[1], [1]"),
        ("Kowalczyk_Zbigniew-1970.l", "[1].l"),
        ("born 1970-01-31 or 31.1.1970 or 19700131", "[1] [2] or [3] or [4]"),
        ("patient 4711008, 4711", "patient [1], 4711"),
        ("1.2.840.113619.2.55.3", "[1]"),
        ("opened /data/Ray Page/scan.l.hdr: crystals", "opened [1] Page/scan.l.hdr: crystals"),
        ("C:\\Users\\ray\\scan.h5 is damaged", "[1].h5 is damaged"),
        ("~/scans/x.nii.gz", "[1].gz"),
        ("Łukasz Müller 山田 太郎", "[1] [2] [3] [4]"),
        ("a/Page_Ray.nii", "a/[1].nii"),
    ],
)
def test_possible_names_are_removed(text: str, expected: str) -> None:
    assert Redaction().line(text) == expected


def test_known_names_are_removed_even_if_they_are_program_words() -> None:
    assert {"Page", "Ray", "scan"} <= vocabulary() | {"Page", "Ray"}
    path = Path("/data/Ray Page/Page, Ray (2).l")
    redaction = Redaction(names_of([path]))
    assert redaction.line(f"{path}: is damaged; ray page") == "[1]: is damaged; [2]"
    assert redaction.line("Page, Ray (2).l is read") == "[3] is read"
    assert redaction.line("the scan is damaged") == "the scan is damaged"


def test_both_encodings_of_an_accent_get_one_mark() -> None:
    name = "Zoë Müller"
    redaction = Redaction(names_of([Path("/data") / unicodedata.normalize("NFD", name) / "a.l"]))
    marks = {redaction.line(unicodedata.normalize(form, name)) for form in ("NFC", "NFD")}
    assert len(marks) == 1 and "M" not in marks.pop()


def test_plain_values_keep_their_numbers() -> None:
    value = {"title": "Kowalczyk", "bytes": 123456789, "inputs": {"Zbigniew": [True, None, 2.5]}}
    assert Redaction().value(value) == {
        "title": "[1]",
        "bytes": 123456789,
        "inputs": {"[2]": [True, None, 2.5]},
    }


def test_traceback_keeps_its_code_without_names() -> None:
    try:
        _read_of("/data/Kowalczyk/Zbigniew.l")
    except FileFormatError as e:
        text = "".join(traceback.format_exception(e))
    retained = Redaction().text(text)
    assert "Kowalczyk" not in retained and "Zbigniew" not in retained
    assert "is damaged" in retained and "FileFormatError" in retained


def test_frames_of_program_and_libraries_are_preserved() -> None:
    import numpy

    from engine.tools.diagnostics import redaction

    frames = [
        f'  File "{redaction.__file__}", line 3, in text',
        "    return unknownword(zzz)",
        f'  File "{numpy.__file__}", line 1, in <module>',
        '  File "/home/kowalczyk/script.py", line 2, in <module>',
        "    read('Zbigniew')",
    ]
    retained = Redaction().text("\n".join(frames)).split("\n")
    assert retained[0] == '  File "engine/tools/diagnostics/redaction.py", line 3, in text'
    assert retained[1] == frames[1]
    assert retained[2] == '  File "numpy/__init__.py", line 1, in <module>'
    assert "kowalczyk" not in retained[3] and "Zbigniew" not in retained[4]
    assert sys.prefix not in "".join(retained)


def _read_of(path: str) -> None:
    raise FileFormatError(f"{path}: is damaged; copy the file again.")
