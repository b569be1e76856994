"""What is read for the user, away from the window's thread: a study whole, or one file of it.

A file is read for a role, or refused with a sentence; what is refused changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.language.translation import tr
from app.state.models.inputs import DATA, SCANNER, Input, Inputs
from app.state.models.scanner_inputs import KeepingOwner, KeptInputs
from app.state.services.outcomes import (
    Addition,
    Choice,
    LoadedVolume,
    NewStudy,
    Outcome,
    Revision,
    Wanted,
)
from app.views.volume_facts import looked_through
from engine.core.errors import EngineError, GeometryError, ScannerMissingError, UnknownFormatError
from engine.geometry import Scanner
from engine.modalities import (
    MODALITIES,
    Recognised,
    ScanFiles,
    ScanSummary,
    Study,
    all_roles,
)

if TYPE_CHECKING:  # the loader is not needed to open the window
    from engine.jobs import ForeignFiles

KINDS = {
    "scanner": tr("a scanner description"),
    "input": tr("an input file of another modality"),
    "volume": tr("an image volume"),
    "protocol": tr("a protocol"),
}
"""Names of the files that are not scans, by their purpose."""


@dataclass(frozen=True)
class StudyReader:
    """Reads for the study that is open now.

    Attributes
    ----------
    files : reads foreign files
    kept : inputs that are kept for scanners
    inputs : those of the open study
    roles, title : of its kind of scan
    waiting : a scan that was refused since it names no scanner
    complete_events : whether the user agreed to use what is complete of a scan that is cut off
    """

    files: ForeignFiles
    kept: KeptInputs
    inputs: Inputs
    roles: tuple[str, ...]
    title: str
    waiting: Wanted | None = None
    complete_events: bool = False

    def path(self, path: Path) -> Outcome:
        """Read any file: scan, study, protocol, scanner, auxiliary file or volume."""
        found = self.files.recognise(path)
        match found.purpose:
            case "scan":
                return self._scan(path) if found.files is None else self._of_folder(path, found)
            case "scanner":
                return self.scanner(str(path))
            case "input" if found.role is not None:
                return self._auxiliary(found.role.key, path)
            case "volume":
                return self._volume(path)
            case "study":
                return self.study(self.files.study(path), path)
            case _:
                return Choice(self.files.protocol(path))

    def role(self, role: str, value: str) -> Outcome:
        """Read what the user offers for a role: it is that, or it is refused."""
        if role == DATA:
            return self._scan_or_study(Path(value))
        return self.scanner(value) if role == SCANNER else self._auxiliary(role, Path(value))

    def study(self, study: Study, path: Path | None = None) -> NewStudy:
        """Read all files of a study; one that cannot be used refuses the study."""
        given = {role: str(file) for role, file in study.inputs.items()}
        wanted = Wanted(
            study.data,
            study.scanner,
            given,
            study.protocol,
            is_whole=True,
            complete_events=study.complete_events,
        )
        return replace(self._new(wanted), path=path or study.data)

    def scanner(self, value: str | None) -> Outcome:
        """Read a scanner, and for it all of the open study; None: as the scan says."""
        if self.waiting is None:
            self._refuse_foreign(SCANNER)
        if value is not None and self.waiting is not None:
            return self._new(replace(self.waiting, scanner=value))
        scan = self.inputs.get(DATA)
        if scan is None:
            return Addition(SCANNER, self._scanner(value or ""))
        given = {
            role: found.value
            for role, found in self.inputs.items()
            if role not in (DATA, SCANNER) and not found.origin
        }
        is_cut = self.inputs.is_cut_off
        wanted = Wanted(Path(scan.value), value, given, complete_events=is_cut)
        return Revision(self._new(wanted).inputs)

    # parts

    def _scan_or_study(self, path: Path) -> NewStudy:
        found = self.files.recognise(path)
        purpose = found.purpose
        if found.files is not None and found.role is None:
            return self._with_beside(found.files)
        if purpose == "study":
            return self.study(self.files.study(path), path)
        if purpose != "scan":
            raise UnknownFormatError(
                tr(
                    "{name}: this file is not a scan but {kind}; choose a scan, or drop "
                    "the file on the window to open it.",
                    name=path.name,
                    kind=KINDS.get(purpose, purpose),
                )
            )
        return self._scan(path)

    def _scan(self, path: Path) -> NewStudy:
        """Read a scan; a scanner that was chosen while no scan was open is for it."""
        chosen = self.inputs.get(SCANNER) if DATA not in self.inputs else None
        return self._new(Wanted(path, chosen.value if chosen is not None else None))

    def _of_folder(self, path: Path, found: Recognised) -> Outcome:
        """Read a scan with what lies beside it; a file of the open scan, or a map, alone."""
        files, scan = found.files, self.inputs.get(DATA)
        if files is None:
            return self._scan(path)
        if found.role is not None and scan is not None:
            is_own, is_map = Path(scan.value) == files.data, found.role.is_aligned_with_patient
            if is_own or (is_map and found.role.key in self.roles):
                return self._auxiliary(found.role.key, path)
        return self._with_beside(files)

    def _with_beside(self, files: ScanFiles) -> NewStudy:
        """Read a scan and what its folder has for it; what cannot be used is left out, and said."""
        new, refused = self._new(Wanted(files.data)), []
        for role, file in files.inputs.items():
            try:
                new.inputs[role] = self._read(role, str(file), new.inputs.scanner)
            except EngineError as e:
                refused.append(str(e))
        return replace(new, refused=(*new.refused, *refused))

    def _volume(self, path: Path) -> Outcome:
        keys = tuple(self.roles) if DATA in self.inputs else ()
        found = self.files.volume(path, keys)
        if isinstance(found, str):
            return self._auxiliary(found, path)
        frames, form = self.files.frames(path), self.files.volume_format(path)
        return LoadedVolume(looked_through(found), path, frames, form)

    def _auxiliary(self, role: str, path: Path) -> Addition:
        if DATA not in self.inputs:
            raise GeometryError(
                tr(
                    "No scan is open; open the scan that this {role} belongs to first.",
                    role=name_of(role),
                )
            )
        self._refuse_foreign(role)
        return Addition(role, self._read(role, str(path), self.inputs.scanner))

    def _refuse_foreign(self, role: str) -> None:
        if role not in self.roles:
            raise GeometryError(
                tr(
                    "The study is of type {title} and does not use: {role}.",
                    title=self.title,
                    role=name_of(role),
                )
            )

    def _new(self, wanted: Wanted) -> NewStudy:
        scan, chosen = self._scan_with_scanner(wanted)
        inputs = Inputs(data=Input(str(wanted.data), scan.text, scan))
        if chosen is not None:
            inputs[SCANNER] = chosen
        for role, value in wanted.given.items():
            inputs[role] = self._read(role, value, inputs.scanner)
        refused = () if wanted.is_whole else self._add_kept(inputs, scan)
        return NewStudy(inputs, wanted.data, wanted.protocol, refused)

    def _scan_with_scanner(self, wanted: Wanted) -> tuple[ScanSummary, Input | None]:
        """Read a scan with the chosen scanner, or one kept for scans that name none."""
        if wanted.scanner is not None:
            chosen = self._scanner(wanted.scanner)
            return self._summary(wanted, wanted.scanner), chosen
        try:
            return self._summary(wanted, None), None
        except ScannerMissingError as e:
            owner = KeepingOwner.of_format(e.format)
            kept = None if wanted.is_whole else self.kept.of(owner).get(SCANNER)
            if kept is None:
                raise
            if obstacle := kept.obstacle():
                raise ScannerMissingError(f"{e} {obstacle}", e.format) from e
            found = replace(self._scanner(kept.value), origin=kept.origin)
            return self._summary(wanted, kept.value), found

    def _summary(self, wanted: Wanted, scanner: str | None) -> ScanSummary:
        agreed = self.complete_events or wanted.complete_events
        return self.files.scan(wanted.data, scanner, complete_events=agreed)

    def _add_kept(self, inputs: Inputs, scan: ScanSummary) -> tuple[str, ...]:
        """Add what is kept for the scanner; return why something of it was left out."""
        scanner, refused = inputs.scanner, []
        if scanner is None:
            return ()
        suiting = [each for each in MODALITIES if each.suits(inputs.open_study)]
        roles = {role.key for each in suiting for role in each.inputs} - {*inputs, *scan.brings}
        for role, kept in self.kept.of(KeepingOwner.of_scanner(scanner)).items():
            if role not in roles:
                continue
            try:
                if obstacle := kept.obstacle():
                    raise GeometryError(obstacle)
                found = self._read(role, kept.value, scanner)
            except EngineError as e:
                refused.append(str(e))
            else:
                inputs[role] = replace(found, origin=kept.origin)
        return tuple(refused)

    def _scanner(self, value: str) -> Input:
        scanner = self.files.scanner(value)
        return Input(value, f"{scanner.name}: {scanner.describe()}", scanner)

    def _read(self, role: str, value: str, scanner: Scanner | None) -> Input:
        path = Path(value)
        if scanner is None:
            raise GeometryError(
                tr(
                    "{name}: the scan does not name its scanner; choose one in step 1 first.",
                    name=path.name,
                )
            )
        found = self.files.auxiliary(role, path, scanner)
        return Input(value, found.text, found.content)


def title_of(role: str) -> str:
    """Return what an input is called."""
    return {each.key: each.title for each in all_roles()}.get(role, role)


def name_of(role: str) -> str:
    """Return what an input is called within a sentence."""
    title = title_of(role)
    return f"{title[:1].lower()}{title[1:]}"
