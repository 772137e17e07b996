"""Asking the billing specialists from the text desk, where a hospital delegates (H1, T12, N3).

They work in windows of their own; only their last messages come back, are checked like every word
of a model, and are said as one answer. What they found that can be asked back is carried out by
code, after a yes. Nobody is asked about a person who was not identified.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wonmu.desk.agents.answer import (
    Answered,
    Facts,
    Failed,
    NeedsIdentity,
    Question,
    ReceiptOffer,
    RefundOffer,
    WhyFailed,
)
from wonmu.desk.agents.consult import Consultation, Told, words_of
from wonmu.desk.agents.specialist import BILLING, SPECIALISTS, Workroom
from wonmu.desk.billing.port import ReceiptKind
from wonmu.errors import EmrFault
from wonmu.hospital.billing import SpecialistLimits
from wonmu.identity.facts import Level
from wonmu.korean.billing_topics import is_personal
from wonmu.lines import Lines
from wonmu.policy.claims import Blocked, check_sentence
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.text import people_step
from wonmu.text.billing import (
    failed,
    learned,
    ledger_of,
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
from wonmu.timeline.events import Kind, Status

NEEDS_IDENTITY = Done(Status.EXITED, {"error": "identity_needed"}, "identity")


@dataclass(frozen=True, slots=True)
class _Heard:
    """What of the answers may be said, and what was not answered."""

    words: tuple[str, ...]
    facts: tuple[Facts, ...]
    failures: tuple[Failed, ...]


def described(lines: Lines) -> str:
    """The specialists by name, for the model that may ask them."""
    return ", ".join(f"{each.name}({each.about(lines)})" for each in SPECIALISTS.values())


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
    told = await _ask(turn, names, said, who)
    if who is None and any(isinstance(each.answer, NeedsIdentity) for each in told):
        # The first asking of this turn came to nothing; it is not held against the second.
        talk.consultation = None
        who = await require(turn, Level.READ, relation, use)
        if who is None:
            return NEEDS_IDENTITY
        told = await _ask(turn, names, said, who)
    return await _answer(turn, told, who, words)


def _question(talk: Talk, words: str) -> str:
    """The whole turn that the words are from: a model's cut loses what was asked."""
    whole = [turn for turn in reversed(talk.heard) if words in turn]
    return whole[0] if whole else words


async def _ask(
    turn: Turn, names: tuple[str, ...], said: str, who: Known | None
) -> tuple[Told, ...]:
    question = Question(said, who.patient if who is not None else None)
    return await _consultation(turn).ask(question, names, turn=turn.talk.turn)


def _consultation(turn: Turn) -> Consultation:
    """The specialists of this visit."""
    talk, desk = turn.talk, turn.talk.text_desk
    if talk.consultation is None:
        billing = talk.desk.hospital.billing
        room = Workroom(
            hospital=talk.desk.hospital.name,
            ledger=ledger_of(turn),
            lines=talk.lines,
            recorder=talk.recorder,
            clock=talk.desk.clock,
            rungs=desk.models,
            certificates=billing.certificates if billing is not None else (),
            limits=billing.limits if billing is not None else SpecialistLimits(),
            model_limits=desk.limits,
        )
        talk.consultation = Consultation(room)
    return talk.consultation


async def _answer(turn: Turn, told: tuple[Told, ...], who: Known | None, asked: str) -> Done:
    heard = _heard(turn, told)
    lines = turn.talk.lines
    body: dict[str, object] = {"answers": {each.name: words_of(each, lines) for each in told}}
    if not heard.words:
        return await _nothing(turn, heard.failures, body)
    if who is not None and (which := _which(heard)) is not None:
        action = Action.REFUND_REQUEST if which == "refund" else Action.RECEIPT_REQUEST
        if isinstance(verdict_on(turn.talk, "ask_which", action, asked), Allow):
            # A specialist cannot ask back; the owner of the talk can.
            if which == "refund":
                return await request_refund(turn, asked, None, None)
            return await request_receipt(turn, asked, which, None, None)
    text = " ".join(heard.words)
    if heard.failures:
        text = f"{text} {lines.say('billing.part_failed')}"
    offer = next((facts.offer for facts in heard.facts if facts.offer is not None), None)
    if who is not None and offer is not None:
        turn.leave_said(Said(text, "specialist.answer"))
        return await _offered(turn, who, offer, body, asked)
    turn.leave_said(Said(f"{text} {lines.say('billing.more_help')}", "specialist.answer"))
    return Done(Status.SUCCESS, body)


def _which(heard: _Heard) -> Literal["refund"] | ReceiptKind | None:
    """Several bills come into question, and nothing else was answered."""
    alone = heard.facts[0] if len(heard.facts) == 1 and not heard.failures else None
    return alone.which if alone is not None and alone.offer is None else None


def _heard(turn: Turn, told: tuple[Told, ...]) -> _Heard:
    words: list[str] = []
    facts: list[Facts] = []
    failures: list[Failed] = []
    for each in told:
        match each.answer:
            case Answered(text=text, facts=found):
                learned(turn, found)
                if _true(turn.talk, text):
                    words.append(text)
                    facts.append(found)
                else:
                    failures.append(Failed(WhyFailed.UNTRUE))
            case Failed() as failure:
                failures.append(failure)
            case _:
                failures.append(Failed(WhyFailed.EMPTY))
    return _Heard(tuple(words), tuple(facts), tuple(failures))


def _true(talk: Talk, text: str) -> bool:
    """Whether this visit can prove what the answer claims (T12); amounts were checked before."""
    verdict = check_sentence(text, talk.state.receipts)
    if isinstance(verdict, Blocked):
        talk.recorder.write(Kind.CLAIM_BLOCKED, {"kind": verdict.kind.value})
        return False
    return True


async def _nothing(turn: Turn, failures: tuple[Failed, ...], body: dict[str, object]) -> Done:
    """Nothing came back: the ledger's failure is told as one, all else goes to a person."""
    ledger = next((each for each in failures if each.why is WhyFailed.LEDGER), None)
    if ledger is not None:
        return await failed(turn, ledger.fault or EmrFault.BROKEN, body)
    turn.leave_offer("billing.no_answer", Action.CONNECT_PERSON)
    return Done(Status.ERROR, body)


async def _offered(
    turn: Turn, who: Known, offer: RefundOffer | ReceiptOffer, body: dict[str, object], words: str
) -> Done:
    """What can be asked for is asked for only if the visitor did; else the answer alone is told."""
    refunds = isinstance(offer, RefundOffer)
    action = Action.REFUND_REQUEST if refunds else Action.RECEIPT_REQUEST
    name = "request_refund" if refunds else "receipt_request"
    match verdict_on(turn.talk, name, action, words):
        case Allow():
            if isinstance(offer, RefundOffer):
                return offer_refund(turn, who, offer, body)
            return offer_receipt(turn, who, offer, body)
        case ByPerson():
            return await people_step.by_person(turn, words)
        case ByMemo():
            return await people_step.by_memo(turn, words)
        case _:
            turn.leave("billing.more_help")
            return Done(Status.SUCCESS, body)
