"""Files that the user keeps for every scan of a scanner: its normalisation, crystal map, response.

They belong to the scanner by its name and geometry, or to a format whose scans name no scanner.
What belongs to one scan alone, such as a μ-map, cannot be kept. The list is a file of the settings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from app.language.translation import tr
from app.state.models.inputs import SCANNER
from engine.core.errors import EngineError
from engine.data import Plain
from engine.geometry import Scanner
from engine.modalities import ScanSummary, all_roles

FILE = "kept-inputs.json"
MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class KeepingOwner:
    """What inputs are kept for.

    Attributes
    ----------
    key : of a scanner with this geometry, or of a format
    name : for people
    """

    key: str
    name: str

    @classmethod
    def of_scanner(cls, scanner: Scanner) -> KeepingOwner:
        """Return a scanner as an owner: another geometry under the same name is another one."""
        facts = json.dumps([scanner.name, scanner.fingerprint()], sort_keys=True, default=str)
        digest = hashlib.sha256(facts.encode()).hexdigest()
        return cls(f"scanner {digest}", scanner.name)

    @classmethod
    def of_format(cls, name: str) -> KeepingOwner:
        """Return a format whose scans do not say which scanner they are from."""
        return cls(f"format {name}", name)


@dataclass(frozen=True)
class KeptInput:
    """One file that is kept.

    Attributes
    ----------
    value : its path, or the name of a scanner
    owner : name of the scanner or format it is kept for
    since : day, as YYYY-MM-DD
    n_bytes, mtime_ns : of the file when it was kept; 0 of what is no file
    """

    value: str
    owner: str
    since: str
    n_bytes: int = 0
    mtime_ns: int = 0

    @property
    def origin(self) -> str:
        """Why the input is there though nobody chose it for this scan."""
        day = date.fromisoformat(self.since)
        return tr(
            "Saved for all scans of {owner} since {day} {day_2:%b %Y}",
            owner=self.owner,
            day=day.day,
            day_2=day,
        )

    def obstacle(self) -> str:
        """Return why it cannot be used any more, empty if it can."""
        name = Path(self.value).name
        if (self.n_bytes, self.mtime_ns) == _identity(self.value):
            return ""
        return tr(
            "{name}: the file saved for {owner} was changed or removed; choose it "
            "again and save it again.",
            name=name,
            owner=self.owner,
        )


def owner_of(role: str, scan: ScanSummary | None, scanner: Scanner | None) -> KeepingOwner | None:
    """Return what an input of the open scan can be kept for; None: it belongs to the scan alone."""
    if role == SCANNER:
        return KeepingOwner.of_format(scan.format) if scan is not None and scan.format else None
    may_be_kept = any(each.key == role and each.of_scanner for each in all_roles())
    return KeepingOwner.of_scanner(scanner) if may_be_kept and scanner is not None else None


class KeptInputs:
    """All that is kept, by owner and role.

    Attributes
    ----------
    fault : why the list could not be read, empty if it could
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self.fault = ""
        self._kept = self._read()

    def of(self, owner: KeepingOwner) -> Mapping[str, KeptInput]:
        """Return what is kept for an owner, by role."""
        return dict(self._kept.get(owner.key, {}))

    def keep(self, owner: KeepingOwner, role: str, value: str, today: date) -> None:
        """Keep an input for an owner from today on."""
        made = KeptInput(value, owner.name, today.isoformat(), *_identity(value))
        self._write({**self._kept, owner.key: {**self.of(owner), role: made}})

    def drop(self, owner: KeepingOwner, role: str) -> None:
        """Keep an input no longer."""
        left = {key: kept for key, kept in self.of(owner).items() if key != role}
        self._write({**self._kept, owner.key: left})

    def _read(self) -> dict[str, dict[str, KeptInput]]:
        try:
            if not self._path.exists():
                return {}
            if self._path.stat().st_size > MOST_BYTES:
                raise ValueError(tr("too long"))
            return _parsed(json.loads(self._path.read_text("utf-8")))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
            aside = self._path.with_suffix(".damaged")
            with suppress(OSError):
                self._path.replace(aside)
            self.fault = tr(
                "{FILE}: the list of files saved for scanners cannot be read ({e}) and "
                "was moved to {name}; save the files for the scanners again.",
                FILE=FILE,
                e=e,
                name=aside.name,
            )
            return {}

    def _write(self, kept: dict[str, dict[str, KeptInput]]) -> None:
        from engine.io import write_atomically

        plain = {key: {r: asdict(k) for r, k in roles.items()} for key, roles in kept.items()}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            text = tr(
                "{folder}: the folder cannot be created ({e}).", folder=self._path.parent, e=e
            )
            raise EngineError(text) from e
        write_atomically(json.dumps(plain, indent=1, sort_keys=True).encode(), self._path)
        self._kept = kept


def _parsed(plain: Plain) -> dict[str, dict[str, KeptInput]]:
    kept = {key: {r: KeptInput(**k) for r, k in roles.items()} for key, roles in plain.items()}
    for each in (kept for roles in kept.values() for kept in roles.values()):
        date.fromisoformat(each.since)
        if not isinstance(each.value, str) or not isinstance(each.owner, str):
            raise ValueError(tr("a path is not a text"))
    return kept


def _identity(value: str) -> tuple[int, int]:
    """Return what tells whether a file is still the one it was: its size and time."""
    path = Path(value)
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    return facts.st_size, facts.st_mtime_ns
