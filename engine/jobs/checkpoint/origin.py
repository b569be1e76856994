"""What a checkpoint was made from: it is gone on with only if that is still the same."""

from __future__ import annotations

import hashlib
import json

from engine.core.errors import DataError, SettingsError
from engine.core.json_types import Plain
from engine.jobs.checkpoint.images import Head
from engine.protocols.study.study import Study

Origin = tuple[str, dict[str, tuple[str, str]]]
"""Digest of settings and the state's version; name and digest of each input file by its role."""


def origin_of(study: Study, inputs: dict[str, Plain]) -> Origin:
    """Return the origin of what a study makes, with its files as they are described now."""
    scanner = None if "scanner" in inputs else study.scanner
    how: list[Plain | str | int | None] = [study.protocol.model_dump(mode="json"), scanner]
    if study.complete_events:
        how.append("complete events")
    if study.protocol.state_version:  # 0: as in older checkpoints
        how.append(study.protocol.state_version)
    protocol = json.dumps(how, sort_keys=True)
    files = {role: (file["name"], file["sha256"]) for role, file in inputs.items()}
    return hashlib.sha256(protocol.encode()).hexdigest(), files


def refuse_other_origin(origin: Origin, head: Head, study: Study, where: str) -> None:
    """Refuse a checkpoint of other files, or of another protocol; `where` is the study file."""
    protocol, inputs = origin
    for role in sorted({*inputs, *head.inputs}):
        now, then = inputs.get(role), head.inputs.get(role)
        if now is None or then is None or now[1] != then[1]:  # its name may change
            path = study.files.get(role)  # on the screen of its owner
            name = path.name if path is not None else (then or inputs[role])[0]
            raise DataError(
                f"{name}: not the file the checkpoint was made with; put that file back, "
                "or start the study anew."
            )
    if protocol != head.protocol:
        raise SettingsError(
            f"{where}: not the protocol the checkpoint was made with, or it was made by another "
            "version of Isocenter; undo the change, or start the study anew."
        )
