"""Report the notes of readers in a run: assumptions and losses as warnings, others as notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.data.runs.events import Noted, Warned, of_note
from engine.protocols.run_context.context import RunContext
from engine.protocols.study.protocol import Protocol


def say(context: RunContext[Protocol], notes: Iterable[str]) -> Iterator[Noted | Warned]:
    """Yield an event for each note, and record it for the provenance.

    Parameters
    ----------
    context
        run with its log
    notes
        sentences of readers
    """
    for text in notes:
        # Readers mark notes that the user should check, such as assumed values.
        event = of_note(text)
        if isinstance(event, Warned):
            yield context.log.warn(text)
        else:
            context.log.note(text)
            yield event
