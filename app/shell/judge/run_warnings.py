"""Warnings of the displayed run, with the input files that resolve them."""

from __future__ import annotations

from app.language.translation import named, tr
from app.state.models.run_record import RunState
from app.state.models.study_model import StudyModel
from app.state.services.context import AppContext
from app.workspace.steps.folded_warnings import RunWarning
from app.workspace.steps.ledger import sentence
from engine.data.runs.events import Level
from engine.modalities import AnyCorrection

DONE = (RunState.FINISHED, RunState.ABORTED, RunState.FAILED)


def roles_lacking(study: StudyModel, choice: AnyCorrection) -> tuple[str, ...]:
    """Return the keys of missing inputs that a correction could use.

    Parameters
    ----------
    study
        the open study
    choice
        settings of the correction
    """
    keys = (role.key for role in choice.inputs)
    return tuple(key for key in keys if key in study.roles and key not in study.inputs)


def warnings_of_run(context: AppContext) -> list[RunWarning]:
    """Return the corrections that were not applied, and all other warnings.

    Parameters
    ----------
    context
        context with the displayed run
    """
    record, study = context.session.run.record, context.session.study
    choices = study.modality.choices(study.protocol)
    lacking = {kind: each.text for kind, each in record.lacking.items()}
    warnings = record.warnings
    # A stored result has no events, only the record of its run.
    if record.run is not None and not (record.ledger or record.warnings):
        rows = record.run.corrections
        lacking = {each.kind: each.text for each in rows if each.level is Level.WARNING}
        warnings = [each.text for each in record.run.warnings]
    found = [
        RunWarning(
            tr(
                "{kind}: this correction was not applied. {text}",
                kind=named(choices[kind].title) if kind in choices else kind,
                text=sentence(text),
            ),
            roles_lacking(study, choices[kind]) if kind in choices else (),
        )
        for kind, text in lacking.items()
    ]
    # Each warning once: iterations repeat them.
    return found + [RunWarning(text) for text in dict.fromkeys(warnings)]
