"""Tests of CuPy for the software GPU: installed from the lock, each file checked by its hash."""

import re
from pathlib import Path

import software_card

ROOT = Path(__file__).parents[2]


def test_required_wheels_are_locked_with_hashes() -> None:
    text = software_card.requirements(ROOT)
    entries = re.split(r"\n(?=\S)", text.strip())
    assert tuple(entry.split("==")[0] for entry in entries) == tuple(sorted(software_card.PACKAGES))
    assert all("--hash=sha256:" in entry for entry in entries)


def test_other_machines_install_nothing(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(software_card, "this_machine", lambda: "3.11 macos-arm64")
    assert not software_card.install(tmp_path, tmp_path / "python")
    assert not (tmp_path / ".venv").exists()
