"""Describe studies in the list."""

from __future__ import annotations

from app.language.translation import tr
from app.state.models.protocols.text import marked
from app.state.models.run_text import algorithm_of, run_of
from app.ui.theme.formatting import sentence_case, size
from engine.core.visible_text import visible_line
from engine.jobs.study_index import KnownStudy, State

STATES: dict[State, str] = {
    "signed off": tr("Signed off"),
    "exported": tr("Exported"),
    "finished": tr("Finished"),
    "part": tr("Ended early"),
    "interrupted": tr("Interrupted"),
    "running": tr("Running"),
    "waiting": tr("Waiting"),
    "asking": tr("Question"),
    "paused": tr("Paused"),
    "failed": tr("Failed"),
}
TONES: dict[State, str] = {
    "signed off": "ok",
    "part": "warning",
    "asking": "warning",
    "interrupted": "warning",
    "failed": "missing",
    "running": "link",
}
FILTER_NAMES = {
    "all": tr("All studies"),
    "not signed off": tr("Not signed off"),
    "not exported": tr("Neither exported nor signed off"),
    "signed off": tr("Signed off"),
    "at work": tr("Running and waiting"),
    "to look after": tr("Needs attention"),
}
NOBODY = "–"


def cells_of(study: KnownStudy, name: str = "") -> tuple[str, ...]:
    """Return the texts of a row: patient, ID, scan, protocol, state, date, size.

    Parameters
    ----------
    study
        the study
    name
        name of its image, shown before the protocol; "" for none
    """
    return (
        # An empty cell would look like a missing value of the program.
        study.patient or NOBODY,
        study.patient_id or NOBODY,
        study.scan,
        f"{name}, {marked(study.protocol)}" if name else marked(study.protocol),
        STATES[study.state],
        f"{study.when:%Y-%m-%d %H:%M}",
        size(study.n_bytes) if study.n_bytes else NOBODY,
    )


def detail_of(study: KnownStudy) -> str:
    """Describe everything that is known of a study without opening it.

    Parameters
    ----------
    study
        the study

    Returns
    -------
    up to three sentences
    """
    parts = [sentence_case(study.standing)]
    if study.order is not None:
        parts.append(_order_text(study))
    if study.result is not None:
        record = study.result.record
        run = record.run_record
        parts.append(f"{algorithm_of(run)}, {run_of(run)}")
        parts.append(f"{record.voxels}, {record.unit or tr('no unit')}")
        parts.append(str(study.result.folder))
    if study.note:
        parts.append(study.note)
    # Some parts end with a full stop, and none should have two.
    return visible_line(". ".join(part.rstrip(".") for part in parts if part) + ".")


def _order_text(study: KnownStudy) -> str:
    order = study.order
    if order is None:
        return ""
    parts = (order.what, order.accession and tr("accession {number}", number=order.accession))
    return ", ".join(part for part in parts if part)
