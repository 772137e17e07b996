"""A read-back of a refund or a receipt, and the visitor's yes to exactly that (T8, T9, N1).

The words are composed by code. A yes counts only in the message right after them, in the same
visit; what comes back from a checkpoint is read back anew. The key of the write is in the form, so
it is stored before anything is written. Nothing is written here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from wonmu.desk.agents.answer import ReceiptOffer, RefundOffer
from wonmu.desk.billing.port import Invoice, ReceiptKind
from wonmu.desk.billing.refund import Consent, RefundDraft, Staged, restore, snapshot
from wonmu.desk.billing.words import kind_name
from wonmu.ids import PatientId
from wonmu.korean.answers import Answer, Topic, read_answer
from wonmu.korean.billing_topics import wants_refund
from wonmu.korean.folding import fold
from wonmu.korean.questions import is_question
from wonmu.lines import Value
from wonmu.text import forms
from wonmu.text.moves import Move, Speak, Use
from wonmu.text.said import Note, Said
from wonmu.text.state import Form
from wonmu.text.talk import Talk
from wonmu.text.turn import Turn
from wonmu.timeline.events import Kind

REFUND, RECEIPT = "refund", "receipt"
CARRY_OUT = "carry_out_request"
"""The tool that only code calls, after a yes."""


def refund_form(turn: Turn, patient: PatientId, name: str, offer: RefundOffer) -> Said | None:
    """Stage a refund and open its read-back; None when it is not what was read."""
    draft = RefundDraft(patient)
    staged = draft.stage(offer.invoice, offer.amount)
    if not isinstance(staged, Staged):
        return None
    data = {"digest": staged.digest, "invoice": staged.invoice.id, "amount": staged.amount}
    turn.talk.recorder.write(Kind.REFUND_STAGED, data)
    turn.talk.draft = draft
    turn.talk.staged.add(str(staged.digest))
    form = {
        "kind": "confirm",
        "act": REFUND,
        "name": name,
        "digest": str(staged.digest),
        "key": key_of(turn.talk.thread, REFUND, staged.digest),
        "draft": snapshot(draft),
        "invoice": offer.invoice.id,
        "amount": staged.amount,
        **_told(offer.invoice),
    }
    return forms.put(turn, form)


def receipt_form(turn: Turn, patient: PatientId, name: str, offer: ReceiptOffer) -> Said:
    """Open the read-back of a receipt."""
    digest = _receipt_digest(patient, offer)
    form = {
        "kind": "confirm",
        "act": RECEIPT,
        "name": name,
        "digest": digest,
        "key": key_of(turn.talk.thread, RECEIPT, f"{digest}|{_today(turn)}"),
        "patient": patient,
        "invoice": offer.invoice.id,
        "receipt": offer.kind.value,
        **_told(offer.invoice),
    }
    return forms.put(turn, form)


def key_of(thread: str, act: str, digest: str) -> str:
    """The same act of the same conversation has the same key in every process (B4)."""
    made = hashlib.sha256(f"{thread}|{act}|{digest}".encode()).hexdigest()
    return f"{act}-{made[:24]}"


def _receipt_digest(patient: PatientId, offer: ReceiptOffer) -> str:
    parts = (RECEIPT, patient, offer.invoice.id, offer.kind.value)
    framed = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(framed.encode()).hexdigest()[:24]


def _today(turn: Turn) -> str:
    """Once for one invoice, kind and day, as the ledger has it."""
    return turn.talk.desk.clock.now().date().isoformat()


def _told(invoice: Invoice) -> dict[str, str]:
    """What the read-back says of the bill."""
    return {
        "day": invoice.visit_day.isoformat(),
        "department": invoice.department,
        "what": invoice.what,
    }


def values_of(form: Mapping[str, Any]) -> dict[str, Value]:
    """The bill of a form as the lines want it."""
    day = date.fromisoformat(form["day"])
    return {"day": day, "department": form["department"], "what": form["what"]}


def draft_of(talk: Talk, form: Mapping[str, Any]) -> RefundDraft | None:
    """The live draft of a refund form; one that was restored has no read-back and no consent."""
    live = talk.draft
    staged = live.state.staged if live is not None else None
    if live is not None and staged is not None and staged.digest == form["digest"]:
        return live
    talk.draft = restore(form["draft"])
    return talk.draft


class Confirms:
    """The owner of forms of the kind ``confirm``."""

    def area(self, form: Form) -> str:
        return forms.BILLING

    def free(self, form: Form) -> bool:
        return False

    def private(self, turn: Turn, form: Form, raw: str) -> str | None:
        return None

    def question(self, turn: Turn, form: Form) -> Said:
        talk = turn.talk
        values: dict[str, Value] = {**values_of(form), "patient": form["name"]}
        if form["act"] == REFUND:
            line = "billing.readback_refund"
            values["amount"] = form["amount"]
            draft_of(talk, form)  # the one that hears of it, also after a restart
        else:
            line = "billing.readback_receipt"
            values["kind"] = kind_name(talk.lines, ReceiptKind(form["receipt"]))
        text = talk.lines.fill(line, values)
        data = {"digest": form["digest"], "text": text, "turn": talk.turn, "act": form["act"]}
        staged = _staged_again(talk, form)
        return Said(text, line, notes=(*staged, Note(Kind.REFUND_READBACK, data)))

    def retry(self, turn: Turn, form: Form) -> Said:
        return self.question(turn, form)

    async def answer(self, turn: Turn, form: Form) -> Move | None:
        match _reading(turn, form):
            case Answer.YES if self._agreed(turn, form):
                turn.memory.form = {**form, "consented": True}
                return Use(CARRY_OUT)
            case Answer.YES:
                return Speak((self.question(turn, form),))
            case Answer.NO:
                turn.memory.form = None
                return Speak((self.stopped(turn, form),))
            case _:
                return None

    def _agreed(self, turn: Turn, form: Form) -> bool:
        """Whether the yes is one to this read-back, delivered in the words just before."""
        talk, digest = turn.talk, form["digest"]
        if talk.delivered != (digest, talk.after):
            return False
        if form["act"] == REFUND:
            draft = draft_of(talk, form)
            staged = draft.state.staged if draft is not None else None
            if draft is None or staged is None:
                return False
            if not isinstance(draft.consent(staged.digest, talk.text, talk.after), Consent):
                return False
        data = {"digest": digest, "words": talk.text, "turn": talk.turn, "act": form["act"]}
        talk.recorder.write(Kind.REFUND_CONSENT, data)
        return True

    async def give_up(self, turn: Turn, form: Form) -> Move:
        return Speak((self.stopped(turn, form),))

    def stopped(self, turn: Turn, form: Form) -> Said:
        kept_off = "refund_kept_off" if form["act"] == REFUND else "receipt_kept_off"
        return turn.talk.words(f"billing.{kept_off}")

    async def leave(self, turn: Turn, form: Form) -> list[Said]:
        return []


def _staged_again(talk: Talk, form: Form) -> tuple[Note, ...]:
    """A refund that an earlier visit staged is a fact of this visit's timeline too."""
    if form["act"] != REFUND or form["digest"] in talk.staged:
        return ()
    talk.staged.add(form["digest"])
    data = {name: form[name] for name in ("digest", "invoice", "amount")}
    return (Note(Kind.REFUND_STAGED, data),)


