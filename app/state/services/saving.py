"""Whether a file may be written: never an input of the study, and no other without a question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.state.models.session import Session
from app.ui.theme.questions import ask, tell
from engine.core.errors import EngineError
from engine.modalities import files_of_study

REPLACE = tr("Replace")


def may_write(parent: QWidget, target: Path, session: Session, others: Sequence[Path] = ()) -> bool:
    """Ask before a file is replaced, and refuse one that the study reads; both by what it is.

    `others` are files besides those of the study that are not to be written to.
    """
    return may_write_all(parent, (target,), session, others)


def may_write_all(
    parent: QWidget, targets: Sequence[Path], session: Session, others: Sequence[Path] = ()
) -> bool:
    """Ask before files are replaced, and refuse those that the study reads; both by what it is."""
    inputs = [*inputs_of(session), *others]
    fault = next((said for target in targets if (said := refusal(target, inputs))), "")
    if fault:
        tell(parent, tr("Not saved"), fault)
        return False
    question = question_of(*targets)
    return not question or ask(parent, tr("Replace a file"), question, REPLACE)


def inputs_of(session: Session) -> Sequence[Path]:
    """Return every file that the open study reads."""
    study = session.study
    return files_of_study(study.to_study()) if study.inputs else ()


def refusal(target: Path, inputs: Sequence[Path]) -> str:
    """Return why a file is not written to, empty if it may be."""
    from engine.io import files_written, refuse_inputs

    try:
        refuse_inputs(files_written(target), inputs)
    except EngineError as e:
        return str(e)
    return ""


def question_of(*targets: Path) -> str:
    """Return what to ask before the files that exist go, empty where there are none."""
    from engine.io import existing, files_written

    written = [path for target in targets for path in files_written(target)]
    found = [(path.name, was) for path in written if (was := existing(path))]
    if not found:
        return ""
    listed = "\n".join(f"{name}: {was}" for name, was in found)
    folder = targets[0].parent
    if len(found) > 1:
        return tr(
            "These files exist in {folder}:\n\n{listed}\n\nReplace them?",
            folder=folder,
            listed=listed,
        )
    return tr(
        "This file exists in {folder}:\n\n{listed}\n\nReplace it?", folder=folder, listed=listed
    )
