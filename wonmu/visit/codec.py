"""The parts of a snapshot as JSON and back: slots, wishes, offers, drafts, filled lines.

Lossless for what it takes. A draft is written without its patient (known from elsewhere), its
read-back and its consent: those do not outlive the process that saw them (N1).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from wonmu.booking.draft import Committed, Digest, DraftState, Minted, Staged
from wonmu.booking.offer import Offer, OfferList
from wonmu.booking.wish import AnyDoctor, DoctorChoice, ThisDoctor, Unsaid, Wish
from wonmu.emr.port import Slot, SlotStatus
from wonmu.errors import ProgrammingError
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, DoctorId, SlotId, Version
from wonmu.korean.when import When
from wonmu.lines import Value
from wonmu.visit.own import OwnBooking
from wonmu.visit.wishes import FirstWish

Json = dict[str, Any]

_ANY = "any"


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def values_to_json(values: Mapping[str, Value]) -> Json:
    return {name: _value_to_json(value) for name, value in values.items()}


def values_from_json(data: Json) -> dict[str, Value]:
    return {name: _value_from_json(*pair) for name, pair in data.items()}


def _value_to_json(value: Value) -> list[Any]:
    match value:
        case str() | int():
            return ["plain", value]
        case datetime():
            return ["when", value.isoformat()]
        case date():
            return ["date", value.isoformat()]
        case time():
            return ["time", value.isoformat()]
        case _:
            raise ProgrammingError("a question is not kept with a value of this type")


def _value_from_json(kind: str, value: Any) -> Value:
    match kind:
        case "when":
            return moment(value)
        case "date":
            return date.fromisoformat(value)
        case "time":
            return time.fromisoformat(value)
        case _:
            plain: str | int = value
            return plain


def first_to_json(first: FirstWish) -> Json:
    return {"department": first.department, "doctor": first.doctor, "when": first.when}


def first_from_json(data: Json) -> FirstWish:
    return FirstWish(data["department"], data["doctor"], data["when"])


def when_to_json(when: When) -> Json:
    return {
        "day_from": when.day_from and when.day_from.isoformat(),
        "day_to": when.day_to and when.day_to.isoformat(),
        "time_from": when.time_from and when.time_from.isoformat(),
        "time_to": when.time_to and when.time_to.isoformat(),
        "point": when.point,
        "soonest": when.soonest,
        "not_days": [day.isoformat() for day in when.not_days],
    }


def when_from_json(data: Json) -> When:
    def day(name: str) -> date | None:
        return date.fromisoformat(data[name]) if data[name] else None

    def clock(name: str) -> time | None:
        return time.fromisoformat(data[name]) if data[name] else None

    not_days = tuple(date.fromisoformat(each) for each in data["not_days"])
    return When(
        day("day_from"),
        day("day_to"),
        clock("time_from"),
        clock("time_to"),
        data["point"],
        data["soonest"],
        not_days,
    )


def slot_to_json(slot: Slot) -> Json:
    return {
        "id": slot.id,
        "department": slot.department_id,
        "doctor": slot.doctor_id,
        "start": slot.start.isoformat(),
        "minutes": slot.minutes,
        "status": slot.status.value,
        "version": slot.version,
    }


def slot_from_json(data: Json) -> Slot:
    return Slot(
        SlotId(data["id"]),
        DepartmentId(data["department"]),
        DoctorId(data["doctor"]),
        moment(data["start"]),
        data["minutes"],
        SlotStatus(data["status"]),
        Version(data["version"]),
    )


def own_to_json(own: OwnBooking) -> Json:
    return {
        "ref": own.ref,
        "start": own.start.isoformat(),
        "department_id": own.department_id,
        "department": own.department,
        "doctor_id": own.doctor_id,
        "doctor": own.doctor,
        "requested": own.requested,
        "cancelling": own.cancelling,
    }


def own_from_json(data: Json) -> OwnBooking:
    return OwnBooking(
        AppointmentId(data["ref"]),
        moment(data["start"]),
        DepartmentId(data["department_id"]),
        data["department"],
        DoctorId(data["doctor_id"]),
        data["doctor"],
        data["requested"],
        data["cancelling"],
    )


def draft_to_json(draft: DraftState) -> Json:
    wish, minted, committed = draft.wish, draft.minted, draft.committed
    return {
        "department": wish.department,
        "doctor": _doctor_to_json(wish.doctor),
        "when": when_to_json(wish.when) if wish.when is not None else None,
        "offers": _offers_to_json(draft.offers) if draft.offers is not None else None,
        "staged": _staged_to_json(draft.staged) if draft.staged is not None else None,
        "minted": [minted.digest, minted.key, minted.writing] if minted is not None else None,
        "committed": [committed.digest, committed.key] if committed is not None else None,
    }


def draft_from_json(data: Json, patient_ref: str) -> DraftState:
    department = DepartmentId(data["department"]) if data["department"] else None
    when = when_from_json(data["when"]) if data["when"] else None
    minted, committed = data["minted"], data["committed"]
    return DraftState(
        patient_ref,
        Wish(department, _doctor_from_json(data["doctor"]), when),
        offers=_offers_from_json(data["offers"]) if data["offers"] else None,
        staged=_staged_from_json(data["staged"]) if data["staged"] else None,
        minted=_minted(*minted) if minted else None,
        committed=Committed(Digest(committed[0]), BookingKey(committed[1])) if committed else None,
    )


def _minted(digest: str, key: str, writing: bool) -> Minted:
    return Minted(Digest(digest), BookingKey(key), writing)


def _doctor_to_json(doctor: DoctorChoice) -> str | Json | None:
    match doctor:
        case ThisDoctor(id=found):
            return {"id": found}
        case AnyDoctor():
            return _ANY
        case Unsaid():
            return None


def _doctor_from_json(data: Any) -> DoctorChoice:
    if data is None:
        return Unsaid()
    return AnyDoctor() if data == _ANY else ThisDoctor(DoctorId(data["id"]))


def _offers_to_json(offers: OfferList) -> Json:
    each = [{"number": o.number, "slot": slot_to_json(o.slot)} for o in offers.offers]
    return {"as_of": offers.as_of.isoformat(), "offers": each}


def _offers_from_json(data: Json) -> OfferList:
    offers = tuple(Offer(slot_from_json(o["slot"]), o["number"]) for o in data["offers"])
    return OfferList(offers, moment(data["as_of"]))


def _staged_to_json(staged: Staged) -> Json:
    return {"digest": staged.digest, "slot": slot_to_json(staged.slot)}


def _staged_from_json(data: Json) -> Staged:
    return Staged(Digest(data["digest"]), slot_from_json(data["slot"]))
