"""Where a booking is to be moved, as far as words say it (B3, R29, S4).

Tells apart words that say which booking is meant and words that say where to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wonmu.clock import SEOUL
from wonmu.hospital.catalog import Found
from wonmu.korean.dates import Understood, mentions_when, read_when
from wonmu.visit.host import Host
from wonmu.visit.own import OwnBooking
from wonmu.visit.wishes import FirstWish, asks_other_doctor

_TARGET = re.compile(
    r"(으로|로|뒤로|늦게|일찍|에서)\s*(좀|다시|그냥)?\s*(예약)?(을|를)?\s*"
    r"(변경|바꾸|바꿔|바꿀|옮기|옮겨|옮길|미루|미뤄|당기|당겨|연기|하고|해|할)"
)

_NEW_TIME = re.compile(rf"{_TARGET.pattern}|(?:으로|로|에)\s*(?:요|갈게요|부탁\S*)?[\s.!]*$")
"""A time that says where to; "금요일 거요" only says which."""


def where_to(host: Host, words: str, when: str | None) -> FirstWish:
    """The wish that came with the wish to change. ``when``: a model's cut of ``words``."""
    return FirstWish(when=(when or words) if names_a_time(host, when or words, words) else None)


def names_a_time(host: Host, when: str, words: str) -> bool:
    """Whether the words say where to; "금요일 예약을 바꿔 주세요" only says which."""
    return bool(_TARGET.search(words)) and mentions_when(when, now=host.desk.clock.now())


def said_meanwhile(
    host: Host, first: FirstWish, chosen: OwnBooking, asides: Sequence[str]
) -> FirstWish:
    """What was said meanwhile of where to: the latest of each counts, and is taken up (S4).

    Words that fit the present booking only say which one is meant.
    """
    for words in asides:
        first = FirstWish(
            words if _other_department(host, words, chosen) else first.department,
            words if _other_doctor(host, words, chosen) else first.doctor,
            words if _new_time(host, words, chosen) else first.when,
        )
    return first


def _other_department(host: Host, words: str, chosen: OwnBooking) -> bool:
    found = host.desk.catalog.find_department(words)
    return isinstance(found, Found) and found.id != chosen.department_id


def _other_doctor(host: Host, words: str, chosen: OwnBooking) -> bool:
    catalog = host.desk.catalog
    if catalog.wants_any_doctor(words) or asks_other_doctor(words):
        return True
    found = catalog.find_doctor(words)
    return isinstance(found, Found) and found.id != chosen.doctor_id


def _new_time(host: Host, words: str, chosen: OwnBooking) -> bool:
    """Whether the words say where to: by their form, or because they are not the old time."""
    now = host.desk.clock.now()
    if not mentions_when(words, now=now):
        return False
    reading = read_when(words, now=now, open_times=host.desk.calendar)
    old = isinstance(reading, Understood) and reading.when.holds(chosen.start.astimezone(SEOUL))
    return bool(_NEW_TIME.search(words)) or not old
