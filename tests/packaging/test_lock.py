"""Tests of the lock: every requirement has a name, a version and hashes, and no index."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from lock import PLATFORMS, PYTHONS
from locked import BASE, COMPILER, FOLDER, GROUPS, MACHINES, TOOLS, Lock, entries, this_machine
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
TEXTS = {group: (ROOT / FOLDER / f"{group}.txt").read_text("utf-8") for group in GROUPS}
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def locked_versions(*groups: str) -> dict[str, list[Requirement]]:
    """Return the locked names of groups, with one version for each kind of machine."""
    found: dict[str, list[Requirement]] = {}
    for group in groups:
        for entry in entries(TEXTS[group]):
            requirement = Requirement(entry.split(" \\\n")[0])
            found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def requirements_of(extra: str) -> Iterator[Requirement]:
    """Yield the requirements of the project without extras ("base"), or of one extra."""
    texts = PROJECT["dependencies"] if extra == BASE else PROJECT["optional-dependencies"][extra]
    for requirement in map(Requirement, texts):
        if requirement.name == PROJECT["name"]:
            for inner in sorted(requirement.extras):
                yield from requirements_of(inner)
        else:
            yield requirement


def applicable(requirements: Iterable[Requirement]) -> list[Requirement]:
    """Return the requirements that apply to this machine."""
    return [each for each in requirements if each.marker is None or each.marker.evaluate()]


@pytest.mark.parametrize("group", GROUPS)
def test_every_entry_is_a_version_with_hashes(group: str) -> None:
    for entry in entries(TEXTS[group]):
        head, *hashes = entry.split(" \\\n    ")
        assert re.fullmatch(r"[a-z0-9._-]+(\[[a-z,]+\])?==[\w.+!]+( ; .+)?", head), head
        assert hashes and all(HASH.fullmatch(each) for each in hashes), head
        assert len(hashes) == len(set(hashes)), head


@pytest.mark.parametrize("path", sorted((ROOT / FOLDER).iterdir()), ids=lambda path: path.name)
def test_lock_names_no_index(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "/" not in text and "@" not in text and "index" not in text
    assert not re.search(r"\b[a-z0-9-]+\.(org|com|net|io)\b", text)


@pytest.mark.parametrize("extra", [BASE, "tune", "test", "cuda12", "cuda13"])
def test_all_requirements_are_locked_within_their_bounds(extra: str) -> None:
    versions = locked_versions(TOOLS, BASE, extra, *(("tune",) if extra == "test" else ()))
    for requirement in requirements_of(extra):
        found = versions[canonicalize_name(requirement.name)]
        assert found, requirement
        for each in found:
            (pin,) = each.specifier
            assert requirement.specifier.contains(pin.version), f"{each} is not {requirement}"


def test_tools_include_the_build_and_a_recent_pip() -> None:
    versions = locked_versions(TOOLS)
    assert {"pip", "setuptools"} <= versions.keys()
    for requirement in [*map(Requirement, BUILD), Requirement("pip>=25.3")]:
        (pin,) = versions[requirement.name][0].specifier
        assert requirement.specifier.contains(pin.version)


@pytest.mark.parametrize("extra", [(), ("tune",), ("tune", "test")])
def test_dependencies_of_locked_libraries_are_locked(extra: tuple[str, ...]) -> None:
    versions, seen = locked_versions(TOOLS, BASE, *extra), set[str]()
    waiting = [each for group in (BASE, *extra) for each in applicable(requirements_of(group))]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        key = f"{name}{sorted(requirement.extras)}"
        if key in seen:
            continue
        seen.add(key)
        assert applicable(versions.get(name, [])), f"{requirement} is not locked"
        waiting += _needs(requirement)
    assert len(seen) > 25


def _needs(requirement: Requirement) -> Iterator[Requirement]:
    try:
        texts = requires(requirement.name) or []
    except PackageNotFoundError:
        return
    for each in map(Requirement, texts):
        extras = ("", *requirement.extras)
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras):
            yield each


def test_groups_of_one_environment_agree() -> None:
    for cuda in ("cuda12", "cuda13"):
        for name, found in locked_versions(TOOLS, BASE, "test", cuda).items():
            versions = {str(each.specifier) for each in applicable(found)}
            assert len(versions) <= 1, f"{name}: {versions}"


def test_no_library_is_locked_twice_for_one_machine() -> None:
    """On every supported Python, at most one entry of a name applies."""
    for group in GROUPS:
        for name, found in locked_versions(group).items():
            for python in PYTHONS:
                variables = {"python_version": python, "python_full_version": f"{python}.0"}
                markers = [each.marker or Marker("python_version > '3'") for each in found]
                assert sum(marker.evaluate(variables) for marker in markers) <= 1, name


def test_lock_supports_this_machine() -> None:
    machines = (ROOT / FOLDER / MACHINES).read_text("utf-8").splitlines()
    known = {f"{python} {platform}" for python in PYTHONS for platform in PLATFORMS}
    assert set(machines) <= known and len(set(machines)) == len(machines)
    assert {f"{python} linux-x86_64" for python in PYTHONS[:3]} <= set(machines)
    if this_machine() in known:
        assert Lock(ROOT).fits


def test_lock_hash_depends_on_every_file(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    digests = {Lock(tmp_path).digest}
    for name in ("base.txt", "test.txt"):
        (tmp_path / FOLDER / name).write_text("x==1\n")
        digests.add(Lock(tmp_path).digest)
    (tmp_path / FOLDER / "test.txt").write_text("x==2\n")
    digests.add(Lock(tmp_path).digest)
    assert len(digests) == 4


def test_parts_contain_each_entry_once_and_all_compilers() -> None:
    compiler, rest = (entries(part) for part in Lock(ROOT).parts([BASE, "test", "tune"]))
    whole = {entry for group in (BASE, "test", "tune") for entry in entries(TEXTS[group])}
    assert {*compiler} | {*rest} == whole
    assert len(compiler) + len(rest) == len(whole)
    assert {
        canonicalize_name(Requirement(each.split(" \\\n")[0]).name) for each in compiler
    } == COMPILER


def test_kernels_compile_with_the_first_part_only() -> None:
    program = """
import sys
from importlib.metadata import packages_distributions
from packaging.utils import canonicalize_name

held = {"isocenter", *sys.argv[1:]}
owners = {
    module: {canonicalize_name(each) for each in names}
    for module, names in packages_distributions().items()
}


class Refused:
    def find_spec(self, name, path=None, target=None):
        if owners.get(name, held) & held:
            return None
        raise ModuleNotFoundError(f"{name} is not installed yet", name=name)


for name in [*sys.modules]:
    if not owners.get(name.partition(".")[0], held) & held and name != "__main__":
        del sys.modules[name]
sys.meta_path.insert(0, Refused())
from engine.core.backend import cpu
from engine.modalities.demos import DEMOS

for step in DEMOS["pet"].kernels(cpu()):
    step()
try:
    import h5py
except ModuleNotFoundError:
    print("compiled")
"""
    done = subprocess.run(
        [sys.executable, "-c", program, *COMPILER], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "compiled\n", done.stderr