_YES_AND = re.compile(r"^\s*(?:네|예|넵|맞아요|맞습니다|그래요)[\s,.!~]+(?P<rest>\S.*)$")
_LONGEST_ORDER = 10
"""Syllables of "그걸로 환불해 주세요"; longer words say more than that."""


def _reading(turn: Turn, form: Form) -> Answer:
    reading = read_answer(turn.talk.raw, topic=Topic.BOOKING)
    if reading.answer is Answer.YES and not reading.rest.strip():
        return Answer.YES
    if reading.answer is Answer.NO:
        return Answer.NO
    # "네, 환불해 주세요" says no more than yes to a refund just read back.
    order = _YES_AND.match(turn.text) if form["act"] == REFUND else None
    rest = order["rest"] if order is not None else ""
    same = wants_refund(rest) and not is_question(rest) and len(fold(rest)) <= _LONGEST_ORDER
    return Answer.YES if same else Answer.UNCLEAR


def delivered(talk: Talk, said: Said) -> None:
    """Words with a read-back were said whole: from now on they can be agreed to."""
    note = next(each for each in said.notes if each.kind is Kind.REFUND_READBACK)
    digest = note.data["digest"]
    talk.delivered = (digest, talk.speeches)
    draft = talk.draft
    staged = draft.state.staged if draft is not None else None
    if draft is not None and staged is not None and staged.digest == digest:
        draft.readback_started(staged.digest, said.text, talk.speeches)
        draft.readback_heard(staged.digest)


forms.register("confirm", Confirms())
