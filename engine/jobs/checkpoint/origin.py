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


ADDED = (("algorithm", "updates"),)
"""Settings that checkpoints of 5a791f8c do not know; None leaves a run as it was."""


def origin_of(study: Study, inputs: dict[str, Plain]) -> Origin:
    """Return the origin of what a study makes, with its files as they are described now."""
    files = {role: (file["name"], file["sha256"]) for role, file in inputs.items()}
    return _protocol_digest(study, study.protocol.model_dump(mode="json"), files), files


def _protocol_digest(study: Study, protocol: Plain, files: dict[str, tuple[str, str]]) -> str:
    """Return the digest of the settings of a run, and of the version of its state."""
    scanner = None if "scanner" in files else study.scanner
    how: list[Plain | str | int | None] = [protocol, scanner]
    if study.complete_events:
        how.append("complete events")
    if study.protocol.state_version:  # 0: as in older checkpoints
        how.append(study.protocol.state_version)
    return hashlib.sha256(json.dumps(how, sort_keys=True).encode()).hexdigest()


def _older_digest(study: Study, files: dict[str, tuple[str, str]]) -> str:
    """Return the digest that older checkpoints have of the same settings."""
    protocol: Plain = study.protocol.model_dump(mode="json")
    for group, name in ADDED:
        if name in protocol.get(group, {}) and protocol[group][name] is None:
            del protocol[group][name]
    return _protocol_digest(study, protocol, files)


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
    if head.protocol not in (protocol, _older_digest(study, inputs)):
        raise SettingsError(
            f"{where}: not the protocol the checkpoint was made with, or it was made by another "
            "version of Isocenter; undo the change, or start the study anew."
        )
