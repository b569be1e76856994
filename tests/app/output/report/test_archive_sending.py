"""Tests of sending after the sign-off: opt-in, recall, and the right patient and node."""

from __future__ import annotations

import numpy as np
import pytest

from app.output.report.archive_sending import ArchiveSending, sends_after_sign_off
from app.output.report.sign_off import SignOff
from app.shell.unfinished_offers import unsent_offers
from app.shell.unsaved_changes import may_forget_sending
from app.state.models.outbox import RECALL_S, Outbox
from app.state.models.run_record import RunRecord
from engine.core import paths
from engine.data import Volume
from engine.geometry import ImageGrid
from engine.jobs.study_index import ImagingOrder
from engine.results import NewResult, Results
from engine.results.reports import Site
from tests.app.conftest import PATIENCE_MS, Controls
from tests.engine.io.dicom.test_dicom_network import node

pytestmark = pytest.mark.essential

GRID = ImageGrid((4, 6, 6), (4.0, 4.0, 4.0))
IDA = ImagingOrder(patient_name="Müller^Ida", patient_id="4711", study_uid="1.2.3.4.5")


class Clock:
    """A clock that the test sets."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def archive():
    """Return a node, and the objects it received."""
    received = []

    def answer(event):
        received.append(event.dataset)
        return 0x0000

    with node(answer) as there:
        yield there, received


@pytest.fixture
def signing(qtbot, tmp_path, monkeypatch, controls, small_study, archive):
    """Return a displayed result of a patient, its sign-off and the line of the status bar."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    there, _ = archive
    controls.context.preferences.set_site(
        Site(
            people=("A. Physicist",),
            reports=str(tmp_path),
            archive_signed=True,
            node=f"{there.host}:{there.port}",
            called="ARCHIVE",
        )
    )
    controls.clock = controls.session.outbox._clock = Clock()
    controls.shown = []
    controls.line = ArchiveSending(controls.context, controls.shown.append)
    qtbot.addWidget(controls.line)
    return controls


def sign(
    qtbot, controls, small_study, judgement: str, order: ImagingOrder | None = IDA, press="sign"
):
    """Show a new result and sign it off; return its ID."""
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL", {"axes": "LPS"})
    stored = Results().keep(NewResult(small_study, image, {"axes": "LPS"}))
    if order is not None:
        stored.assign_order(order)
    controls.session.show_result(RunRecord("small", small_study), "final", image)
    controls.session.run.take_result("", stored.id)
    controls.sign_off = SignOff(controls.context)
    qtbot.addWidget(controls.sign_off)
    controls.sign_off.judgement.buttons[judgement].click()
    controls.sign_off.remark.setText("as agreed")
    assert controls.sign_off.sign.isEnabled()
    getattr(controls.sign_off, press).click()
    qtbot.waitUntil(lambda: controls.sign_off.is_signed, timeout=PATIENCE_MS)
    return stored.id


def test_sending_is_off_by_default_and_never_sends_a_rejected_image() -> None:
    assert not sends_after_sign_off(Site(node="archive:104"), "acceptable")
    assert not sends_after_sign_off(Site(archive_signed=True), "acceptable")
    on = Site(node="archive:104", archive_signed=True)
    assert sends_after_sign_off(on, "acceptable")
    assert sends_after_sign_off(on, "acceptable with remarks")
    assert not sends_after_sign_off(on, "not acceptable")


def test_signed_image_is_sent_after_ten_seconds(qtbot, signing, small_study, archive):
    sign(qtbot, signing, small_study, "acceptable")
    assert not signing.sign_off.send.isVisible(), "the send button is still visible"
    assert not signing.line.isHidden() and "in 10 s" in signing.line.text.text()
    signing.clock.now_s += RECALL_S - 0.1
    signing.line._release_due()
    assert "in 1 s" in signing.line.text.text()
    assert archive[1] == []
    signing.clock.now_s += 0.2
    signing.line._release_due()
    accepted = lambda: "accepted image and report" in signing.sign_off.message.text()  # noqa: E731
    qtbot.waitUntil(accepted, timeout=PATIENCE_MS)
    assert signing.line.isHidden()
    (shown,) = signing.shown
    assert "accepted image and report" in shown, "the success is not reported"
    assert len(archive[1]) == GRID.shape[0] + 2
    assert {str(each.PatientID) for each in archive[1]} == {"4711"}
    assert {str(each.StudyInstanceUID) for each in archive[1]} == {"1.2.3.4.5"}


def test_recalled_image_is_never_sent(qtbot, signing, small_study, archive):
    sign(qtbot, signing, small_study, "acceptable with remarks")
    signing.line.recall.click()
    assert signing.line.isHidden()
    signing.clock.now_s += 2 * RECALL_S
    signing.line._release_due()
    qtbot.waitUntil(lambda: not signing.commands.is_busy, timeout=PATIENCE_MS)
    assert archive[1] == []
    assert any("was recalled" in line.text for line in signing.session.log)


def test_next_scan_does_not_stop_sending(qtbot, signing, small_study, archive):
    first = sign(qtbot, signing, small_study, "acceptable")
    second = sign(qtbot, signing, small_study, "not acceptable")
    assert [each.id for each in signing.session.outbox.waiting] == [first]
    signing.clock.now_s += RECALL_S + 1
    signing.line._release_due()
    qtbot.waitUntil(lambda: len(archive[1]) == GRID.shape[0] + 2, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not signing.commands.is_busy, timeout=PATIENCE_MS)
    assert "accepted" not in signing.sign_off.message.text(), "the message belongs to another image"
    assert second != first


