"""Read files for the user outside the window's thread: a whole study, or one file.

A file is accepted for a role or refused with a sentence. A refused file changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.language.translation import tr
from app.state.models.inputs import DATA, SCANNER, Input, Inputs
from app.state.models.scanner_inputs import InputOwner, RememberedInputs
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
from engine.core.errors import (
    DataError,
    EngineError,
    GeometryError,
    ScannerMissingError,
    UnknownFormatError,
)
from engine.data import Plain
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
    "scanner": tr("This file describes a scanner and contains no scan."),
    "input": tr("This file is an input of another modality, not a scan."),
    "volume": tr("This file is an image volume, not a scan."),
    "protocol": tr("This file is a protocol, not a scan."),
}
"""Sentences about files that are not scans, by their purpose."""
NO_SCAN = tr("This file is not a scan.")
SHOWN = 8
"""Digits of a fingerprint in a message."""


@dataclass(frozen=True)
class StudyReader:
    """Reads files for the open study.

    Attributes
    ----------
    files : reader of foreign files
    remembered : inputs saved for scanners
    inputs : inputs of the open study
    roles, title : roles and title of its modality
    waiting : scan that was refused because it does not name its scanner
    complete_events : True if the user agreed to use the complete part of a truncated scan
    """

    files: ForeignFiles
    remembered: RememberedInputs
    inputs: Inputs
    roles: tuple[str, ...]
    title: str
    waiting: Wanted | None = None
    complete_events: bool = False

    def path(self, path: Path) -> Outcome:
        """Read any file: scan, study, protocol, scanner, auxiliary file or volume.

        Parameters
        ----------
        path
            file or folder

        Raises
        ------
        EngineError
            no reader accepts it, or it does not fit the open study
        """
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
        """Read a file for a role.

        Parameters
        ----------
        role
            input role
        value
            path, or name of a scanner

        Raises
        ------
        EngineError
            it is not a file for this role
        """
        if role == DATA:
            return self._scan_or_study(Path(value))
        return self.scanner(value) if role == SCANNER else self._auxiliary(role, Path(value))

    def study(self, study: Study, path: Path | None = None, *, may_differ: bool = True) -> NewStudy:
        """Read all files of a study.

        Parameters
        ----------
        study
            the study
        path
            its file; None if it has none
        may_differ
            False to refuse a study if another scan has taken the place of its own

        Raises
        ------
        EngineError
            one of its files cannot be used
        """
        given = {role: str(file) for role, file in study.inputs.items()}
        wanted = Wanted(
            study.data,
            study.scanner,
            given,
            study.protocol,
            is_whole=True,
            complete_events=study.complete_events,
            fingerprints=study.fingerprints,
            may_differ=may_differ,
        )
        return replace(self._new(wanted), path=path or study.data)

    def job(self, study: Study, folder: Path) -> NewStudy:
        """Read all files of an interrupted job.

        Parameters
        ----------
        study
            study of the job
        folder
            folder of the job

        Raises
        ------
        EngineError
            another file has taken the place of one of its files, or one cannot be used
        """
        self.files.refuse_replaced_scan(study.data, folder)
        return self.study(study, may_differ=False)

    def result(self, study: Study, inputs: Plain) -> NewStudy:
        """Read all files of the study of a result.

        Parameters
        ----------
        study
            study of the result
        inputs
            description of the files of the image by role, from the record of the result

        Raises
        ------
        EngineError
            another file has taken the place of one of its files, or one cannot be used
        """
        self.files.refuse_other_files(study, inputs)
        return self.study(study, may_differ=False)

    def wanted(self, wanted: Wanted) -> NewStudy:
        """Read exactly the files that a study names.

        Parameters
        ----------
        wanted
            the files

        Raises
        ------
        EngineError
            one of them cannot be used
        """
        return self._new(wanted)

    def scan(self, wanted: Wanted) -> NewStudy:
        """Read a scan with the files next to it, and with the user's answers about it.

        Parameters
        ----------
        wanted
            the scan, its scanner, and the files that the user named for it

        Raises
        ------
        EngineError
            the scan or a named file cannot be used
        """
        found = self.files.recognise(wanted.data)
        if found.files is None or found.role is not None:
            return self._new(wanted)
        return self._with_folder_files(found.files, wanted)

    def scanner(self, value: str | None) -> Outcome:
        """Read a scanner, and read the open study again for it.

        Parameters
        ----------
        value
            path or name of the scanner; None for the one that the scan names

        Raises
        ------
        EngineError
            the scanner or the study with it cannot be used
        """
        # For a waiting scan the roles are those of the scan before, so they say nothing.
        if self.waiting is None:
            self._refuse_foreign(SCANNER)
        if value is not None and self.waiting is not None:
            return self._new(replace(self.waiting, scanner=value))
        scan = self.inputs.get(DATA)
        if scan is None:
            return Addition(SCANNER, self._scanner(value or ""))
        # Inputs with an origin were added automatically; `_new` adds those of the new scanner.
        given = {
            role: found.value
            for role, found in self.inputs.items()
            if role not in (DATA, SCANNER) and not found.origin
        }
        is_cut = self.inputs.is_cut_off
        known = {role: scan.fingerprint for role in (DATA,) if scan.fingerprint}
        wanted = Wanted(Path(scan.value), value, given, complete_events=is_cut, fingerprints=known)
        return Revision(self._new(wanted).inputs)

    # Parts of a study

    def _scan_or_study(self, path: Path) -> NewStudy:
        found = self.files.recognise(path)
        purpose = found.purpose
        if found.files is not None and found.role is None:
            return self._with_folder_files(found.files)
        if purpose == "study":
            return self.study(self.files.study(path), path)
        if purpose != "scan":
            raise UnknownFormatError(
                tr(
                    "{name}: {sentence} Choose a scan, or drop the file on the window to open it.",
                    name=path.name,
                    sentence=KINDS.get(purpose, NO_SCAN),
                )
            )
        return self._scan(path)

    def _scan(self, path: Path) -> NewStudy:
        """Read a scan. A scanner that was chosen before any scan was open belongs to it."""
        chosen = self.inputs.get(SCANNER) if DATA not in self.inputs else None
        return self._new(Wanted(path, chosen.value if chosen is not None else None))

    def _of_folder(self, path: Path, found: Recognised) -> Outcome:
        """Read a scan with its folder; only the file itself if it belongs to the open scan."""
        files, scan = found.files, self.inputs.get(DATA)
        if files is None:
            return self._scan(path)
        if found.role is not None and scan is not None:
            # A CT or MR map serves any scan of the patient; other files only their own scan.
            is_own, is_map = Path(scan.value) == files.data, found.role.is_aligned_with_patient
            # The next export can have replaced the whole folder since the scan was opened.
            if is_own and scan.fingerprint not in ("", self.files.fingerprint(files.data)):
                return self._with_folder_files(files)
            if is_own or (is_map and found.role.key in self.roles):
                return self._auxiliary(found.role.key, path)
        return self._with_folder_files(files)

    def _with_folder_files(self, files: ScanFiles, wanted: Wanted | None = None) -> NewStudy:
        """Read a scan and its folder. Unusable files are left out and reported."""
        # Nobody chose these files, so one that is damaged must not prevent the scan from opening.
        known = Wanted(files.data) if wanted is None else replace(wanted, data=files.data)
        new, refused = self._new(known), []
        for role, file in files.inputs.items():
            if role in known.given:
                continue
            try:
                new.inputs[role] = self._read(role, str(file), new.inputs)
            except EngineError as e:
                refused.append(str(e))
        return replace(new, refused=(*new.refused, *refused))

    def _volume(self, path: Path) -> Outcome:
        keys = tuple(self.roles) if DATA in self.inputs else ()
        # A volume may be an input of the open study, such as a μ-map, instead of a picture.
        found = self.files.volume(path, keys)
        if isinstance(found, str):
            return self._auxiliary(found, path)
        # `looked_through` reads all values in this thread, not later while a view is painted.
        frames, form = self.files.frames(path), self.files.volume_format(path)
        return LoadedVolume(looked_through(found), path, frames, form)

    def _auxiliary(self, role: str, path: Path) -> Addition:
        # Auxiliary files are checked against the geometry of a scan, so it must come first.
        if DATA not in self.inputs:
            raise GeometryError(
                tr(
                    "{role}: no scan is open; first open the scan that this file belongs to.",
                    role=title_of(role),
                )
            )
        self._refuse_foreign(role)
        return Addition(role, self._read(role, str(path), self.inputs))

    def _refuse_foreign(self, role: str) -> None:
        if role not in self.roles:
            raise GeometryError(
                tr(
                    "A study of type {title} does not use this input: {role}.",
                    title=self.title,
                    role=name_of(role),
                )
            )

    def _new(self, wanted: Wanted) -> NewStudy:
        if (expected := wanted.fingerprints.get(DATA)) and not wanted.may_differ:
            # Before the whole scan is read, which can take minutes.
            found = self.files.fingerprint(wanted.data)
            self._refuse_other_file(wanted.data, found, expected)
        scan, chosen = self._scan_with_scanner(wanted)
        data = Input(str(wanted.data), scan.text, scan, fingerprint=scan.fingerprint)
        inputs = Inputs(data=data)
        if chosen is not None:
            inputs[SCANNER] = chosen
        for role, value in wanted.given.items():
            inputs[role] = self._read(role, value, inputs)
        changed = _changed(wanted, inputs)
        for role in () if wanted.may_differ else changed:
            found = inputs[role].fingerprint
            path = Path(inputs[role].value)
            self._refuse_other_file(path, found, wanted.fingerprints[role])
        refused = () if wanted.is_whole else self._add_remembered(inputs, scan)
        names = tuple(inputs[role].name for role in changed)
        return NewStudy(inputs, wanted.data, wanted.protocol, refused, names)

    def _refuse_other_file(self, path: Path, found: str, expected: str) -> None:
        if found == expected:
            return
        if self.files.lacks_linked_files(path, expected):
            raise DataError(
                tr(
                    "{name}: an earlier version of Isocenter saved the settings. It did not notice "
                    "that other files contain values of this scan, so these values may be of "
                    "another patient by now. Check the patient, and open the scan with its own "
                    "settings.",
                    name=path.name,
                )
            )
        raise DataError(
            tr(
                "{name}: this is not the file that the settings are for (fingerprint {found}, "
                "expected {expected}), and it may belong to another patient. Restore that file, "
                "or open the scan with its own settings.",
                name=path.name,
                found=found[:SHOWN],
                expected=expected[:SHOWN],
            )
        )

    def _scan_with_scanner(self, wanted: Wanted) -> tuple[ScanSummary, Input | None]:
        """Read a scan with the chosen scanner, or with one saved for scans that name none."""
        if wanted.scanner is not None:
            chosen = self._scanner(wanted.scanner)
            return self._summary(wanted, wanted.scanner), chosen
        try:
            return self._summary(wanted, None), None
        # A study file names all of its inputs, so it never uses a scanner saved on this computer.
        except ScannerMissingError as e:
            owner = InputOwner.of_format(e.format)
            remembered = None if wanted.is_whole else self.remembered.of(owner).get(SCANNER)
            if remembered is None:
                raise
            if obstacle := remembered.obstacle():
                raise ScannerMissingError(f"{e} {obstacle}", e.format) from e
            found = replace(self._scanner(remembered.value), origin=remembered.origin)
            return self._summary(wanted, remembered.value), found

    def _summary(self, wanted: Wanted, scanner: str | None) -> ScanSummary:
        agreed = self.complete_events or wanted.complete_events
        return self.files.scan(wanted.data, scanner, complete_events=agreed)

    def _add_remembered(self, inputs: Inputs, scan: ScanSummary) -> tuple[str, ...]:
        """Add inputs saved for the scanner; return the reasons for those left out."""
        scanner, refused = inputs.scanner, []
        if scanner is None:
            return ()
        suiting = [each for each in MODALITIES if each.suits(inputs.open_study)]
        # A file that the scan brings itself has priority over a saved one.
        roles = {role.key for each in suiting for role in each.inputs} - {*inputs, *scan.brings}
        for role, remembered in self.remembered.of(InputOwner.of_scanner(scanner)).items():
            if role not in roles:
                continue
            try:
                if obstacle := remembered.obstacle():
                    raise GeometryError(obstacle)
                found = self._read(role, remembered.value, inputs)
            except EngineError as e:
                refused.append(str(e))
            else:
                inputs[role] = replace(found, origin=remembered.origin)
        return tuple(refused)

    def _scanner(self, value: str) -> Input:
        scanner = self.files.scanner(value)
        return Input(value, f"{scanner.name}: {scanner.describe()}", scanner)

    def _read(self, role: str, value: str, of: Inputs) -> Input:
        path = Path(value)
        # Some kinds of scan state their whole geometry and have no scanner
        if of.scanner is None and (of.scan is None or of.scan.needs_scanner):
            raise GeometryError(
                tr(
                    "{name}: the scan does not name its scanner; choose one in the card Scan "
                    "first.",
                    name=path.name,
                )
            )
        found = self.files.auxiliary(role, path, of.scanner)
        self._refuse_of_other_scan(found.content, path.name, of)
        return Input(value, found.text, found.content, fingerprint=found.fingerprint)

    def _refuse_of_other_scan(self, content: object, name: str, of: Inputs) -> None:
        """Refuse a tracer file of another scan; a run would, but only if nobody edits it before."""
        wanted, data = getattr(content, "of_scan", None), of.get(DATA)
        if wanted is None or data is None or wanted == data.fingerprint:
            return
        path = Path(data.value)
        # Files of earlier versions have another digest of the scan, if it is still at its path.
        is_there = data.fingerprint in ("", self.files.fingerprint(path))
        if not (is_there and self.files.is_scan_of(path, wanted)):
            raise DataError(
                tr(
                    "{name}: this tracer file was filled in for a different scan than {scan}; "
                    "fill in a tracer file for this scan.",
                    name=name,
                    scan=path.name,
                )
            )


def _changed(wanted: Wanted, inputs: Inputs) -> list[str]:
    """Return the roles of the files that are not those that the settings are for."""
    found = {role: each.fingerprint for role, each in inputs.items()}
    expected = wanted.fingerprints.items()
    return [role for role, digest in expected if found.get(role, digest) != digest]


def title_of(role: str) -> str:
    """Return the title of an input role.

    Parameters
    ----------
    role
        key of the role; an unknown key is returned itself
    """
    return {each.key: each.title for each in all_roles()}.get(role, role)


def name_of(role: str) -> str:
    """Return the title of an input role for use within a sentence.

    Parameters
    ----------
    role
        key of the role
    """
    title = title_of(role)
    return f"{title[:1].lower()}{title[1:]}"
