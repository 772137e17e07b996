"""Asking the billing specialists from the text desk, where a hospital delegates (H1, T12, N3).

They work in windows of their own; only their last messages come back, are checked like every word
of a model, and are said as one answer. What they found that can be asked for is carried out by
code, after a yes. Nobody is asked about a person who was not identified.
"""

from __future__ import annotations

from wonmu.desk.agents.answer import NeedsIdentity, Question, ReceiptOffer, RefundOffer
from wonmu.desk.agents.consult import Told, words_of
from wonmu.desk.agents.specialist import BILLING
from wonmu.desk.billing.port import ReceiptKind
from wonmu.errors import EmrFault
from wonmu.identity.facts import Level
from wonmu.korean.billing_topics import is_personal
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.text import people_step
from wonmu.text.billing import (
    failed,
    offer_receipt,
    offer_refund,
    request_receipt,
    request_refund,
)
from wonmu.text.gates import verdict_on
from wonmu.text.identity import require
from wonmu.text.moves import Use
from wonmu.text.said import Said
from wonmu.text.state import Known
from wonmu.text.talk import Talk
from wonmu.text.turn import Done, Turn
from wonmu.timeline.events import Status
from wonmu.visit.specialists import Heard, Wanted, consultation, heard_of

NEEDS_IDENTITY = Done(Status.EXITED, {"error": "identity_needed"}, "identity")


async def consult(turn: Turn, names: tuple[str, ...], words: str, relation: str | None) -> Done:
    """Ask the specialists of these names, at once, and leave one answer to be said."""
    talk = turn.talk
    use = Use("ask_specialist", {"caller_words": words, "specialists": list(names)})
    said = _question(talk, words)
    who: Known | None = None
    if BILLING.name in names or is_personal(said):
        who = await require(turn, Level.READ, relation, use)
        if who is None:
            return NEEDS_IDENTITY
    told = await _ask(talk, names, said, who)
    if who is None and any(isinstance(each.answer, NeedsIdentity) for each in told):
        who = await require(turn, Level.READ, relation, use)
        if who is None:
            return NEEDS_IDENTITY
        if talk.consultation is not None:
            talk.consultation.identified()
        told = await _ask(talk, names, said, who)
    heard = heard_of(talk.visit, told)
    for facts in heard.facts:
        talk.state.amounts |= facts.amounts
    body: dict[str, object] = {"answers": {each.name: words_of(each, talk.lines) for each in told}}
    return await _answer(turn, heard, who, words, body)


def _question(talk: Talk, words: str) -> str:
    """The whole turn that the words are from: a model's cut loses what was asked."""
    whole = [turn for turn in reversed(talk.heard) if words in turn]
    return whole[0] if whole else words


async def _ask(
    talk: Talk, names: tuple[str, ...], said: str, who: Known | None
) -> tuple[Told, ...]:
    if talk.consultation is None:
        desk = talk.text_desk
        talk.consultation = consultation(talk.visit, desk.models, desk.limits)
    question = Question(said, who.patient if who is not None else None)
    return await talk.consultation.ask(question, names, turn=talk.turn)


async def _answer(
    turn: Turn, heard: Heard, who: Known | None, asked: str, body: dict[str, object]
) -> Done:
    say = turn.talk.lines.say
    behind = [say("billing.refund_still_unknown")] if turn.talk.state.refund_unknown else []
    if not heard.words and not behind:
        return await _nothing(turn, heard, body)
    if heard.words and heard.failures:
        behind.insert(0, say("billing.part_failed"))
    text = " ".join((*heard.words, *behind))
    if who is not None and heard.wanted is not None:
        return await _wanted(turn, who, heard.wanted, text, asked, body)
    return _told(turn, text, body)


def _told(turn: Turn, text: str, body: dict[str, object]) -> Done:
    more = turn.talk.lines.say("billing.more_help")
    turn.leave_said(Said(f"{text} {more}", "specialist.answer"))
    return Done(Status.SUCCESS, body)


async def _nothing(turn: Turn, heard: Heard, body: dict[str, object]) -> Done:
    """Nothing came back: the ledger's failure is told as one, all else goes to a person."""
    if (failure := heard.ledger_failure) is not None:
        return await failed(turn, failure.fault or EmrFault.BROKEN, body)
    turn.leave_offer("billing.no_answer", Action.CONNECT_PERSON)
    return Done(Status.ERROR, body)


async def _wanted(
    turn: Turn, who: Known, wanted: Wanted, text: str, asked: str, body: dict[str, object]
) -> Done:
    """What can be asked for is asked for only if the visitor did; else the answer alone is told."""
    verdict = verdict_on(turn.talk, wanted.tool, wanted.action, asked)
    if isinstance(verdict, Allow) and wanted.offer is None:
        # A choice is put by code in whole; its list need not be told twice.
        return await _carry_out(turn, who, wanted, asked, body)
    if not isinstance(verdict, Allow | ByPerson | ByMemo):
        return _told(turn, text, body)
    turn.leave_said(Said(text, "specialist.answer"))
    match verdict:
        case Allow():
            return await _carry_out(turn, who, wanted, asked, body)
        case ByPerson():
            return await people_step.by_person(turn, asked)
        case ByMemo():
            return await people_step.by_memo(turn, asked)


async def _carry_out(
    turn: Turn, who: Known, wanted: Wanted, asked: str, body: dict[str, object]
) -> Done:
    """A specialist can neither ask back nor ask for anything; the owner of the talk can."""
    match wanted:
        case Wanted(offer=RefundOffer() as offer):
            return offer_refund(turn, who, offer, body)
        case Wanted(offer=ReceiptOffer() as offer):
            return offer_receipt(turn, who, offer, body)
        case Wanted(which=ReceiptKind() as kind):
            return await request_receipt(turn, asked, kind, None, None)
        case _:
            return await request_refund(turn, asked, None, None)
