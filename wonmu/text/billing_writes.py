"""Carrying out a refund or a receipt that the visitor has agreed to (B4, T12, N1, N2).

Only code calls this, after the yes that ``confirm`` took, under the key that is in the checkpoint
already: done again after a crash it is the same request. Told is what the ledger said; an outcome
that nobody knows is told as such and left to staff.
"""

from __future__ import annotations

from wonmu.desk.billing.port import ReceiptKind, ReceiptOrder
from wonmu.desk.billing.refund import (
    Given,
    NotConsented,
    NotGiven,
    NotKept,
    NotKnown,
    Open,
    ReceiptOutcome,
    RefundOutcome,
    Rejected,
    Taken,
    carry_out,
    carry_out_receipt,
)
from wonmu.desk.billing.words import kind_name
from wonmu.errors import EmrFault
from wonmu.ids import InvoiceId, PatientId, RefundKey
from wonmu.lines import Value
from wonmu.policy.claims import Act
from wonmu.text.billing import ledger_of
from wonmu.text.confirm import REFUND, draft_of, values_of
from wonmu.text.notes import leave_failure
from wonmu.text.people import known_phone
from wonmu.text.state import Form
from wonmu.text.turn import Done, Turn
from wonmu.timeline.events import Kind, Status
from wonmu.visit.proof import done, refund_unknown


async def carry_out_request(turn: Turn) -> Done:
    """The yes was taken: ask the ledger, once. Only code calls this."""
    form = turn.memory.form_of("confirm")
    if form is None or not form.get("consented"):
        turn.leave("call.say_again")
        return Done(Status.EXITED, {"refused": "no_consent"})
    turn.memory.form = None
    if form["act"] == REFUND:
        return await _carry_refund(turn, form)
    return await _carry_receipt(turn, form)


async def _carry_refund(turn: Turn, form: Form) -> Done:
    talk = turn.talk
    draft = draft_of(talk, form)
    if draft is None:
        turn.leave("billing.refund_changed")
        return Done(Status.EXITED, {"refused": "changed"})
    with talk.visit.writes.running():
        outcome = await carry_out(
            ledger_of(turn),
            draft,
            key=RefundKey(form["key"]),
            hospital_id=talk.desk.hospital.id,
            call_id=talk.id,
            at=talk.desk.clock.now(),
            contact=known_phone(turn) or "",
        )
    return await _refund_told(turn, form, outcome)


async def _refund_told(turn: Turn, form: Form, outcome: RefundOutcome) -> Done:
    talk = turn.talk
    match outcome:
        case Taken(refund=refund, replayed=replayed):
            data = {
                "key": form["key"],
                "digest": form["digest"],
                "amount": form["amount"],
                "replayed": replayed,
            }
            talk.recorder.write(Kind.REFUND_COMMITTED, data)
            done(talk.visit, Act.REFUND)
            talk.state.amounts |= {refund.amount}
            day, what = values_of(form)["day"], form["what"]
            _tell_written(turn, "billing.refund_taken", day=day, what=what, amount=refund.amount)
            return Done(Status.SUCCESS, {"refund": "requested", "amount": refund.amount})
        case Open():
            turn.leave("billing.refund_open")
            return Done(Status.SUCCESS, {"refused": "already_requested"})
        case Rejected() | NotConsented():
            turn.leave("billing.refund_changed")
            return Done(Status.EXITED, {"refused": "changed"})
        case NotKnown(fault=fault):
            refund_unknown(talk.visit)
            return await _not_done(turn, form, "refund_unknown", fault)
        case NotKept(fault=fault):
            return await _not_done(turn, form, "refund_failed", fault)


async def _carry_receipt(turn: Turn, form: Form) -> Done:
    talk = turn.talk
    order = ReceiptOrder(
        key=RefundKey(form["key"]),
        hospital_id=talk.desk.hospital.id,
        patient_id=PatientId(form["patient"]),
        invoice_id=InvoiceId(form["invoice"]),
        kind=ReceiptKind(form["receipt"]),
        call_id=talk.id,
        at=talk.desk.clock.now(),
        contact=known_phone(turn) or "",
    )
    with talk.visit.writes.running():
        outcome = await carry_out_receipt(ledger_of(turn), order)
    return await _receipt_told(turn, form, order, outcome)


async def _receipt_told(
    turn: Turn, form: Form, order: ReceiptOrder, outcome: ReceiptOutcome
) -> Done:
    talk = turn.talk
    match outcome:
        case Given(request=request) if request.key != order.key:
            turn.leave("billing.receipt_known")
            return Done(Status.SUCCESS, {"refused": "already_requested"})
        case Given(replayed=replayed):
            data = {
                "key": order.key,
                "digest": form["digest"],
                "receipt": form["receipt"],
                "replayed": replayed,
            }
            talk.recorder.write(Kind.RECEIPT_COMMITTED, data)
            done(talk.visit, Act.RECEIPT)
            _tell_written(turn, "billing.receipt_taken", kind=kind_name(talk.lines, order.kind))
            return Done(Status.SUCCESS, {"receipt": "requested"})
        case NotGiven():
            turn.leave("billing.receipt_refused")
            return Done(Status.EXITED, {"refused": "not_paid"})
        case NotKnown(fault=fault):
            return await _not_done(turn, form, "receipt_unknown", fault)
        case NotKept(fault=fault):
            return await _not_done(turn, form, "receipt_failed", fault)


def _tell_written(turn: Turn, line: str, /, **values: Value) -> None:
    """Say what was written; the same is told again to "is it done?" (T12)."""
    said = turn.talk.words(line, **values)
    turn.talk.state.written = said
    turn.leave_said(said)


async def _not_done(turn: Turn, form: Form, stem: str, fault: EmrFault) -> Done:
    """It failed, or nobody knows: told as such, and left to staff."""
    turn.talk.state.fault = fault
    turn.talk.recorder.write(Kind.LEDGER_FAILED, {"fault": fault.value})
    values: dict[str, Value] = {**values_of(form)}
    values.pop("department")
    if form["act"] == REFUND:
        values["amount"] = form["amount"]
    else:
        values["kind"] = kind_name(turn.talk.lines, ReceiptKind(form["receipt"]))
    note = turn.talk.lines.fill(f"billing.note_{stem}", values)
    turn.leave_said(*await leave_failure(turn, note, f"billing.{stem}"))
    return Done(Status.ERROR, {"error": "ledger_failed"}, "system_error")
