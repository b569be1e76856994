"""Tests that JSON and tables still have the keys of 5a791f8c."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from tests.compatibility.written_files import WrittenFiles, keys_of

FREE_KEYS = ("environment", "kernels", "timings", "tuned", "seconds", "memory", "libraries")
"""Parts of JSON with keys that depend on the machine."""


def test_outputs_keep_their_keys(files: WrittenFiles, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--set", "algorithm.iterations=2", "--device", "cpu", "--force"]
    command = ["reconstruct", "study.toml", "-o", "result.nii.gz", "--json", "events.jsonl"]
    assert main([*command, *words]) == DONE
    assert main(["studies", "--json", "studies.json", "--force"]) == DONE
    quality = ["quality", "uniform.h5", "--phantom", "pet-cylinder", "-o", "quality.json"]
    assert main([*quality, "--force"]) == DONE
    calibrate = ["calibrate", "cylinder.h5", "-o", "calibration.json", "--volume-ml", "25", "--at"]
    calibrate += ["2026-11-22T10:41:00+01:00", "--activity-mbq", "0.02"]
    assert main([*calibrate, "--region", "0,0,0,15,12", "--force"]) == DONE
    capsys.readouterr()
    assert main(["live", "watch", "scan.h5", "--replay", "--rate", "1000", "--json"]) == DONE
    (files.work / "watch.jsonl").write_text(capsys.readouterr().out, "utf-8")
    names = ("events.jsonl", "result.provenance.json", "studies.json", "quality.json")
    for name in (*names, "calibration.json", "watch.jsonl"):
        gone = set(files.expected["json_keys"][name]) - keys_in(files.work / name)
        assert {key for key in gone if not any(each in key for each in FREE_KEYS)} == set(), name


def keys_in(path: Path) -> set[str]:
    """Return the keys of a JSON file, or of a file with a JSON value in each line."""
    text = path.read_text("utf-8")
    if path.suffix == ".jsonl":
        return keys_of([json.loads(line) for line in text.splitlines()])
    return keys_of(json.loads(text))


def test_tables_start_with_their_earlier_columns(files: WrittenFiles) -> None:
    curve = ["curve", "frames.h5", "curve.csv", "--at", "0,0,0", "--diameter", "20", "--force"]
    regions = ["regions", "image.h5", "--regions", "image.regions.toml", "--csv", "regions.csv"]
    assert main(curve) == DONE and main([*regions, "--force"]) == DONE
    for name, expected in files.expected["csv_heads"].items():
        assert set(expected.split(",")) <= set(rows_of(files.work / name)[0])
    (row,) = rows_of(files.work / "regions.csv")
    names = files.expected["csv_heads"]["regions.csv"].split(",")
    wanted_row = dict(zip(names, files.expected["regions_row"].split(","), strict=True))
    # The remark is a sentence for people; its wording may change.
    assert wanted_row.pop("remark") and row["remark"]
    assert {name: row[name] for name in wanted_row} == wanted_row


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table by the names of its columns."""
    return list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
