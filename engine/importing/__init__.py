"""Scans that do not describe themselves: what they may be, asked about as little as can be.

A draft of a sidecar is made of what the files show and of what the user says. It can be looked at
before it is written, and is written once nothing is left to ask.
"""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.importing.answers import Answers as Answers
    from engine.importing.answers import answers_of as answers_of
    from engine.importing.datasets import Dataset as Dataset
    from engine.importing.datasets import datasets_of as datasets_of
    from engine.importing.draft import Draft as Draft
    from engine.importing.draft import draft_of as draft_of
    from engine.importing.guess import Guess as Guess
    from engine.importing.guess import Question as Question
    from engine.importing.like import answers_like as answers_like
    from engine.importing.like import described_like as described_like
    from engine.importing.look import ImportLook as ImportLook
    from engine.importing.look import Reading as Reading
    from engine.importing.look import look_at as look_at
    from engine.importing.offering import may_import as may_import
    from engine.importing.writing import write_draft as write_draft

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.importing.answers": ("Answers", "answers_of"),
            "engine.importing.datasets": ("Dataset", "datasets_of"),
            "engine.importing.draft": ("Draft", "draft_of"),
            "engine.importing.guess": ("Guess", "Question"),
            "engine.importing.like": ("answers_like", "described_like"),
            "engine.importing.look": ("ImportLook", "Reading", "look_at"),
            "engine.importing.offering": ("may_import",),
            "engine.importing.writing": ("write_draft",),
        },
    )
