"""Whether the machine holds one more study: what is estimated against what is free.

A study whose memory is not known runs alone; a graphics card takes one study at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core import backend
from engine.jobs.loader.foreign_files import ForeignFiles
from engine.jobs.loader.loader import Loader
from engine.modalities.base import OpenStudy
from engine.modalities.studies import modality_of
from engine.protocols.study.study import Study

SPARE = 1.2
"""What an estimate is multiplied by."""


@dataclass(frozen=True)
class RunMemory:
    """What a study takes at most.

    Attributes
    ----------
    memory_bytes : of the machine; 0: not known
    on_gpu : whether it runs on a graphics card
    """

    memory_bytes: int = 0
    on_gpu: bool = False


def has_room(
    wanted: RunMemory, running: Sequence[RunMemory], *, used_bytes: int, free_bytes: int
) -> bool:
    """Whether one more study fits beside those that run.

    Parameters
    ----------
    wanted
        by the next study
    running
        of those at work
    used_bytes
        memory that these have taken so far
    free_bytes
        memory that is free now
    """
    if not running:
        return True
    if not wanted.memory_bytes or not all(each.memory_bytes for each in running):
        return False
    if wanted.on_gpu and any(each.on_gpu for each in running):
        return False
    claimed = sum(SPARE * each.memory_bytes for each in running)
    to_come = max(0.0, claimed - used_bytes)  # what they will still take of what is free
    return SPARE * wanted.memory_bytes + to_come <= free_bytes


def estimate(study: Study, device: str) -> RunMemory:
    """Read a study's files, in a process of its own, and return what its run will take.

    Raises
    ------
    EngineError
        where one of its files cannot be used
    """
    on = backend.choose(backend.find_devices(), device)
    loader = Loader()
    try:
        known = opened(study, ForeignFiles(loader))
    finally:
        loader.close()
    modality = modality_of(study.protocol)
    grid = modality.grid(study.protocol, known)
    found = None if grid is None else modality.requirements(study.protocol, known, grid, on, 1.0)
    return RunMemory() if found is None else RunMemory(found.memory_bytes, on.is_gpu)


def opened(study: Study, files: ForeignFiles) -> OpenStudy:
    """Read what a forecast needs of a study: the scan, its scanner and the auxiliary files."""
    scan = files.scan(study.data, study.scanner, complete_events=study.complete_events)
    scanner = scan.scanner if study.scanner is None else files.scanner(study.scanner)
    contents = {}
    if scanner is not None:
        for role, path in study.inputs.items():
            contents[role] = files.auxiliary(role, path, scanner).content
    return OpenStudy(scan, scanner, contents)


def memory_of_children() -> int:
    """Return the memory that the processes of this one take [bytes]."""
    import psutil

    total = 0
    for child in psutil.Process().children(recursive=True):
        try:
            total += child.memory_info().rss
        except psutil.Error:
            continue
    return int(total)


def free_memory() -> int:
    """Return the memory of this machine that is free [bytes]."""
    import psutil

    return int(psutil.virtual_memory().available)
