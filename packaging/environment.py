"""Make the clone's `.venv` once; install again only if `pyproject.toml` or the lock changes."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from locked import BASE, TOOLS, Lock, this_machine
from machine import SetupError, apt_install, say

PACKAGE_OF = {"cuda12": "cupy-cuda12x", "cuda13": "cupy-cuda13x"}
COMPILE = (
    "import compileall, os, re, sysconfig; "
    "hasattr(os, 'nice') and os.nice({nice}); "
    "folder = sysconfig.get_path('purelib'); "
    "tests = re.compile(re.escape(folder) + '.*' + re.escape(os.sep + 'tests' + os.sep)); "
    "compileall.compile_dir(folder, quiet=2, workers=0, rx=tests)"
)
"""Compile the bytecode of all libraries except their tests on all cores; pip would use one core."""
OWN = ("engine", "app", "isocenter")
"""Packages of the project itself. They stay in the clone."""
OPTIONAL = tuple(PACKAGE_OF)
"""Extras for the GPU. The program works without them; a machine has at most one of them."""
LARGE_MB = 5.0
"""Size in MB from which a download is reported."""


@dataclass(frozen=True)
class Stamp:
    """The last installation: hash of the project, and its extras."""

    project: str = ""
    extras: tuple[str, ...] = ()


@dataclass(frozen=True)
class Environment:
    """The virtual environment of the clone at `root`."""

    root: Path

    @property
    def folder(self) -> Path:
        """Folder of the environment."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """Python interpreter of the environment."""
        windows = os.name == "nt"
        return self.folder / ("Scripts/python.exe" if windows else "bin/python")

    @property
    def log(self) -> Path:
        """File with the output of the last pip."""
        return self.folder / "install.log"

    @property
    def _stamp(self) -> Path:
        return self.folder / "isocenter.json"

    def make(self) -> None:
        """Make the environment unless a working one exists."""
        if self._works():
            return
        again = " again, as the old one does not work" if self.folder.exists() else ""
        say(f"Making the Python environment in .venv{again}")
        if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
            package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
            apt_install([package], why="this Python comes without its venv module")
            importlib.invalidate_caches()
        pip = bundled_pip()
        command = [sys.executable, "-m", "venv", "--clear", str(self.folder)]
        command[3:3] = ["--without-pip"] if pip else []
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise self._cannot_be_made(_last_line(done.stdout + done.stderr))
        if pip:
            try:
                unpack(pip, self._first_pip)
            except (OSError, zipfile.BadZipFile) as e:
                raise self._cannot_be_made(str(e)) from e

    def _cannot_be_made(self, reason: str) -> SetupError:
        return SetupError(
            f"the environment {self.folder} cannot be made ({reason}); "
            "check free space and permissions, then run this command again."
        )

    @property
    def _first_pip(self) -> Path:
        """Folder of the pip that comes with Python. It installs the pip of the lock."""
        return self.folder / "first-pip"

    def _works(self) -> bool:
        if not self.python.is_file():
            return False
        check = "import pip, sys; sys.exit(sys.version_info < (3, 11))"
        command = [self.python, "-c", check]
        try:
            done = subprocess.run(command, env=self._variables(first=True), capture_output=True)
        except OSError:
            return False
        return done.returncode == 0

    def _variables(self, *, first: bool) -> dict[str, str]:
        """Return the environment variables of a process; if `first`, it uses the unpacked pip."""
        own = {"PYTHONPATH": str(self._first_pip)} if first and self._first_pip.is_dir() else {}
        return os.environ | own

    def install(
        self,
        extras: Iterable[str],
        *,
        newest: bool = False,
        wait_for_bytecode: bool = True,
        once_it_compiles: Callable[[], object] = lambda: None,
    ) -> None:
        """Install the project with `extras`, unless they are installed.

        The versions come from the lock if it fits this machine, and from the package index if
        `newest` is set. Without `wait_for_bytecode`, bytecode is compiled in the background and the
        program can start at once. From the lock, `once_it_compiles` is called as soon as the
        libraries that compile kernels are installed.
        """
        stamp = read_stamp(self._stamp)
        current = project_hash(self.root)
        required = extras_after(stamp.extras, tuple(extras))
        if not newest and stamp == Stamp(current, tuple(required)):
            return
        say("Installing Isocenter and its libraries; the first time takes some minutes")
        locked = self._may_use_lock(newest)
        self.log.write_text("", encoding="utf-8")
        for extra in sorted({*stamp.extras} & {*OPTIONAL} - {*required}):
            # both contain the same module, so remove the other one first
            self._call_pip(("uninstall", "-y", PACKAGE_OF[extra]))
        if not self._pip(required, locked, once_it_compiles):
            necessary = [extra for extra in required if extra not in OPTIONAL]
            if not self._necessary(necessary, locked, again=necessary == required):
                raise SetupError(
                    f"pip could not install the libraries ({pip_error(self._logged())}); check the "
                    f"network, see {self.log} for the output of pip, then run this command again."
                )
            if necessary != required:
                say("CuPy could not be installed; going on without the GPU.")
        # Files that do not compile are for other versions of Python. Nothing imports them.
        compiling = subprocess.Popen(
            [self.python, "-c", COMPILE.format(nice=0 if wait_for_bytecode else 19)],
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if wait_for_bytecode:
            compiling.wait()
        shutil.rmtree(self._first_pip, ignore_errors=True)
        # the newest versions change, so the next set-up must install again
        installed = "newest" if newest else current
        self._stamp.write_text(json.dumps(asdict(Stamp(installed, tuple(required)))))

    @contextmanager
    def compiling_own(self) -> Iterator[None]:
        """Compile the changed files of the project; otherwise the first start takes twice as long.

        With PYTHONDONTWRITEBYTECODE, every start would take that long.
        """
        quiet = subprocess.DEVNULL
        words = ["-m", "compileall", "-q", "-j", "0", *OWN]
        with subprocess.Popen(
            [self.python, *words], cwd=self.root, stdin=quiet, stdout=quiet, stderr=quiet
        ):
            yield

    def _may_use_lock(self, newest: bool) -> bool:
        lock = Lock(self.root)
        if not newest and not lock.fits:
            say(
                f"The lock was not checked for {this_machine()}; "
                "taking the newest versions that pyproject.toml allows."
            )
        return lock.fits and not newest

    def _necessary(self, extras: list[str], locked: bool, *, again: bool) -> bool:
        """Install all required extras, without the lock if the index lacks one of its versions."""
        if not again and self._pip(extras, locked):
            return True
        if not locked or not lacks_a_version(self._logged()):
            return False
        say("The package index lacks a version of the lock; taking what pyproject.toml allows.")
        return self._pip(extras, locked=False)

    def _pip(
        self, extras: list[str], locked: bool, once_it_compiles: Callable[[], object] = lambda: None
    ) -> bool:
        if not locked:
            pip, project = newest_installs(extras)
            return self._call_pip(("install", *pip), first=True) and self._call_pip(
                ("install", *project)
            )
        tools, compiler, *others = locked_installs(self.root, extras, self._write_parts(extras))
        # A single pip uses one core and often waits for the index.
        with ThreadPoolExecutor() as pool:
            early = pool.submit(self._compiler, compiler, once_it_compiles)
            if not self._call_pip(("install", *tools), first=True):
                return False
            rest = [pool.submit(self._call_pip, ("install", *words)) for words in others]
            # the pip of the lock may accept a wheel that the pip of this Python refuses
            compiles = early.result() or self._call_pip(("install", *compiler))
            return all([compiles, *(other.result() for other in rest)])

    def _compiler(self, words: list[str], once_it_compiles: Callable[[], object]) -> bool:
        """Install the libraries that compile kernels if the first pip can install wheels."""
        if not self._first_pip.is_dir():
            return False
        compiles = self._call_pip(("install", "--only-binary", ":all:", *words), first=True)
        if compiles:
            once_it_compiles()
        return compiles

    def _write_parts(self, extras: list[str]) -> list[Path]:
        """Write the two parts of the lock to files for pip; return their paths."""
        parts = Lock(self.root).parts([BASE, *locked_groups(extras)])
        paths = [self.folder / f"lock-{part}.txt" for part in ("compiler", "rest")]
        for path, text in zip(paths, parts, strict=True):
            path.write_text(text + "\n", encoding="utf-8")
        return paths

    def _call_pip(self, verb_and_words: Sequence[str], *, first: bool = False) -> bool:
        options = ["--disable-pip-version-check", "--no-input"]
        verb, *words = verb_and_words
        if verb == "install":
            options += ["--progress-bar", "off", "--no-compile"]
        command = [str(self.python), "-m", "pip", verb, *options, *words]
        with (
            self.log.open("a", encoding="utf-8", buffering=1) as log,
            subprocess.Popen(
                command,
                cwd=self.root,
                env=self._variables(first=first),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
            ) as pip,
        ):
            for line in pip.stdout or ():
                log.write(line)
                if news := pip_news(line):
                    say(f"  {news}")
        return pip.returncode == 0

    def _logged(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


def extras_after(before: tuple[str, ...], asked: tuple[str, ...]) -> list[str]:
    """Return the extras to install: all earlier ones, but a new CuPy replaces the old one."""
    other = {extra for extra in before if extra in OPTIONAL} if {*asked} & {*OPTIONAL} else set()
    return sorted(({*before} - other) | {*asked})


def lacks_a_version(output: str) -> bool:
    """Return True if pip could not find a version. A wrong hash does not count."""
    return "No matching distribution found" in output and "DO NOT MATCH THE HASHES" not in output


def locked_installs(root: Path, extras: list[str], parts: Iterable[Path]) -> list[list[str]]:
    """Return the arguments of each pip that installs from the lock: tools, libraries, project.

    The tools of the lock build all source packages, so every download has a hash. The lock is
    complete: only the tools must be installed first.
    """
    options = ["--no-deps", "--no-build-isolation"]
    libraries = [[*options, "--require-hashes", "-r", str(part)] for part in parts]
    return [Lock(root).options([TOOLS]), *libraries, [*options, "-e", target(extras)]]


def bundled_pip() -> Path | None:
    """Return the wheel of pip that comes with this Python, or None if it is not found."""
    found = importlib.util.find_spec("ensurepip")
    folders = [sysconfig.get_config_var("WHEEL_PKG_DIR")]
    if found is not None and found.origin:
        folders.append(str(Path(found.origin).parent / "_bundled"))
    wheels = [
        wheel for each in folders if each for wheel in Path(each).glob("pip-*-py3-none-any.whl")
    ]
    return wheels[0] if wheels else None


def unpack(wheel: Path, folder: Path) -> None:
    """Unpack a pure Python wheel. This is faster than to install it with another pip."""
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder)


def locked_groups(extras: list[str]) -> list[str]:
    """Return the groups of the lock that contain `extras`.

    The group `test` includes the extra `docs` and extends the group `tune`.
    """
    groups = {"test" if extra == "docs" else extra for extra in extras}
    return sorted(groups | ({"tune"} if "test" in groups else set()))


def newest_installs(extras: list[str]) -> list[list[str]]:
    """Return the arguments of each pip that installs the newest allowed versions."""
    upgrade = ["--upgrade", "--upgrade-strategy", "eager"]
    return [["--upgrade", "pip", "setuptools"], [*upgrade, "-e", target(extras)]]


def target(extras: list[str]) -> str:
    """Return the project with its extras in the syntax of pip."""
    return f".[{','.join(extras)}]" if extras else "."


def project_hash(root: Path) -> str:
    """Return a hash of everything that determines the installation: project file, lock and path."""
    text = (root / "pyproject.toml").read_bytes() + os.fsencode(root) + Lock(root).digest.encode()
    return hashlib.sha256(text).hexdigest()


def read_stamp(path: Path) -> Stamp:
    """Return the stored stamp, or an empty one if the file is missing or damaged."""
    try:
        values = json.loads(path.read_text())
        return Stamp(str(values["project"]), tuple(str(extra) for extra in values["extras"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Stamp()


def pip_news(line: str) -> str | None:
    """Return the progress that a line of pip reports, or None."""
    found = re.search(r"Downloading (?:\S*/)?([^\s/-]+)-([^\s-]+)-\S*.* \(([\d.]+) ([MG])B\)", line)
    if found:
        name, version, size, unit = found.groups()
        mb = float(size) * (1000 if unit == "G" else 1)
        return f"{name} {version}, {mb:.0f} MB" if mb >= LARGE_MB else None
    found = re.match(r"Installing collected packages: (.*)", line)
    return f"unpacking {len(found[1].split(', '))} packages" if found else None


def pip_error(log: str) -> str:
    """Return the reason for the failure from the output of pip."""
    errors = [line for line in log.splitlines() if line.startswith("ERROR:")]
    return _last_line("\n".join(errors) or log).removeprefix("ERROR: ").rstrip(".")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"
