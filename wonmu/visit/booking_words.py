"""How a booking is worded: offers, the read-back, the situation for a model (B1, B5).

Turns ids and moments into the names and Korean that a caller hears, by lines; decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from wonmu.booking.draft import Draft
from wonmu.booking.offer import Offer
from wonmu.booking.wish import AnyDoctor, ThisDoctor
from wonmu.clock import SEOUL
from wonmu.emr.port import Slot
from wonmu.korean.speak import speak_list, speak_when
from wonmu.lines import Value
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.host import Host
from wonmu.visit.wishes import department_names, speak_wish


class BookingWords:
    """The words of one call's bookings."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def options(self, draft: Draft, offers: Sequence[Offer]) -> str:
        """The times, each with its doctor unless the caller chose one."""
        doctors = {offer.slot.doctor_id for offer in offers}
        named = len(doctors) > 1 or not isinstance(draft.state.wish.doctor, ThisDoctor)
        return speak_list([self.option(offer.slot, named) for offer in offers])

    def option(self, slot: Slot, named: bool) -> str:
        when = speak_when(slot.start.astimezone(SEOUL))
        return f"{when} {self.doctor(slot)}" if named else when

    def doctor(self, slot: Slot) -> str:
        doctor = self._host.desk.catalog.doctor(slot.doctor_id)
        return doctor.spoken if doctor else slot.doctor_id

    def department(self, slot: Slot) -> str:
        department = self._host.desk.catalog.department(slot.department_id)
        return department.name if department else slot.department_id

    def wish(self, draft: Draft) -> str:
        when = draft.state.wish.when
        return speak_wish(self._host, when) if when is not None else ""

    def readback(self, opened: OpenBooking, slot: Slot) -> str:
        """The question whose yes is the consent: every field of the candidate, word for word."""
        new: dict[str, Value] = {
            "patient": opened.party.patient.name,
            "department": self.department(slot),
            "doctor": self.doctor(slot),
            "when": slot.start.astimezone(SEOUL),
        }
        old = opened.replaces
        if old is None:
            return self._host.lines.fill("booking.readback", new)
        return self._host.lines.fill("booking.readback_change", {**new, "old": old.start})

    def situation(self, draft: Draft, asked: str) -> str:
        wish, offers = draft.state.wish, draft.state.offers
        catalog = self._host.desk.catalog
        department = catalog.department(wish.department) if wish.department else None
        numbered = (
            [f"{o.number}) {self.option(o.slot, True)}" for o in offers.offers] if offers else []
        )
        doctors = [d for d in catalog.doctors(wish.department) if d.bookable]
        names = {d.id: d.name for d in catalog.departments()}
        return self._host.lines.prompt(
            "booking_situation",
            department=department.name if department else "정하지 않음",
            doctor=self._doctor_words(draft),
            when=self.wish(draft) or "정하지 않음",
            offers="; ".join(numbered) or "없음",
            asked=asked,
            departments=department_names(self._host),
            doctors=", ".join(f"{d.name}({names.get(d.department, '')})" for d in doctors),
        )

    def _doctor_words(self, draft: Draft) -> str:
        match draft.state.wish.doctor:
            case ThisDoctor(id=found):
                doctor = self._host.desk.catalog.doctor(found)
                return doctor.name if doctor else "정하지 않음"
            case AnyDoctor():
                return "상관없음"
            case _:
                return "정하지 않음"
