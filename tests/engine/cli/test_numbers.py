"""Tests that unusable numbers are refused with one sentence before a command starts."""

from __future__ import annotations

import pytest

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main

PROJECTIONS = ["simulate", "projections", "--views", "4", "--detector", "8", "8"]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e400"])
@pytest.mark.parametrize(
    "command",
    [
        ["quality", "image.nii.gz", "--phantom", "ct-water", "-o", "q.json", "--expected"],
        ["inspect", "xray.h5", "--candidates", "axis", "-o", "s.png", "--around"],
        [*PROJECTIONS, "-o", "x.h5", "--pitch"],
        ["suv", "image.nii.gz", "-o", "s.nii.gz", "--half-life-s"],
    ],
)
def test_number_that_is_not_finite_is_refused(tmp_path, monkeypatch, capsys, command, number):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*command[:-1], f"{command[-1]}={number}"])
    assert ended.value.code == USER_FAULT
    message = capsys.readouterr().err
    assert f"{command[-1]}: {number!r} is not a finite number." in message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        [*PROJECTIONS, "-o", "x.h5"],
        ["simulate", "histogram", "-o", "h.h5"],
        ["simulate", "listmode", "-o", "l.h5"],
        ["response", "build", "-o", "m.h5"],
        ["tune", "cone"],
    ],
)
def test_negative_seed_is_refused(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*command, "--seed=-1"])
    assert ended.value.code == USER_FAULT
    assert "'-1' is not valid; expected a whole number of at least 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--photons=1e30", "--photons 1e+30: expected at most 1e+15"),
        ("--pixel=1e30", "--pixel 1e+30: expected at most 10000 mm"),
        ("--pixel=0", "--pixel 0: expected at least 1e-05 mm"),
        ("--source-detector=1e30", "--source-detector 1e+30: expected at most 1e+06 mm"),
        ("--axis-column=1e30", "--axis-column 1e+30: expected at most 100000;"),
        ("--roll=1e30", "--roll 1e+30: expected at most 360 °"),
        ("--untold-shift=-1e30", "--untold-shift -1e+30: expected at least -100000."),
        ("--rings=2", "--rings 2: expected at most 1;"),
        ("--scale=1e30", "--scale 1e+30: expected at most 1000;"),
        ("--scale=1e-30", "--scale 1e-30: expected at least 0.001."),
        ("--flats=99999999999999", "--flats 1e+14: expected at most 10000"),
        ("--oversample=99999999999999", "--oversample 1e+14: expected at most 64"),
        (f"--phantom={'x' * 5000}", "expected one of head, tooth"),
    ],
)
def test_impossible_simulation_is_refused(tmp_path, monkeypatch, capsys, option, message):
    monkeypatch.chdir(tmp_path)
    assert main([*PROJECTIONS, "-o", "x.h5", option]) == USER_FAULT
    found = capsys.readouterr().err
    assert message in found and "internal error" not in found
    assert not list(tmp_path.iterdir())
