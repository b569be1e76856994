"""Tests of the study list and the worklist: search, opening, and patient identity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pydicom
import pytest
from PySide6.QtCore import Qt

from app.output.export.writing import write
from app.state.models.inputs import DATA
from app.state.models.run_record import RunState
from app.workspace.study_list.studies_page import StudiesPage
from app.workspace.study_list.study_table import COLUMNS, PATIENT, PROTOCOL, SCAN, SIZE, STATE
from app.workspace.study_list.worklist_page import WorklistPage
from engine.core import paths
from engine.core.errors import DataError
from engine.data.runs.events import Preview
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_listmode, write_listmode
from engine.jobs import Job, StudyQueue
from engine.jobs.reconstruction import run
from engine.jobs.study_index import ImagingOrder, Worklist
from engine.modalities import write_study
from engine.results import NewResult, Results
from engine.results.reports import Site, sign
from tests.app.conftest import PATIENCE_MS, read_input
from tests.engine.io.dicom.test_dicom_worklist import answer, worklist

GRID = ImageGrid((4, 5, 6), (2.0, 2.0, 2.0))
IDA = ImagingOrder(patient_name="Müller^Ida", patient_id="4711", accession="A1", step="FDG, brain")
JOHN = ImagingOrder(patient_name="Doe^John", patient_id="4712", step="FDG, body")


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "results-home"))


@pytest.fixture
def keep(small_study):
    """Return a function that stores a result of the small study."""

    def keep(order: ImagingOrder | None = None):
        values = np.random.default_rng(3).random(GRID.shape).astype(np.float32)
        volume = Volume(values, GRID, "counts/mm", {"axes": "LPS"})
        result = Results().keep(NewResult(small_study, volume, {"axes": "LPS"}))
        if order is not None:
            result.assign_order(order)
        return result

    return keep


def settle(qtbot, controls) -> None:
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)


@pytest.fixture
def asked() -> list[str]:
    """Return the requests of the page to its window."""
    return []


@pytest.fixture
def page(qtbot, controls, asked) -> StudiesPage:
    new_page = StudiesPage(
        controls.context, lambda id: asked.append(f"resume {id}"), lambda: asked.append("queue")
    )
    qtbot.addWidget(new_page)
    return new_page


@pytest.fixture
def orders(qtbot, controls) -> WorklistPage:
    new_page = WorklistPage(controls.context)
    qtbot.addWidget(new_page)
    return new_page


def refreshed_patients(qtbot, controls, page: StudiesPage) -> list[str]:
    """Refresh from disk, and return the listed patients."""
    page.refresh()
    settle(qtbot, controls)
    return patients(page)


def patients(page: StudiesPage) -> list[str]:
    found = page.found
    return [found.index(row, PATIENT).data() for row in range(found.rowCount())]


def test_studies_are_found_by_words_and_state_and_sorted_by_any_column(
    qtbot, controls, page, keep, small_study
):
    keep(IDA)
    keep(JOHN)
    sign(keep(), "Ann", "acceptable")
    StudyQueue().add(small_study)
    assert sorted(refreshed_patients(qtbot, controls, page)) == [
        "Doe, John",
        "Müller, Ida",
        "–",
        "–",
    ]
    assert page.count.text().startswith("4 of 4 shown, ")
    page.search.setText("müller brain")
    assert patients(page) == ["Müller, Ida"] and page.count.text().startswith("1 of 4 shown, ")
    page.search.clear()
    page.shown.setCurrentIndex(page.shown.findData("signed off"))
    page.shown.activated.emit(0)
    assert [page.found.index(0, STATE).data(), page.found.rowCount()] == ["Signed off", 1]
    page.shown.setCurrentIndex(0)
    page.shown.activated.emit(0)
    for column in range(len(COLUMNS)):
        page.view.sortByColumn(column, page.view.horizontalHeader().sortIndicatorOrder())
        assert page.found.rowCount() == 4
    page.view.sortByColumn(SIZE, page.view.horizontalHeader().sortIndicatorOrder().AscendingOrder)
    assert page.found.index(0, STATE).data() == "Waiting", (
        "a waiting study, of size 0, is not first"
    )


def test_opened_result_has_its_patient_and_its_series_too(qtbot, controls, page, keep, tmp_path):
    keep(IDA)
    refreshed_patients(qtbot, controls, page)
    page.view.selectRow(0)
    assert "Finished" in page.detail.text() and "FDG, brain, accession A1" in page.detail.text()
    with qtbot.waitSignal(page.done):
        page.open.click()
    settle(qtbot, controls)
    record = controls.session.run.record
    assert record.order == IDA and record.result_id
    volume = record.images.items[0].volume
    write(volume, tmp_path / "a.dicom", record.provenance, (), record.order)
    first = pydicom.dcmread(next((tmp_path / "a.dicom").glob("*.dcm")))
    assert (first.PatientName, first.PatientID) == ("Müller^Ida", "4711")
    write(volume, tmp_path / "a.nii", record.provenance, (), record.order)
    assert "4711" not in (tmp_path / "a.nii.provenance.json").read_text(), (
        "a file with a pseudonym contains the patient ID"
    )


def test_result_with_a_changed_order_opens_without_patient(qtbot, controls, keep):
    result = keep(IDA)
    path = result.folder / "order.json"
    path.write_text(path.read_text().replace("4711", "4712"))
    controls.context.results.open(Results().open(result.id))
    settle(qtbot, controls)
    assert controls.session.run.record.order is None
    assert "checksum does not match" in controls.session.log[-2].text


def test_study_that_cannot_open_states_the_reason_and_links_to_the_queue(
    qtbot, controls, page, small_study, asked
):
    StudyQueue().add(small_study)
    refreshed_patients(qtbot, controls, page)
    assert not page.open.isEnabled() and page.open.toolTip() == "Select a study in the list."
    page.view.selectRow(0)
    assert page.delete.toolTip() == "This study has no image yet." and not page.delete.isEnabled()
    page.open.click()
    assert asked == ["queue"]


def test_signed_result_is_deleted_only_after_a_question(qtbot, controls, page, keep):
    sign(keep(), "Ann", "acceptable")
    refreshed_patients(qtbot, controls, page)
    page.view.selectRow(0)
    messages = []
    page.confirm = lambda title, text: messages.append(text) is not None  # the user declines
    page.delete.click()
    assert "Sign-off: acceptable; Ann" in messages[0] and "not been exported" in messages[0]
    settle(qtbot, controls)
    assert len(Results().newest_first()) == 1
    page.confirm = lambda title, text: True
    page.delete.click()
    settle(qtbot, controls)
    assert Results().newest_first() == [] and page.found.rowCount() == 0


def test_unsaved_image_is_discarded_only_after_a_question(qtbot, controls, page, keep):
    keep()
    refreshed_patients(qtbot, controls, page)
    page.view.selectRow(0)
    controls.context.results.may_forget_image = lambda: False
    page.open.click()
    settle(qtbot, controls)
    assert controls.session.run.record.result_id == ""


def test_orders_are_requested_and_one_is_used_for_the_scan(qtbot, controls, orders, preferences):
    assert not orders.ask.isEnabled() and "No worklist is configured" in orders.message.text()
    day = f"{orders.question.first:%Y%m%d}"
    with worklist([answer("4711", "Müller^Ida", day), answer("9", "A^B", "20000101")]) as node:
        preferences.set_site(Site(worklist=f"{node.host}:{node.port}", worklist_called=node.called))
        controls.commands.protocols_changed.emit()
        orders.ask.click()
        settle(qtbot, controls)
    assert orders.message.text() == "1 order." and not orders.take.isEnabled()
    orders.list.selectRow(0)
    with qtbot.waitSignal(orders.done):
        orders.take.click()
    assert controls.session.order.describe() == "Müller, Ida, 4711"
    assert "Müller, Ida, 4711" in orders.now.text()
    orders.forget.click()
    assert controls.session.order.current is None
    orders.ask.click()  # the node has stopped
    settle(qtbot, controls)
    assert "no response" in orders.message.text() and orders.list.rowCount() == 0


def test_order_is_cleared_with_its_scan(controls, small_study):
    session, scan = controls.session, read_input(DATA, str(small_study.data), None, None)
    session.order.take(IDA, session.patients())
    session.study.set_input(DATA, scan)
    assert session.order.current == IDA, "the order was lost when its scan opened"
    session.study.set_input(DATA, scan)
    assert session.order.current is None, "the order was used for a second scan"


def test_order_of_another_patient_is_refused(controls):
    with pytest.raises(DataError, match="The open scan belongs to a different patient"):
        controls.session.order.take(IDA, ["", "4712"])
    assert controls.session.order.current is None
    controls.session.order.take(IDA, ["", "4711"])
    assert controls.session.order.obstacle(["4711"]) == ""
    assert "different patient" in controls.session.order.obstacle(["4712"])


def test_text_of_a_node_is_shown_literally(orders):
    sent = ImagingOrder(patient_id="<b>1</b>", patient_name="<i>A</i>^B", date="20269999")
    orders._show_orders(Worklist((sent,)))
    assert orders.list.item(0, 0).text() == "–", "an invalid date is shown"
    assert orders.list.item(0, 2).text() == "<b>1</b>"


def test_run_stores_its_patient_with_the_result(qtbot, window, opened, keep):
    opened()
    session = window.session
    session.order.take(IDA, session.patients())
    assert window.status.patient.text() == "Müller, Ida, 4711"
    window.start()
    run = session.run
    is_stored = lambda: run.state is RunState.FINISHED and run.record.result_id != ""  # noqa: E731
    qtbot.waitUntil(is_stored, timeout=PATIENCE_MS)
    (result,) = Results().newest_first()
    qtbot.waitUntil(lambda: Results().open(result.id).order == IDA, timeout=PATIENCE_MS)
    session.order.forget()
    assert window.status.patient.isHidden()
    window.context.results.open(keep(JOHN))  # another displayed image changes nothing
    qtbot.waitUntil(lambda: run.record.order == JOHN, timeout=PATIENCE_MS)
    with pytest.raises(DataError, match="belongs to a different patient than the order"):
        session.order.take(JOHN, session.patients())
    assert session.order.current is None
    opened()
    session.order.take(JOHN, session.patients())
    assert Results().open(result.id).order == IDA, "the order of a stored result changed"


def test_scan_keeps_its_order_if_another_is_refused(qtbot, window, opened, tmp_path):
    opened()
    session = window.session
    session.order.take(IDA, [])
    session.order.bind()
    missing = session.study.to_study().model_copy(update={"data": tmp_path / "gone.h5"})
    session.order.forget()
    window.commands.open_study(missing)
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    with pytest.raises(DataError, match="different patient"):
        session.order.take(JOHN, session.patients())


def test_failed_resume_keeps_the_order(qtbot, window, opened, small_study, tmp_path):
    copy = tmp_path / "other.h5"
    copy.write_bytes(small_study.data.read_bytes())
    job = Job.create(small_study.model_copy(update={"data": copy}))
    copy.unlink()
    opened()
    session = window.session
    session.order.take(IDA, [])
    session.order.bind()
    window.runner.resume(job.folder.name)
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    assert session.order.current is None and session.study.inputs[DATA].value == str(
        small_study.data
    )
    with pytest.raises(DataError, match="different patient"):
        session.order.take(JOHN, session.patients())


@pytest.mark.parametrize("is_of_earlier_version", [False, True])
def test_job_of_a_replaced_scan_opens_no_scan(
    qtbot, window, opened, small_study, tmp_path, is_of_earlier_version
):
    """The scanner has overwritten the file with the next patient's scan."""
    scan = tmp_path / "export.h5"
    scan.write_bytes(small_study.data.read_bytes())
    study = small_study.model_copy(update={"data": scan})
    job = Job.create(study)
    if is_of_earlier_version:
        without_fingerprint = job.study.model_copy(update={"fingerprints": {}})
        write_study(without_fingerprint, job.folder / "study.toml", private=True)
    preview = next(event for event in run(study) if isinstance(event, Preview))
    job.save(preview)
    ours = read_listmode(scan)
    write_listmode(replace(ours, crystals=ours.crystals[::-1].copy()), scan)
    opened()
    before, problems = window.session.study.inputs, []
    window.session.problem_raised.connect(problems.append)
    window.runner.resume(job.folder.name)
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    assert window.session.study.inputs is before and not window.session.run.state.is_active
    (problem,) = problems
    assert problem.title == "The job cannot be resumed." and "export.h5: " in problem.text


