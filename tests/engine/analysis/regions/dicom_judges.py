"""DICOM validators of other projects, and an independent reader of TID 1500."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pydicom

CHECKER, REPORT_READER = shutil.which("dciodvfy"), shutil.which("dsrdump")
ONE, ANY, SOME, OPTIONAL = (1, 1), (0, 999), (1, 999), (0, 1)
# PS3.16: relationship, value type, concept, number of items.
ROOT = {
    "121049": ("HAS CONCEPT MOD", "CODE", OPTIONAL),
    "121005": ("HAS OBS CONTEXT", "CODE", ANY),
    "121012": ("HAS OBS CONTEXT", "UIDREF", OPTIONAL),
    "121013": ("HAS OBS CONTEXT", "TEXT", OPTIONAL),
    "121014": ("HAS OBS CONTEXT", "TEXT", OPTIONAL),
    "121058": ("HAS CONCEPT MOD", "CODE", SOME),
    "126010": ("CONTAINS", "CONTAINER", ONE),
}
"""Rows of TID 1500, and of TID 1204, 1001, 1002 and 1004 for a device."""
GROUP = {
    "112039": ("HAS OBS CONTEXT", "TEXT", ONE),
    "112040": ("HAS OBS CONTEXT", "UIDREF", ONE),
    "121071": ("CONTAINS", "CODE", OPTIONAL),
    "121191": ("CONTAINS", "IMAGE", ONE),
    "121232": ("CONTAINS", "UIDREF", ONE),
}
"""Rows of TID 1411 for a region that a segment describes; rows of measurements are added."""


def errors_of(path: Path) -> list[str]:
    """Return the errors reported by dciodvfy."""
    done = subprocess.run([CHECKER, path], capture_output=True, text=True, check=False)
    assert done.stderr or done.stdout, "dciodvfy printed nothing"
    return [line for line in done.stderr.splitlines() if line.startswith("Error")]


def concept(item: pydicom.Dataset) -> str:
    """Return the code of a content item's concept."""
    (name,) = item.ConceptNameCodeSequence
    assert name.CodingSchemeDesignator and name.CodeMeaning
    return str(name.CodeValue)


def groups_of(report: pydicom.Dataset) -> list[pydicom.Dataset]:
    """Return the measurement groups of a report, after checking its tree row by row."""
    assert report.ValueType == "CONTAINER" and concept(report) == "126000"
    assert template(report) == "1500" and report.ContinuityOfContent in ("SEPARATE", "CONTINUOUS")
    _check(report.ContentSequence, ROOT)
    (container,) = [each for each in report.ContentSequence if concept(each) == "126010"]
    for group in container.ContentSequence:
        assert (group.RelationshipType, group.ValueType) == ("CONTAINS", "CONTAINER")
        assert concept(group) == "125007" and template(group) == "1411"
        rows = [each for each in group.ContentSequence if each.ValueType != "NUM"]
        _check(rows, GROUP)
        for each in group.ContentSequence:
            if each.ValueType == "NUM":
                _check_number(each)
    return list(container.ContentSequence)


def template(item: pydicom.Dataset) -> str:
    (found,) = item.ContentTemplateSequence
    assert found.MappingResource == "DCMR"
    return str(found.TemplateIdentifier)


def _check(items: list[pydicom.Dataset], rows: dict[str, tuple]) -> None:
    for item in items:
        relation, kind, _ = rows[concept(item)]
        assert (item.RelationshipType, item.ValueType) == (relation, kind), concept(item)
    for code, (_, _, (least, most)) in rows.items():
        assert least <= sum(concept(each) == code for each in items) <= most, code


def _check_number(item: pydicom.Dataset) -> None:
    assert item.RelationshipType == "CONTAINS"
    (value,) = item.MeasuredValueSequence
    (unit,) = value.MeasurementUnitsCodeSequence
    assert unit.CodingSchemeDesignator == "UCUM"
    for below in item.get("ContentSequence", ()):
        if below.ValueType == "CODE":
            assert below.RelationshipType == "HAS CONCEPT MOD" and concept(below) == "121401"
        else:
            assert (below.RelationshipType, below.ValueType) == ("HAS PROPERTIES", "NUM")
            assert concept(below) in ("371886008", "371885007")


def numbers(group: pydicom.Dataset) -> dict[str, tuple[float, str]]:
    """Return value and unit of each measurement, by its derivation or, without one, by its name."""
    found = {}
    for item in group.ContentSequence:
        if item.ValueType == "NUM":
            below = [e for e in item.get("ContentSequence", ()) if e.ValueType == "CODE"]
            key = below[0].ConceptCodeSequence[0] if below else item.ConceptNameCodeSequence[0]
            (value,) = item.MeasuredValueSequence
            unit = value.MeasurementUnitsCodeSequence[0].CodeValue
            # A decimal string has at most 16 characters.
            assert abs(float(value.NumericValue) / value.FloatingPointValue - 1) < 1e-9
            found[key.CodeMeaning] = value.FloatingPointValue, str(unit)
    return found
