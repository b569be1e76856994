"""A study file from another person must not open `//host/share`: Windows would send a login."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.errors import SettingsError
from engine.io.names import network_host
from engine.modalities import study_values
from engine.modalities.studies import read_study
from engine.modalities.study_values import refuse_other_hosts

HOSTS = {
    "//host/share/scan.h5": "host",
    r"\\HOST\share\scan.h5": "host",
    r"\/host/share": "host",
    "//10.0.0.1/share": "10.0.0.1",
    r"\\host@SSL@8080\dav": "host@ssl@8080",
    "/host/share": "",
    "scan.h5": "",
    r"C:\data\scan.h5": "",
    r"\\?\C:\data\scan.h5": "",
    r"\\.\COM1": "",
    "": "",
}


@pytest.mark.parametrize("path", HOSTS)
def test_path_states_its_computer(path: str) -> None:
    assert network_host(path) == HOSTS[path]


@pytest.mark.parametrize(
    "text",
    [
        'data = "//host/share/scan.h5"',
        r"data = '\\host\share\scan.h5'",
        'data = "scan.h5"\nscanner = "//host/share/s.toml"',
        'data = "scan.h5"\nmu_map = "//host/share/mu.nii"',
        'data = "scan.h5"\n[inputs]\nmu_map = "//host/share/mu.nii"',
    ],
)
def test_foreign_study_cannot_name_another_computer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(study_values, "is_file", lambda path: pytest.fail(f"asked for {path}"))
    study = tmp_path / "study.toml"
    study.write_text(text)
    with pytest.raises(SettingsError, match="names a file on another computer"):
        read_study(study)


def test_computer_of_the_study_itself_is_accepted() -> None:
    values = {"data": "//host/share/scan.h5"}
    refuse_other_hosts(Path("//HOST/studies"), values, "study.toml")
    with pytest.raises(SettingsError):
        refuse_other_hosts(Path("//elsewhere/studies"), values, "study.toml")


def test_own_study_can_name_any_computer(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        'data = "//host/share/scan.h5"\n[protocol]\nmodality = "listmode"\n'
    )
    try:
        read_study(tmp_path / "study.toml", is_own=True)
    except SettingsError as e:
        assert "another computer" not in str(e)
