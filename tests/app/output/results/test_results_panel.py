"""Tests of the list of results and of the provenance line, without a complete window."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.output.results.image_caption import OF_LAST, ImageCaption
from app.output.results.result_text import lines_of, tip_of
from app.output.results.results_panel import EMPTY, ResultsTab
from app.state.models.run_record import RunState
from engine.core import paths
from engine.data.runs.events import Preview
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import fingerprint_of, read_listmode, write_listmode
from engine.modalities.protocol_identity import identified_study
from engine.protocols.run_context.provenance import describe_inputs
from engine.results import NewResult, Results, unrecorded
from tests.app.conftest import PATIENCE_MS
from tests.engine.run_records import recorded

GRID = ImageGrid((4, 5, 6), (2.0, 2.0, 2.0))


def volume(value: float = 1.0) -> Volume:
    return Volume(np.full(GRID.shape, value, np.float32), GRID, "counts/mm", {"axes": "LPS"})


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "results-home"))


@pytest.fixture
def keep(small_study):
    """Return a function that stores a result of the small study, or of another one."""

    def keep(value: float = 1.0, study=None, **changes):
        return Results().keep(
            NewResult(
                study or small_study, volume(value), {"axes": "LPS", "value": value}, **changes
            )
        )

    return keep


@pytest.fixture
def tab(qtbot, controls) -> ResultsTab:
    new_tab = ResultsTab(controls.context)
    qtbot.addWidget(new_tab)
    new_tab.resize(330, 600)
    new_tab.show()
    return new_tab


@pytest.fixture
def refreshed(qtbot, controls):
    """Refresh the results from disk, and wait for all work."""

    def refresh() -> None:
        controls.context.results.refresh()
        settle(qtbot, controls)

    return refresh


def settle(qtbot, controls) -> None:
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)


def test_empty_list_explains_its_purpose(tab, refreshed):
    refreshed()
    assert EMPTY in [
        each.text() for each in tab.findChildren(type(tab._limits)) if each.isVisible()
    ]
    assert not tab.open.isEnabled() and tab.open.toolTip() == "Select a result in the list."
    assert "180 days" in tab._limits.text() and tab._total.text().startswith("0 results")


def test_newest_result_is_first_and_has_an_accessible_text(tab, refreshed, keep):
    keep(1)
    newest = keep(2, run=recorded(2, 3, ending="aborted", quality="fine"))
    refreshed()
    assert tab.list.model().rowCount() == 2
    lines = lines_of(newest, "Fine · 2 it.")
    assert tab.list.model().index(0).data() == ", ".join(lines)
    assert lines[1] == "Fine · 2 it., Standard, aborted at iteration 2 of 3"
    tip = tip_of(newest, "Fine · 2 it.")
    assert str(newest.folder) in tip and "OSEM, 2 iterations × 2 subsets, aborted at" in tip
    assert tab._total.text().startswith("2 results, ")


def test_result_opens_with_its_image_and_provenance(qtbot, controls, tab, refreshed, keep):
    keep(3)
    refreshed()
    tab.select(0)
    tab.open.click()
    settle(qtbot, controls)
    record = controls.session.run.record
    assert controls.session.view.volume.values.max() == 3
    assert record.provenance["value"] == 3 and record.result is controls.session.view.volume
    assert record.result_id == tab.current.id and not record.is_only_here
    assert controls.session.run.images == ["final"]


def test_settings_of_a_result_can_be_restored(
    qtbot, controls, tab, refreshed, keep, small_study, opened_small
):
    algorithm = small_study.protocol.algorithm.model_copy(update={"iterations": 77})
    protocol = small_study.protocol.model_copy(update={"algorithm": algorithm, "name": "Long"})
    keep(study=small_study.model_copy(update={"protocol": protocol}))
    refreshed()
    tab.select(0)
    data = controls.session.study.inputs["data"]
    tab.settings.click()
    assert controls.session.study.protocol == protocol
    assert controls.session.study.inputs["data"] is data, "the open scan was replaced"


@pytest.mark.parametrize("known", ["fingerprint", "digest"])
def test_settings_restore_the_study_if_no_scan_is_open(
    qtbot, controls, tab, refreshed, keep, small_study, known
):
    """Results of earlier versions know only the digests of their files."""
    fingerprints, problems = {"data": fingerprint_of(small_study.data)}, []
    controls.session.problem_raised.connect(problems.append)
    study = small_study.model_copy(
        update={"fingerprints": fingerprints if known == "fingerprint" else {}}
    )
    keep(study=study, inputs=describe_inputs(small_study) if known == "digest" else {})
    refreshed()
    tab.select(0)
    tab.settings.click()
    settle(qtbot, controls)
    assert not problems
    expected = identified_study(small_study).model_copy(update={"fingerprints": fingerprints})
    assert controls.session.study.to_study() == expected


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ("fingerprint", "this is not the file that the settings are for"),
        ("digest", "the file has changed since the image was made"),
        ("nothing", "nothing shows that this is still the file of the image"),
    ],
)
def test_settings_open_no_scan_that_replaced_that_of_the_result(
    qtbot, controls, tab, refreshed, keep, small_study, tmp_path, known, sentence
):
    scan, problems = tmp_path / "scan.h5", []
    scan.write_bytes(small_study.data.read_bytes())
    study = small_study.model_copy(update={"data": scan, "fingerprints": {}})
    inputs = describe_inputs(study) if known == "digest" else {}
    if known == "fingerprint":
        study = study.model_copy(update={"fingerprints": {"data": fingerprint_of(scan)}})
    keep(study=study, inputs=inputs)
    # The scan of another patient, with the same name
    write_listmode(replace(read_listmode(scan), info={"isotope": "C-11"}), scan)
    controls.session.problem_raised.connect(problems.append)
    refreshed()
    tab.select(0)
    tab.settings.click()
    settle(qtbot, controls)
    (problem,) = problems
    assert problem.title == "The settings could not be applied."
    assert problem.text.startswith("scan.h5: ") and sentence in problem.text
    assert not controls.session.study.inputs


def test_delete_asks_and_names_results_that_were_not_exported(
    qtbot, controls, tab, refreshed, keep
):
    keep(1)
    stored = keep(2)
    refreshed()
    tab.select(0)
    tab.open.click()
    settle(qtbot, controls)
    controls.session.run.record.job = "job"
    asked = []
    tab.confirm = lambda title, text: asked.append(text) or len(asked) > 1  # the user confirms
    tab.activateWindow()
    tab.list.setFocus()
    qtbot.keyClick(tab.list, Qt.Key.Key_Delete)
    assert "not been exported" in asked[0] and len(Results().newest_first()) == 2
    qtbot.keyClick(tab.list, Qt.Key.Key_Delete)
    settle(qtbot, controls)
    assert stored.id not in [each.id for each in Results().newest_first()]
    assert tab.list.model().rowCount() == 1
    assert controls.session.run.record.is_only_here, "the displayed image still counts as stored"


def test_result_is_pinned_from_the_menu_and_stays_selected(qtbot, controls, tab, refreshed, keep):
    keep(1)
    old = keep(2)
    refreshed()
    tab.select(0)
    pin, *_ = tab.menu().actions()
    pin.trigger()
    settle(qtbot, controls)
    assert tab.current.id == old.id and tab.current.pinned
    tab.grab()  # paints the pin and every thumbnail


def test_damaged_result_gives_one_sentence(qtbot, controls, tab, refreshed, keep):
    stored = keep()
    refreshed()
    problems = []
    controls.session.problem_raised.connect(problems.append)
    data = bytearray((stored.folder / "volume.h5").read_bytes())
    data[-1000] ^= 1
    (stored.folder / "volume.h5").write_bytes(data)
    tab.select(0)
    tab.open.click()
    settle(qtbot, controls)
    assert "has changed since the result was saved" in problems[0].text
    assert controls.session.view.volume is None


def test_results_cannot_be_opened_during_a_run_and_state_the_reason(controls, tab, refreshed, keep):
    keep()
    refreshed()
    tab.select(0)
    controls.session.run.begin("scan")
    assert not tab.open.isEnabled() and tab.open.toolTip() == "A reconstruction is running."
    controls.session.run.set_state(RunState.IDLE)
    assert tab.open.isEnabled()


def test_exported_result_is_marked(qtbot, controls, tab, refreshed, keep):
    stored = keep()
    controls.context.results.note_exported(stored.id)
    controls.context.results.note_exported("")
    settle(qtbot, controls)
    assert Results().open(stored.id).exported


def test_invalid_retention_limits_are_reported_in_the_list(tab, refreshed):
    paths.config_dir().mkdir(parents=True, exist_ok=True)
    (paths.config_dir() / "results.toml").write_text("most = 0\n")
    refreshed()
    assert tab._note.isVisible() and "results.toml" in tab._note.text()


# provenance of the image


@pytest.fixture
def opened_small(qtbot, controls, small_study):
    controls.commands.open_study(small_study)
    settle(qtbot, controls)


@pytest.fixture
def caption(qtbot, controls) -> ImageCaption:
    new_caption = ImageCaption(controls.context)
    qtbot.addWidget(new_caption)
    return new_caption


def ran(controls, study) -> None:
    run = controls.session.run
    run.begin("small", study, "job")
    record = unrecorded(study.protocol).model_copy(update={"subsets": (2,)})
    run.show_preview(Preview(volume(), 1, 3, 1, 2, 0.1, run=record))
    run.set_state(RunState.FINISHED)


def test_image_states_its_provenance_and_later_changes(
    controls, caption, small_study, opened_small
):
    assert caption.isHidden()
    ran(controls, small_study)
    text = "Small · 3 it. Protocol: Small. Algorithm: OSEM, 3 iterations × 2 subsets. Finished."
    assert caption.full_text == text and caption.property("tone") == "muted"
    study = controls.session.study
    algorithm = study.protocol.algorithm.model_copy(update={"iterations": 6})
    study.set_protocol(study.protocol.model_copy(update={"algorithm": algorithm}))
    assert caption.full_text == f"Changed since this image: iterations 3, now 6. {text}"
    assert caption.property("tone") == "warning"
    study.undo()
    assert caption.full_text == text


def test_image_of_another_scan_states_this_first(
    qtbot, controls, caption, tab, refreshed, keep, small_study, opened_small
):
    keep(study=small_study.model_copy(update={"data": small_study.data.with_name("other.h5")}))
    refreshed()
    tab.select(0)
    tab.open.click()
    settle(qtbot, controls)
    today = datetime.now(UTC).astimezone()
    # The test can run over midnight.
    days = {f"Result from {today - timedelta(days=n):%d %b %Y}" for n in (0, 1)}
    other = "This image is from other.h5, but the open scan is small.h5. "
    assert caption.full_text.startswith(other), "the start of the text was cut"
    assert caption.full_text.removeprefix(other).removeprefix("Small · 3 it. ")[:23] in days
    assert caption.property("tone") == "warning"


def test_image_of_the_last_run_is_labelled_until_the_next_image(
    controls, caption, small_study, opened_small
):
    ran(controls, small_study)
    controls.session.run.begin("small", small_study, "another job")
    assert caption.full_text.startswith(OF_LAST)
    controls.session.run.show_preview(Preview(volume(), 1, 3, 1, 2, 0.1))
    assert not caption.full_text.startswith(OF_LAST)
    controls.session.run.forget()
    assert caption.isHidden()


def test_opened_file_has_no_settings_line(controls, caption):
    controls.session.show_file(volume(), "mu.nii")
    assert caption.isHidden()


def test_few_thumbnails_stay_in_memory(tab, refreshed, keep, monkeypatch) -> None:
    monkeypatch.setattr("app.output.results.result_delegate.MAX_THUMBNAILS", 2)
    for _ in range(4):
        keep()
    refreshed()
    tab.resize(400, 900)
    tab.grab()
    assert len(tab.list.itemDelegate()._thumbnails) == 2
