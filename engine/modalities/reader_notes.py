"""Report notes about the files of a run: those of readers, and files that were replaced."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from engine.core.json_types import Plain
from engine.data.runs.events import Noted, Warned, of_note
from engine.data.runs.record import RecordedRun
from engine.protocols.run_context import provenance
from engine.protocols.run_context.context import RunContext
from engine.protocols.study.protocol import Protocol

REPLACED = (
    "{names}: replaced, changed or removed during the run. The image was computed from the file "
    "as it was before."
)


def report_notes(context: RunContext[Protocol], notes: Iterable[str]) -> Iterator[Noted | Warned]:
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


def with_lost_inputs(
    context: RunContext[Protocol], info: Plain, run: RecordedRun
) -> Generator[Warned, None, Plain]:
    """Return a provenance with a warning if files have changed since they were read.

    Parameters
    ----------
    context
        run with its log
    info
        provenance of the finished image
    run
        record of the run
    """
    lost = provenance.unknown_inputs(info["inputs"])
    if not lost:
        return info
    files = context.study.files
    yield context.log.warn(REPLACED.format(names=", ".join(files[role].name for role in lost)))
    return provenance.with_run(info, run.with_warnings(context.log.warnings[-1:]))
