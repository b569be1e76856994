"""Tests of worklist queries to pynetdicom, and of assigning images to the patient of an order."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

import numpy as np
import pydicom
import pytest
from pydicom.dataset import Dataset
from pynetdicom import AE, evt
from pynetdicom.sop_class import ModalityWorklistInformationFind, Verification

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError, FileFormatError, ResourceError, SettingsError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.dicom.network import Node
from engine.io.dicom.order import ImagingOrder
from engine.io.dicom.patient_identity import subject_of_image
from engine.io.dicom.worklist import MAX_ORDERS, WorklistQuery, ask_worklist

GRID = ImageGrid((5, 4, 3), (2.0, 2.0, 2.0))


def answer(number: str, name: str, day: str, time: str = "0930", modality: str = "PT") -> Dataset:
    """Return an order as another program would send it."""
    step, found = Dataset(), Dataset()
    step.Modality, step.ScheduledStationAETitle = modality, "PET1"
    step.ScheduledProcedureStepStartDate, step.ScheduledProcedureStepStartTime = day, time
    step.ScheduledProcedureStepDescription = "FDG, skull to thigh"
    step.ScheduledProcedureStepID = f"S{number}"
    found.SpecificCharacterSet = "ISO_IR 192"
    found.PatientName, found.PatientID, found.PatientBirthDate = name, number, "19610803"
    found.PatientSex, found.PatientWeight, found.PatientSize = "F", "61.5", "1.68"
    found.AccessionNumber, found.RequestedProcedureID = f"A{number}", f"P{number}"
    found.StudyInstanceUID = f"1.2.826.0.1.3680043.8.498.1{number}"
    found.ReferringPhysicianName = "Weiß^Ann"
    found.ScheduledProcedureStepSequence = [step]
    return found


ORDERS = [
    answer("4711", "Müller^Ida", "20261126", "1400"),
    answer("4712", "Doe^John", "20261126", "0930"),
    answer("4713", "Roe^Jane", "20261127", modality="CT"),
]


@contextmanager
def worklist(orders: list[Dataset], queries: list[Dataset] | None = None) -> Iterator[Node]:
    """Run a pynetdicom node that answers by day and modality."""

    def find(event):
        question = event.identifier
        if queries is not None:
            queries.append(question)
        step = question.ScheduledProcedureStepSequence[0]
        for each in orders:
            own = each.ScheduledProcedureStepSequence[0]
            if step.ScheduledProcedureStepStartDate not in (
                "",
                own.ScheduledProcedureStepStartDate,
            ):
                continue
            if step.Modality not in ("", own.Modality):
                continue
            yield 0xFF00, each
        yield 0x0000, None

    entity = AE(ae_title="RIS")
    entity.add_supported_context(ModalityWorklistInformationFind)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    handlers = [(evt.EVT_C_FIND, find)]
    server = entity.start_server(("127.0.0.1", port), block=False, evt_handlers=handlers)
    try:
        yield Node.at(f"127.0.0.1:{port}", called="RIS")
    finally:
        server.shutdown()


def volume(patient: str = "") -> Volume:
    values = np.random.default_rng(2).random(GRID.shape).astype(np.float32)
    return Volume(values, GRID, "counts/mm", patient=patient)


def test_orders_of_a_day_are_sorted_by_time():
    queries: list[Dataset] = []
    with worklist(ORDERS, queries) as node:
        found = ask_worklist(node, WorklistQuery(date(2026, 11, 26), date(2026, 11, 26), "pt"))
    assert [order.name for order in found.orders] == ["Doe, John", "Müller, Ida"]
    assert found.notes == ()
    first = found.orders[0]
    assert (first.weight_kg, first.height_cm, first.sex) == (61.5, 168.0, "F")
    assert first.what == "FDG, skull to thigh"
    assert f"{first.when:%Y-%m-%d %H:%M}" == "2026-11-26 09:30"
    step = queries[0].ScheduledProcedureStepSequence[0]
    assert (step.ScheduledProcedureStepStartDate, step.Modality) == ("20261126", "PT")
    assert "ReferringPhysicianName" in queries[0], "the query does not request this attribute"


def test_days_are_queried_as_a_range():
    ends = (date(2026, 11, 26), date(2026, 11, 28))
    for first, last, expected in (
        (*ends, "20261126-20261128"),
        (ends[0], None, "20261126-"),
        (None, ends[1], "-20261128"),
        (None, None, ""),
    ):
        step = WorklistQuery(first, last).to_dataset().ScheduledProcedureStepSequence[0]
        assert step.ScheduledProcedureStepStartDate == expected


def test_order_without_a_patient_id_is_skipped_with_a_note():
    nameless = answer("", "Nobody", "20261126")
    with worklist([nameless, ORDERS[0]]) as node:
        found = ask_worklist(node, WorklistQuery())
    assert [order.patient_id for order in found.orders] == ["4711"]
    assert found.notes == ("a worklist order has no patient ID; correct the order in the RIS.",)


def test_too_many_orders_are_cut_with_a_note():
    with worklist([answer(str(n), "A^B", "20261126") for n in range(MAX_ORDERS + 3)]) as node:
        found = ask_worklist(node, WorklistQuery())
    assert len(found.orders) == MAX_ORDERS
    assert "query a single day" in found.notes[0]


def test_node_without_a_worklist_is_reported():
    entity = AE(ae_title="ARCHIVE")
    entity.add_supported_context(Verification)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    server = entity.start_server(("127.0.0.1", port), block=False)
    try:
        with pytest.raises(ResourceError, match="choose another node"):
            ask_worklist(Node.at(f"127.0.0.1:{port}"), WorklistQuery())
    finally:
        server.shutdown()
    with pytest.raises(ResourceError, match="no response"):
        ask_worklist(Node.at(f"127.0.0.1:{port}"), WorklistQuery())


def test_order_is_stored_unchanged_and_a_change_is_detected(tmp_path):
    order, path = ImagingOrder.of_answer(ORDERS[0]), tmp_path / "order.json"
    order.write(path)
    assert ImagingOrder.read(path) == order
    assert path.stat().st_mode & 0o077 == 0, "other users can read the order"
    path.write_text(path.read_text().replace("4711", "4712"))
    with pytest.raises(FileFormatError, match="checksum does not match"):
        ImagingOrder.read(path)
    path.write_text("{}")
    with pytest.raises(FileFormatError, match="not a worklist order"):
        ImagingOrder.read(path)


def test_image_gets_the_patient_of_its_order(tmp_path):
    image, order, out = tmp_path / "a.nii", tmp_path / "order.json", tmp_path / "out.dicom"
    save(volume(), image)
    ImagingOrder.of_answer(ORDERS[0]).write(order)
    assert main(["dicom", "write", str(image), str(out), "--like", str(order)]) == 0
    slices = [pydicom.dcmread(file) for file in sorted(out.glob("*.dcm"))]
    assert len(slices) == 5
    for each in slices:
        assert str(each.PatientName) == "Müller^Ida"
        assert (each.PatientID, each.PatientBirthDate, each.PatientSex) == ("4711", "19610803", "F")
        assert (each.AccessionNumber, each.StudyID) == ("A4711", "P4711")
        assert each.StudyInstanceUID == ORDERS[0].StudyInstanceUID
        assert (float(each.PatientWeight), float(each.PatientSize)) == (61.5, 1.68)
        assert "PatientIdentityRemoved" not in each


def test_orders_without_a_study_uid_get_one_each():
    days = ("20261126", "20261127")
    orders = [ImagingOrder(patient_id="4711", date=day) for day in (*days, days[0])]
    first, second, again = (str(each.attributes()["StudyInstanceUID"]) for each in orders)
    assert first == again != second


def test_image_of_another_patient_is_never_assigned_to_an_order(tmp_path):
    path = tmp_path / "order.json"
    ImagingOrder.of_answer(ORDERS[0]).write(path)
    assert subject_of_image(path, volume("4711"), {}).attributes["PatientID"] == "4711"
    with pytest.raises(DataError, match="different patient than the order") as refused:
        subject_of_image(path, volume("4712"), {})
    assert "Müller" not in str(refused.value) and "4711" not in str(refused.value)


def test_image_of_another_patient_is_never_assigned_to_a_series(tmp_path):
    like = tmp_path / "like.dicom"
    save(volume(), like)
    first = next(like.glob("*.dcm"))
    known = str(pydicom.dcmread(first).PatientID)
    assert subject_of_image(first, volume(known), {}).attributes["PatientID"] == known
    anonymous = volume("isocenter-0123456789ab")
    assert subject_of_image(first, anonymous, {}).attributes["PatientID"] == known, (
        "an image without a patient name gets the patient of the series"
    )
    with pytest.raises(DataError, match="to a different patient than the image"):
        subject_of_image(first, volume("4712"), {})


def test_command_lists_orders_and_stores_one(tmp_path, capsys):
    order = tmp_path / "order.json"
    with worklist(ORDERS) as node:
        to = ["--to", f"{node.host}:{node.port}", "--called", "RIS", "--on", "2026-11-26"]
        assert main(["dicom", "worklist", *to]) == 0
        output = capsys.readouterr().out
        assert (
            "2026-11-26 09:30  Doe, John (4712)  PT, FDG, skull to thigh, accession A4712" in output
        )
        assert main(["dicom", "worklist", *to, "--keep", str(order)]) == USER_FAULT
        assert "2 orders match" in capsys.readouterr().err
        assert not order.exists()
        day = ["--to", f"{node.host}:{node.port}", "--called", "RIS", "--on", "2026-11-27"]
        assert main(["dicom", "worklist", *day, "--keep", str(order)]) == 0
    assert ImagingOrder.read(order).name == "Roe, Jane"


def test_invalid_days_are_refused(capsys):
    for words in (["--on", "26.11.2026"], ["--on", "2026-11-26", "--until", "2026-11-20"]):
        assert main(["dicom", "worklist", "--to", "127.0.0.1:9", *words]) == USER_FAULT
        assert "2026-11-" in capsys.readouterr().err


@pytest.mark.parametrize("uid", ["../../../tmp/x", "1..2", "1.2.", "1.2/3", "1.2\n", "a"])
def test_study_uid_has_only_digits_and_dots(uid: str) -> None:
    with pytest.raises(SettingsError):
        ImagingOrder(patient_id="1", study_uid=uid)
    for fine in ("", "1", "1.2.840.10008", "1.2.0003"):
        assert ImagingOrder(patient_id="1", study_uid=fine).study_uid == fine
