"""Tests of writing to failing disks and shares: old or new content, and one sentence."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engine.core.json_types import Plain
from tests.disturbed.conftest import Reported
from tests.disturbed.writers import WRITERS

ROOT = Path(__file__).resolve().parents[2]
CALLS = {"write_atomically", "write_all", "publishing", "write_hdf5"}
CALLS |= {"write_with_sidecar", "write_with_header", "new_folder", "write_folder"}
CALLS |= {"write_measured", "FileWriter"}
LAYERS = {
    "engine/io/safety/atomic_write.py",
    "engine/io/hdf5/writer.py",
    "engine/io/volumes/nifti.py",
}
LAYERS |= {"engine/io/auxiliary/sidecar_writers.py"}
"""Modules that write files for the tested modules."""
SILENT = {
    "engine/io/safety/audit_log.py",
    "engine/io/safety/signing_key.py",
    "engine/live/core/stream_keys.py",  # random, and never replaced
    "engine/modalities/error_maps/stored_replicates.py",
    "engine/modalities/private_protocols.py",
    "engine/selftest/device_choice.py",
    "engine/tools/diagnostics/faults.py",
    "engine/tools/tuning/session.py",
    "engine/tools/tuning/trials.py",
}
"""Modules that continue without a message if they cannot write; each has its own tests."""


def outcomes(reported: Reported, *hows: str) -> list[Plain]:
    found = [each for each in reported("writing") if each["how"] in hows]
    assert {each["writer"] for each in found} == {writer.name for writer in WRITERS}
    return found


def quiet() -> set[str]:
    return {writer.name for writer in WRITERS if writer.is_quiet}


def assert_one_sentence(found: list[Plain], sentence: str) -> None:
    for each in found:
        assert each["changed"] == [], each
        if each["writer"] in quiet():
            assert each["fault"] == "", each
            continue
        assert each["fault"] == "EngineError", each
        assert re.search(sentence, each["text"]), each
        assert each["text"].endswith(".") and "\n" not in each["text"], each


@pytest.mark.slow
def test_full_disk_gives_one_sentence_and_keeps_the_old_file(reported: Reported) -> None:
    found = outcomes(reported, "full", "limit")
    assert_one_sentence(found, r"needs [\d,]+ bytes, but [\d,]+ are free")


@pytest.mark.slow
def test_share_lost_while_writing_gives_one_sentence_and_keeps_the_old_file(
    reported: Reported,
) -> None:
    found = outcomes(reported, "gone")
    assert_one_sentence(found, r"could not be written \(Input/output error\)")


def test_changed_bytes_are_detected_when_read_back(reported: Reported) -> None:
    found = outcomes(reported, "lie")
    assert_one_sentence(found, "read back from .* differ from the written data")


def _writing_modules() -> set[str]:
    found = set()
    for path in (*(ROOT / "engine").rglob("*.py"), *(ROOT / "app").rglob("*.py")):
        text = path.read_text()
        if not any(call in text for call in CALLS):  # parsing all modules takes seconds
            continue
        tree = ast.parse(text)
        called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
        called |= {
            base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases
        }
        if any(isinstance(name, ast.Name) and name.id in CALLS for name in called):
            found.add(path.relative_to(ROOT).as_posix())
    return found


def test_every_writing_module_is_tested() -> None:
    tried = {module for writer in WRITERS for module in writer.modules}
    assert _writing_modules() - LAYERS - SILENT == tried


@pytest.mark.parametrize("call", ["write_bytes", "write_text"])
def test_no_module_writes_without_the_safe_writers(call: str) -> None:
    paths = (*(ROOT / "engine").rglob("*.py"), *(ROOT / "app").rglob("*.py"))
    found = {path.name for path in paths if f".{call}(" in re.sub(r">>> .*", "", path.read_text())}
    assert found <= {
        "atomic_folder.py",
        "atomic_write.py",
        "provenance_file.py",
        "child.py",
        "cupy_compiling.py",
        "shipped.py",  # into a new folder, renamed when complete
        "slots.py",
    }
