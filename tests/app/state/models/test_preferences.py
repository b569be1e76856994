"""Tests of the settings file of the window: any content gives valid settings."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from app.shell.application import report_settings
from app.state.models.device_choice import DeviceChoice
from app.state.models.preferences import Preferences
from app.state.models.protocols.library import ProtocolLibrary
from app.state.models.session import Session
from engine.core.backend import DEVICES
from engine.modalities import MODALITIES
from tests.farm.settings import INI, mutated


def everything(preferences: Preferences) -> dict[str, object]:
    """Return the value of each property."""
    properties = [name for name, value in vars(Preferences).items() if isinstance(value, property)]
    assert len(properties) > 4
    return {name: getattr(preferences, name) for name in properties}


def test_any_file_content_gives_valid_settings(qapp, tmp_path: Path) -> None:
    n_renamed = 0
    for i, content in enumerate(mutated(200)):
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "window.ini").write_bytes(content)
        preferences = Preferences(folder)
        assert everything(preferences)["device"] in DEVICES
        assert all(0 < ratio < 1e4 for ratio in preferences.speed_ratios().values())
        preferences.theme = "light"
        preferences.remember(folder / "window.ini")
        preferences.save()
        again = Preferences(folder)
        assert again.theme == "light" and again.recent and again.fault == ""
        renamed = [path for path in folder.iterdir() if ".broken-" in path.name]
        assert [path.read_bytes() for path in renamed] == ([content] if preferences.fault else [])
        n_renamed += len(renamed)
    assert 20 < n_renamed < 180


def test_valid_file_is_read(qapp, tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text(INI.replace("/scans", str(tmp_path)))
    preferences = Preferences(tmp_path)
    assert preferences.fault == ""
    found = everything(preferences)
    assert (found["theme"], found["device"], found["folder_last_used"]) == (
        "light",
        "cpu",
        str(tmp_path),
    )
    assert len(preferences.geometry) == 24
    assert preferences.speed_ratios() == {"ct-cpu": 0.8}


@pytest.mark.parametrize("folder", ["", "/no/such/folder", "a\0b", "/tmp/" + "x" * 300])
def test_file_dialogs_start_at_home_if_no_folder_is_known(qapp, tmp_path, folder) -> None:
    preferences = Preferences(tmp_path)
    assert preferences.folder_last_used == str(Path.home())
    preferences.folder_last_used = str(tmp_path)
    assert preferences.folder_last_used == str(tmp_path)
    preferences.folder_last_used = folder
    assert preferences.folder_last_used == str(Path.home()), "the folder is not the home directory"


def test_folder_without_access_is_not_proposed(qapp, tmp_path, monkeypatch) -> None:
    preferences = Preferences(tmp_path)
    preferences.folder_last_used = str(tmp_path / "private" / "scans")

    def refused(path: Path, **_: object) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refused)
    assert preferences.folder_last_used == str(Path.home())


def test_detached_panels_of_earlier_versions_stay_detached(qapp, tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text("[General]\napart=Steps Results\n")
    preferences = Preferences(tmp_path)
    assert preferences.floating == ("Steps", "Results")
    preferences.floating = ()
    assert preferences.floating == (), "the value of an earlier version replaced the new one"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[General]\ntheme=light\nnonsense\n", "Line 3 of the file is invalid."),
        (b"[General]\ntheme=@Variant(\\0\\0\\0\\x7f)\n", "Line 2 of the file is invalid."),
        (b"\xff\xfe[General]", "not a text file"),
        (b"[General]\nx=" + bytes(9), "not a text file"),
        (b"[General]\n" + b"a=b\n" * 300_000, "more than 1,000,000 bytes"),
    ],
)
def test_broken_file_is_renamed_with_a_message(
    qapp, tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "window.ini").write_bytes(content)
    preferences = Preferences(tmp_path)
    renamed = next(path for path in tmp_path.iterdir() if ".broken-" in path.name)
    assert renamed.read_bytes() == content
    assert reason in preferences.fault and renamed.name in preferences.fault
    assert preferences.theme == "dark"


def test_folder_with_the_name_of_the_settings_file_is_reported(qapp, tmp_path: Path) -> None:
    (tmp_path / "window.ini").mkdir()
    preferences = Preferences(tmp_path)
    assert "not a regular file" in preferences.fault
    preferences.theme = "light"
    preferences.save()
    assert Preferences(tmp_path).theme == "light"


def test_broken_protocol_is_skipped_with_a_message(qapp, tmp_path: Path) -> None:
    folder = tmp_path / "protocols"
    folder.mkdir()
    (folder / "good.toml").write_text('name = "Mine"\n')
    for name, content in {
        "broken.toml": b"name = ",
        "unknown.toml": b'name = "x"\nnonsense = 1\n',
        "bytes.toml": b"\xff\xfe\0",
        "large.toml": b"#" * 2_000_000,
    }.items():
        (folder / name).write_bytes(content)
    (folder / "folder.toml").mkdir()
    library = ProtocolLibrary(tmp_path)
    own = [each.protocol.name for each in library.listed(MODALITIES[0])]
    assert own[-1] == "Mine"
    left_out = library.left_out()
    names = ("broken.toml", "bytes.toml", "folder.toml", "large.toml", "unknown.toml")
    assert len(left_out) == len(names)
    assert all(name in message for name, message in zip(names, left_out, strict=True))


def test_skipped_files_are_reported_when_the_window_opens(
    qapp, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "window.ini").write_text("nonsense")
    (tmp_path / "protocols").mkdir()
    (tmp_path / "protocols" / "bad.toml").write_text("x")
    preferences = Preferences(tmp_path)
    session = Session(DeviceChoice("cpu"))
    problems: list[object] = []
    session.problem_raised.connect(problems.append)
    with caplog.at_level(logging.ERROR):
        report_settings(session, preferences)
    assert len(problems) == 1
    assert (
        "settings were damaged" in problems[0].text and "See the log for 1 more" in problems[0].text
    )
    report_settings(session, Preferences(tmp_path / "fresh"))
    assert len(problems) == 1
