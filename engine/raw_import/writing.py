"""Write the sidecar of a draft, with comments about guesses, and never over another file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import tomli_w

from engine.core.errors import EngineError, FileFormatError, ResourceError
from engine.io.folder import exists
from engine.io.safety.atomic_write import write_atomically
from engine.io.text.toml_file import MAX_TOML_BYTES
from engine.io.xray.sidecar.found import sidecar_of
from engine.io.xray.sidecar.images import files_named
from engine.raw_import.draft import Draft


def text_of_sidecar(draft: Draft) -> str:
    """Return the text of the sidecar, with each guess as a comment at its beginning.

    Parameters
    ----------
    draft
        complete draft

    Raises
    ------
    EngineError
        if settings are missing, or the text exceeds the size that readers accept
    """
    settings = draft.settings  # raises if the draft is incomplete
    table = tomllib.loads(tomli_w.dumps(_toml_value(draft.table)))
    # The format line stays first, because readers recognise a sidecar by it.
    head, rest = tomli_w.dumps({"format": table.pop("format")}), tomli_w.dumps(table)
    notes = [
        f"# {guess.key}: {_one_line(guess.text)} ({_one_line(guess.why)})"
        if guess.why
        else f"# {guess.key}: {_one_line(guess.text)}"
        for guess in draft.guesses
    ]
    text = head + "".join(f"{each}\n" for each in notes) + rest
    if len(text.encode()) > MAX_TOML_BYTES:
        n = len(settings.images)
        raise FileFormatError(
            f"{draft.path.name}: the names of {n:,} files are too long for one description; "
            "number the files (scan_0000.tif, scan_0001.tif, ...) so that they have the same "
            "prefix."
        )
    return text


def write_draft(draft: Draft, path: Path | None = None) -> Path:
    """Write the sidecar of a draft atomically, and return its path.

    Parameters
    ----------
    draft
        complete draft
    path
        another name in the folder of the draft; None for the draft's own

    Raises
    ------
    FileFormatError
        if `path` is in another folder
    ResourceError
        if the file exists, or another sidecar already describes the images
    """
    path = path or draft.path
    if path.absolute().parent != draft.path.absolute().parent:
        raise FileFormatError(
            f"{path.name}: the description must be saved in {draft.path.parent}, because its file "
            "names are relative to this folder; choose a name in this folder."
        )
    if exists(path):
        raise ResourceError(
            f"{path.name}: this file already exists; open it, or choose another name."
        )
    text = text_of_sidecar(draft)
    _refuse_second(draft)
    write_atomically(text.encode(), path)
    return path


def _refuse_second(draft: Draft) -> None:
    """Refuse images that another sidecar describes: it would be unclear which one counts."""
    settings = draft.settings
    try:
        files = files_named(settings, settings.images[:1], draft.path)
    except EngineError:
        return  # as the reader of the scan reports
    found = sidecar_of(files[0])
    if found is not None:
        raise ResourceError(
            f"{files[0].name}: {found.name} already describes this scan; open or correct "
            f"{found.name}."
        )


def _toml_value(value: object) -> dict[str, object]:
    return {key: each for key, each in value.items() if each is not None} if (
        isinstance(value, dict)
    ) else {}  # fmt: skip


def _one_line(text: str) -> str:
    # A line break in a guess would end the comment and damage the file.
    return " ".join(text.split())
