"""Store the provenance of a volume in a sealed JSON sidecar with the digest of the volume."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.io.folder import exists
from engine.io.safety.atomic_write import published_after, write_atomically
from engine.io.safety.locks import after_others
from engine.io.safety.open_input import InputFile, read_text
from engine.io.safety.piece_write import write_pieces
from engine.io.safety.seal import broken, seal_of, unsealed
from engine.io.text.json_text import from_json, to_json

FORMAT = "isocenter-provenance-file-2"
MAX_BYTES = 16_000_000
PLAIN, PACKED, ENDING = ".nii", ".nii.gz", ".provenance.json"
WAY_OUT = "copy both files again, or remove {name} to read the volume without its provenance"


def sidecar_path(path: Path) -> Path:
    """Return where the provenance of a volume is written: each file name has one of its own."""
    name = path.name
    stem = name[: -len(PACKED)] if name.lower().endswith(PACKED) else name
    return path.with_name(f"{stem}{ENDING}")


def found_sidecar(path: Path) -> Path | None:
    """Return the provenance of a volume, where there is one.

    Older versions wrote that of `a.nii` where that of `a.nii.gz` is written.
    """
    places = [sidecar_path(path)]
    if path.suffix.lower() == PLAIN:
        places.append(path.with_name(f"{path.stem}{ENDING}"))
    return next((each for each in places if exists(each)), None)


def write_with_sidecar(path: Path, image: bytes, unit: str, provenance: Plain) -> None:
    """Write a volume and its provenance."""
    digest = sha256(image).hexdigest()
    with writing_provenance(path, digest, unit, provenance) as forget_older:
        write_atomically(image, path, check=lambda _: forget_older())


def stream_with_sidecar(
    path: Path, pieces: Iterable[bytes | memoryview], n_bytes: int, unit: str, provenance: Plain
) -> None:
    """Write a volume that memory may not hold, piece by piece, and its provenance.

    Parameters
    ----------
    path
        of the volume
    pieces
        of its bytes, `n_bytes` at most
    n_bytes
        that must be free on the disk
    unit, provenance
        of its values, and where it comes from
    """
    with ExitStack() as stack:

        def check(digest: str) -> None:
            stack.enter_context(writing_provenance(path, digest, unit, provenance))()

        write_pieces(path, pieces, n_bytes, check)


@contextmanager
def writing_provenance(
    path: Path, digest: str, unit: str, provenance: Plain
) -> Iterator[Callable[[], None]]:
    """Write the provenance of a volume that the block puts in its place.

    Both are on the disk before an older sidecar goes, by what is yielded, which is to be called
    just before the volume takes its place: no volume ever stands beside that of another.

    Parameters
    ----------
    path
        of the volume
    digest
        SHA-256 of its bytes
    unit
        of its values
    provenance
        where it comes from
    """
    said: Plain = {
        "format": FORMAT,
        "file": path.name,
        "sha256": digest,
        "unit": unit,
        "provenance": provenance,
    }
    said["seal"] = seal_of(**from_json(to_json(said)))
    text, sidecar = to_json(said, indent=2).encode() + b"\n", sidecar_path(path)
    with after_others(sidecar), published_after(sidecar, text):
        yield lambda: sidecar.unlink(missing_ok=True)


def adjacent_provenance(file: InputFile) -> tuple[Plain, tuple[str, ...]]:
    """Return the provenance of a volume, {} where there is none, and what to remark.

    A sidecar that has changed is refused, and so is a volume other than the one it was written
    with. One that names another file, which may have been renamed since, is left out with a word.
    """
    return provenance_at(file.path, file.sha256)


def provenance_at(path: Path, digest: Callable[[], str]) -> tuple[Plain, tuple[str, ...]]:
    """Return the provenance of a volume like `adjacent_provenance`; `digest` covers its bytes."""
    sidecar = found_sidecar(path)
    if sidecar is None:
        return {}, ()
    content = _content(sidecar)
    way_out = WAY_OUT.format(name=sidecar.name)
    is_sealed = "seal" in content or content.get("format") == FORMAT
    if is_sealed and content.pop("seal", "") != seal_of(**content):
        raise broken(sidecar, way_out)
    provenance = content.get("provenance")
    if not isinstance(provenance, dict) or "sha256" not in content:
        return {}, (f"{sidecar.name}: not written by Isocenter, ignored.",)
    if content["sha256"] == digest():
        return provenance, () if is_sealed else (unsealed(sidecar),)
    if content.get("file") == path.name:
        raise FileFormatError(
            f"{path.name}: the checksum in {sidecar.name} differs, so the file has changed; "
            f"{way_out}."
        )
    note = f"{sidecar.name}: belongs to {str(content.get('file'))[:100]!r}, so it is ignored."
    return {}, (note,)


def _content(sidecar: Path) -> Plain:
    way_out = WAY_OUT.format(name=sidecar.name)
    try:
        return from_json(read_text(sidecar, MAX_BYTES))
    except (EngineError, ValueError) as e:
        raise FileFormatError(f"{sidecar.name}: damaged ({e}); {way_out}.") from e
