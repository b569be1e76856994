"""Tests of the page of a live CT scan, with a replay and with a missing sender."""

from __future__ import annotations

import json
import socket
import threading

import nibabel
import numpy as np
import pytest
import zmq
from PySide6.QtWidgets import QWidget

from app.live.angle_strip import AngleStrip
from app.live.connect_card import ConnectCard
from app.live.figures import texts_of_slices
from app.live.live_commands import LiveCommands
from app.live.live_request import LiveRequest
from app.live.live_views import LiveViews
from app.shell.action_states import ActionStates
from app.shell.actions import Actions
from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_view import PlaneView
from engine.geometry import Edges
from engine.geometry.plane import orthogonal
from engine.io import read_projections, save_projections, slice_files
from engine.live.core.frame import FrameKind
from engine.live.core.message import message_of
from engine.live.core.senders import with_token
from engine.live.core.stream_keys import stream_key
from engine.live.ct.images import LiveImages
from engine.live.ct.playing import Played
from engine.live.ct.statistics import LiveStatistics
from engine.recon.filtering.settings import FilterSettings
from tests.engine.live.ct.live_scans import scan

N = 24


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("live") / "scan.h5"
    save_projections(scan(N, rows=8, columns=16), path)
    return path


@pytest.fixture
def live(qtbot, controls, qapp):
    """Return the controller of a live scan, its visible page, and the scans it opened."""
    opened, answers, window = [], [], QWidget()
    qtbot.addWidget(window)
    commands = LiveCommands(
        controls.context,
        window,
        leave=lambda: None,
        open_and_start=opened.append,
        confirm=lambda *words: answers.append(words) is not None or commands.agrees,
    )
    commands.opened, commands.answers, commands.agrees = opened, answers, False
    qtbot.addWidget(commands.page)
    commands.page.resize(1000, 700)
    commands.page.show()
    yield commands
    commands.model.is_saved = True
    commands.shut_down()
    assert not [each for each in threading.enumerate() if each.name.startswith("live ")]


def follow(qtbot, live, path, **more):
    live.page.start(LiveRequest(str(path), replay=True, **more))
    qtbot.waitUntil(lambda: live.model.status.has_ended, timeout=30_000)
    assert live.model.state[1] == "ok", live.model.state
    return live.model.update


@pytest.mark.essential
def test_replayed_scan_is_shown_completely_and_can_be_saved(
    qtbot, live, stored, tmp_path, monkeypatch
):
    update = follow(qtbot, live, stored)
    page = live.page
    assert update.statistics.used == N
    assert [view.state.volume is not None for view in page.slices.views.slices] == [True] * 3
    steps = (1, -1, -1)  # z points up on the screen
    for view, values, step in zip(
        page.slices.views.slices, update.images.values, steps, strict=True
    ):
        np.testing.assert_array_equal(view.state.volume.values[0], values[::step])
    assert page.slices.views.projection.state.volume is not None
    assert page.slices.state.text() == "The scan has ended"
    assert page.slices.reconstruct.isEnabled() and not page.slices.stop.isEnabled()
    assert not live.model.is_saved
    monkeypatch.setattr("app.live.live_commands.ask_save", lambda *_: tmp_path / "saved.h5")
    page.slices.save.click()
    qtbot.waitUntil(lambda: live.model.is_saved, timeout=20_000)
    np.testing.assert_array_equal(
        read_projections(tmp_path / "saved.h5").values, read_projections(stored).values
    )


def test_slices_move_after_the_end_of_the_scan_and_the_crosshair_at_once(qtbot, live, stored):
    follow(qtbot, live, stored)
    axial, coronal, _ = live.page.slices.views.slices
    before = live.model.update.images.planes
    axial.moved.emit((1.5, -2.0, 0.0))
    assert coronal.caption().startswith("Normal to y   y −2.0 mm")
    qtbot.waitUntil(lambda: live.model.update.images.planes[1].centre_mm[1] == -2.0, timeout=10_000)
    after = live.model.update.images.planes
    assert after[2].centre_mm[0] == 1.5
    assert after[0].centre_mm == before[0].centre_mm


def test_plane_turned_in_the_scene_is_reconstructed_and_reset(qtbot, live, stored):
    follow(qtbot, live, stored)
    views, before = live.page.slices.views, live.model.update.images
    views.scene.choose(2)
    views.scene.turn((0.0, 0.0, 1.0), np.radians(30))
    turned = views.scene.placement.planes[2]
    qtbot.waitUntil(lambda: live.model.update.images.planes[2] == turned, timeout=10_000)
    assert live.model.update.images.planes[:2] == before.planes[:2]
    assert (live.model.update.images.values[2] != before.values[2]).any()
    assert views.slices[2].caption().startswith("Normal to x   rotated by 30°")
    live.page.slices.reset_planes.click()
    qtbot.waitUntil(lambda: live.model.update.images.planes == before.planes, timeout=10_000)
    np.testing.assert_array_equal(live.model.update.images.values[2], before.values[2])


