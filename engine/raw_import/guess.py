"""A guess: its value, its reason, and if the user should confirm it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Guess:
    """An assumption about something that the files do not state.

    Attributes
    ----------
    key : answer that can correct it
    text : the assumption, for the user
    why : its reason
    is_sure : True if it needs no confirmation
    """

    key: str
    text: str
    why: str
    is_sure: bool = True


@dataclass(frozen=True)
class Question:
    """A question to the user.

    Attributes
    ----------
    key : answer that it needs
    text : the question
    proposal : default answer; "" if the user must answer
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
        """Record an assumption that needs no confirmation.

        Parameters
        ----------
        key
            answer that can correct it
        text
            the assumption, for the user
        why
            its reason
        """
        self.guesses.append(Guess(key, text, why))

    def ask(self, key: str, question: str, proposal: str = "", why: str = "") -> None:
        """Record a question, with the proposal as an unconfirmed assumption.

        Parameters
        ----------
        key
            answer that it needs
        question
            text for the user
        proposal
            default answer; "" if the user must answer
        why
            reason for the proposal
        """
        # The proposal is a guess too, so that a preview is possible before the answer.
        self.guesses.append(Guess(key, proposal or "not known", why, is_sure=False))
        self.questions.append(Question(key, question, proposal))
