"""Files that the user saved for all scans of a scanner: normalisation, crystal map, response.

They belong to a scanner by name and geometry, or to a format whose scans do not name a scanner.
Files of a single scan, such as a μ-map, cannot be saved. The list is a file in the settings folder.
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
MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class InputOwner:
    """Scanner or format that inputs are saved for.

    Attributes
    ----------
    key : identifies a scanner with this geometry, or a format
    name : name for the user
    """

    key: str
    name: str

    @classmethod
    def of_scanner(cls, scanner: Scanner) -> InputOwner:
        """Return a scanner as an owner.

        Parameters
        ----------
        scanner
            a scanner; the same name with another geometry is another owner
        """
        # Scanners of one name may differ in geometry after an upgrade, and efficiencies do not
        # carry over.
        facts = json.dumps([scanner.name, scanner.fingerprint()], sort_keys=True, default=str)
        digest = hashlib.sha256(facts.encode()).hexdigest()
        return cls(f"scanner {digest}", scanner.name)

    @classmethod
    def of_format(cls, name: str) -> InputOwner:
        """Return a file format as an owner, for scans that do not name their scanner.

        Parameters
        ----------
        name
            name of the format
        """
        return cls(f"format {name}", name)


@dataclass(frozen=True)
class RememberedInput:
    """One saved input.

    Attributes
    ----------
    value : its path, or the name of a scanner
    owner : name of the scanner or format that it is saved for
    since : day of saving, as YYYY-MM-DD
    n_bytes, mtime_ns : size and time of the file when it was saved; 0 if it is not a file
    """

    value: str
    owner: str
    since: str
    n_bytes: int = 0
    mtime_ns: int = 0

    @property
    def origin(self) -> str:
        """Reason for using the input if the user did not choose it for this scan."""
        day = date.fromisoformat(self.since)
        return tr(
            "Used for all scans from {owner} since {day} {day_2:%b %Y}",
            owner=self.owner,
            day=day.day,
            day_2=day,
        )

    def obstacle(self) -> str:
        """Return why it cannot be used any more; empty if it can."""
        name = Path(self.value).name
        # A normalisation that was replaced on disk needs a new decision by the user.
        if (self.n_bytes, self.mtime_ns) == _size_and_mtime(self.value):
            return ""
        return tr(
            "{name}: the file saved for {owner} was changed or removed; choose and save it again.",
            name=name,
            owner=self.owner,
        )


def owner_of(role: str, scan: ScanSummary | None, scanner: Scanner | None) -> InputOwner | None:
    """Return the owner that an input of the open scan can be saved for.

    Parameters
    ----------
    role
        input role
    scan
        the open scan; None if there is none
    scanner
        its scanner; None if it is not known

    Returns
    -------
    None if the input belongs to the scan alone
    """
    if role == SCANNER:
        return InputOwner.of_format(scan.format) if scan is not None and scan.format else None
    is_of_scanner = any(each.key == role and each.of_scanner for each in all_roles())
    return InputOwner.of_scanner(scanner) if is_of_scanner and scanner is not None else None


class RememberedInputs:
    """All saved inputs by owner and role.

    Attributes
    ----------
    fault : reason why the list could not be read; empty if it could
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self.fault = ""
        self._inputs = self._read()

    def of(self, owner: InputOwner) -> Mapping[str, RememberedInput]:
        """Return the inputs saved for an owner, by role.

        Parameters
        ----------
        owner
            scanner or format
        """
        return dict(self._inputs.get(owner.key, {}))

    def keep(self, owner: InputOwner, role: str, value: str, today: date) -> None:
        """Save an input for an owner.

        Parameters
        ----------
        owner
            scanner or format
        role
            input role
        value
            path, or name of a scanner
        today
            date that is shown as the day of saving

        Raises
        ------
        EngineError
            the list cannot be written
        """
        made = RememberedInput(value, owner.name, today.isoformat(), *_size_and_mtime(value))
        self._write({**self._inputs, owner.key: {**self.of(owner), role: made}})

    def drop(self, owner: InputOwner, role: str) -> None:
        """Remove a saved input.

        Parameters
        ----------
        owner
            scanner or format
        role
            input role

        Raises
        ------
        EngineError
            the list cannot be written
        """
        left = {key: inputs for key, inputs in self.of(owner).items() if key != role}
        self._write({**self._inputs, owner.key: left})

    def _read(self) -> dict[str, dict[str, RememberedInput]]:
        try:
            if not self._path.exists():
                return {}
            # The limit protects the start of the window from a huge or wrong file.
            if self._path.stat().st_size > MAX_BYTES:
                raise ValueError(f"> {MAX_BYTES:,} bytes")
            return _parse_inputs(json.loads(self._path.read_text("utf-8")))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
            # The damaged file stays, because it may be the only list of these paths.
            aside = self._path.with_suffix(".damaged")
            with suppress(OSError):
                self._path.replace(aside)
            self.fault = tr(
                "{FILE}: the list of files for each scanner cannot be read ({e}) and was moved to "
                "{name}; save the files for each scanner again.",
                FILE=FILE,
                e=e,
                name=aside.name,
            )
            return {}

    def _write(self, inputs: dict[str, dict[str, RememberedInput]]) -> None:
        from engine.io import write_atomically

        values = {key: {r: asdict(k) for r, k in roles.items()} for key, roles in inputs.items()}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            text = tr(
                "{folder}: the folder cannot be created ({e}); check the permissions of its "
                "parent folder.",
                folder=self._path.parent,
                e=e,
            )
            raise EngineError(text) from e
        write_atomically(json.dumps(values, indent=1, sort_keys=True).encode(), self._path)
        # Only after the write: memory and file must agree if it fails.
        self._inputs = inputs


def _parse_inputs(values: Plain) -> dict[str, dict[str, RememberedInput]]:
    inputs = {
        key: {r: RememberedInput(**k) for r, k in roles.items()} for key, roles in values.items()
    }
    for each in (inputs for roles in inputs.values() for inputs in roles.values()):
        # Validate everything now: a wrong date would otherwise fail later, inside a paint event.
        date.fromisoformat(each.since)
        if not isinstance(each.value, str) or not isinstance(each.owner, str):
            raise ValueError(tr("a path or scanner name is not text"))
    return inputs


def _size_and_mtime(value: str) -> tuple[int, int]:
    """Return size and modification time of a file, to detect changes; zeros if it is missing."""
    path = Path(value)
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    # A digest of a large normalisation would delay the opening of every scan.
    return facts.st_size, facts.st_mtime_ns