def test_slices_stay_in_place_after_the_reconstruction_stopped(qtbot, live, stored):
    follow(qtbot, live, stored)
    live.model.stop()
    views = live.page.slices.views
    before = views.placement
    views.scene.advance(3.0)
    views.slices[1].moved.emit((1.0, 1.0, 1.0))
    assert views.placement is views.scene.placement is before
    assert not live.page.slices.reset_planes.isEnabled()


def test_displayed_slices_are_saved_with_their_provenance(
    qtbot, live, stored, tmp_path, monkeypatch
):
    follow(qtbot, live, stored)
    live.page.slices.keep.click()
    saved = live.model.update.images
    live.page.slices.compare.click()
    live.model.set_axis(5.0)
    live.page.slices.views.scene.turn((1.0, 0.0, 0.0), 0.4)
    qtbot.waitUntil(lambda: live.model.update.images.planes != saved.planes, timeout=10_000)
    turned = live.model.update.images
    expect_saved(qtbot, live, saved, tmp_path / "a.nii.gz", monkeypatch, "axial coronal sagittal")
    live.page.slices.compare.click()
    expect_saved(qtbot, live, turned, tmp_path / "b.nii.gz", monkeypatch, "slice1 slice2 slice3")


def expect_saved(qtbot, live, images, path, monkeypatch, names) -> None:
    """Save the displayed slices; check the files and their provenance."""
    monkeypatch.setattr("app.state.services.slice_saving.ask_save", lambda *_: path)
    live.page.slices.snapshot.click()
    qtbot.waitUntil(lambda: not live.model._commands.is_busy, timeout=20_000)
    for file, values in zip(slice_files(path, names.split()), images.values, strict=True):
        found = nibabel.load(file).get_fdata()
        np.testing.assert_array_equal(np.sort(found.ravel()), np.sort(values.ravel()))
        text = file.with_name(file.name.replace(".nii.gz", ".provenance.json")).read_text()
        report = json.loads(text)["provenance"]["live"]
        assert report["axis_column"] == pytest.approx(images.axis_column)
        assert report["planes"][0]["down"] == pytest.approx(images.planes[0].down)
        assert "scan.h5" not in text


def test_slices_of_another_detector_are_shown_at_their_position(qtbot):
    views = LiveViews()
    qtbot.addWidget(views)
    views.show_images(images_on(orthogonal((8, 8), 1.0)))
    views.scene.turn((1.0, 0.0, 0.0), 0.3)
    assert views.scene.placement.planes[0] != orthogonal((8, 8), 1.0)[0]
    views.show_images(images_on(orthogonal((8, 8), 1.0)))
    assert views.scene.placement.planes[0] != orthogonal((8, 8), 1.0)[0], (
        "the slices jumped to their position instead of moving"
    )
    others = orthogonal((12, 12), 2.0, (0.0, 0.0, 5.0))
    views.show_images(images_on(others))
    assert views.placement.planes == views.scene.placement.planes == others


def test_maximised_view_uses_the_full_area(qtbot):
    views = LiveViews()
    qtbot.addWidget(views)
    views.resize(900, 600)
    views.show()
    for pane in (*views.slices, views.scene, views.projection):
        pane.enlarge_requested.emit()
        views.layout().activate()
        wide, high = pane.width() / views.width(), pane.height() / views.height()
        assert wide > 0.98 and high > 0.98 and not pane.isHidden()
        pane.enlarge_requested.emit()
        views.layout().activate()
        assert pane.width() < views.width()


def images_on(planes) -> LiveImages:
    values = [np.zeros(plane.shape, np.float32) for plane in planes]
    return LiveImages(values, list(planes), 1, 0, 3.2, "exact", 4.0, np.zeros(1), FilterSettings())


def test_frozen_slices_stay_and_saved_slices_can_be_reopened(qtbot, live, stored):
    follow(qtbot, live, stored)
    page = live.page
    first = page.slices.views.slices[0].state.volume.values.copy()
    page.slices.keep.click()
    page.slices.freeze.click()
    live.model.set_axis(5.0)
    qtbot.waitUntil(
        lambda: live.model.update.images.axis_column == pytest.approx(5.0), timeout=10_000
    )
    np.testing.assert_array_equal(page.slices.views.slices[0].state.volume.values, first)
    assert page.slices.views.slices[0].note() == "frozen"
    page.slices.freeze.click()
    assert (page.slices.views.slices[0].state.volume.values != first).any()
    page.slices.compare.click()
    np.testing.assert_array_equal(page.slices.views.slices[0].state.volume.values, first)
    assert page.slices.views.slices[0].note() == "kept for comparison"


