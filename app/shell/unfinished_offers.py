"""Offers of the welcome card for the unfinished work of earlier windows."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.output.report.report_commands import send_result
from app.shell.welcome import Offer
from app.state.services.context import AppContext
from app.ui.theme.questions import ask
from engine.jobs import EditedStudy, UnsentResult


def unsent_offers(context: AppContext, parent: QWidget) -> list[Offer]:
    """Return an offer for each signed result that an earlier window did not send.

    Parameters
    ----------
    context
        context of the window
    parent
        owner of the question before a result is discarded
    """
    node = context.preferences.site.node
    detail = tr("signed off, not sent to {node} yet", node=node)
    if not node:
        detail = tr("signed off, not sent yet")
    return [
        Offer(
            tr("Send {title}", title=each.title),
            detail,
            "send",
            partial(_send, context, each),
            partial(_discard, context, parent, each),
            tr("Do not send this result"),
        )
        for each in context.unfinished.left.unsent
    ]


def edited_offers(context: AppContext) -> list[Offer]:
    """Return an offer for each study with changed settings that never ran.

    Parameters
    ----------
    context
        context of the window
    """
    known = context.unfinished.left.edited
    times = [f"{each.changed:{tr('%d %b %H:%M:%S')}}" for each in known]
    return [
        Offer(
            tr("Reopen {title}", title=each.to_study().title),
            # The names of exported files are often the same for all patients.
            time if times.count(time) == 1 else f"{_folder(each)}, {time}",
            "open",
            partial(context.unfinished.reopen, each),
            partial(context.unfinished.drop_edited, each),
            tr("Forget these settings"),
            _facts(each),
        )
        for each, time in zip(known, times, strict=True)
    ]


def _folder(edited: EditedStudy) -> str:
    return edited.to_study().data.parent.name


def _facts(edited: EditedStudy) -> str:
    """Return the folder of the scan and the changed settings."""
    study = edited.to_study()
    saved = study.protocol.saved
    changes = () if saved is None else saved.changed
    text = tr("in {folder}, not run", folder=study.data.parent)
    return f"{text}. {', '.join(changes)}" if changes else text


def _send(context: AppContext, unsent: UnsentResult) -> None:
    send_result(context, lambda _: None, with_image=unsent.with_image, id=unsent.id)


def _discard(context: AppContext, parent: QWidget, unsent: UnsentResult) -> None:
    question = tr("{title} was signed off. Do not send it?", title=unsent.title)
    if ask(parent, tr("Result not sent"), question, tr("Do not send")):
        context.unfinished.drop_unsent(unsent.id)
        text = tr("{title} was discarded and not sent.", title=unsent.title)
        context.session.add_log("info", text)
