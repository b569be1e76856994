"""Check a commit message: a short imperative subject, a blank line, and a body that explains why.

python packaging/commit_message.py FILE              a message in a file (hook commit-msg)
python packaging/commit_message.py --range A..B      the messages of several commits
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_CHARACTERS = 59
MACHINE_MADE = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")
"""Subjects that git writes itself."""
SCISSORS = re.compile(r"^# -+ >8 -+$.*", re.MULTILINE | re.DOTALL)
NOT_IMPERATIVE = re.compile(r"[A-Z][a-z]+(?:ed|ing|[^aisu\W]s)")
VERBS = {"Bring", "Embed", "Exceed", "Feed", "Need", "Ping", "Proceed", "Ring", "Seed", "Shed"}
VERBS |= {"Speed", "String", "Succeed"}
"""Verbs that look like "Added", "Adding" or "Adds", but are imperatives."""


def main(arguments: list[str]) -> int:
    """Print the problems of each message; return 1 if there are any."""
    problems = [line for text in _messages(arguments) for line in _report(text)]
    sys.stderr.writelines(f"{line}\n" for line in problems)
    return int(bool(problems))


def _messages(arguments: list[str]) -> Iterator[str]:
    if arguments[:1] != ["--range"]:
        yield Path(arguments[0]).read_text("utf-8")
        return
    command = ["git", "log", "--no-merges", "--format=%B%x00", arguments[1]]
    log = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    yield from (text for text in log.stdout.split("\0") if text.strip())


def _report(text: str) -> Iterator[str]:
    found = list(problems_of(text))
    if found:
        yield f"commit message: {without_comments(text).splitlines()[:1] or ['(empty)']}"
        yield from (f"  {problem}" for problem in found)


def without_comments(text: str) -> str:
    """Return the message as git stores it: without comments and the diff below the scissors."""
    lines = SCISSORS.sub("", text).splitlines()
    return "\n".join(line.rstrip() for line in lines if not line.startswith("#")).strip()


def problems_of(text: str) -> Iterator[str]:
    """Yield a sentence for each rule that a message breaks."""
    subject, *rest = without_comments(text).splitlines() or [""]
    if subject.startswith(MACHINE_MADE):
        return
    if not subject:
        yield "The message is empty; write a subject and a body."
        return
    yield from _problems_of_subject(subject)
    if rest and rest[0]:
        yield "The second line is not blank; leave a line between subject and body."
    if not any(rest):
        yield "The body is missing; explain why the change is needed and how you checked it."


def _problems_of_subject(subject: str) -> Iterator[str]:
    first = subject.split()[0]
    if len(subject) > MAX_CHARACTERS:
        yield f"The subject has {len(subject)} characters; write at most {MAX_CHARACTERS}."
    if not first[0].isupper():
        yield f"The subject begins with {first!r}; begin with a capital letter."
    if NOT_IMPERATIVE.fullmatch(first) and first not in VERBS:
        yield f"The subject begins with {first!r}; write an imperative, such as Add or Fix."
    if subject.endswith("."):
        yield "The subject ends with a full stop; remove it."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