def test_page_waits_for_a_missing_sender_and_can_be_stopped(qtbot, live, controls):
    actions = Actions(live.page, controls.context)
    ActionStates(actions, controls.context).follow_live(live.page)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    live.page.start(LiveRequest(f"tcp://127.0.0.1:{port}"))
    qtbot.waitUntil(lambda: "waits for frames" in live.page.slices.state.text(), timeout=20_000)
    assert live.page.slices.stop.isEnabled() and not live.page.slices.save.isEnabled()
    assert not actions.tune.isEnabled() and "live scan is open" in actions.tune.toolTip()
    live.page.slices.stop.click()
    assert not live.model.is_running and live.model.state == ("The scan has ended", "ok")
    assert actions.tune.isEnabled()


def test_missing_source_is_reported_on_the_card(qtbot, live, tmp_path):
    live.page.card.frames.source.setText(str(tmp_path / "nowhere.h5"))
    live.page.card.ask()
    qtbot.waitUntil(lambda: live.model.state[1] == "missing", timeout=20_000)
    assert "this file or folder does not exist" in live.page.card.fault
    assert live.page.card.isVisible()


def test_unsaved_views_are_discarded_only_after_confirmation(qtbot, live, stored):
    follow(qtbot, live, stored)
    live.page.slices.another.click()
    assert len(live.answers) == 1 and live.model.has_scan, (
        "the scan was discarded although the user declined"
    )
    live.agrees = True
    live.page.slices.another.click()
    assert live.model.request is None and live.page.slices.views.slices[0].state.volume is None
    follow(qtbot, live, stored, mode="sliding")
    live.page.slices.another.click()
    assert len(live.answers) == 2, (
        "views of a sliding window are not saved, so no question is needed"
    )


def test_full_volume_is_reconstructed_from_the_saved_scan(qtbot, live, stored, tmp_path, controls):
    follow(qtbot, live, stored)
    controls.context.preferences.export_folder = str(tmp_path)
    live.page.slices.reconstruct.click()
    qtbot.waitUntil(lambda: bool(live.opened), timeout=20_000)
    assert live.opened[0].data.parent == tmp_path
    saved = read_projections(live.opened[0].data)
    np.testing.assert_array_equal(saved.values, read_projections(stored).values)


@pytest.mark.parametrize("index", range(3))
def test_pointer_position_is_mapped_to_the_right_point(qtbot, index):
    view = PlaneView(index)
    qtbot.addWidget(view)
    plane = orthogonal((20, 20), 2.0, (1.0, 2.0, 3.0))[index]
    values = np.zeros((20, 20), np.float32)
    values[4, 15] = 1.0
    view.show_slice(values, plane, PlanePlacement.of(orthogonal((20, 20), 2.0, (1.0, 2.0, 3.0))))
    row, column = np.argwhere(view.make_raster(view.state.volume).values)[0]
    rect = view.image_rect(view.state.volume)
    reported = []
    view.moved.connect(reported.append)
    viewport_at = (rect.u + (column + 0.5) * 2.0, rect.v + (row + 0.5) * 2.0)
    view.to_mm = lambda at: viewport_at
    view.primary_drag(None).move(None)
    expected = plane.to_mm @ np.array([15.5, 4.5, 0.5, 1.0])
    np.testing.assert_allclose(reported[0], expected[:3], atol=1e-9)


def test_z_points_up_and_y_points_down():
    views = [PlaneView(index) for index in range(3)]
    assert [view.shown_edges() for view in views] == [
        Edges("−x", "+x", "−y", "+y"),
        Edges("−x", "+x", "+z", "−z"),
        Edges("−y", "+y", "+z", "−z"),
    ]


@pytest.mark.parametrize(
    ("text", "rate"), [("30", 30.0), ("", None), ("0,5", 0.5), ("fast", "x"), ("-1", "x")]
)
def test_replay_rate_is_a_number_or_empty(qtbot, text, rate):
    asked = []
    card = ConnectCard(asked.append, lambda _: None, lambda: None, dict)
    qtbot.addWidget(card)
    card.frames.source.setText("scan.h5")
    card.frames.rate.setText(text)
    card.ask()
    if rate == "x":
        assert not asked and "Enter frames per second" in card.fault
    else:
        assert (asked[0].rate, asked[0].replay) == (rate, rate is not None)


