"""Screenshots of the study list and the worklist: empty, full, and refused."""

from __future__ import annotations

import numpy as np

from app.workspace.study_list.studies_dialog import StudiesDialog
from engine.data import Volume
from engine.geometry.grid import ImageGrid
from engine.jobs import StudyQueue
from engine.jobs.study_index import ImagingOrder, Worklist
from engine.results import EXPORTED, NewResult, Results, unrecorded
from engine.results.reports import Site, sign
from tests.app.gallery.photographer import Act, Photographer
from tests.app.gallery.systems import PET

GRID = ImageGrid((24, 24, 24), (2.0, 2.0, 2.0))
PATIENTS = (
    ("Müller^Ida", "PET-0412", "19610803", "0830", "FDG, skull to thigh"),
    ("Okafor^Chidi", "PET-0413", "19790117", "0915", "FDG, brain"),
    ("Doe^John", "PET-0414", "19540922", "1000", "PSMA, skull to thigh"),
    ("Roe^Jane", "PET-0415", "19900210", "1045", "FDG, heart"),
)
REFUSED = (
    "RIS at ris.clinic:104: does not answer (Connection refused); check host, port, and "
    "whether a firewall is in between."
)


def orders() -> tuple[ImagingOrder, ...]:
    """Return the worklist of a morning."""
    return tuple(
        ImagingOrder(
            patient_name=name, patient_id=number, birth_date=born, date="20261126", time=time,
            modality="PT", step=what, accession=f"A{number[-4:]}",
        )
        for name, number, born, time, what in PATIENTS
    )  # fmt: skip


def fill(shots: Photographer) -> None:
    """Store results of three patients and one without a patient; queue one study."""
    study = shots.make(PET)
    for n, order in enumerate((*orders()[:3], None)):
        scan = shots.demos / ("phantom.h5" if order is None else f"FDG-{order.patient_id[-4:]}.l")
        scan.write_bytes(b"events")
        values = np.random.default_rng(n).random(GRID.shape).astype(np.float32)
        volume = Volume(values, GRID, "kBq/mL", {"axes": "LPS"})
        of = study.model_copy(update={"data": scan})
        run = unrecorded(study.protocol, 1 if n == 2 else None)  # one ended early
        result = Results().keep(NewResult(of, volume, {"axes": "LPS"}, run))
        if order is not None:
            result.assign_order(order)
        if n == 0:
            sign(result, "P. Physicist", "acceptable", "A little motion of the head")
        elif n == 1:
            result.mark(EXPORTED)
    waiting = shots.demos / "FDG-0415.l"
    waiting.write_bytes(b"events")
    StudyQueue().add(study.model_copy(update={"data": waiting}), order=orders()[3])


def dialog_of(shots: Photographer) -> StudiesDialog:
    """Return the list after it was read from disk."""
    dialog = StudiesDialog(shots.window, shots.window.context, lambda _: None, lambda: None)
    dialog.show()
    shots.wait(shots.is_calm)
    return dialog


def show_studies(shots: Photographer, listed: str, asked: str) -> None:
    """Take screenshots of the study list with a selection, and of a worklist with orders."""
    fill(shots)
    dialog = dialog_of(shots)
    shots.wait(lambda: len(dialog.studies.table.studies) > len(PATIENTS) and shots.is_calm())
    names = [each.patient for each in dialog.studies.table.studies]
    row = dialog.studies.found.mapFromSource(
        dialog.studies.table.index(names.index(orders()[0].name), 0)
    )
    dialog.studies.view.selectRow(row.row())
    shots.shoot(listed, dialog)
    dialog.tabs.setCurrentIndex(1)
    dialog.worklist._show_orders(Worklist(orders()))
    dialog.worklist.list.selectRow(1)
    shots.window.session.order.take(orders()[1], [])
    shots.shoot(asked, dialog)
    dialog.close()


def studies(shots: Photographer) -> None:
    """Show an empty list, a full one, and worklists with and without an answer."""
    shots.open(shots.make(PET))
    preferences = shots.window.context.preferences
    preferences.set_site(Site(worklist="ris.clinic:104", worklist_called="RIS"))
    dialog = dialog_of(shots)
    shots.shoot("dialog-studies-empty", dialog)
    dialog.tabs.setCurrentIndex(1)
    shots.shoot("dialog-worklist-empty", dialog)
    dialog.worklist._show_orders(REFUSED)
    shots.shoot("dialog-worklist-refused", dialog)
    dialog.close()
    show_studies(shots, "dialog-studies", "dialog-worklist")
    shots.shoot("studies-patient")


STUDIES = (
    Act(
        (
            *("dialog-studies-empty", "dialog-worklist-empty", "dialog-worklist-refused"),
            *("dialog-studies", "dialog-worklist", "studies-patient"),
        ),
        studies,
    ),
)
