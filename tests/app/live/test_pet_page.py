"""Tests of the page of a live list-mode scan: image, rates, blocks, curves, saved data."""

from __future__ import annotations

import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from app.live.connect_card import EVENTS, ConnectCard
from app.live.figures import texts_of_events
from app.live.live_commands import LiveCommands
from app.live.pet_history import PetHistory, main_axis_deg
from app.live.pet_request import PetRequest
from app.views.scan.block_map import BlockMap, cells_of
from engine.io import read_listmode, read_volume, write_listmode
from engine.live.pet.motion import Motion
from engine.live.pet.statistics import LivePetStatistics
from tests.engine.live.pet.running_events import PROTOCOL, ring, scan


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("live") / "events.h5"
    write_listmode(scan(), path)
    return path


@pytest.fixture
def live(qtbot, controls, qapp):
    """Return the controller of a live scan, its visible page, and the scans it opened."""
    opened, window = [], QWidget()
    qtbot.addWidget(window)
    commands = LiveCommands(
        controls.context,
        window,
        leave=lambda: None,
        open_and_start=opened.append,
        confirm=lambda *words: True,
    )
    commands.opened = opened
    qtbot.addWidget(commands.page)
    commands.page.resize(1100, 800)
    commands.page.show()
    yield commands
    commands.model.is_saved = True
    commands.shut_down()
    assert not [each for each in threading.enumerate() if each.name.startswith("live ")]


def follow(qtbot, live, path, **more):
    live.page.start(PetRequest(str(path), rate=20.0, protocol=PROTOCOL, **more))
    qtbot.waitUntil(lambda: live.model.status.has_ended, timeout=60_000)
    assert live.model.state == ("The scan has ended", "ok")
    return live.model.update


@pytest.mark.essential
def test_scan_is_shown_counted_saved_and_reconstructed(
    qtbot, live, stored, tmp_path, monkeypatch, controls
):
    update = follow(qtbot, live, stored)
    page, expected = live.page.pet, scan()
    assert page.view_state.volume is update.image
    assert update.statistics.events == expected.n_events
    assert page.blocks.counts is not None and page.blocks.text.endswith("none silent")
    times = page.model.history.column("time")
    assert len(times) and (np.diff(times) > 0).all()
    monkeypatch.setattr("app.live.live_commands.ask_save", lambda *_: tmp_path / "image.h5")
    page.snapshot.click()
    qtbot.waitUntil(lambda: (tmp_path / "image.h5").exists(), timeout=20_000)
    np.testing.assert_array_equal(read_volume(tmp_path / "image.h5").values, update.image.values)
    controls.context.preferences.export_folder = str(tmp_path)
    page.reconstruct.click()
    qtbot.waitUntil(lambda: bool(live.opened), timeout=20_000)
    study = live.opened[0]
    assert study.protocol == PROTOCOL and live.model.is_saved
    np.testing.assert_array_equal(read_listmode(study.data).crystals, expected.crystals)


def test_moved_scan_can_be_reconstructed_per_rest_period(qtbot, live, stored, tmp_path):
    update = follow(qtbot, live, stored)
    page, zero = live.page.pet, np.zeros(3)
    assert page.per_period.isHidden()
    jump = Motion(1.25, np.array([5.0, 0, 0]), zero, np.ones(6), 99.0, is_measured=True)
    live.model.update = replace(update, motions=(jump,))
    page.show_newest()
    assert "5.0" in page.motion.text() and not page.per_period.isHidden()
    page.per_period.click()
    frames = live.model.study_of(tmp_path / "saved.h5").protocol.frames
    first, second = (float(each) for each in frames.split(","))
    assert first == 1.25
    assert first + second > update.statistics.image_until_s


def test_sliding_image_is_not_saved_and_frozen_image_stays(qtbot, live, stored):
    update = follow(qtbot, live, stored, newest_s=5.0)
    page = live.page.pet
    assert page.save.isHidden() and page.reconstruct.isHidden() and live.model.is_saved
    page.freeze.click()
    live.model.update = replace(update, image=replace(update.image, values=update.image.values + 1))
    page.show_newest()
    assert page.view_state.volume is update.image and page.view_state.note == "frozen"
    page.keep.click()
    page.freeze.click()
    assert page.view_state.volume is live.model.update.image
    page.compare.click()
    assert page.view_state.volume is update.image and "kept" in page.view_state.note


def test_files_of_the_open_study_are_used_only_if_chosen(qtbot, tmp_path):
    asked = []
    files = {"attenuation": tmp_path / "mu.nii.gz"}
    card = ConnectCard(asked.append, lambda _: None, lambda: None, lambda: files)
    qtbot.addWidget(card)
    card.kind.setCurrentIndex(EVENTS)
    card.events.source.setText("tcp://scanner:9668")
    card.ask()
    card.events.uses_files.click()
    card.events.rate.setText("fast")
    card.ask()
    assert "multiple of the original speed" in card.fault
    card.events.rate.setText("2")
    card.ask()
    assert [(each.files, each.rate) for each in asked] == [({}, None), (files, 2.0)]
    card.show_request(asked[1])
    assert not card.events.uses_files.isChecked(), (
        "input files stay chosen for the next scan, which can have another patient"
    )


def test_main_axis_of_an_ellipse_is_its_rotation_angle():
    turn = np.radians(25.0)
    axes = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    assert main_axis_deg(axes @ np.diag([9.0, 4.0, 1.0]) @ axes.T) == pytest.approx(25.0)
    assert np.isnan(main_axis_deg(np.diag([4.0, 4.0, 1.0])))


def test_curves_start_at_the_first_position_and_restart_with_each_scan():
    history = PetHistory()
    for now_s, x in ((1.0, 3.0), (2.0, 4.5), (2.0, 99.0)):
        history.add(moment(now_s, x))
    np.testing.assert_array_equal(history.column("time"), [1.0, 2.0])
    np.testing.assert_array_equal(history.column("x"), [0.0, 1.5])
    history.add(moment(0.5, 7.0))
    np.testing.assert_array_equal(history.column("time"), [0.5])


def moment(now_s: float, x: float) -> SimpleNamespace:
    place = SimpleNamespace(centre_mm=np.array([x, 0.0, 0.0]), covariance=np.diag([9.0, 4.0, 1.0]))
    return SimpleNamespace(
        statistics=LivePetStatistics(events=10, image_until_s=now_s), place=place
    )


def test_blocks_are_drawn_around_the_ring_and_silent_blocks_are_counted(qtbot):
    scanner = ring()
    cells = cells_of(scanner)
    n_blocks = int(scanner.groups.max()) + 1
    assert len({tuple(cell) for cell in cells}) == n_blocks
    blocks = BlockMap()
    qtbot.addWidget(blocks)
    counts = np.full(n_blocks, 7)
    counts[3] = 0
    blocks.show_counts(scanner, counts)
    assert blocks.text == f"{n_blocks} blocks, 1 silent"


def test_unknown_values_are_dashes():
    texts = texts_of_events(LivePetStatistics(events=12_345, dropped=2))
    assert texts[1] == texts[3] == texts[5] == "–"
    assert texts[6] == "12.3 k, 2 lost"
