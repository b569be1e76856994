"""Import of scans without a description, with as few questions as possible.

A draft of a sidecar combines facts from the files and answers of the user. It can be previewed
before it is written. It is written once no question is left.
"""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.raw_import.answers import Answers as Answers
    from engine.raw_import.answers import answers_of as answers_of
    from engine.raw_import.datasets import Dataset as Dataset
    from engine.raw_import.datasets import datasets_of as datasets_of
    from engine.raw_import.draft import Draft as Draft
    from engine.raw_import.draft import draft_of as draft_of
    from engine.raw_import.files import may_import as may_import
    from engine.raw_import.guess import Guess as Guess
    from engine.raw_import.guess import Question as Question
    from engine.raw_import.preview import FileStates as FileStates
    from engine.raw_import.preview import ImportPreview as ImportPreview
    from engine.raw_import.preview import Reading as Reading
    from engine.raw_import.preview import preview_of as preview_of
    from engine.raw_import.preview import states_of as states_of
    from engine.raw_import.similar_scan import answers_like as answers_like
    from engine.raw_import.similar_scan import described_like as described_like
    from engine.raw_import.writing import write_draft as write_draft

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "answers": ("Answers", "answers_of"),
            "datasets": ("Dataset", "datasets_of"),
            "draft": ("Draft", "draft_of"),
            "guess": ("Guess", "Question"),
            "similar_scan": ("answers_like", "described_like"),
            "preview": ("FileStates", "ImportPreview", "Reading", "preview_of", "states_of"),
            "files": ("may_import",),
            "writing": ("write_draft",),
        },
    )
