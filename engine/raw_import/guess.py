"""A guess: its value, its reason, and if the user should confirm it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Guess:
    """One thing that the files do not say.

    Attributes
    ----------
    key : the answer it can be corrected by
    text : what is taken, for people
    why : what it follows from
    is_sure : whether it need not be asked about
    """

    key: str
    text: str
    why: str
    is_sure: bool = True


@dataclass(frozen=True)
class Question:
    """One thing to ask.

    Attributes
    ----------
    key : the answer it wants
    text : the question, for people
    proposal : what is taken by default; "" where something must be said
    """

    key: str
    text: str
    proposal: str = ""


@dataclass
class Findings:
    """Findings so far, in order."""

    guesses: list[Guess] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def take(self, key: str, text: str, why: str) -> None:
        """Take something for sure."""
        self.guesses.append(Guess(key, text, why))

    def ask(self, key: str, question: str, proposal: str = "", why: str = "") -> None:
        """Take a proposal, and ask about it."""
        self.guesses.append(Guess(key, proposal or "not known", why, is_sure=False))
        self.questions.append(Question(key, question, proposal))
