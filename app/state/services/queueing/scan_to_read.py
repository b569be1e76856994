"""A scan that is to be read for the queue, and the same in the file of unfinished work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.state.services.outcomes import Wanted
from engine.jobs import InputFile, QueueEntry, StudyQueue, UnreadScan

NOT_BEGUN = ("waiting", "asking", "paused")
"""States in which a study may get another protocol."""


@dataclass(eq=False)
class ScanToRead:
    """A scan to read, and the entry that it replaces.

    Attributes
    ----------
    wanted : the scan, with the answers so far
    loose : auxiliary files that were added with the scan and may belong to it
    agreed : sentences about assumed values that the user has accepted
    entry : entry that it replaces; None for a new one
    is_written : True once the queue on the disk contains the scan; set by a worker thread
    """

    wanted: Wanted
    loose: tuple[InputFile, ...] = ()
    agreed: tuple[str, ...] = ()
    entry: QueueEntry | None = None
    is_written: bool = False

    def to_unread(self) -> UnreadScan:
        """Return the scan for the file of unfinished work."""
        wanted = self.wanted
        return UnreadScan(
            # The next window may start in another folder.
            data=wanted.data.absolute(),
            scanner=wanted.scanner,
            given=dict(wanted.given),
            protocol="" if wanted.protocol is None else wanted.protocol.model_dump_json(),
            is_whole=wanted.is_whole,
            complete_events=wanted.complete_events,
            files=self.loose,
            agreed=self.agreed,
            fingerprints=dict(wanted.fingerprints),
            entry="" if self.entry is None else self.entry.id,
        )


def scans_to_read(queue: StudyQueue, scans: Iterable[UnreadScan]) -> tuple[ScanToRead, ...]:
    """Return the scans of a file of unfinished work that still have to be read.

    Parameters
    ----------
    queue
        the queue; an answer to a study that has begun or was removed is dropped
    scans
        scans that an earlier window did not read
    """
    entries = {entry.id: entry for entry in queue.entries() if entry.state in NOT_BEGUN}
    return tuple(
        ScanToRead(_wanted(each), each.files, each.agreed, entries.get(each.entry))
        for each in scans
        if not each.entry or each.entry in entries
    )


def _wanted(scan: UnreadScan) -> Wanted:
    return Wanted(
        scan.data,
        scan.scanner,
        scan.given,
        scan.chosen_protocol,
        is_whole=scan.is_whole,
        complete_events=scan.complete_events,
        fingerprints=scan.fingerprints,
    )
