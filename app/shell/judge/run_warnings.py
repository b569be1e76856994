"""Warnings of the displayed run, with the input files that resolve them."""

from __future__ import annotations

from app.language.translation import named, tr
from app.state.models.run_record import RunState
from app.state.models.study_model import StudyModel
from app.state.services.context import AppContext
from app.workspace.steps.folded_warnings import RunWarning
from app.workspace.steps.ledger import sentence
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
    found = [
        RunWarning(
            tr(
                "{kind}: this correction was not applied. {text}",
                kind=named(choices[kind].title) if kind in choices else kind,
                text=sentence(text),
            ),
            roles_lacking(study, choices[kind]) if kind in choices else (),
        )
        for kind, text in record.missing_corrections.items()
    ]
    return found + [RunWarning(text) for text in record.different_warnings]
