"""Check that a checkpoint was made from the same files and settings before a run continues."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from engine.core.errors import DataError, SettingsError
from engine.core.json_types import Plain
from engine.io.text.json_text import object_of
from engine.jobs.checkpoint.images import Head
from engine.modalities.studies import Study
from engine.protocols.run_context.provenance import describe_inputs

Origin = tuple[str, dict[str, tuple[str, str]]]
"""Digest of settings and state versions; (name, digest) of each input file by its role."""


ADDED = (("algorithm", "updates"),)
"""Settings that checkpoints of 5a791f8c do not have; their value None does not change a run."""
DATA = "data"
"""Role of the scan."""
NEW_SETTINGS = ("error_replicates", "error_method", "error_seed")
"""Settings of a protocol that are left out of the digest if they have their default."""


def origin_of(study: Study, inputs: dict[str, Plain]) -> Origin:
    """Return the origin of the images of a study.

    Parameters
    ----------
    study
        study with its protocol
    inputs
        description of each file by role, with the keys "name" and "sha256"

    Returns
    -------
    origin
        digest of the settings, and (name, digest) of each file
    """
    files = {role: (file["name"], file["sha256"]) for role, file in inputs.items()}
    return _protocol_digest(study, _settings(study), files), files


def _settings(study: Study) -> Plain:
    """Return the settings of a run as JSON values."""
    settings: Plain = study.protocol.model_dump(mode="json")
    # Checkpoints from before error maps lack these settings; their defaults change no run.
    fields = type(study.protocol).model_fields
    absent = {key for key in NEW_SETTINGS if key in fields and settings[key] == fields[key].default}
    return {key: value for key, value in settings.items() if key not in absent}


def _protocol_digest(study: Study, protocol: Plain, files: dict[str, tuple[str, str]]) -> str:
    """Return the digest of the settings of a run and of the versions of its state."""
    # A scanner file is in `files` with its own digest; only a name counts here
    scanner = None if "scanner" in files else study.scanner
    how: list[Plain | str | int | None] = [protocol, scanner]
    if study.complete_events:
        how.append("complete events")
    if study.protocol.state_version:  # 0: as in older checkpoints
        how.append(study.protocol.state_version)
    if study.protocol.algorithm.state_version:
        how.append(f"algorithm {study.protocol.algorithm.state_version}")
    return hashlib.sha256(json.dumps(how, sort_keys=True).encode()).hexdigest()


def _older_digest(study: Study, files: dict[str, tuple[str, str]]) -> str:
    """Return the digest of the same settings in older checkpoints."""
    protocol = _settings(study)
    for group, name in ADDED:
        if name in protocol.get(group, {}) and protocol[group][name] is None:
            del protocol[group][name]
    return _protocol_digest(study, protocol, files)


def refuse_other_files(scan: Path, study: Study, then: dict[str, Plain]) -> None:
    """Refuse a study without fingerprint if its files are not those of its image.

    Parameters
    ----------
    scan
        scan of the study, for a process that reads foreign files
    study
        study of the image; one with a fingerprint of its scan is compared by readers of the study
    then
        description of each file of the image by role, with the key "sha256"

    Raises
    ------
    DataError
        if a file was added, removed or changed, or nothing shows that it was not
    ResourceError
        if a file cannot be read
    """
    if DATA in study.fingerprints:
        return
    if not object_of(then.get(DATA)).get("sha256"):
        raise DataError(
            f"{scan.name}: nothing shows that this is still the file of the image, and it may be "
            "the file of another patient by now. Open the scan, check the patient, and use the "
            "settings again."
        )
    now = describe_inputs(study)
    for role in sorted({*now, *then}):
        digests = [object_of(each.get(role)).get("sha256") for each in (now, then)]
        if digests[0] != digests[1]:
            name = study.files.get(role, scan).name
            raise DataError(
                f"{name}: the file has changed since the image was made, and may belong to "
                "another patient. Restore it, or open the scan and use the settings again."
            )


def refuse_other_origin(origin: Origin, head: Head, study: Study, where: str) -> None:
    """Refuse a checkpoint that was made from other files or settings.

    Parameters
    ----------
    origin
        origin of the study now, from `origin_of`
    head
        description in the checkpoint
    study
        study of the job; gives the file names for the message
    where
        name of the study file for the message

    Raises
    ------
    DataError
        if a file was added, removed or changed; another name with the same content is accepted
    SettingsError
        if the protocol or the version of the state differs
    """
    protocol, inputs = origin
    for role in sorted({*inputs, *head.inputs}):
        now, then = inputs.get(role), head.inputs.get(role)
        if now is None or then is None or now[1] != then[1]:  # its name may change
            path = study.files.get(role)  # on the screen of its owner
            name = path.name if path is not None else (then or inputs[role])[0]
            raise DataError(
                f"{name}: the file has changed since the checkpoint was saved. Restore it, or "
                "start the study again."
            )
    if head.protocol not in (protocol, _older_digest(study, inputs)):
        raise SettingsError(
            f"{where}: the protocol or the Isocenter version has changed since the checkpoint "
            "was saved. Undo the change, or start the study again."
        )
