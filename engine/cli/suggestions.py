"""Suggestions for misspelt verbs, options, values and files of the command line.

Imported only after an error, so that correct commands start as fast as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from engine.core.errors import EngineError

CUTOFF = 0.6
"""Minimum similarity of a suggestion, as `difflib` defines it."""

VERBS = {
    "about": ("--version",),
    "benchmark": ("bench",),
    "check": ("doctor",),
    "complete": ("completion",),
    "describe": ("inspect",),
    "devices": ("doctor",),
    "example": ("demo",),
    "examples": ("demo",),
    "gui": ("",),
    "images": ("results",),
    "info": ("inspect", "doctor"),
    "list": ("results", "protocols", "scanners", "phantoms", "settings"),
    "ls": ("results",),
    "open": ("inspect",),
    "options": ("settings",),
    "phantom": ("phantoms",),
    "recon": ("reconstruct",),
    "run": ("reconstruct", "queue run"),
    "scanner": ("scanners",),
    "show": ("inspect",),
    "start": ("reconstruct",),
    "test": ("doctor",),
}
"""Words that new users try, with the verbs that do the work."""

OPTIONS = {
    "--clobber": "--force",
    "--cores": "--threads",
    "--cpu": "--device cpu",
    "--cuda": "--device cuda",
    "--delete": "--delete",
    "--file": "--output",
    "--gpu": "--device cuda",
    "--install-completion": "isocenter completion bash",
    "--jobs": "--threads",
    "--list": "isocenter results",
    "--mu": "--attenuation",
    "--mu-map": "--attenuation",
    "--norm": "--normalisation",
    "--outfile": "--output",
    "--overwrite": "--force",
    "--print-completion": "isocenter completion bash",
    "--processes": "--threads",
    "--psf": "--point-spread",
    "--remove": "--delete",
    "--replace": "--force",
    "--show-completion": "isocenter completion bash",
    "--silent": "--quiet",
    "--workers": "--threads",
}
"""Options of other programs, with the option or command of this one."""

FIRST = {
    "-V": "Did you mean `isocenter --version`?",
    "-v": "Did you mean `isocenter --version`?",
}
"""Sentence for an unknown option before the verb."""

VALUES = {"gpu": "cuda", "nvidia": "cuda", "list-mode": "listmode", "xray": "projections"}
"""Other names of values."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most similar to a misspelt one; empty if none is.

    Parameters
    ----------
    word
        the misspelt word
    known
        valid words
    """
    words = list(known)
    other = VALUES.get(word.lower(), "")
    if other in words:
        return other
    # Without capitals, and with dashes only: both are the usual slips
    by_simple_name = {each.lower().replace("_", "-"): each for each in words}
    near = get_close_matches(word.lower().replace("_", "-"), by_simple_name, n=1, cutoff=CUTOFF)
    return by_simple_name[near[0]] if near else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the sentence " Did you mean ...?" for a misspelt word; empty if none is similar.

    Parameters
    ----------
    word
        the misspelt word
    known
        valid words
    """
    near = nearest(word, known)
    return f" Did you mean {near!r}?" if near else ""


def verb_hint(word: str, verbs: Iterable[str]) -> str:
    """Return a sentence that suggests a verb; empty without a suggestion.

    Parameters
    ----------
    word
        first word of a command line that is not a verb
    verbs
        valid verbs
    """
    found = VERBS.get(word.lower(), ())
    if not found:
        near = nearest(word, verbs)
        found = (near,) if near else ()
    if not found:
        return ""
    return f"Did you mean {_either([f'`isocenter {each}`'.replace(' `', '`') for each in found])}?"


def option_hint(given: str, known: Mapping[str, bool], settings: Iterable[str] = ()) -> str:
    """Return a sentence that suggests an option; empty without a suggestion.

    Parameters
    ----------
    given
        unknown option, with its value after a space or "=" if it has one
    known
        valid options of the verb; the value is True if the option takes a value
    settings
        keys that `--set` accepts; empty if the verb has no `--set`
    """
    name, _, value = given.replace("=", " ", 1).partition(" ")
    # An option with the same words has priority over one with other words
    setting = _setting_hint(name, value, settings)
    other = OPTIONS.get(name.lower(), "")
    if other.startswith("isocenter "):
        return f"Did you mean `{other}`?"
    if other.partition(" ")[0] in known:
        return f"Did you mean {other}?"
    if setting:
        return setting
    near = nearest(name, known)
    if not near and name.startswith("--"):
        # --doze is near --dose-mbq if only the beginning is compared
        near = next((each for each in known if each.startswith(name[:5]) and len(name) > 5), "")
    return f"Did you mean {near}?" if near else ""


def _setting_hint(name: str, value: str, keys: Iterable[str]) -> str:
    word = name.lstrip("-").replace("-", "_").lower()
    exact = [key for key in keys if word in (key, key.rpartition(".")[2])]
    longer = [key for key in keys if key.rpartition(".")[2].startswith(f"{word}_")]
    found = exact or longer
    if not found:
        return ""
    # The shortest key belongs to the largest group of protocols
    key = min(found, key=len)
    example = value or "VALUE"
    if key.endswith("voxel_mm") and "," not in example and value:
        example = ",".join([value] * 3)
    return f"A protocol contains this setting: use --set {key}={example}."


def file_hint(path: Path) -> str:
    """Return a sentence that names a file with a similar name; empty if there is none.

    Parameters
    ----------
    path
        file or folder that does not exist
    """
    from engine.io.folder import entries

    try:
        # A broken link has an entry, but the same name is no help
        names = [each.name for each in entries(path.parent) if each.name != path.name]
    except (OSError, EngineError):
        return ""
    near = nearest(path.name, names)
    return f"Did you mean {str(path.with_name(near))!r}?" if near else ""


def _either(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
