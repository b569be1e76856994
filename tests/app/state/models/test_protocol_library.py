"""Tests of the protocol library: versions, locks, and import and export of files."""

from __future__ import annotations

import os

import pytest

from app.state.models.protocols.library import EARLIER, ProtocolLibrary
from app.state.models.protocols.text import facts_of, quality_texts
from app.state.models.quality import Qualities
from engine.core import private_files
from engine.core.errors import EngineError
from engine.modalities import MODALITIES, OpenStudy, modality_of, read_protocol, write_protocol
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.protocols.study.stored_protocol import digest_of
from tests.engine.protocols.study.test_stored_protocol import with_iterations

PET = MODALITIES[0]
BASE = ListModeProtocol()


@pytest.fixture
def library(tmp_path):
    site = tmp_path / "site"
    write_protocol(ListModeProtocol(name="Site brain"), site / "brain.toml")
    return ProtocolLibrary(tmp_path / "mine", site)


def listed(library, name):
    return next(each for each in library.listed(PET) if each.protocol.name == name)


def test_each_saved_change_is_a_new_version_and_the_old_one_stays(library, tmp_path):
    one = library.save(BASE, "Mine")
    assert (one.name, one.saved.revision) == ("Mine", 1)
    two = library.save(with_iterations(BASE, 7), "Mine")
    assert two.saved.revision == 2 and two.saved.sha256 == digest_of(two) != one.saved.sha256
    assert library.save(with_iterations(BASE, 7), "Mine") == two, (
        "saving an unchanged protocol made a new version"
    )
    assert [e.protocol for e in library.listed(PET) if e.source == "own"] == [two]
    assert read_protocol(tmp_path / "mine/protocols" / EARLIER / "mine-version-1.toml") == one


def test_locked_and_foreign_protocols_are_not_changed(library, tmp_path):
    library.save(BASE, "Mine")
    library.lock(listed(library, "Mine"), on=True)
    stored = (tmp_path / "mine/protocols/mine.toml").read_bytes()
    for name in ("Mine", "Site brain", "Standard"):
        found = listed(library, name)
        for act in (
            lambda name=name: library.save(with_iterations(BASE, 7), name),
            lambda found=found: library.rename(found, "Another"),
            lambda found=found: library.delete(found),
        ):
            with pytest.raises(EngineError, match=r"locked|read-only|supplied with"):
                act()
    assert (tmp_path / "mine/protocols/mine.toml").read_bytes() == stored
    unlocked = library.lock(listed(library, "Mine"), on=False)
    assert unlocked.saved.revision == 1, "unlocking made a new version"
    library.delete(listed(library, "Mine"))
    assert listed(library, "Site brain").source == "site"
    assert all(each.source != "own" for each in library.listed(PET))


def test_protocol_names_are_unique(library):
    library.save(BASE, "Mine")
    library.save(BASE, "Other")
    for name in ("Other", "Site brain", "Standard"):
        with pytest.raises(EngineError, match="already"):
            library.rename(listed(library, "Mine"), name)
    renamed = library.rename(listed(library, "Mine"), "New name")
    assert (renamed.saved.revision, renamed.name) == (2, "New name")
    assert {e.protocol.name for e in library.listed(PET) if e.source == "own"} == {
        "Other",
        "New name",
    }
    one, other = library.save(BASE, "a/b"), library.save(BASE, "a b")
    assert listed(library, "a/b").protocol == one, "two protocol names share one file"
    assert listed(library, "a b").protocol == other


def test_exported_protocol_is_imported_with_its_version(library, tmp_path):
    library.save(BASE, "Mine")
    saved = library.save(with_iterations(BASE, 7), "Mine")
    library.export_protocol(listed(library, "Mine"), tmp_path / "shared.toml")
    other = ProtocolLibrary(tmp_path / "other")
    assert other.import_protocol(tmp_path / "shared.toml") == saved
    with pytest.raises(EngineError, match="already"):
        other.import_protocol(tmp_path / "shared.toml")
    text = (tmp_path / "shared.toml").read_text()
    (tmp_path / "edited.toml").write_text(text.replace("iterations = 7", "iterations = 8"))
    with pytest.raises(EngineError, match="was changed outside Isocenter"):
        ProtocolLibrary(tmp_path / "third").import_protocol(tmp_path / "edited.toml")


def test_every_built_in_protocol_has_a_description(library):
    for modality in MODALITIES:
        for each in library.listed(modality):
            assert modality_of(each.protocol) is modality
            assert all(value for _, value in facts_of(each.protocol))
            names = [name for name, _ in quality_texts(Qualities(each.protocol, OpenStudy()))]
            assert names == ["Fast", "Standard", "Fine"]


def test_site_protocols_with_the_same_name_are_not_used(library, tmp_path):
    other = with_iterations(ListModeProtocol(name="Site brain"), 7)
    write_protocol(other, tmp_path / "site/b.toml")
    assert "Site brain" not in {each.protocol.name for each in library.listed(PET)}
    faults = library.left_out()
    assert [fault.split()[0] for fault in faults] == ["b.toml", "brain.toml"]
    assert all("has the same protocol name, 'Site brain'" in fault for fault in faults)
    (tmp_path / "site/b.toml").unlink()
    assert listed(library, "Site brain").source == "site"


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX owners and modes")
def test_protocols_writable_by_others_are_copied_and_reported(library, tmp_path, monkeypatch):
    monkeypatch.setattr(private_files, "_REACHED_BY_OTHERS", 0o777)
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))

    def reported():
        monkeypatch.setattr(private_files, "_refused", {})
        assert listed(library, "Site brain").path == tmp_path / "site/brain.toml"
        return [each.describe() for each in private_files.refused_paths()]

    assert reported() == []
    (tmp_path / "site").chmod(0o777)
    (first,) = reported()
    assert "Everybody may write" in first and "New or changed: brain.toml." in first
    (second,) = reported()
    assert "New or changed" not in second
    changed = with_iterations(ListModeProtocol(name="Site brain"), 7)
    write_protocol(changed, tmp_path / "site/brain.toml")
    (third,) = reported()
    assert "New or changed: brain.toml." in third
    # a deleted file is not replaced by its copy
    (tmp_path / "site/brain.toml").unlink()
    assert "Site brain" not in {each.protocol.name for each in library.listed(PET)}
