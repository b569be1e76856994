"""Tests of `scanners`, `phantoms`, `settings` and `protocols NAME`, which list valid values."""

from __future__ import annotations

import json

import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.io.scanners import builtin_scanners
from engine.modalities import MODALITIES
from engine.modalities.setting_list import ListedSetting, all_keys, all_settings
from engine.modalities.studies import find_protocol, shipped_protocols
from engine.protocols.study.assignments import with_settings
from engine.simulate import PHANTOMS


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == DONE
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_all_scanners_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "scanners").splitlines()
    assert [line.split()[0] for line in lines] == list(builtin_scanners())
    assert any("192 × " in line or "crystals" in line for line in lines)


def test_all_phantoms_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "phantoms", "--json", "-"))
    names = {row["key"]: row["kinds"] for row in found}
    assert {*PHANTOMS, "head", "tooth", "jaw"} == set(names)
    assert names["derenzo"] == ["listmode", "histogram"]
    assert names["thorax"] == ["listmode", "histogram", "projections"]


def test_every_listed_setting_can_be_set(capsys: pytest.CaptureFixture[str]) -> None:
    """A protocol of the right modality and kind accepts each key with its default."""
    accepted, listed = 0, {each.key: each for each in all_settings()}

    def kinds_of(one: ListedSetting) -> tuple[str, ...]:
        """Return the assignments that select the kinds of the groups, outer groups first."""
        group = one.key.rpartition(".")[0]
        outer = kinds_of(listed[group]) if group in listed else ()
        return (*outer, *(f"{group}={kind}" for kind in one.kinds[:1]))

    for each in all_settings():
        if not each.default or each.default.startswith("[") or "finishing" in each.key:
            continue
        protocol = next(m for m in MODALITIES if m.key == each.modalities[0]).protocol()
        assert with_settings(protocol, (*kinds_of(each), f"{each.key}={each.default}"))
        accepted += 1
    assert accepted > 60


def test_all_settings_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "settings").splitlines()
    assert {line.split()[0] for line in lines} == set(all_keys())


def test_setting_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "settings", "sensitivity.error_percent")
    for fact in ("Default:    2", "Unit:       %", "≥ 0.05, ≤ 20", "Standard error of each voxel"):
        assert fact in text
    assert "--set sensitivity.error_percent=2" in text


def test_choice_is_explained_under_both_names(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "settings", "algorithm.prior.kind")
    assert "relative_difference, quadratic, huber" in text
    assert text == printed(capsys, "settings", "algorithm.prior")


def test_group_lists_its_settings(capsys: pytest.CaptureFixture[str]) -> None:
    keys = {line.split()[0] for line in printed(capsys, "settings", "grid").splitlines()}
    assert "grid.voxel_mm" in keys and all(key.startswith("grid.") for key in keys)


def test_unknown_setting_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "algorithm.iteratons"]) == USER_FAULT
    assert "Did you mean 'algorithm.iterations'?" in capsys.readouterr().err


@pytest.mark.parametrize("name", list(shipped_protocols()))
def test_protocol_is_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    protocol = find_protocol(name)
    text = printed(capsys, "protocols", name)
    assert protocol.name in text
    assert f'  {"algorithm.kind":36s} "{protocol.algorithm.kind}"' in text
    shown = json.loads(printed(capsys, "protocols", name, "--json", "-"))
    assert shown == protocol.model_dump(mode="json", exclude={"saved"})
