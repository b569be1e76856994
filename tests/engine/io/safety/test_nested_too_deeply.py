"""Files with too deep nesting are refused with one sentence, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.core.errors import EngineError, FileFormatError
from engine.io import inspect, read_listmode, read_volume
from engine.io.safety.open_input import open_input

DEEP = 100_000


def test_recursion_error_names_the_file(tmp_path: Path) -> None:
    """Several files can be open. The innermost one is the bad file."""
    outer, inner = tmp_path / "outer", tmp_path / "inner"
    outer.write_bytes(b"a")
    inner.write_text("[" * DEEP + "]" * DEEP)
    with (
        pytest.raises(FileFormatError, match="inner: its content is nested too deeply"),
        open_input(outer),
        open_input(inner) as file,
    ):
        json.loads(file.text(10 * DEEP))


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [("a.json", '{"a":', "}"), ("a.mnc", "[", "]"), ("a.tif", "<a>", "</a>")],
)
def test_deeply_nested_texts_of_any_name_give_one_sentence(
    tmp_path: Path, name: str, start: str, end: str
) -> None:
    path = tmp_path / name
    path.write_text(start * DEEP + "1" + end * DEEP)
    assert name in inspect(path).faults[0]
    for read in (read_volume, read_listmode):
        with pytest.raises(EngineError, match=name):
            read(path)
