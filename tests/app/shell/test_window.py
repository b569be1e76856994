"""Tests of the complete window with the engine process: open, run, stop, resume, export."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QThread, QUrl
from PySide6.QtGui import QDropEvent, QKeySequence
from PySide6.QtWidgets import QPushButton, QToolButton

from app.output.export.export_dialog import ExportDialog
from app.output.export.writing import provenance_of, write
from app.shell.application import make_window
from app.state.models.inputs import Input
from app.state.models.run_record import RunState
from app.views.view_keys import ANYWHERE
from engine.corrections import CORRECTIONS
from engine.data import Volume
from engine.data.runs.events import Aborted, EarlyPreview, Preview
from engine.geometry.grid import ImageGrid
from engine.io import WRITERS
from engine.modalities.studies import Study
from tests.app.conftest import PATIENCE_MS


def finish(qtbot, window):
    qtbot.waitUntil(lambda: not window.session.run.state.is_active, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: window.runner.job is None, timeout=PATIENCE_MS)


def until_running(qtbot, window, updates=3):
    def far_enough():
        run = window.session.run  # a repaint can precede the start of a stage
        latest, started = run.record.latest, run.state is RunState.RUNNING
        return started and latest is not None and latest.iteration >= updates

    qtbot.waitUntil(far_enough, timeout=PATIENCE_MS)


# a run


@pytest.mark.essential
@pytest.mark.usefixtures("own_process")
def test_scan_is_reconstructed_and_shown_and_no_thread_remains(
    qtbot, window, opened, small_study, tmp_path
):
    shown = []
    # results of other tests would add a time to the name of this image
    own_scan = Path(copy(small_study.data, tmp_path / "own scan.h5"))
    opened(small_study.model_copy(update={"data": own_scan}))
    state = window.session.view
    state.volume_changed.connect(lambda: shown.append(state.volume))
    assert window.header.choice.start.isEnabled()
    window.header.choice.start.click()
    finish(qtbot, window)
    session = window.session
    assert session.run.state is RunState.FINISHED
    assert window.centre.shows_views
    assert session.run.record.images.labels == [
        "iteration 1",
        "iteration 2",
        "iteration 3",
        "final",
    ]
    assert len(shown) >= 4, "too few intermediate images were shown"
    assert [i for i, _ in session.run.record.curve] == [1, 2, 3]
    assert [m.stage for m in session.run.record.timings][-1] == "finish"
    kinds = {"total", *(kind.kind for kind in CORRECTIONS)}
    assert set(session.run.record.ledger) == kinds
    assert session.run.record.provenance["output"]["sha256"]
    assert window.centre.scrubber.current() == 3
    assert window.header.judging.caption.full_text == (
        "Protocol: Small. Algorithm: OSEM, 3 iterations × 2 subsets. Finished."
    )
    is_listed = lambda: session.run.record.result_id in [r.id for r in session.results.items]  # noqa: E731
    qtbot.waitUntil(is_listed, timeout=PATIENCE_MS)
    stored = session.results.items[0]
    np.testing.assert_array_equal(stored.volume().values, session.run.record.result.values)
    assert (
        stored.record.run.describe_ending() == "finished" and stored.record.inputs["data"]["sha256"]
    )
    is_quiet = lambda: not any(t.isRunning() for t in window.findChildren(QThread))  # noqa: E731
    qtbot.waitUntil(is_quiet, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: window.commands.findChildren(QThread) == [], timeout=PATIENCE_MS)


def test_scrubber_steps_through_the_stored_images(qtbot, window, opened):
    opened()
    window.runner.start()
    finish(qtbot, window)
    images = window.session.run.record.images.items
    for i in (0, 2, 1, 3):
        window.centre.scrubber.slider.setValue(i)
        assert window.session.view.volume is images[i].volume
    assert not np.array_equal(images[0].volume.values, images[3].volume.values)


def test_scrubber_describes_an_early_image(window, small_study):
    run = window.session.run
    run.begin("scan", small_study)
    volume = Volume(np.ones((3, 4, 5), np.float32), ImageGrid((3, 4, 5), (1.0, 1.0, 1.0)), "1/mm")
    run.take(EarlyPreview(volume, "One step before iteration 1"))
    assert window.session.view.volume is volume
    assert window.centre.scrubber.text() == "One step before iteration 1"
    run.show_preview(Preview(volume, 1, 3, 1, 1, 0.1))
    run.keep(Preview(volume, 1, 3, 1, 1, 0.1))
    assert window.centre.scrubber.text() == "Iteration 1 of 3"
    run.take(Aborted("Stopped."))


def test_run_pauses_and_continues(qtbot, window, opened, long_study):
    opened(long_study)
    window.runner.start()
    until_running(qtbot, window)
    window.actions_.pause.trigger()
    assert window.session.run.state is RunState.PAUSED
    assert window.actions_.pause.text() == "Continue"
    qtbot.waitUntil(lambda: window.runner.job.process.paused, timeout=PATIENCE_MS)
    qtbot.wait(200)
    paused = window.session.run.record.latest
    qtbot.wait(300)
    assert window.session.run.record.latest is paused
    window.actions_.pause.trigger()
    qtbot.waitUntil(lambda: window.session.run.record.latest is not paused, timeout=PATIENCE_MS)
    assert window.session.run.state is RunState.RUNNING


def test_finish_and_keep_ends_early_with_filters_and_provenance(qtbot, window, opened, long_study):
    opened(long_study)
    window.runner.start()
    until_running(qtbot, window)
    window.actions_.finish.trigger()
    finish(qtbot, window)
    record = window.session.run.record
    assert window.session.run.state is RunState.FINISHED
    assert 3 <= record.provenance["iterations_done"] < 1000


def test_abort_keeps_the_image_and_offers_to_resume(qtbot, window, opened, long_study):
    opened(long_study)
    window.runner.start()
    until_running(qtbot, window)
    window.actions_.abort.trigger()
    finish(qtbot, window)
    assert window.session.run.state is RunState.ABORTED
    assert window.session.view.volume is not None
    assert window.actions_.export.isEnabled()
    assert window.centre.message_bar.resume.isVisible()
    assert window.header.judging.title.full_text.endswith("aborted")
    window.pages.show("prepare")
    assert window.header.choice.start.isVisible()


def test_study_files_cannot_change_during_a_run(qtbot, window, opened, long_study):
    opened(long_study)
    window.runner.start()
    until_running(qtbot, window, 1)
    data = window.session.study.inputs["data"]
    window.commands.open_path(long_study.data)
    window.commands.set_input("attenuation", "mu.nii")
    assert window.session.study.inputs["data"] is data
    assert "attenuation" not in window.session.study.inputs
    assert not window.actions_.open.isEnabled()
    assert window.actions_.open.toolTip() == "A reconstruction is running."


@pytest.mark.essential
@pytest.mark.usefixtures("own_process")
def test_closing_during_a_run_asks_and_leaves_no_process(qtbot, window, opened, long_study):
    opened(long_study)
    window.runner.start()
    until_running(qtbot, window, 1)
    answers = iter([False, True])
    window.dialogs.confirm = lambda *words: next(answers)  # the user confirms
    window.close()
    assert window.isVisible()
    window.close()
    assert not window.isVisible()
    assert window.runner.job is None or window.runner.job.isFinished()


def test_closed_window_starts_no_run_after_its_scan_is_read(qtbot, window, long_study):
    window.runner.open_and_start(long_study)
    assert window.session.study.reading == {"data": "small.h5"}
    window.close()
    qtbot.waitUntil(lambda: not window.commands.is_busy)
    assert window.runner.job is None


# files


def test_damaged_file_gives_one_sentence_and_changes_nothing(qtbot, window, opened, tmp_path):
    opened()
    before = dict(window.session.study.inputs)
    bad = tmp_path / "bad.h5"
    bad.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(200))
    window.open_path(bad)
    qtbot.waitUntil(lambda: window.centre.message_bar.problem is not None, timeout=PATIENCE_MS)
    assert "bad.h5" in window.centre.message_bar.text
    assert "Traceback" not in window.centre.message_bar.text
    assert dict(window.session.study.inputs) == before
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.centre.message_bar.isVisible()


def test_dropped_file_is_opened(qtbot, window, small_study):
    drop(window, small_study.data)
    qtbot.waitUntil(lambda: window.session.obstacle() == "", timeout=PATIENCE_MS)
    assert window.session.study.inputs["data"].name == "small.h5"
    assert "small.h5" in [p.name for p in window.context.preferences.recent]


def drop(window, path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    no_key, left_button = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left_button, no_key))


def test_study_file_restores_scan_inputs_and_settings(qtbot, window, opened, tmp_path):
    opened()
    window.session.study.use_quality("fast")
    study, path = window.session.study.to_study(), tmp_path / "study.toml"
    window.commands.save_study(path)
    window.commands.clear("data")
    window.open_path(path)
    qtbot.waitUntil(lambda: window.session.obstacle() == "", timeout=PATIENCE_MS)
    back = window.session.study.to_study()
    assert back.protocol.saved.changed == study.protocol.saved.changed
    assert settings_of(back) == settings_of(study)


def settings_of(study: Study) -> Study:
    """Return a study without its protocol record, to which a study file adds a digest."""
    protocol = study.protocol.model_copy(update={"saved": None})
    return study.model_copy(update={"protocol": protocol})


def test_protocol_is_saved_by_name_and_found_again(qtbot, qapp, window, preferences, loader):
    window.session.study.use_quality("fine")
    window.commands.save_protocol("My brain / 3")
    assert window.session.study.base.name == "My brain / 3"
    names = [
        window.header.choice.protocols.itemText(i)
        for i in range(window.header.choice.protocols.count())
    ]
    assert "My brain / 3" in names
    again = make_window(qapp, preferences, loader)
    qtbot.addWidget(again)
    box = again.header.choice.protocols
    assert "My brain / 3" in [box.itemText(i) for i in range(box.count())]
    again.commands.wait()


def test_mu_map_waits_for_the_scan_that_names_the_scanner(qtbot, window, small_study, tmp_path):
    saved_volume(tmp_path / "mu.h5", 0.0096, "1/mm")
    study = small_study.model_copy(update={"inputs": {"attenuation": tmp_path / "mu.h5"}})
    window.commands.open_study(study)
    assert "attenuation" not in window.session.study.inputs
    qtbot.waitUntil(lambda: window.session.obstacle() == "", timeout=PATIENCE_MS)
    assert "0.0096" in window.session.study.inputs["attenuation"].text
    assert window.centre.message_bar.problem is None
    assert "attenuation" in window.steps[1].summary


def test_step_states_missing_and_loading_files(window):
    study, session = window.steps[0], window.session
    assert study.tone == "" and study.summary == "no scan yet", (
        "a window without a scan shows a problem"
    )
    assert [step.tone for step in window.steps[1:]] == [""] * 4
    session.study.set_input("data", Input("scan.l", "a scan of no known scanner"))
    assert study.tone == "missing" and "choose one" in study.summary
    session.study.show_reading({"data": "scan.l"})
    assert study.summary == "reading …"


def test_step_warning_disappears_after_it_was_seen(window):
    step = window.steps[1]
    step.show_summary("attenuation off", "warning", "There is no map.")
    assert step.tone == "warning"
    step.head.click()
    assert step.tone == "note"
    step.show_summary("attenuation off", "warning", "There is no map.")
    assert step.tone == "note", "a seen warning is shown again"
    step.show_summary("attenuation off", "warning", "The map is of another place.")
    assert step.tone == "warning", "a new warning is not shown"
    step.acknowledge()
    assert step.tone == "note"
    step.show_summary("attenuation", "ok")
    step.acknowledge()
    assert step.tone == "ok"


def test_warning_seen_for_one_scan_is_shown_again_for_the_next(
    window, opened, small_study, tmp_path
):
    cards = {card.title: card for card in window.workflow.cards}
    for patient in ("monday.h5", "tuesday.h5"):
        data = Path(copy(small_study.data, tmp_path / patient))
        opened(small_study.model_copy(update={"data": data, "inputs": {}}))
        for title in ("Corrections", "Inputs"):
            assert cards[title].tone == "warning", (patient, title)
            cards[title].head.click()
            assert cards[title].tone == "note", (patient, title)


# export


@pytest.mark.essential
def test_export_writes_the_same_bytes_as_the_command_line(qtbot, window, opened, tmp_path):
    opened()
    window.runner.start()
    finish(qtbot, window)
    record = window.session.run.record
    stored = record.images.items[-1]
    by_window, by_command = tmp_path / "window.h5", tmp_path / "command-line.h5"
    write(stored.volume, by_window, provenance_of(record, stored))
    from engine.io import save

    save(record.result, by_command, record.result.info)
    assert by_window.read_bytes() == by_command.read_bytes()


def test_every_stored_image_exports_with_its_own_digest(qtbot, window, opened, tmp_path):
    from engine.io import read_volume
    from engine.protocols.run_context.provenance import hash_array

    opened()
    window.runner.start()
    finish(qtbot, window)
    record = window.session.run.record
    for i, image in enumerate(record.images.items):
        provenance = provenance_of(record, image)
        assert provenance["output"]["sha256"] == hash_array(image.volume.values)
        target = write(image.volume, tmp_path / f"{i}.nii.gz", provenance)
        assert np.array_equal(read_volume(target).values, image.volume.values)


def test_export_dialog_refuses_unwritable_files(qtbot, window, opened, tmp_path):
    opened()
    window.runner.start()
    finish(qtbot, window)
    images = window.session.run.record.images.items
    dialog = ExportDialog(window, images, 1, tmp_path)
    qtbot.addWidget(dialog)
    assert dialog.chosen is images[1]
    assert dialog.save.isEnabled()
    for index, writer in enumerate(WRITERS):
        dialog.use_format(index)
        assert dialog.target == tmp_path / f"image{writer.suffixes[0]}"
        assert dialog.format.currentIndex() == index
    for bad in (tmp_path / "none" / "a.h5", tmp_path / "a.doc", tmp_path):
        dialog.path.setText(str(bad))
        assert not dialog.save.isEnabled()
        assert dialog.save.toolTip()


# the window


def test_every_disabled_action_states_the_reason(window):
    actions = window.actions_
    assert not actions.start.isEnabled()
    assert actions.start.toolTip() == "Open a scan first."
    assert window.header.choice.start.toolTip() == "Open a scan first."
    assert actions.export.toolTip() == "There is no image yet."
    assert actions.abort.toolTip() == "Nothing is running."


def test_undo_restores_the_previous_setting(qtbot, window):
    before = window.session.study.protocol
    window.header.choice.qualities.buttons["fast"].click()
    assert window.session.study.protocol != before
    window.actions_.undo.trigger()
    assert window.session.study.protocol == before
    window.actions_.redo.trigger()
    assert window.session.study.quality == "fast"


def test_every_button_has_a_name_and_can_be_reached_by_tab(window):
    buttons = [*window.findChildren(QPushButton), *window.findChildren(QToolButton)]
    visible = [b for b in buttons if b.isVisible() and b.objectName() != "qt_toolbar_ext_button"]
    assert len(visible) > 12
    for each in visible:
        assert each.text() or each.accessibleName() or each.toolTip(), each
        assert each.focusPolicy() & Qt.FocusPolicy.TabFocus, each.text() or each.toolTip()


def test_shortcuts_are_unique(window):
    keys = [a.shortcut().toString() for a in window.actions() if not a.shortcut().isEmpty()]
    assert len(keys) > 12
    assert len(set(keys)) == len(keys)


def test_research_use_notice_is_always_visible(window):
    from PySide6.QtWidgets import QLabel

    words = [x.text() for x in window.findChildren(QLabel) if x.isVisible()]
    assert "Not for clinical use" in words


def test_choosing_the_scanner_reads_the_scan_again(qtbot, window, opened, tmp_path):
    from engine.core.settings import to_toml

    opened()
    settings = window.session.study.scanner.settings.model_copy(update={"name": "Twin"})
    other_scanner = tmp_path / "twin.toml"
    other_scanner.write_text(to_toml(settings))
    window.commands.set_input("scanner", str(other_scanner))
    qtbot.waitUntil(lambda: window.session.obstacle() == "", timeout=PATIENCE_MS)
    assert window.session.study.scanner.name == "Twin"
    window.commands.clear("scanner")
    qtbot.waitUntil(lambda: window.session.obstacle() == "", timeout=PATIENCE_MS)
    assert window.session.study.scanner.name == "Tiny ring"


def test_volume_dropped_without_a_scan_is_shown(qtbot, window, tmp_path):
    picture = saved_volume(tmp_path / "picture.h5", 3.0, "counts/mm")
    drop(window, picture)
    qtbot.waitUntil(lambda: window.centre.shows_views, timeout=PATIENCE_MS)
    assert window.session.view.volume.values.max() == 3.0
    assert window.session.run.record.result is None
    assert window.actions_.export.isEnabled()


def test_mu_map_dropped_on_a_scan_is_added_to_the_study(qtbot, window, opened, tmp_path):
    opened()
    drop(window, saved_volume(tmp_path / "mu.h5", 0.0096, "1/mm"))
    qtbot.waitUntil(lambda: "attenuation" in window.session.study.inputs, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: window.session.obstacle() == "", timeout=PATIENCE_MS)
    assert window.session.study.to_study().inputs["attenuation"] == tmp_path / "mu.h5"


def saved_volume(path, value, unit):
    from engine.data.volume import Volume
    from engine.geometry.grid import ImageGrid
    from engine.io import save

    grid = ImageGrid((6, 10, 10), (6.0, 6.0, 6.0))
    save(Volume(np.full(grid.shape, value, np.float32), grid, unit), path, {})
    return path


def test_recent_menu_opens_earlier_scans(qtbot, window, opened):
    opened()
    window.commands.clear("data")
    file_menu = window.menuBar().actions()[0].menu()
    recent = next(a.menu() for a in file_menu.actions() if a.text() == "Open recent")
    recent.aboutToShow.emit()
    assert [a.text() for a in recent.actions()] == ["small.h5"]
    recent.actions()[0].trigger()
    qtbot.waitUntil(lambda: window.session.obstacle() == "", timeout=PATIENCE_MS)


def test_about_shows_version_research_notice_and_licence(window):
    from importlib.metadata import version

    from PySide6.QtWidgets import QMessageBox

    from app.shell.help.about_box import QT_SOURCE, licence_folder

    window.actions_.about.trigger()
    box = window.findChild(QMessageBox)
    assert box.isVisible() and version("isocenter") in box.text()
    assert "Not for diagnosis" in box.text() and "BSD-3-Clause" in box.text()
    folder = licence_folder()
    text = box.text()
    assert "LGPL-3.0" in text and str(folder) in text and QT_SOURCE in text
    texts = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in texts["LGPL-3.0-only.txt"]
    assert "GNU GENERAL PUBLIC LICENSE" in texts["GPL-3.0-only.txt"]
    assert QT_SOURCE in texts["QT.md"]
    box.close()


def test_help_lists_every_shortcut(qtbot, window):
    from app.shell.help.help_dialog import SHORTCUTS, HelpDialog

    listed = " ".join(keys for keys, _ in SHORTCUTS)
    for action in window.actions():
        if not action.shortcut().isEmpty() and action is not window.actions_.quit:
            assert action.shortcut().toString() in listed, action.text()
    single = {keys.strip() for each, _ in SHORTCUTS for keys in each.split(",")}
    assert {QKeySequence(key).toString() for key in ANYWHERE} | {"D"} <= single
    dialog = HelpDialog(window)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.isVisible()


def test_tab_key_moves_from_the_header_over_the_steps_to_the_views(qtbot, window):
    from PySide6.QtWidgets import QApplication

    window.activateWindow()
    parts = {
        "header": window.header,
        "steps": window.workflow_dock,
        "middle": window.centre,
        "results": window.results_dock,
    }

    def walked() -> list[str]:
        passed = []
        window.header.choice.protocols.setFocus()
        for _ in range(40):
            qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
            focus = QApplication.focusWidget()
            here = next((name for name, part in parts.items() if part.isAncestorOf(focus)), "")
            if here and (not passed or passed[-1] != here):
                passed.append(here)
        return passed

    assert walked()[:4] == ["header", "steps", "middle", "header"]
    grid = ImageGrid((4, 4, 4), (1.0, 1.0, 1.0))
    window.session.show_file(Volume(np.ones(grid.shape, np.float32), grid, "HU"), "a.h5")
    window.pages.show("judge")
    window.page_panels.show_panel(0)
    assert walked()[:3] == ["header", "middle", "results"]
