"""Tests of files with trigger times: both units, and refusal of faulty files."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.errors import EngineError
from engine.data.timing.triggers import OF_FILE
from engine.io.auxiliary.trigger_file import is_trigger_file, read_triggers
from engine.io.safety.open_input import open_input


def written(folder: Path, text: str) -> Path:
    path = folder / "beats.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "trigger time [s]\n0.25\n1.1\n1.1\n2.004\n",
        "Trigger_time_ms\n250\n1100\n1100 # twice\n\n2004\n",
        "# trigger times (ms)\n250.2\n1099.9\n2004\n",
        "\ufefftrigger time s\r\n0.25\r\n1.1\r\n2.004\r\n",
    ],
)
def test_times_are_read_in_whole_ms_without_duplicates(tmp_path: Path, text: str):
    path = written(tmp_path, text)
    with open_input(path) as file:
        assert is_trigger_file(file)
    found = read_triggers(path)
    assert found.time_ms.tolist() == [250, 1100, 2004]
    assert found.is_file and found.name == OF_FILE


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0.25\n1.1\n", "the unit of the times is missing. Write a first line such as 'trigger"),
        ("trigger time\n1\n2\n", "the unit of the times is missing"),
        ("", "is empty"),
        ("trigger time [s]\n1\n", "the number of trigger times is 1, expected at least 2"),
        ("trigger time [s]\n1\n3\n2\n", "line 4: 2 comes after 3, expected increasing times"),
        (
            "trigger time [s]\n1 2\n3 4\n",
            r"line 2: the number of columns is 2, expected 1; .* Write one time",
        ),
        ("trigger time [s]\n1\nend\n", "line 3: contains 'end', expected only numbers"),
        (
            "trigger time [s]\n-1\n1\n",
            "from the start of the scan; if these are clock times, subtract",
        ),
        ("trigger time [s]\n1\n1.7e9\n", "from the start of the scan"),
        ("trigger time [s]\n1\nnan\n2\n", "1 of 3 values are not numbers"),
    ],
)
def test_file_without_valid_times_is_refused(tmp_path: Path, text: str, why: str):
    with pytest.raises(EngineError, match=why):
        read_triggers(written(tmp_path, text))


def test_other_text_files_are_not_trigger_times(tmp_path: Path):
    for text in ("x y\n1 2\n", "time [s],trigger\n1,0\n", "triggers\n1\n"):
        with open_input(written(tmp_path, text)) as file:
            assert not is_trigger_file(file)
