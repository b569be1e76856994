"""Collect the licences of all libraries of an installation, and write a bill of materials.

    .venv/bin/python packaging/licences.py [FOLDER]     # default: build/supply

Writes THIRD-PARTY-LICENCES.txt and isocenter.cdx.json (CycloneDX 1.6) for the libraries that the
program needs at run time. Fails if a licence is unknown or restricts redistribution.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from license_expression import ExpressionError, ExpressionParseError, get_spdx_licensing
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
TEXTS, MATERIALS = "THIRD-PARTY-LICENCES.txt", "isocenter.cdx.json"
FREE = frozenset(
    (
        *("0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause"),
        *(
            "CC0-1.0",
            "HPND",
            "ISC",
            "MIT",
            "MIT-0",
            "MIT-CMU",
            "MPL-2.0",
            "PSF-2.0",
            "Python-2.0",
            "Zlib",
        ),
    )
)
"""Licences that require only their text and the authors' names."""
ACCEPTED = {
    "pyside6-essentials": "LGPL-3.0-only",
    "shiboken6": "LGPL-3.0-only",
}
"""Further licences, each for one library. A user can replace Qt, which is a separate library."""
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
OLD_TEXTS = {"Apache 2.0": "Apache-2.0", "BSD": "BSD-3-Clause"}
"""Texts in the metadata of older packages, with their SPDX expressions."""
ROBOTO = "roboto"
"""Font in the folder resources/fonts. It is not a package."""
TEXT_FILE = re.compile(r"licen[cs]e|copying|notice", re.IGNORECASE)
SPDX = get_spdx_licensing()


@dataclass(frozen=True)
class Library:
    """A library at run time.

    Attributes
    ----------
    name, version : installed name and version
    licence : SPDX expression, empty if unknown
    needs : names of the libraries that it requires on this machine
    texts : file name and content of its licence texts
    """

    name: str
    version: str
    licence: str
    needs: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]


def bundled_font() -> Library:
    """Return the font that comes with the program, with the text of its licence."""
    text = (ROOT / "LICENSES" / "Apache-2.0.txt").read_text("utf-8")
    return Library(ROBOTO, "2.138", "Apache-2.0", (), (("Apache-2.0.txt", text),))


def main(arguments: list[str]) -> int:
    """Write both files; return the exit code."""
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "supply"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    libraries = [*runtime_libraries(project["dependencies"]), bundled_font()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TEXTS).write_text(licences_text(libraries), "utf-8")
    (folder / MATERIALS).write_text(bill_of_materials(project, libraries), "utf-8")
    faults = [fault for library in libraries for fault in faults_of(library)]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(
        f"{len(libraries)} libraries and fonts at run time: {folder / TEXTS}, {folder / MATERIALS}"
    )
    return 2 if faults else 0


def runtime_libraries(requirements: Iterable[str]) -> list[Library]:
    """Return the installed libraries for these requirements and all their dependencies, by name."""
    found: dict[str, Library] = {}
    waiting = [canonicalize_name(name) for name in _needed(requirements)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _library(distribution(name))
            waiting += found[name].needs
    return [found[name] for name in sorted(found)]


def _library(found: Distribution) -> Library:
    name = canonicalize_name(found.metadata["Name"])
    needs = sorted(set(_needed(found.requires or ())))
    return Library(name, found.version, licence_of(found), tuple(needs), tuple(_texts(found)))


def _needed(requirements: Iterable[str]) -> Iterator[str]:
    """Yield the names of the requirements that apply to this machine."""
    for requirement in map(Requirement, requirements):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)


def licence_of(found: Distribution) -> str:
    """Return the SPDX expression of the licence that a package declares, or "" if there is none."""
    metadata = found.metadata
    declared = metadata.get("License-Expression") or metadata.get("License") or ""
    classifiers = [each.rpartition(" :: ")[2] for each in metadata.get_all("Classifier") or ()]
    known = [CLASSIFIERS[each] for each in classifiers if each in CLASSIFIERS]
    for text in (OLD_TEXTS.get(declared, declared), " OR ".join(known)):
        if text and is_known(text):
            return str(text)
    return ""