def test_job_of_an_earlier_version_resumes_with_its_own_scan(
    qtbot, window, opened, small_study, tmp_path
):
    scan = tmp_path / "export.h5"
    scan.write_bytes(small_study.data.read_bytes())
    study = small_study.model_copy(update={"data": scan})
    job = Job.create(study)
    without_fingerprint = job.study.model_copy(update={"fingerprints": {}})
    write_study(without_fingerprint, job.folder / "study.toml", private=True)
    opened()
    window.runner.resume(job.folder.name)
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    assert window.session.study.inputs[DATA].value == str(small_study.data), (
        "a job without fingerprint opened another scan"
    )
    job.save(next(event for event in run(study) if isinstance(event, Preview)))
    window.runner.resume(job.folder.name)
    ended = lambda: window.session.run.record.result_id  # noqa: E731
    qtbot.waitUntil(lambda: bool(ended()), timeout=PATIENCE_MS)
    assert window.session.study.inputs[DATA].value == str(scan)


def test_protocol_names_keep_capitals_and_results_have_a_thumbnail(
    qtbot, controls, page, small_study
):
    """The thumbnail shows the result: bright areas of the image are dark."""
    named = small_study.protocol.model_copy(update={"name": "Brain FDG"})
    study = small_study.model_copy(update={"protocol": named})
    values = np.zeros(GRID.shape, np.float32)
    values[1:3, 1:3, 1:3] = 1.0
    Results().keep(NewResult(study, Volume(values, GRID, "counts/mm"), {}))
    StudyQueue().add(study)
    refreshed_patients(qtbot, controls, page)
    rows = range(page.found.rowCount())
    names = [page.found.index(row, PROTOCOL).data() for row in rows]
    assert len(names) == 2 and all("Brain FDG" in name for name in names)
    pictures = [page.found.index(row, SCAN).data(Qt.ItemDataRole.DecorationRole) for row in rows]
    assert sum(each is not None for each in pictures) == 1, "a waiting study has a thumbnail"
    image = next(each for each in pictures if each is not None).toImage()
    greys = [image.pixelColor(x, y).lightness() for x in range(36) for y in range(36)]
    assert min(greys) < 60 and max(greys) > 200
