"""Use a folder of Siemens software (e7 tools) as the inputs of a study."""

from __future__ import annotations

from pathlib import Path

from engine.corrections.roles import ATTENUATION_MAP
from engine.corrections.sinogram_roles import ATTENUATION, NORMALISATION, RANDOMS, SCATTER
from engine.data.input_role import InputRole
from engine.io.interfile.header import InterfileHeader, read_header
from engine.io.safety.open_input import open_input
from engine.io.siemens.folder import Part, siemens_folder
from engine.io.siemens.sinogram import RANDOMS as KINDS_OF_RANDOMS
from engine.io.siemens.sinogram import types_of
from engine.modalities.scan_files import ScanFiles

ROLES: dict[Part, InputRole] = {
    "normalisation": NORMALISATION,
    "attenuation": ATTENUATION,
    "randoms": RANDOMS,
    "scatter": SCATTER,
    "mu-map": ATTENUATION_MAP,
}


def site_files(path: Path) -> ScanFiles | None:
    """Return the counts that a path belongs to, with the auxiliary files of the folder.

    Parameters
    ----------
    path
        folder, or a file in it

    Returns
    -------
    site_files
        None if it is no such folder
    """
    found = siemens_folder(path)
    if found is None:
        return None
    inputs = {ROLES[part].key: file for part, file in found.parts.items()}
    # The header states if randoms are stored with the prompts, so their file is not missed.
    with open_input(found.counts) as file:
        missing = _missing(read_header(file), set(inputs))
    members = {name: ROLES[part].key for name, part in found.members.items()}
    return ScanFiles(found.counts, inputs, (*found.notes, *missing), members)


def _missing(header: InterfileHeader, given: set[str]) -> tuple[str, ...]:
    """Return one sentence about missing files; empty if the folder is complete."""
    has_delayeds = any(kind in KINDS_OF_RANDOMS for kind in types_of(header))
    lacks = {
        "normalisation": NORMALISATION.key not in given,
        # Either factors or a μ-map suffice for attenuation.
        "attenuation": not given & {ATTENUATION.key, ATTENUATION_MAP.key},
        "randoms": RANDOMS.key not in given and not has_delayeds,
        "scatter": SCATTER.key not in given,
    }
    words = [word for word, is_missing in lacks.items() if is_missing]
    if not words:
        return ()
    return (f"The folder of {header.path.name} lacks usable files: {', '.join(words)}.",)