def is_known(licence: str) -> bool:
    """Return True if a text is a valid SPDX expression."""
    try:
        return "\n" not in licence and SPDX.parse(licence, validate=True) is not None
    except (ExpressionError, ExpressionParseError):
        return False


def faults_of(library: Library) -> Iterator[str]:
    """Yield the reasons why a library cannot be shipped with the program."""
    head = f"{library.name} {library.version}"
    if not library.licence:
        yield f"{head}: its licence is unknown; look it up and add it to packaging/licences.py."
    elif not allows(library.licence, FREE | {ACCEPTED.get(library.name, "")}):
        yield f"{head}: {library.licence} does not allow redistribution; remove the library."


def allows(licence: str, allowed: Iterable[str]) -> bool:
    """Return True if the allowed licences satisfy an expression."""
    return _is_allowed(SPDX.parse(licence), frozenset(allowed))


def _is_allowed(expression: object, allowed: frozenset[str]) -> bool:
    arguments = getattr(expression, "args", ())
    if not arguments:
        return str(expression) in allowed
    combine = any if isinstance(expression, SPDX.OR) else all
    return combine(_is_allowed(each, allowed) for each in arguments)


def _texts(found: Distribution) -> Iterator[tuple[str, str]]:
    for file in found.files or ():
        in_metadata = file.parts[0].endswith(".dist-info")
        if in_metadata and TEXT_FILE.search(file.name):
            yield file.name, file.locate().read_text(encoding="utf-8", errors="replace")


def licences_text(libraries: Iterable[Library]) -> str:
    """Return the list of libraries, followed by their licence texts."""
    libraries = list(libraries)
    lines = [f"{each.name} {each.version}: {each.licence or 'NOT KNOWN'}" for each in libraries]
    parts = ["Isocenter needs these libraries, each under its own licence.", "", *lines]
    for each in libraries:
        for name, text in each.texts:
            parts += ["", "=" * 80, f"{each.name} {each.version}: {name}", "=" * 80, text.strip()]
    return "\n".join(parts) + "\n"


def bill_of_materials(project: dict[str, str], libraries: Iterable[Library]) -> str:
    """Return the bill of materials as CycloneDX JSON, checked against its schema."""
    from cyclonedx.validation.json import JsonStrictValidator  # takes a second to load

    root = _component(project["name"], project["version"], project["license"], application=True)
    parts = {each.name: _component(each.name, each.version, each.licence) for each in libraries}
    bom = Bom(components=parts.values())
    bom.metadata.component = root
    purls = " ".join(sorted(str(part.purl) for part in (root, *parts.values())))
    bom.serial_number = uuid5(
        NAMESPACE_URL, purls
    )  # the same libraries give the same serial number
    names = {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}
    bom.register_dependency(root, [parts[name] for name in sorted(names & parts.keys())])
    for each in libraries:
        bom.register_dependency(parts[each.name], [parts[name] for name in each.needs])
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault is not None:
        raise ValueError(f"the bill of materials is not CycloneDX 1.6: {fault}")
    return text + "\n"


def _component(name: str, version: str, licence: str, *, application: bool = False) -> Component:
    # The font is a file of the program, not a package of an index.
    url = PackageURL("generic" if name == ROBOTO else "pypi", name=name, version=version)
    kind = ComponentType.APPLICATION if application else ComponentType.LIBRARY
    return Component(
        type=ComponentType.FILE if name == ROBOTO else kind,
        name=name,
        version=version,
        purl=url,
        bom_ref=str(url),
        licenses=[LicenseExpression(licence)] if licence else [],
    )


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except PackageNotFoundError as e:
        sys.exit(f"{e.name} is not installed; run `python3 packaging/bootstrap.py test` first.")
