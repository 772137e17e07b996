"""Wishes, offers, consent reading and results (S6, S8, T8, T9, B1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.booking.commit import CommitMode, Written
from wonmu.booking.consent import (
    AskAgain,
    AskAgainReason,
    ChangedMind,
    Consented,
    ConsentReading,
    Declined,
    judge_consent,
)
from wonmu.booking.offer import Offer, OfferList, choose_offers, fits
from wonmu.booking.result import BookedPatient, Completed, ExitCode, Exited, WholeBooking
from wonmu.booking.wish import AnyDoctor, ClosedLists, Missing, ThisDoctor, Wish
from wonmu.clock import SEOUL
from wonmu.emr.port import Slot, SlotStatus
from wonmu.identity.result import Contact
from wonmu.ids import BookingKey, DepartmentId, DoctorId, PatientId, SlotId, Version
from wonmu.korean.answers import is_bare_remark, read_answer
from wonmu.korean.when import When

pytestmark = pytest.mark.unit

IM, OS = DepartmentId("im"), DepartmentId("os")
LEE, KIM, PARK = DoctorId("lee"), DoctorId("kim"), DoctorId("park")
LISTS = ClosedLists({IM: (KIM, LEE), OS: (PARK,)})
DAY = date(2026, 12, 8)


def slot(
    hour: int, minute: int = 0, *, day: date = DAY, doctor: DoctorId = KIM, free: bool = True
) -> Slot:
    start = datetime.combine(day, time(hour, minute), SEOUL)
    status = SlotStatus.FREE if free else SlotStatus.BUSY
    return Slot(SlotId(f"{doctor}-{start:%m%d%H%M}"), IM, doctor, start, 15, status, Version("1"))


def wish(
    day: date | None = DAY,
    last: date | None = None,
    at: time | None = None,
    until: time | None = None,
    *,
    point: bool = False,
    soonest: bool = False,
    not_days: tuple[date, ...] = (),
) -> When:
    return When(day, last or day, at, until, point, soonest, not_days)


def clocks(offers: tuple[Offer, ...]) -> list[str]:
    return [f"{offer.slot.start.astimezone(SEOUL):%d-%H:%M}" for offer in offers]


SOMETIME = When(None, None, None, None, False)


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        (Wish(), (Missing.DEPARTMENT, Missing.WHEN)),
        (Wish(IM), (Missing.DOCTOR, Missing.WHEN)),
        (Wish(IM, AnyDoctor(), wish()), ()),
        (Wish(IM, ThisDoctor(KIM), SOMETIME), (Missing.WHEN,)),
        (Wish(OS, when=wish()), ()),
        (Wish(OS, when=replace(SOMETIME, soonest=True)), ()),
        (Wish(OS, when=wish(None, at=time(15), point=True)), ()),
    ],
)
def test_what_is_missing(said: Wish, missing: tuple[Missing, ...]) -> None:
    assert said.missing(LISTS) == missing


def test_a_hospital_may_not_want_a_choice_of_doctor() -> None:
    easy = replace(LISTS, choose_doctor=False)
    assert Wish(IM, when=wish()).missing(easy) == ()
    assert easy.departments_of(PARK) == (OS,)


MORNING = [slot(9, m) for m in (0, 15, 30, 45)] + [slot(10), slot(11), slot(14), slot(15, 30)]


def test_the_named_time_comes_first_and_then_the_nearest() -> None:
    offers = choose_offers(MORNING, wish(at=time(10), point=True))
    assert clocks(offers) == ["08-10:00", "08-09:30", "08-09:45"]
    assert [offer.number for offer in offers] == [1, 2, 3]


def test_a_named_time_that_is_taken_gives_its_neighbours() -> None:
    offers = choose_offers(MORNING, wish(at=time(14, 30), point=True))
    assert clocks(offers) == ["08-11:00", "08-14:00", "08-15:30"]


def test_the_wished_day_beats_the_wished_clock_time() -> None:
    later = date(2026, 12, 9)
    slots = [slot(9), slot(10, day=later)]
    assert clocks(choose_offers(slots, wish(at=time(10), point=True), limit=1)) == ["08-09:00"]


def test_soonest_gives_the_earliest() -> None:
    soon = When(None, None, None, None, False, soonest=True)
    assert clocks(choose_offers(MORNING, soon)) == ["08-09:00", "08-09:15", "08-09:30"]


def test_an_open_wish_is_spread_over_its_range() -> None:
    assert clocks(choose_offers(MORNING, wish())) == ["08-09:00", "08-10:00", "08-15:30"]
    assert clocks(choose_offers(MORNING, None)) == ["08-09:00", "08-10:00", "08-15:30"]
    assert clocks(choose_offers(MORNING, wish(), limit=1)) == ["08-09:00"]
    afternoon = wish(at=time(12), until=time(18))
    assert clocks(choose_offers(MORNING, afternoon)) == ["08-14:00", "08-15:30"]


def test_nothing_inside_the_wish_gives_the_nearest_outside() -> None:
    before = date(2026, 12, 4)
    after = date(2026, 12, 10)
    slots = [slot(9, day=before), slot(9, day=after), slot(16, day=after)]
    assert clocks(choose_offers(slots, wish(), limit=2)) == ["10-09:00", "10-16:00"]
    early = wish(date(2026, 12, 1), date(2026, 12, 3), time(15), time(16))
    assert clocks(choose_offers(slots, early, limit=1)) == ["04-09:00"]


def test_a_day_that_was_ruled_out_is_not_inside() -> None:
    ruled_out = wish(DAY, DAY + timedelta(days=1), not_days=(DAY,))
    slots = [slot(9), slot(10, day=DAY + timedelta(days=1))]
    assert clocks(choose_offers(slots, ruled_out)) == ["09-10:00"]
    assert not fits(slots[0], ruled_out)


def test_only_free_times_and_each_start_once() -> None:
    slots = [slot(9), slot(9, doctor=LEE), slot(10, free=False)]
    offers = choose_offers(slots, wish())
    assert [offer.slot.doctor_id for offer in offers] == [KIM]
    assert choose_offers([slot(9, free=False)], wish()) == ()


def test_the_time_range_is_half_open_and_in_seoul() -> None:
    range_ = wish(at=time(9), until=time(10))
    in_utc = replace(slot(9), start=datetime(2026, 12, 8, 0, 0, tzinfo=UTC))
    assert fits(in_utc, range_)
    assert not fits(slot(10), range_)
    assert not fits(slot(8, 45), range_)
    assert fits(slot(8, 45), None)


SLOTS = st.lists(
    st.builds(
        lambda day, hour, quarter, free: slot(
            hour, quarter * 15, day=DAY + timedelta(days=day), free=free
        ),
        st.integers(0, 5),
        st.integers(8, 17),
        st.integers(0, 3),
        st.booleans(),
    ),
    max_size=20,
)
WHENS = st.one_of(
    st.none(),
    st.builds(
        lambda day, hour, point, soon: wish(
            DAY + timedelta(days=day),
            at=time(hour),
            until=None if point else time(hour + 1),
            point=point,
            soonest=soon,
        ),
        st.integers(0, 5),
        st.integers(8, 17),
        st.booleans(),
        st.booleans(),
    ),
)


@given(SLOTS, WHENS, st.integers(1, 4))
def test_offers_are_free_known_distinct_and_few(
    slots: list[Slot], when: When | None, limit: int
) -> None:
    offers = choose_offers(slots, when, limit=limit)
    starts = [offer.slot.start for offer in offers]
    assert len(offers) <= limit
    assert len(set(starts)) == len(starts)
    assert all(o.slot in slots and o.slot.status is SlotStatus.FREE for o in offers)
    assert bool(offers) == any(s.status is SlotStatus.FREE for s in slots)
    assert OfferList(offers, datetime(2026, 12, 1, tzinfo=SEOUL)).offers == offers
    wanted = [s for s in slots if s.status is SlotStatus.FREE and fits(s, when)]
    if when is not None and when.point and wanted:
        assert fits(offers[0].slot, when)


HEARD: tuple[tuple[str, ConsentReading], ...] = (
    ("네", Consented()),
    ("예", Consented()),
    ("네네", Consented()),
    ("그럼요", Consented()),
    ("응 그래", Consented()),
    ("그렇게 하죠", Consented()),
    ("네, 그걸로 해 주세요", Consented()),
    ("네, 그걸로 해 주세요?", Consented()),
    ("네?", AskAgain(AskAgainReason.REPEAT_WANTED)),
    ("음…", AskAgain(AskAgainReason.UNCLEAR)),
    ("네 좋네요", AskAgain(AskAgainReason.UNCLEAR)),
    ("감사합니다", AskAgain(AskAgainReason.UNCLEAR)),
    ("아니요", Declined()),
    ("네, 근데 세 시로요", ChangedMind("세 시로요")),
)


def judge(words: str, *, heard: bool = True, side: bool = False) -> ConsentReading:
    reading = read_answer(words)
    return judge_consent(
        reading.answer, reading.rest, is_bare_remark(words), heard=heard, side_answer_between=side
    )


@pytest.mark.parametrize(("words", "judged"), HEARD)
def test_the_answer_to_a_full_read_back(words: str, judged: ConsentReading) -> None:
    assert judge(words) == judged


def test_a_no_with_a_new_wish_is_a_change() -> None:
    assert isinstance(judge("아니요, 화요일로요"), ChangedMind)
    assert isinstance(judge("열 시요?"), ChangedMind)


@pytest.mark.parametrize(("words", "_"), [case for case in HEARD if case[1] == Consented()])
def test_no_yes_counts_if_unheard_or_after_other_talk(words: str, _: ConsentReading) -> None:
    assert judge(words, heard=False) == AskAgain(AskAgainReason.NOT_HEARD)
    assert judge(words, side=True) == AskAgain(AskAgainReason.SIDE_ANSWER_BETWEEN)


def test_a_yes_with_more_in_it_is_not_a_yes() -> None:
    reading = read_answer("네")
    judged = judge_consent(
        reading.answer, "세 시로요", False, heard=True, side_answer_between=False
    )
    assert judged == ChangedMind("세 시로요")


PATIENT = BookedPatient(PatientId("p1"), "김가온", date(1985, 3, 12), "01000001234")


def whole() -> WholeBooking:
    return WholeBooking(
        BookingKey("k-1"), CommitMode.REQUEST, PATIENT, Contact("01000001234"), IM, KIM,
        SlotId("s"), datetime(2026, 12, 8, 10, tzinfo=SEOUL), 15,
    )  # fmt: skip


def test_a_completed_task_carries_a_whole_booking() -> None:
    assert Completed(whole()).booking.insurance is None
    assert Exited(ExitCode.NO_CANDIDATE).detail == ""
    assert not hasattr(Exited(ExitCode.HANGUP), "booking")


@pytest.mark.parametrize(
    "broken",
    [
        lambda b: replace(b, key=BookingKey("")),
        lambda b: replace(b, department_id=DepartmentId("")),
        lambda b: replace(b, doctor_id=DoctorId("")),
        lambda b: replace(b, slot_id=SlotId("")),
        lambda b: replace(b, start=b.start.replace(tzinfo=None)),
        lambda b: replace(b, minutes=0),
        lambda b: replace(b, patient=replace(b.patient, name=" ")),
        lambda b: replace(b, patient=replace(b.patient, phone="")),
        lambda b: replace(b, patient=replace(b.patient, id=PatientId(""))),
        lambda b: replace(b, patient=replace(b.patient, unmatched=True)),
    ],
)
def test_half_a_booking_cannot_be_built(broken: Callable[[WholeBooking], WholeBooking]) -> None:
    with pytest.raises(ValueError, match=r"."):
        broken(whole())


def test_a_patient_not_on_file_may_need_matching() -> None:
    assert replace(PATIENT, id=None, unmatched=True).unmatched


def test_exit_codes_cover_the_specified_reasons() -> None:
    named = {
        "staff_connection", "cancelled_by_caller", "other_request", "change_department",
        "change_doctor", "no_candidate", "identity_incomplete", "system_error", "silence", "hangup",
    }  # fmt: skip
    assert named <= {code.value for code in ExitCode}


@pytest.mark.parametrize("written", list(Written))
@pytest.mark.parametrize("mode", list(CommitMode))
def test_only_what_is_confirmed_is_direct(mode: CommitMode, written: Written) -> None:
    booking = replace(whole(), mode=mode)
    if (mode is CommitMode.DIRECT) == (written is Written.CONFIRMED):
        assert Completed(booking, written).written is written
    else:
        with pytest.raises(ValueError, match="confirmed"):
            Completed(booking, written)
