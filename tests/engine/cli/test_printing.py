"""Tests that printed foreign text cannot send commands to a terminal; one function prints all.

Cases: a line, the sentence of an error, an event of a run, the description and lines of a progress
bar, a table, a traceback, a message of argparse, a library's warning and log line, a file name in
`inspect`, a missing file, an output, a study.
"""

from __future__ import annotations

import ast
import logging
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from engine.cli.bars import ProgressBar
from engine.cli.console import Console, clean_library_messages
from engine.cli.main import main
from engine.core.printing import print_traceback
from engine.data.runs.events import Loaded, Noted, StageStarted, Warned
from tests.architecture import Source, sources

ROOT = Path(__file__).resolve().parents[3]
HOSTILE_TEXT = "x\x1b]0;PWNED\x07\x1b[31m\u202egnp\rall fine\n.h5"
CONTROLS = set("\x1b\x07\r\u202e")
PRINTERS = ("engine/core/printing.py", "engine/modalities/warm_up.py")
"""The second file prints a count of kernels during the installation, and no foreign text."""


def is_clean(text: str) -> bool:
    return not CONTROLS & set(text) and "<U+202E>" in text


SHOWN = {
    "line": lambda console: console.line(HOSTILE_TEXT),
    "fault": lambda console: console.fault(f"{HOSTILE_TEXT}: no such file."),
    "page": lambda console: console.page(HOSTILE_TEXT.replace("\n", "")),
    "stage": lambda console: console.show(StageStarted("read", f"Reading {HOSTILE_TEXT}")),
    "loaded": lambda console: console.show(Loaded(HOSTILE_TEXT, {})),
    "warning": lambda console: console.show(Warned(HOSTILE_TEXT)),
    "note": lambda console: console.show(Noted(HOSTILE_TEXT)),
    "traceback": lambda _: print_traceback(ValueError(HOSTILE_TEXT)),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_printed_text_contains_no_control_characters(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    SHOWN[kind](Console())
    out, err = capsys.readouterr()
    assert is_clean(out + err)


@pytest.mark.parametrize("kind", ["line", "fault", "loaded", "note"])
def test_foreign_line_breaks_are_not_printed(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    SHOWN[kind](Console())
    assert "".join(capsys.readouterr()).count("\n") == 1


def test_progress_bar_shows_escapes_and_ignores_markup(capsys: pytest.CaptureFixture[str]) -> None:
    bar = ProgressBar()
    bar.advance(1, 2, f"[red]{HOSTILE_TEXT}")
    bar.print_line(f"[bold]{HOSTILE_TEXT}")
    bar.close()
    out = capsys.readouterr().err
    assert is_clean(out) and "[bold]" in out


@pytest.mark.parametrize(
    "words", [["inspect", "missing" + HOSTILE_TEXT], ["inspect", "--" + HOSTILE_TEXT, "a"]]
)
def test_command_escapes_file_names_in_errors(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(SystemExit):
        main(words)
    err = capsys.readouterr().err
    assert is_clean(err), err
    assert "all fine\n" not in err


def test_library_warnings_and_logs_have_no_control_characters(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
    clean_library_messages()
    sys.stderr.write(warnings.formatwarning(HOSTILE_TEXT, UserWarning, "reader.py", 1))
    assert logging.lastResort is not None
    record = logging.LogRecord("lib", logging.WARNING, "", 0, HOSTILE_TEXT, None, None)
    sys.stderr.write(logging.lastResort.format(record) + "\n")
    err = capsys.readouterr().err
    assert is_clean(err) and err.count("\n") == 2


def writers(source: Source) -> list[str]:
    """Return the lines of a source file that write to a standard stream."""
    found = []
    for node in ast.walk(source.tree):
        match node:
            case ast.Call(func=ast.Name(id="print")):
                found.append(f"{source.path}:{node.lineno}: print")
            case ast.Call(
                func=ast.Attribute(
                    attr="write" | "writelines",
                    value=ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr"),
                )
            ):
                found.append(f"{source.path}:{node.lineno}: write")
            case ast.Call(func=ast.Attribute(attr="print_exc" | "print_exception")):
                found.append(f"{source.path}:{node.lineno}: traceback")
    return found


def test_only_one_module_prints() -> None:
    tree = [
        s
        for s in sources(ROOT)
        if s.path.startswith(("engine/", "app/")) and s.path not in PRINTERS
    ]
    assert len(tree) > 400, "source files are missing"
    assert [each for source in tree for each in writers(source)] == []


@pytest.mark.parametrize(
    "text", ["print(name)", "import sys\nsys.stderr.write(name)", "traceback.print_exc()"]
)
def test_direct_write_to_a_stream_is_found(text: str) -> None:
    assert writers(Source("engine/x.py", text))
