"""The support bundle: facts about an installation and its last run, without names."""

from __future__ import annotations

import getpass
import importlib.metadata
import io
import json
import platform
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.core.backend.devices import cpu_device, find_devices
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.core.paths import cache_dir, config_dir, jobs_dir
from engine.io.safety.atomic_write import write_atomically
from engine.protocols.run_context.environment import environment
from engine.tools.diagnostics.faults import last_fault
from engine.tools.diagnostics.redaction import Redaction, names_of

CONTENT = {
    "environment.json": "versions of Isocenter, Python and the libraries; system and processor",
    "devices.json": "processor and graphics card, memory, free space on the disk",
    "settings.txt": "the window's settings, without files and folders",
    "log.txt": "messages of the window since it was opened",
    "job.json": "the newest job: state, device, sizes of its files",
    "study.txt": "the settings of the newest job",
    "fault.txt": "the last internal error, and where in the program it happened",
}
"""Files of a bundle, and their content."""
PROMISE = (
    "The bundle contains no image and no scan. Names of patients, users, machines, files and "
    "folders, dates and long numbers are replaced by marks such as [1]. Only words that the "
    "program itself uses remain. Read the files before you send them."
)
MAX_CHARS = 400_000
SIZE = "_bytes"
"""End of the names of sizes."""


@dataclass(frozen=True)
class SupportBundle:
    """Texts by file name."""

    files: dict[str, str]

    def write(self, path: Path) -> None:
        """Write them atomically as one ZIP file.

        Parameters
        ----------
        path
            output file
        """
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in self.files.items():
                # A fixed date: the time of the bundle would be information about the user
                archive.writestr(zipfile.ZipInfo(name), text)
        write_atomically(packed.getvalue(), path)


def gather(
    *,
    log: Iterable[str] = (),
    names: Iterable[str | Path] = (),
    free_bytes: int | None = None,
) -> SupportBundle:
    """Collect a bundle, which takes a second or two.

    Parameters
    ----------
    log
        lines of the window's log
    names
        further files and texts that are private
    free_bytes
        memory that runs can use, see `engine.io.usable_memory`; None if it is not known

    Returns
    -------
    bundle
        redacted texts, with a README that lists them
    """
    job = _newest_job()
    settings = _read(config_dir() / "window.ini")
    study = _read(job / "study.toml") if job else ""
    # Names first: they are found in settings before these are redacted
    redaction = Redaction(_private(names, settings, study))
    texts = {
        "environment.json": _json(environment() | {"packages": _packages()}),
        "devices.json": redaction.text(_json(_machine(free_bytes))),
        "settings.txt": redaction.text("\n".join(_settings(settings))),
        "log.txt": redaction.text("\n".join(log)),
        "job.json": _json(redaction.value(_record(job))) if job else "",
        "study.txt": redaction.text(study),
        "fault.txt": redaction.text(last_fault()),
    }
    # The end of a long text is the newest part
    shown = {name: text[-MAX_CHARS:] for name, text in texts.items() if text.strip()}
    listed = [f"{name:18s} {CONTENT[name]}" for name in shown]
    head = "\n".join(["Isocenter support bundle", "", PROMISE, "", *listed, ""])
    return SupportBundle({"README.txt": head, **shown})


def _private(names: Iterable[str | Path], *texts: str) -> frozenset[str]:
    """Return all private texts: the user, the machine, and files and folders of studies."""
    quoted = (part for text in texts for part in _quoted(text))
    paths = [Path.home(), cache_dir(), jobs_dir(), config_dir(), *map(Path, names), *quoted]
    # The name of the machine may be that of its owner
    user = {Path.home().name, platform.node()}
    with suppress(OSError, KeyError, ImportError):  # a user without a name
        user.add(getpass.getuser())
    return names_of(paths) | frozenset(user)


def _quoted(text: str) -> Iterator[Path]:
    """Yield values in settings that look like paths."""
    for line in text.splitlines():
        for part in line.partition("=")[2].split(","):
            value = part.strip().strip("\"'[]")
            if ("/" in value or "\\" in value) and not value.startswith("@"):
                yield Path(value)


def _settings(text: str) -> Iterator[str]:
    """Yield the lines of a settings file, without Qt's binary geometry of the window."""
    return (line for line in text.splitlines() if "@ByteArray" not in line)


def _packages() -> dict[str, str]:
    found = ((each.metadata["Name"], each.version) for each in importlib.metadata.distributions())
    return dict(sorted((str(name), version) for name, version in found))


def _machine(free_bytes: int | None) -> Plain:
    disks = {"cache": cache_dir(), "jobs": jobs_dir()}
    return {
        "devices": [_in_gib(asdict(device)) for device in find_devices(free_bytes)],
        "machine_free_memory_gib": _gib(cpu_device().free_bytes),
        "free_gib": {name: _gib(shutil.disk_usage(each).free) for name, each in disks.items()},
    }


def _in_gib(values: Plain) -> Plain:
    """Return facts with sizes in GiB, because long numbers are redacted as those of patients."""
    found: Plain = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found[name] = _in_gib(value)
        elif name.endswith(SIZE):
            found[name.removesuffix(SIZE) + "_gib"] = _gib(value)
        else:
            found[name] = value
    return found


def _gib(n_bytes: int) -> float:
    return round(n_bytes / 2**30, 1)


def _newest_job() -> Path | None:
    try:
        found = [path.parent for path in jobs_dir().glob("*/job.json")]
        return max(found, key=lambda folder: (folder / "job.json").stat().st_mtime, default=None)
    except (OSError, ResourceError):
        return None


def _record(job: Path) -> object:
    try:
        return json.loads(_read(job / "job.json"))
    except ValueError:
        return {"text": "damaged"}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:MAX_CHARS]
    except OSError:
        return ""


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"
