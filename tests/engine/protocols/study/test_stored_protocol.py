"""Tests of saved protocols: version, digest and list of changes."""

from __future__ import annotations

import pytest

from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import find_protocol, read_protocol, write_protocol
from engine.protocols.study.difference import changed_from, setting_changes, with_setting_of
from engine.protocols.study.stored_protocol import (
    OUTSIDE,
    digest_of,
    identity_of,
    label_of,
    stamped,
    version_text,
)

BRAIN = stamped(find_protocol("brain-fdg"), 3)


def with_iterations(protocol, n):
    algorithm = protocol.algorithm.model_copy(update={"iterations": n})
    return protocol.model_copy(update={"algorithm": algorithm})


def test_written_protocol_reads_back_as_the_same_version(tmp_path):
    write_protocol(BRAIN, tmp_path / "brain.toml")
    back = read_protocol(tmp_path / "brain.toml")
    assert back == BRAIN and version_text(back) == "Brain FDG, version 3"
    assert identity_of(back) == {
        "name": "Brain FDG",
        "label": "Brain FDG",
        "version": 3,
        "sha256": BRAIN.saved.sha256,
        "saved_sha256": BRAIN.saved.sha256,
        "changed": [],
        "origin": None,
        "quality": None,
    }


def test_manually_edited_file_is_reported(tmp_path):
    path = tmp_path / "brain.toml"
    write_protocol(BRAIN, path)
    path.write_text(path.read_text().replace("updates = 64", "updates = 48"))
    assert read_protocol(path).saved.changed == (OUTSIDE,)


def test_digest_covers_settings_but_not_the_saved_record():
    again = stamped(BRAIN, 4, locked=True)
    assert again.saved.sha256 == BRAIN.saved.sha256 == digest_of(again)
    assert digest_of(with_iterations(BRAIN, 5)) != BRAIN.saved.sha256


def test_changes_are_listed_and_reverted():
    now = with_iterations(BRAIN, 6)
    reported = changed_from(BRAIN, now, "fine")
    assert reported.saved.changed == ("at Fine: iterations automatic, now 6",)
    assert version_text(reported) == "Brain FDG, version 3 (Fine)"
    by_hand = changed_from(BRAIN, now)
    assert (
        by_hand.saved.changed == ("iterations automatic, now 6",) and by_hand.saved.quality is None
    )
    both = changed_from(BRAIN, now.model_copy(update={"time_of_flight": False}), "fine")
    assert label_of(both) == "Brain FDG (Fine and changed)" and len(both.saved.changed) == 2
    assert reported.saved.sha256 == BRAIN.saved.sha256 != identity_of(reported)["sha256"]
    ((keys, _),) = setting_changes(BRAIN, now)
    assert with_setting_of(BRAIN, now, keys) == BRAIN
    assert changed_from(BRAIN, BRAIN, "fine") == BRAIN, (
        "a quality level without effect counts as a change"
    )


def test_change_of_a_built_in_protocol_is_identified_by_its_digest():
    base = ListModeProtocol()
    reported = changed_from(base, with_iterations(base, 7))
    assert (reported.saved.revision, reported.saved.sha256) == (0, digest_of(base))
    assert identity_of(reported)["version"] is None


@pytest.mark.parametrize("name", ["dual-head", "ct-few-views", "sinograms"])
def test_every_single_change_can_be_reverted(name):
    base = find_protocol(name)
    now = type(base)()
    for each in setting_changes(base, now):
        now = with_setting_of(base, now, each.keys)
    assert setting_changes(base, now) == []
