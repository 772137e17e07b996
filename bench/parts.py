"""What the figures share: a hospital's front desk on a folder, and a caller who books.

The clock starts at a fixed moment, so that every run books the same slot of the same calendar.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from wonmu.call.deps import Desk
from wonmu.call.models import AnyModel
from wonmu.call.session import Call
from wonmu.clock import SEOUL
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.config import Hospital
from wonmu.hospital.hours import Calendar
from wonmu.hospital.loading import load_hospitals
from wonmu.ids import RandomIds
from wonmu.lines import Lines
from wonmu.loop import LoopClock
from wonmu.office import Office, open_office

HOSPITAL = "saebom"
CALLER = "01000001234"
NOW = datetime(2026, 12, 1, 10, tzinfo=SEOUL)

BOOKING = (
    "예약하고 싶어요",
    "#850312",
    "안과요",
    "다음 주 화요일 오전이요",
    "첫 번째로 해 주세요",
    "네",
    "주차는 되나요?",
    "네",
    "이제 끊을게요",
)
"""A caller on file who books, asks about parking, and ends the call (lines of ``wonmu chat``)."""

IN_THE_MIDDLE = BOOKING[:4]
"""Up to the offered times: a task is open, identity is settled, slots have been searched."""


def hospital() -> Hospital:
    return load_hospitals(None).pick(HOSPITAL)


@asynccontextmanager
async def office_on(folder: Path) -> AsyncIterator[Office]:
    """The stores in ``folder``, opened and filled as ``wonmu chat --data`` does."""
    opened = await open_office(hospital(), folder, LoopClock(NOW))
    try:
        yield opened
    finally:
        await opened.close()


def call_at(office: Office, models: tuple[AnyModel, ...] = ()) -> Call:
    """A new call, wired as ``wonmu chat`` wires it; nothing is printed."""
    place = office.hospital
    desk = Desk(
        hospital=place,
        calendar=Calendar(place),
        catalog=Catalog(place),
        lines=Lines.load(place.language),
        emr=office.emr,
        inbox=office.inbox,
        clock=LoopClock(NOW),
        ids=RandomIds(),
        models=models,
    )
    call = Call(desk, CALLER)
    call.recorder.add_sink(office.timeline.sink(call.recorder))
    return call
