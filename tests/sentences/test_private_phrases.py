"""Texts of tests, packaging and examples contain no private words, and the check can fail."""

from __future__ import annotations

import pytest

from tests.sentences.private_phrases import FOLDERS, PRODUCT, WORDS, all_faults, faults_of, files


def test_texts_contain_no_private_words() -> None:
    for folders in (FOLDERS, PRODUCT):
        found = {path.split("/")[0] for path, _ in files(folders)}
        assert found == {*folders}, "the files were not found"
    private = list(all_faults())
    assert not private, "\n".join(["", *private])


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("text", ['"""Read a file {}."""\n', "x = 1  # a file {} there\n"])
def test_each_private_word_is_found(word: str, text: str) -> None:
    (fault,) = faults_of("a.py", "import os\n" + text.format(word))
    assert fault.startswith(f"a.py:2: '{word}' ")


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ('"""First.\n\nSecond line\nis Kept here."""', 4),
        ('LIMIT = 3\n"""Seconds, as a user said."""', 2),
        ('def f():\n    """What installs and builds: pip."""', 2),
        ('"""Whether a file is read."""', 1),
        ('class A:\n    """Of the window."""', 2),
    ],
)
def test_planted_text_is_found(code: str, line: int) -> None:
    assert [fault.split()[0] for fault in faults_of("a.py", code)] == [f"a.py:{line}:"]


@pytest.mark.parametrize(
    "code",
    [
        "told = beside = 1",
        'x = "it was kept beside the scan"',
        '"""Read `kept` and "said" of scan_kept with --kept."""',
        '"""Balls are 10 mm apart, as stated in the held-out data."""',
        '"""Whatever the unit, the value is equal."""',
    ],
)
def test_names_strings_and_quotations_are_accepted(code: str) -> None:
    assert not list(faults_of("a.py", code))
