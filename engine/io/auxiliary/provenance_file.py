"""Store the provenance of a volume in a sealed JSON sidecar with the digest of the volume."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.io.folder import exists
from engine.io.safety.atomic_write import published_after, write_atomically, write_pieces
from engine.io.safety.locks import after_others
from engine.io.safety.open_input import InputFile, read_text
from engine.io.safety.seal import broken, seal_of, unsealed
from engine.io.text.json_text import from_json, to_json

FORMAT = "isocenter-provenance-file-2"
MAX_BYTES = 16_000_000
UNPACKED, PACKED, ENDING = ".nii", ".nii.gz", ".provenance.json"
REMEDY = "Copy both files again, or remove {name} to read the volume without its provenance."


def sidecar_path(path: Path) -> Path:
    """Return the path of the provenance of a volume, different for each file name."""
    name = path.name
    # Only ".nii.gz" is cut: "a.nii" and "a.nrrd" in one folder need different sidecars.
    stem = name[: -len(PACKED)] if name.lower().endswith(PACKED) else name
    return path.with_name(f"{stem}{ENDING}")


def found_sidecar(path: Path) -> Path | None:
    """Return the existing provenance file of a volume.

    Parameters
    ----------
    path
        file of the volume, or folder of a series

    Returns
    -------
    sidecar
        None if there is none; older versions stored that of `a.nii` under the name for `a.nii.gz`
    """
    places = [sidecar_path(path)]
    if path.suffix.lower() == UNPACKED:
        places.append(path.with_name(f"{path.stem}{ENDING}"))
    return next((each for each in places if exists(each)), None)


def write_with_sidecar(path: Path, image: bytes, unit: str, provenance: Plain) -> None:
    """Write a volume and its provenance.

    Parameters
    ----------
    path
        target of the volume
    image
        all bytes of its file
    unit
        unit of its values
    provenance
        its origin as JSON values
    """
    digest = sha256(image).hexdigest()
    with writing_provenance(path, digest, unit, provenance) as forget_older:
        write_atomically(image, path, check=lambda _: forget_older())


def stream_with_sidecar(
    path: Path, pieces: Iterable[bytes | memoryview], n_bytes: int, unit: str, provenance: Plain
) -> None:
    """Write a volume that can exceed the memory, piece by piece, and its provenance.

    Parameters
    ----------
    path
        target of the volume
    pieces
        bytes of its file, at most `n_bytes`
    n_bytes
        space that must be free on the disk
    unit
        unit of its values
    provenance
        its origin as JSON values
    """
    # The digest is known only after the last piece, so the sidecar is written within the check.
    with ExitStack() as stack:

        def check(digest: str) -> None:
            stack.enter_context(writing_provenance(path, digest, unit, provenance))()

        write_pieces(path, pieces, n_bytes, check)


@contextmanager
def writing_provenance(
    path: Path, digest: str, unit: str, provenance: Plain
) -> Iterator[Callable[[], None]]:
    """Write the provenance of a volume that the block writes.

    Both files are on the disk before the older sidecar is removed by the yielded function. Call it
    just
    before the volume replaces its target, so that no volume is ever next to the sidecar of another.

    Parameters
    ----------
    path
        target of the volume
    digest
        SHA-256 of its bytes
    unit
        unit of its values
    provenance
        its origin as JSON values

    Yields
    ------
    forget_older
        function that removes the older sidecar
    """
    stated: Plain = {
        "format": FORMAT,
        "file": path.name,
        "sha256": digest,
        "unit": unit,
        "provenance": provenance,
    }
    # The seal covers the values as JSON returns them: tuples become lists, for example.
    stated["seal"] = seal_of(**from_json(to_json(stated)))
    text, sidecar = to_json(stated, indent=2).encode() + b"\n", sidecar_path(path)
    with after_others(sidecar), published_after(sidecar, text):
        yield lambda: sidecar.unlink(missing_ok=True)


def adjacent_provenance(file: InputFile) -> tuple[Plain, tuple[str, ...]]:
    """Return the provenance of a volume, {} if there is none, and notes for the user.

    Parameters
    ----------
    file
        open file of the volume

    Raises
    ------
    FileFormatError
        if the sidecar was changed, or the volume differs from the one it was written with; a
        sidecar of
        another file name is only ignored with a note, because files can be renamed
    """
    return provenance_at(file.path, file.sha256)


def provenance_at(path: Path, digest: Callable[[], str]) -> tuple[Plain, tuple[str, ...]]:
    """Return the provenance of a volume as `adjacent_provenance` does.

    Parameters
    ----------
    path
        file of the volume, or folder of a series
    digest
        returns the SHA-256 of its bytes; called only if there is a sidecar, because it reads all of
        them
    """
    sidecar = found_sidecar(path)
    if sidecar is None:
        return {}, ()
    content = _content(sidecar)
    remedy = REMEDY.format(name=sidecar.name)
    # The current format always has a seal, so a removed seal is detected too.
    is_sealed = "seal" in content or content.get("format") == FORMAT
    if is_sealed and content.pop("seal", "") != seal_of(**content):
        raise broken(sidecar, remedy)
    provenance = content.get("provenance")
    if not isinstance(provenance, dict) or "sha256" not in content:
        return {}, (f"{sidecar.name}: not written by Isocenter, so it is ignored.",)
    # The content decides, not the name: a volume can be renamed together with its sidecar.
    if content["sha256"] == digest():
        return provenance, () if is_sealed else (unsealed(sidecar),)
    if content.get("file") == path.name:
        raise FileFormatError(
            f"{path.name}: does not match the checksum in {sidecar.name}, so it has been changed. "
            f"{remedy}"
        )
    note = f"{sidecar.name}: belongs to {str(content.get('file'))[:100]!r}, so it is ignored."
    return {}, (note,)


def _content(sidecar: Path) -> Plain:
    remedy = REMEDY.format(name=sidecar.name)
    try:
        return from_json(read_text(sidecar, MAX_BYTES))
    except EngineError as e:
        raise FileFormatError(f"{e} {remedy}") from e
    except ValueError as e:
        raise FileFormatError(
            f"{sidecar.name}: not valid JSON, so the file is damaged. {remedy} Reason: {e}."
        ) from e
