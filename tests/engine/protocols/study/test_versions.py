"""Tests of protocol versions: settings newer than a saved protocol are off."""

from __future__ import annotations

import pytest

from engine.core.errors import SettingsError
from engine.core.settings import to_toml
from engine.corrections import CORRECTIONS, Attenuation, Resolution
from engine.corrections.base import defaults_of
from engine.modalities import MODALITIES
from engine.modalities.studies import parse_protocol
from engine.protocols.study.protocol import PROTOCOL_VERSION


class Younger(Attenuation):
    """A correction that only the next protocol version has."""

    since = PROTOCOL_VERSION + 1


class Unversioned(Attenuation):
    """A correction without a version."""

    since = None


@pytest.mark.parametrize("kind", [Younger, Unversioned])
def test_corrections_newer_than_the_protocol_stay_off(kind):
    assert defaults_of(kind, PROTOCOL_VERSION) == {"use": "off"}
    assert kind.model_validate(defaults_of(kind, PROTOCOL_VERSION)).use == "off"
    assert defaults_of(Younger, PROTOCOL_VERSION + 1) == {}


@pytest.mark.parametrize("modality", MODALITIES, ids=lambda modality: modality.key)
def test_protocols_without_a_version_keep_the_first_corrections(modality):
    protocol = parse_protocol({"modality": modality.key}, "old.toml")
    assert protocol.version == PROTOCOL_VERSION
    for step in modality.group(protocol).steps():
        assert step.use == ("auto" if step.since == 1 else "off"), step.kind


def look_up(settings, key):
    for name in key.split("."):
        settings = getattr(settings, name)
    return settings


@pytest.mark.parametrize("modality", MODALITIES, ids=lambda modality: modality.key)
def test_settings_newer_than_the_protocol_keep_their_earlier_meaning(modality):
    newest, older = ({"modality": modality.key, "version": v} for v in (PROTOCOL_VERSION, 1))
    for each in type(modality.standard()).younger:
        assert look_up(parse_protocol(older, "old.toml"), each.key) == each.before
        assert look_up(parse_protocol(newest, "new.toml"), each.key) != each.before
        *groups, name = each.key.split(".")
        value = look_up(modality.standard(), each.key)
        values = {name: value}
        for group in reversed(groups):
            values = {group: values}
        assert look_up(parse_protocol(older | values, "old.toml"), each.key) == value


@pytest.mark.parametrize("modality", MODALITIES, ids=lambda modality: modality.key)
def test_saved_protocol_names_every_setting_and_reads_back(modality):
    import tomllib

    protocol = modality.standard()
    values = tomllib.loads(to_toml(protocol))
    assert set(values[modality.ledger_field]) == {kind.kind for kind in modality.ledger}
    assert values["version"] == PROTOCOL_VERSION
    assert parse_protocol(values, "saved.toml") == protocol


def test_protocol_of_a_newer_program_gives_one_sentence():
    with pytest.raises(SettingsError, match=r"new\.toml: version: .*at most 4"):
        parse_protocol({"version": PROTOCOL_VERSION + 1}, "new.toml")


def test_built_in_corrections_state_their_version():
    # each protocol must state its resolution model
    assert [kind for kind in CORRECTIONS if kind.since is None] == [Resolution]
