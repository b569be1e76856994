"""Tests that too many open files give one sentence."""

from __future__ import annotations

import errno
import os
import sys

import pytest

from engine.cli.exit_codes import is_out_of_files
from engine.cli.main import main

FULL = OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def caused_by(cause: Exception) -> Exception:
    try:
        raise RuntimeError("later") from cause
    except RuntimeError as e:
        return e


@pytest.mark.parametrize(
    ("fault", "is_limit"),
    [
        (FULL, True),
        (OSError(errno.ENFILE, "system"), True),
        (ImportError(f"libx.so: {os.strerror(errno.EMFILE)}"), True),
        (caused_by(FULL), True),
        (OSError(errno.ENOENT, "missing"), False),
        (ImportError("no module"), False),
    ],
)
def test_open_file_limit_is_recognised(fault: Exception, is_limit: bool) -> None:
    assert is_out_of_files(fault) is is_limit


def test_command_ends_with_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(argv: object) -> None:
        raise FULL

    # the package exports a function with the name of its module
    monkeypatch.setattr(sys.modules["engine.cli.main"], "_parsed", fails)
    assert main(["inspect", "x"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "ulimit -n 1024" in err
