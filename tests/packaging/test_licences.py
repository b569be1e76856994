"""Tests of licences: every shipped library has a known licence without copyleft."""

from __future__ import annotations

import json
import sys
import tomllib
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

pytest.importorskip("cyclonedx", reason="the bill of materials needs cyclonedx-python-lib")

import licences
from licences import Library, allows, faults_of, licence_of

ROOT = Path(__file__).resolve().parents[2]


def package(folder: Path, *lines: str) -> Distribution:
    """Return an installed package with the given metadata lines."""
    home = folder / "thing-1.0.dist-info"
    home.mkdir(parents=True)
    (home / "METADATA").write_text("\n".join(("Name: thing", "Version: 1.0", *lines)) + "\n\n")
    return PathDistribution(home)


@pytest.mark.parametrize(
    ("lines", "licence"),
    [
        (["License-Expression: MIT"], "MIT"),
        (["License-Expression: MIT", "License: GPL"], "MIT"),
        (["License: BSD-3-Clause"], "BSD-3-Clause"),
        (["License: BSD"], "BSD-3-Clause"),
        (["Classifier: License :: OSI Approved :: MIT License"], "MIT"),
        (["License: by us", "Classifier: License :: OSI Approved :: BSD License"], "BSD-3-Clause"),
        (["License-Expression: LGPL-3.0-only OR GPL-2.0-only"], "LGPL-3.0-only OR GPL-2.0-only"),
        (["License: our own, see LICENSE"], ""),
        (["License: GNU"], ""),
        ([], ""),
    ],
)
def test_licence_is_read_from_the_package_metadata(
    tmp_path: Path, lines: list[str], licence: str
) -> None:
    assert licence_of(package(tmp_path, *lines)) == licence


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("MIT AND BSD-3-Clause", True),
        ("MIT AND GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0-only", False),
        ("AGPL-3.0-or-later", False),
        ("LGPL-3.0-only", False),
    ],
)
def test_every_part_of_a_licence_must_be_free(licence: str, allowed: bool) -> None:
    assert allows(licence, licences.FREE) is allowed


def test_packages_with_unsuitable_licences_are_named() -> None:
    (unknown,) = faults_of(Library("a", "1", "", (), ()))
    (binding,) = faults_of(Library("b", "2", "GPL-3.0-only", (), ()))
    (other,) = faults_of(Library("c", "3", "LGPL-3.0-only OR GPL-2.0-only", (), ()))
    assert "a 1: its licence is unknown" in unknown
    assert "b 2: GPL-3.0-only does not allow" in binding
    assert "c 3: LGPL" in other
    assert not list(faults_of(Library("shiboken6", "6", "LGPL-3.0-only OR GPL-2.0-only", (), ())))


def test_installation_has_free_licences_and_a_bill_of_materials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert licences.main([str(tmp_path)]) == 0, capsys.readouterr().err
    bill = json.loads((tmp_path / licences.MATERIALS).read_text("utf-8"))
    parts = {part["name"]: part for part in bill["components"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert bill["specVersion"] == "1.6"
    assert bill["metadata"]["component"]["version"] == project["version"]
    assert {"numpy", "llvmlite", "shiboken6", "roboto"} <= parts.keys()
    assert all(part["licenses"] and part["version"] for part in parts.values())
    assert "pytest" not in parts, "a test tool is listed as shipped"
    (needs,) = [each["dependsOn"] for each in bill["dependencies"] if "/numba@" in each["ref"]]
    assert any("/llvmlite@" in each for each in needs)
    text = (tmp_path / licences.TEXTS).read_text("utf-8")
    assert f"numpy {parts['numpy']['version']}: BSD-3-Clause" in text
    assert "Permission is hereby granted, free of charge" in text
    assert "roboto 2.138: Apache-2.0" in text and "TERMS AND CONDITIONS FOR USE" in text
    assert str(sys.prefix) not in text


def test_equal_parts_give_equal_bills(tmp_path: Path) -> None:
    for name in ("a", "b"):
        licences.main([str(tmp_path / name)])
    bills = [json.loads((tmp_path / n / licences.MATERIALS).read_text("utf-8")) for n in "ab"]
    for bill in bills:
        del bill["metadata"]["timestamp"]
    assert bills[0] == bills[1]