def test_sending_without_a_patient_is_refused(qtbot, signing, small_study, archive):
    problems = []
    signing.session.problem_raised.connect(problems.append)
    sign(qtbot, signing, small_study, "acceptable", order=None)
    signing.clock.now_s += RECALL_S + 1
    signing.line._release_due()
    qtbot.waitUntil(lambda: bool(problems), timeout=PATIENCE_MS)
    assert "names no patient" in problems[0].text
    qtbot.waitUntil(lambda: not signing.commands.is_busy, timeout=PATIENCE_MS)
    assert archive[1] == []


def test_switching_off_before_the_deadline_prevents_sending(qtbot, signing, small_study, archive):
    sign(qtbot, signing, small_study, "acceptable")
    site = signing.context.preferences.site.model_copy(update={"archive_signed": False})
    signing.context.preferences.set_site(site)
    signing.clock.now_s += RECALL_S + 1
    signing.line._release_due()
    qtbot.waitUntil(lambda: not signing.commands.is_busy, timeout=PATIENCE_MS)
    assert archive[1] == []


def next_window(qtbot, signing, archive):
    """Close a window as at the end of a session, and start the next one."""
    signing.commands.wait()
    signing.context.unfinished.close()
    controls = Controls(signing.context.preferences, signing.commands.loader())
    controls.problems = []
    controls.session.problem_raised.connect(
        lambda p: controls.problems.append(f"{p.title} {p.text}")
    )
    controls.context.unfinished.recover()
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)
    return controls


def test_unsent_image_of_a_killed_window_is_offered_but_not_sent(
    qtbot, signing, small_study, archive, parent
):
    id = sign(qtbot, signing, small_study, "acceptable")
    second = next_window(qtbot, signing, archive)
    second.line = ArchiveSending(second.context, signing.shown.append)
    qtbot.addWidget(second.line)
    (problem,) = second.problems
    assert "A signed result was not sent." in problem and "small" in problem
    qtbot.wait(500)
    assert archive[1] == [] and second.line.isHidden(), (
        "an image was sent without the user's decision"
    )
    (offer,) = unsent_offers(second.context, parent)
    offer.action()
    qtbot.waitUntil(lambda: len(archive[1]) == GRID.shape[0] + 2, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not second.commands.is_busy, timeout=PATIENCE_MS)
    assert "accepted image and report" in second.session.outbox.accepted[id]
    assert unsent_offers(second.context, parent) == []
    third = next_window(qtbot, second, archive)
    assert third.problems == []
    third.commands.wait()


def test_image_that_failed_to_send_is_offered_by_the_next_window(
    qtbot, signing, small_study, archive, parent, monkeypatch
):
    site = signing.context.preferences.site.model_copy(update={"node": "127.0.0.1:9"})
    signing.context.preferences.set_site(site)
    sign(qtbot, signing, small_study, "acceptable")
    signing.clock.now_s += RECALL_S + 1
    signing.line._release_due()
    qtbot.waitUntil(lambda: not signing.commands.is_busy, timeout=PATIENCE_MS)
    second = next_window(qtbot, signing, archive)
    (offer,) = unsent_offers(second.context, parent)
    monkeypatch.setattr("app.shell.unfinished_offers.ask", lambda *_: False)
    offer.discard()
    assert len(unsent_offers(second.context, parent)) == 1
    monkeypatch.setattr("app.shell.unfinished_offers.ask", lambda *_: True)
    offer.discard()
    assert unsent_offers(second.context, parent) == [] and archive[1] == []
    second.commands.wait()


@pytest.mark.parametrize("ends_by", ["sent", "recalled"])
def test_sent_or_recalled_image_is_not_offered(qtbot, signing, small_study, archive, ends_by):
    sign(qtbot, signing, small_study, "acceptable")
    if ends_by == "sent":
        signing.clock.now_s += RECALL_S + 1
        signing.line._release_due()
        qtbot.waitUntil(lambda: len(archive[1]) == GRID.shape[0] + 2, timeout=PATIENCE_MS)
        # the window closes before the node confirms the last object
    else:
        signing.line.recall.click()
    second = next_window(qtbot, signing, archive)
    assert second.problems == [] and second.context.unfinished.left.is_empty
    second.commands.wait()


def test_report_to_send_with_the_sign_off_is_offered_without_image(
    qtbot, signing, small_study, archive, parent
):
    site = signing.context.preferences.site.model_copy(update={"archive_signed": False})
    signing.context.preferences.set_site(site.model_copy(update={"node": "127.0.0.1:9"}))
    sign(qtbot, signing, small_study, "acceptable", press="send")
    qtbot.waitUntil(lambda: not signing.commands.is_busy, timeout=PATIENCE_MS)
    second = next_window(qtbot, signing, archive)
    assert [each.with_image for each in second.context.unfinished.left.unsent] == [False]
    second.commands.wait()


def test_closing_asks_first(controls) -> None:
    asked = []

    class Asking:
        answer = False

        def confirm(self, *words: str) -> bool:
            asked.append(words)
            return self.answer

    dialogs, session = Asking(), controls.session
    assert may_forget_sending(session, dialogs) and not asked
    session.outbox.add("1", "Scan A")
    assert not may_forget_sending(session, dialogs)
    assert session.outbox.waiting, "the image is no longer scheduled for sending"
    dialogs.answer = True
    assert may_forget_sending(session, dialogs)
    assert not session.outbox.waiting
    assert "Scan A" in asked[0][1]


def test_two_sign_offs_of_a_result_send_it_once() -> None:
    clock = Clock()
    box, due_ids = Outbox(clock), []
    box.due.connect(due_ids.append)
    box.add("1", "a")
    clock.now_s += 6
    box.add("2", "b")
    box.add("1", "a")
    clock.now_s += 6
    box.release()
    assert due_ids == []
    clock.now_s += 5
    box.release()
    assert sorted(due_ids) == ["1", "2"]
    assert not box.recall("1")
