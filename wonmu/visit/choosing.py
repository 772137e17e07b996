"""Which of a patient's bookings words can mean, and how one is told in a list (B3)."""

from __future__ import annotations

from wonmu.korean.dates import Understood, read_when
from wonmu.visit.host import Host
from wonmu.visit.own import OwnBooking


def fitting(host: Host, bookings: tuple[OwnBooking, ...], words: str) -> list[OwnBooking]:
    """The bookings that these words can mean: by day and time, department or doctor."""
    left = list(bookings)
    folded = "".join(words.split())
    by_name = [
        b for b in left if "".join(b.department.split()) in folded or _doctor(host, b, folded)
    ]
    left = by_name or left
    reading = read_when(words, now=host.desk.clock.now(), open_times=host.desk.calendar)
    if isinstance(reading, Understood):
        when = reading.when
        day, clock = when.one_day, when.time_from if when.point else None
        by_time = [
            b
            for b in left
            if (day is None or b.start.date() == day) and (clock is None or b.start.time() == clock)
        ]
        if day is not None or clock is not None:
            return by_time
    return by_name


def _doctor(host: Host, booking: OwnBooking, folded: str) -> bool:
    doctor = host.desk.catalog.doctor(booking.doctor_id)
    return doctor is not None and doctor.name in folded


def marked(host: Host, booking: OwnBooking) -> str:
    """One booking in a list, with what is still open about it."""
    words = told(host, booking)
    if booking.cancelling:
        return host.lines.say("own.cancelling", booking=words)
    return host.lines.say("own.requested", booking=words) if booking.requested else words


def told(host: Host, booking: OwnBooking) -> str:
    """One booking as it is spoken in a list."""
    return host.lines.say(
        "own.one", when=booking.start, department=booking.department, doctor=booking.doctor
    )