def test_angle_strip_fills_as_views_arrive(qtbot):
    strip = AngleStrip()
    qtbot.addWidget(strip)
    strip.resize(388, strip.sizeHint().height())
    ground = filled(strip)
    strip.show_angles(np.radians(np.arange(0, 90)), np.radians(89))
    quarter = filled(strip) - ground
    strip.show_angles(np.radians(np.arange(0, 360)), np.radians(359))
    assert filled(strip) - ground == pytest.approx(4 * quarter, rel=0.05)


def filled(strip: AngleStrip) -> int:
    image = strip.grab().toImage()
    colours = [image.pixelColor(x, 8).name() for x in range(image.width())]
    return sum(colour == "#5aa5ee" for colour in colours)


def test_unknown_values_are_dashes():
    texts = texts_of_slices(LiveStatistics(frames=12_345, dropped=2))
    assert texts[2] == "–" and texts[3] == "12.3 k, 2 dropped"


def test_simulation_of_a_demo_hides_the_form_and_shows_no_error(live):
    """A card with a progress bar and a stop button replaces it until the simulation is done."""
    page = live.page
    page.show_making("Simulating the X-ray scan")
    assert page.making.isVisible() and not page.card.isVisible()
    assert page.making.words.text() == "Simulating the X-ray scan …"
    assert page.making.words.property("tone") not in ("missing", "warning") and not page.card.fault
    assert (page.making.bar.minimum(), page.making.bar.maximum()) == (0, 0), (
        "the bar has a range before any progress is known"
    )
    page.making.show_progress(3, 12)
    assert (page.making.bar.value(), page.making.bar.maximum()) == (3, 12)
    page.show_making("")
    assert page.card.isVisible() and not page.making.isVisible()


def test_network_is_chosen_for_one_scan_and_shown(live):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    card = live.page.card
    card.frames.source.setText(f"tcp://*:{port}")
    assert (
        not card.frames.senders.network.isChecked() and not card.events.senders.network.isChecked()
    )
    assert not card.frames.request().network
    card.frames.senders.network.setChecked(True)
    card.ask()
    assert live.model.request.network
    assert live.page.slices.network.isVisible()
    assert not card.frames.senders.network.isChecked(), (
        "network access must be chosen for each scan"
    )
    live.model.stop()
    assert not live.page.slices.network.isVisible()


@pytest.mark.slow
def test_sender_type_can_be_chosen_on_the_page(qtbot, live):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    live.page.start(LiveRequest(f"tcp://*:{port}"))
    page = live.page.slices
    qtbot.waitUntil(lambda: "waits for frames" in page.state.text(), timeout=20_000)
    frames = [
        message_of(Played(FrameKind.PROJECTION, k, None, np.full((8, 16), k, np.uint16)))
        for k in range(3)
    ]
    with (
        zmq.Context() as context,
        context.socket(zmq.PUSH) as other_sender,
        context.socket(zmq.PUSH) as detector,
    ):
        for each in (other_sender, detector):
            each.setsockopt(zmq.LINGER, 0)
            each.connect(f"tcp://127.0.0.1:{port}")
        other_sender.send_multipart(frames[0])
        receiver = live.model._session.senders._receiver
        qtbot.waitUntil(lambda: receiver._chosen is not None, timeout=20_000)
        detector.send_multipart(with_token(frames[1], "detector"))
        qtbot.waitUntil(lambda: page.refused.isVisible(), timeout=20_000)
        assert "token:detector" in page.refused.texts[0] and "1 message" in page.refused.texts[0]
        page.refused.buttons[0].click()
        qtbot.waitUntil(lambda: not page.refused.isVisible(), timeout=20_000)
        qtbot.wait(300)
        detector.send_multipart(with_token(frames[2], "detector"))
        texts = lambda: "\n".join(live.model.status.messages)  # noqa: E731
        qtbot.waitUntil(lambda: "another scan starts" in texts(), timeout=20_000)
    assert "Only the sender token:detector is accepted now." in texts()


def test_keys_and_sender_are_in_a_folded_section_and_used(live, monkeypatch, tmp_path):
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))
    form = live.page.card.frames
    form.source.setText("tcp://*:9")
    assert not form.senders.keys.isVisible() and form.request().sender_keys == ()
    form.senders.more.click()
    assert stream_key().public in form.senders.own_key.text()
    form.senders.keys.setText(f"{'a' * 40}, {'b' * 40}")
    form.senders.only_sender.setText(" token:x ")
    request = form.request()
    assert request.sender_keys == ("a" * 40, "b" * 40) and request.sender == "token:x"
    form.senders.keys.setText("/data/my senders.txt")
    assert form.request().sender_keys == ("/data/my senders.txt",)
