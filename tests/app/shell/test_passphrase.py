"""Tests of the question for the passphrase of the signing key."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.shell import main_window
from app.shell.dialogs import passphrase
from engine.core.paths import HOME_VARIABLE
from engine.io.safety.signing_key import PASSPHRASE, needs_passphrase, set_passphrase, signing_key


@pytest.fixture(autouse=True)
def _locked(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "locked"))
    # monkeypatch restores the variable, even if the window sets it.
    monkeypatch.setenv(PASSPHRASE, "")
    set_passphrase("secret")


def answer(monkeypatch, *texts: str) -> list[str]:
    """Answer the questions of the window, and return a list of their texts."""
    asked: list[str] = []
    answers: Iterator[str] = iter(texts)

    def reply(parent, title, words, start, *, hidden) -> str:
        assert hidden, "the field shows the typed passphrase"
        asked.append(words)
        return next(answers)

    monkeypatch.setattr(passphrase, "ask_text", reply)
    return asked


def test_wrong_passphrase_is_asked_for_again_and_the_right_one_never(window, monkeypatch) -> None:
    asked = answer(monkeypatch, "wrong", "secret")
    assert needs_passphrase()
    for _ in range(3):
        window.session.unlock_key()
    assert len(asked) == 2 and "wrong" in asked[1]
    assert signing_key().public and not needs_passphrase()
    assert window.centre.message_bar.problem is None


@pytest.mark.parametrize("answers", [("",), ("a", "b", "c")])
def test_session_continues_without_a_passphrase_and_states_this(
    window, monkeypatch, answers
) -> None:
    asked = answer(monkeypatch, *answers)
    for _ in range(3):
        window.session.unlock_key()
    assert len(asked) == len(answers) and needs_passphrase()
    assert "not signed" in window.centre.message_bar.text


@pytest.mark.parametrize("action", ["start", "export", "queue", "report"])
def test_each_signing_action_asks_first(window, monkeypatch, action) -> None:
    asked = answer(monkeypatch, "")
    actions = {
        "start": window.start,
        "export": window.export,
        "queue": window.context.queue.add,
        "report": lambda: _report(window),
    }
    monkeypatch.setattr(main_window, "ask_and_export", lambda *_: None)
    actions[action]()
    assert len(asked) == 1


def _report(window) -> None:
    from app.output.report.report_commands import sign_and_report

    sign_and_report(window.context, None, lambda _: None, id="none")
    window.commands.wait()
