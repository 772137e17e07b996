"""Which steps a hospital's text desk has, and what each of them offers a model (H2, T6).

Decides from settings alone. A step offers its own tools and no other; what code calls by itself is
offered nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from wonmu.hospital.billing import BillingWay
from wonmu.hospital.config import Hospital
from wonmu.text.state import Memory, Step

TO = {
    Step.TRIAGE: "to_triage",
    Step.BILLING: "to_billing",
    Step.CERTIFICATE: "to_certificate",
    Step.BOOKING: "to_booking",
    Step.PERSON: "to_person",
}
"""The tool that leads to a step."""

END = "end_conversation"
ASK = "ask_specialist"

BILLING_TOOLS = ("lookup_invoice", "refund_status", "request_refund", "receipt_request")
CERTIFICATE_TOOLS = ("certificate_fee",)
BOOKING_DOORS = ("create_booking", "inquire_booking", "change_booking", "cancel_booking")
BOOKING_OPEN = ("set_wish", "choose_time", "leave_booking")
PERSON_TOOLS = ("leave_note",)


def delegates(hospital: Hospital) -> bool:
    """Whether the billing specialist is asked, and the talk stays where it is (H1, H3)."""
    return hospital.billing is not None and hospital.billing.text is BillingWay.DELEGATE


def steps_of(hospital: Hospital) -> tuple[Step, ...]:
    """The steps that exist here."""
    return tuple(_steps(hospital))


def _steps(hospital: Hospital) -> Iterator[Step]:
    yield Step.TRIAGE
    if hospital.billing is not None and not delegates(hospital):
        yield Step.BILLING
        if hospital.billing.certificates:
            yield Step.CERTIFICATE
    yield Step.BOOKING
    yield Step.PERSON


def tools_at(memory: Memory, hospital: Hospital) -> tuple[str, ...]:
    """Names of the tools that a model is offered now."""
    return tuple(_tools(memory, hospital))


def _tools(memory: Memory, hospital: Hospital) -> Iterator[str]:
    match memory.step:
        case Step.TRIAGE:
            if delegates(hospital):
                yield ASK
        case Step.BILLING:
            yield from BILLING_TOOLS
        case Step.CERTIFICATE:
            yield from CERTIFICATE_TOOLS
        case Step.BOOKING:
            if memory.booking is not None and not memory.booking.get("aside"):
                yield from BOOKING_OPEN
                yield TO[Step.PERSON]
                yield END
                return
            yield from BOOKING_DOORS
        case Step.PERSON:
            yield from PERSON_TOOLS
    for step in steps_of(hospital):
        if step is not memory.step:
            yield TO[step]
    yield END


def home_of(tool: str, hospital: Hospital) -> Step | None:
    """The step that a tool belongs to; None for those that belong to every step, and for work that
    code carries out where a hospital has no step for it."""
    step = _home_of(tool, hospital)
    return step if step in steps_of(hospital) else None


def _home_of(tool: str, hospital: Hospital) -> Step | None:
    if tool in BILLING_TOOLS:
        return Step.BILLING
    if tool in CERTIFICATE_TOOLS:
        return Step.CERTIFICATE
    if tool in (*BOOKING_DOORS, *BOOKING_OPEN):
        return Step.BOOKING
    if tool in PERSON_TOOLS:
        return Step.PERSON
    return Step.TRIAGE if tool == ASK and delegates(hospital) else None
