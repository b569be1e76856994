"""Open questions of a scan that waits in the queue: values that its file leaves open."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from engine.core.settings import Settings, setting

QuestionKind = Literal[
    "scanner", "complete_events", "import", "assumption", "protocol", "input", "unreadable"
]
OPTIONS: dict[QuestionKind, str] = {
    "scanner": "--scanner NAME",
    "complete_events": "--use-complete-events",
    "import": "--data FILE",
    "assumption": "--accept",
    "protocol": "--protocol NAME",
    "input": "--input ROLE=FILE | --accept",
    "unreadable": "",
}
"""Options of `isocenter queue answer` by the kind of question."""


class InputFile(Settings):
    """An auxiliary file that was added together with scans.

    Attributes
    ----------
    role : its input role
    path : the file
    """

    role: str = setting(max_length=100)
    path: Path = setting()


class Question(Settings):
    """A question that the user must answer before a scan can run.

    Attributes
    ----------
    kind : "scanner": the scan does not name its scanner; "complete_events": its file is
        truncated; "import": its data have no description; "assumption": the program would assume
        a value; "protocol": no protocol fits; "input": other files may belong to it;
        "unreadable": it cannot be read now
    text : reason, in sentences
    assumed : sentences about the assumed values; the user accepts all of them or none
    format : name of the format of a scan that does not name its scanner
    n_events : number of complete events of a truncated scan
    files : auxiliary files that were added with the scan and may belong to it
    has_protocol : True if the protocol of the study belongs to it, False for a placeholder
    """

    kind: QuestionKind
    text: str = setting(max_length=5000)
    assumed: tuple[str, ...] = setting(())
    format: str = setting("", max_length=200)
    n_events: int = setting(0, ge=0)
    files: tuple[InputFile, ...] = setting(())
    has_protocol: bool = setting(False)


def options_of(question: Question) -> str:
    """Return the options of `isocenter queue answer` for a question; empty if it needs none.

    Parameters
    ----------
    question
        question of a queued study
    """
    if question.kind == "protocol" and question.assumed:
        return "--protocol NAME | --accept"
    return OPTIONS[question.kind]
