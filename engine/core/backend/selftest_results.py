"""Results of the self-test of a card, stored for this card, driver, libraries and source code.

If any of them changes, the record no longer counts and the card is tested before its next use.
`engine.selftest` writes the records.
"""

from __future__ import annotations

import importlib.metadata
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from engine.core.backend import nvml
from engine.core.backend.driver import NvidiaCard
from engine.core.paths import state_dir

_FOLDER = "cards"
_MAX_BYTES = 1 << 16
_SOURCES = Path(__file__).resolve().parents[2]
_FILES = ("kernels/*.cu", "kernels/**/*.py", "core/backend/*.py", "selftest/*.py")
_CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy")
_NVRTC = ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu13", "nvidia-cuda-nvrtc-cu12")


@dataclass(frozen=True)
class Tested:
    """Card and software for which a result is valid.

    Attributes
    ----------
    uuid : UUID of the card or MIG instance
    name : product name
    driver : version of the driver, and of the newest CUDA that it supports
    cupy, nvrtc : versions of the installed packages; empty if they are not installed as packages
    program : digest of our sources
    """

    uuid: str
    name: str
    driver: str
    cupy: str
    nvrtc: str
    program: str

    @property
    def path(self) -> Path:
        """File that stores the result."""
        name = sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]
        return state_dir() / _FOLDER / f"{name}.json"


@dataclass(frozen=True)
class SelfTestResult:
    """Result of the self-test of a card.

    Attributes
    ----------
    of : card and software that were tested
    faults : descriptions of the faults; empty if there are none
    utc : time of the test
    """

    of: Tested
    faults: tuple[str, ...]
    utc: str

    @property
    def passed(self) -> bool:
        """True if the card computes correctly."""
        return not self.faults

    @property
    def words(self) -> str:
        """Reason why the card is not used; empty if it passed."""
        if self.passed:
            return ""
        return (
            f"{self.of.name} failed its self-test. Failures: {len(self.faults)}. First failure: "
            f"{self.faults[0].rstrip('.')}. Install the newest driver and run `isocenter doctor "
            "--gpu`, which tests it again."
        )


def tested_of(card: NvidiaCard) -> Tested:
    """Return the state of a card and its software, which a result is valid for.

    Parameters
    ----------
    card
        card as the driver reports it
    """
    cuda = f"{card.cuda[0]}.{card.cuda[1]}"
    return Tested(
        uuid=card.uuid,
        name=card.name,
        driver=f"{nvml.driver_version()} CUDA {cuda}".strip(),
        cupy=_version(_CUPY),
        nvrtc=_version(_NVRTC),
        program=program_digest(),
    )


def stored_result(card: NvidiaCard) -> SelfTestResult | None:
    """Return the stored result of the self-test of a card.

    Parameters
    ----------
    card
        card as the driver reports it

    Returns
    -------
    the result; None if there is none for the present driver, libraries and sources
    """
    of = tested_of(card)
    try:
        path = of.path
        # A record has a few hundred bytes; anything larger is not ours and is not parsed.
        if path.stat().st_size > _MAX_BYTES:
            return None
        stored = json.loads(path.read_text(encoding="utf-8"))
        found = SelfTestResult(
            Tested(**stored["of"]), tuple(map(str, stored["faults"])), str(stored["utc"])
        )
    # A damaged record counts as none: the test runs again and replaces it.
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    # The file name is a short hash; the full comparison excludes a collision or a copied file.
    return found if found.of == of else None


def text_of(verdict: SelfTestResult) -> str:
    """Return a result as the text of its file."""
    return json.dumps(asdict(verdict), indent=2, ensure_ascii=False)


@lru_cache(maxsize=1)
def program_digest() -> str:
    """Return a digest of all sources that compute on a card or test it."""
    content = sha256()
    for path in sorted(path for files in _FILES for path in _SOURCES.glob(files)):
        text = path.read_bytes()
        # The length separates the files: moving a line from one file to the next changes the
        # digest.
        content.update(f"{path.name} {len(text)}\n".encode() + text)
    return content.hexdigest()[:16]


def _version(packages: tuple[str, ...]) -> str:
    for name in packages:
        try:
            return f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""
