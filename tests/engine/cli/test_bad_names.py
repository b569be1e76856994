"""Names that the system refuses: links to themselves and names that are too long."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import EngineError
from engine.io.safety.open_input import open_input
from engine.jobs.loader.limits import allowed_seconds

LONG = "x" * 300


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX systems")
def test_link_to_itself_is_one_sentence(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    with pytest.raises(EngineError, match="loop: this link leads back to itself; correct the link"):
        open_input(Path("loop")).__enter__()
    path = Path("cylinder.h5")
    command = ["simulate", "projections", "-o", str(path), "--views", "8", "--detector", "8", "8"]
    assert main(command) == 0
    capsys.readouterr()
    assert main(["reconstruct", str(path), "-o", "a.h5", "--attenuation", "loop"]) == USER_FAULT
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("isocenter: ") and "Did you mean 'loop'" not in said
    assert not Path("a.h5").exists()


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX systems")
def test_name_that_is_too_long_is_one_sentence() -> None:
    with pytest.raises(EngineError, match="the name is too long for this disk; check the path"):
        open_input(Path(LONG)).__enter__()


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX systems")
@pytest.mark.parametrize(
    "command",
    [
        ["resume", LONG],
        ["verify", LONG],
        ["verify-log", LONG],
        ["results", "--pin", LONG],
        ["live", "watch", LONG, "--replay", "--geometry", LONG],
    ],
)
def test_long_name_is_no_internal_error(command, capsys) -> None:
    assert main(command) == USER_FAULT
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "crashed" not in said[0]


def test_time_for_a_name_that_is_too_long_is_that_of_a_small_file() -> None:
    assert allowed_seconds(Path(LONG)) == allowed_seconds(None)


@pytest.mark.parametrize(
    "command",
    [
        ["gpu-check", "--device", "cpu", "-o"],
        ["bench", "cone", "--json"],
        ["bench", "gpu", "--json"],
    ],
)
def test_missing_folder_is_reported_before_the_measurement(
    command, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command, "none/a.json"]) == USER_FAULT
    output = capsys.readouterr()
    assert "does not exist; create it or choose another" in output.err
    assert "..." not in output.err and not output.out
