"""`isocenter import`: write the text file that describes raw projections."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.cli.console import Console
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import EngineError, SettingsError
from engine.raw_import import (
    Answers,
    Draft,
    answers_like,
    answers_of,
    datasets_of,
    described_like,
    draft_of,
    write_draft,
)

OPTIONS = {"white_level": "white", "dtype": "type", "offset_bytes": "header", "axis_column": "axis"}
"""Options with another name than the answer they set."""
SWITCHES = ("clockwise", "mirrored")
MAX_TRIES = 3
MAX_QUESTIONS = 5


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter import`.

    All options are answers to the questions of `engine.raw_import`. Their help texts are those of
    the window.
    """
    p = add_verb(verbs, "import")
    p.add_argument(
        "source", type=Path, metavar="FOLDER_OR_FILE",
        help="TIFF images, a raw file, NumPy, MATLAB, MRC, or HDF5",
    )  # fmt: skip
    p.add_argument(
        "--name",
        type=_file_name,
        metavar="NAME.toml",
        help="name of the description; it is written next to the scan and must not exist "
        "yet (default: that of the scan)",
    )
    p.add_argument(
        "--like", type=Path, metavar="FILE.toml",
        help="copy the description of another file with the same datasets (default: none)",
    )  # fmt: skip
    for name, kind in (("columns", int), ("rows", int), ("views", int), ("header", int)):
        p.add_argument(f"--{name}", type=kind, metavar="N", help=_help(name))
    for name in ("type", "array", "flats", "darks", "angles", "beam", "pixel"):
        p.add_argument(f"--{name}", metavar=name.upper(), help=_help(name))
    p.add_argument("--byte-order", choices=("little", "big"), help=_help("byte_order"))
    p.add_argument("--first-row", choices=("top", "bottom"), help=_help("first_row"))
    p.add_argument("--kind", choices=("counts", "transmission", "integrals"), help=_help("kind"))
    for name in ("scale", "white", "axis"):
        p.add_argument(f"--{name}", type=float, metavar="X", help=_help(name))
    for name in SWITCHES:
        p.add_argument(f"--{name}", action="store_true", default=None, help=_help(name))
    p.set_defaults(act=_import)


def _file_name(text: str) -> str:
    # The description is next to the scan, and readers recognise it by its ending
    if Path(text).name != text or not text.lower().endswith(".toml"):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not valid; expected a file name such as scan.toml, without a folder"
        )
    return text


def _help(option: str) -> str:
    key = next((key for key, name in OPTIONS.items() if name == option), option)
    text = str(Answers.model_fields[key].description)
    is_switch = option in SWITCHES
    return text if is_switch else f"{text} (default: from the files, or asked)"


def _import(arguments: argparse.Namespace, console: Console) -> None:
    # None means "not answered", so that a guess or another file can fill it
    answers = {key: getattr(arguments, OPTIONS.get(key, key)) for key in Answers.model_fields}
    for each in datasets_of(arguments.source):
        console.line(f"  {each.name or arguments.source.name}: {each.text}")
    answers = _with_another(arguments, answers, console)
    draft = draft_of(arguments.source, answers_of(answers))
    if draft.questions:
        # Without a terminal nobody can answer: the error names the missing options
        if not sys.stdin.isatty():
            _show(draft, console)
            raise SettingsError(_missing(draft))
        draft = _completed_by_answers(arguments.source, answers, draft, console)
    _show(draft, console)
    # Next to the scan, since the description has relative paths
    named = draft.path.with_name(arguments.name) if arguments.name else None
    path = write_draft(draft, named)
    console.line(f"Written: {path}. Open this file or its folder.")


def _with_another(
    arguments: argparse.Namespace, answers: dict[str, object], console: Console
) -> dict[str, object]:
    """Add the answers of a similar file, if the user agrees."""
    like = arguments.like
    if like is None and (near := described_like(arguments.source)) is not None:
        console.line(f"{near} describes a file with the same datasets.")
        if not sys.stdin.isatty():
            console.line(f"  If the scanner geometry was the same, add --like {near}.")
        else:
            console.line(
                "Was the scanner geometry the same, so that this description applies? [no]"
            )
            if sys.stdin.readline().strip().lower() in ("y", "yes"):
                like = near
    if like is None:
        return answers
    copied = answers_like(like, arguments.source).model_dump()
    # Options of this command take precedence over the copied description
    return copied | {key: each for key, each in answers.items() if each is not None}


def _missing(draft: Draft) -> str:
    """Return an error message with the missing options."""
    options = []
    for question in draft.questions:
        proposal = f" (for example {question.proposal})" if question.proposal else ""
        options.append(f"--{OPTIONS.get(question.key, question.key).replace('_', '-')}{proposal}")
    return (
        f"{draft.path.name}: not written, because the files lack information. "
        f"Add {', '.join(options)}."
    )


def _completed_by_answers(
    source: Path, answers: dict[str, object], draft: Draft, console: Console
) -> Draft:
    """Ask the open questions and return the completed draft."""
    asked: set[str] = set()
    # Each answer can open new questions, so the list is read again after each one
    while open_ := [each for each in draft.questions if each.key not in asked]:
        question = open_[0]
        # After many questions the proposals are probably right: the user checks the result
        if len(asked) == MAX_QUESTIONS:
            if all(each.proposal for each in open_):
                break
            raise SettingsError(_missing(draft))
        asked.add(question.key)
        for left in reversed(range(MAX_TRIES)):
            proposal = f" [{question.proposal}]" if question.proposal else ""
            console.line(f"{question.text}{proposal}")
            answer = sys.stdin.readline().strip() or question.proposal
            try:
                tried = answers | {question.key: answer or None}
                draft = draft_of(source, answers_of(tried))
                answers = tried
                break
            except EngineError as e:
                # The last try shows the error itself
                if not left:
                    raise
                console.line(str(e))
    return draft


def _show(draft: Draft, console: Console) -> None:
    """Print the guesses and their reasons."""
    for guess in draft.guesses:
        why = f"  ({guess.why})" if guess.why else ""
        mark = "" if guess.is_sure else "? "
        console.line(f"  {guess.key + ':':14s} {mark}{guess.text}{why}")
