"""Tests of the devices that the header offers on each simulated machine, with reasons."""

from __future__ import annotations

import html
import re

import pytest

from app.state.models.preferences import Preferences
from app.views.literal_text import BREAK
from engine.core.backend import find_devices
from tests.machines.made import can_be_made, put_up
from tests.machines.table import MACHINES

pytestmark = pytest.mark.skipif(not can_be_made(), reason="no C compiler, or not Linux")


def plain_text(tip: str) -> str:
    """Return the plain text of a tooltip, which is HTML if it is long."""
    return " ".join(html.unescape(re.sub("<[^>]*>", "", tip)).replace(BREAK, "").split())


def test_every_machine_offers_the_right_device_with_a_reason(window, tmp_path):
    choice, chooser = window.session.device, window.header.device
    for number, (name, machine) in enumerate(MACHINES.items()):
        with pytest.MonkeyPatch.context() as patch:
            put_up(machine, patch, tmp_path / str(number))
            choice.set_found(find_devices())
        expected = "cuda" if machine.in_use else machine.key
        assert choice.in_use.key == expected, name
        assert choice.in_use.usable, name
        assert list(chooser.entries) == ["auto", *(device.key for device in choice.found)], name
        grey = [entry for entry in chooser.entries.values() if not entry.isEnabled()]
        text = " ".join(plain_text(entry.toolTip()) for entry in grey)
        assert re.search("" if machine.in_use else machine.words, text), name


def test_chosen_second_gpu_is_remembered(window, preferences, tmp_path, monkeypatch):
    put_up(MACHINES["two cards"], monkeypatch, tmp_path)
    choice, chooser = window.session.device, window.header.device
    choice.set_found(find_devices())
    chooser.entries["cuda:1"].trigger()
    assert choice.in_use.label == "NVIDIA RTX A4000 (cuda:1)"
    assert choice.in_use.is_gpu
    assert Preferences(preferences.folder).device == "cuda:1"

    monkeypatch.setenv("MACHINE", MACHINES["CUDA 13"].text)  # the GPU was removed
    choice.set_found(find_devices())
    assert not choice.in_use.usable
    assert "no GPU 'cuda:1' in this machine; it has cuda." in choice.obstacle()
    assert "cuda:1" not in chooser.entries
