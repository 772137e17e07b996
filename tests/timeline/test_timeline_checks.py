"""N1–N5: silent on a good call, loud on every way we know to spoil it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from timeline_calls import (
    ANSWER,
    CREATE,
    MEMO,
    PRIVATE,
    READBACK,
    SECOND,
    START,
    K,
    Line,
    Spoil,
    booking_lines,
    change,
    drop,
    found,
    heard,
    put,
    put_after,
    row,
    said,
    spoilt,
    view,
)

from wonmu.timeline.checks import run_checks
from wonmu.timeline.view import (
    AppointmentRow,
    CallView,
    Check,
    InboxRow,
    ModelRequest,
    NotChecked,
    Skipped,
)

pytestmark = pytest.mark.unit

OTHER = "박도윤 과장님은 수요일에 진료하십니다."


def test_a_good_booking_violates_nothing_and_everything_is_checked() -> None:
    report = run_checks(view(secrets=("예약 12월 3일",), private=PRIVATE))
    assert report.violations == ()
    assert report.passed == tuple(Check)


def test_a_direct_write_that_somebody_else_was_faster_than_is_no_lost_record() -> None:
    """The request was kept, then dropped and told as gone; an open one would be a violation."""
    gone = (6.3, K.COMMIT_SETTLED, {"key": "k1", "act": "book", "outcome": "slot_gone"})
    lines = [gone if line[1] is K.BOOKING_COMMITTED else line for line in booking_lines()]
    dropped = view(lines, inbox=(row(state="dropped"),))
    assert found(Check.N1, dropped) == found(Check.N7, dropped) == ()
    assert found(Check.N1, view(lines)) != ()


def test_no_events_is_not_a_pass() -> None:
    report = run_checks(CallView(events=()))
    assert report.passed == ()
    assert set(report.not_checked) == set(Check)


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (Check.N1, view(inbox=None)),
        (Check.N2, view(inbox=None)),
        (Check.N3, view()),
        (Check.N7, view(inbox=None)),
        (Check.N8, view()),
        (Check.N9, view(scope=None)),
    ],
)
def test_what_is_missing_is_not_checked_and_not_passed(check: Check, given: CallView) -> None:
    with pytest.raises(NotChecked):
        found(check, given)
    assert isinstance(run_checks(given).results[check], Skipped)


N1_SPOILS: dict[str, CallView] = {
    "no consent": spoilt(drop(K.BOOKING_CONSENT)),
    "no commit event": spoilt(drop(K.BOOKING_COMMITTED)),
    "no read-back": spoilt(drop(K.BOOKING_READBACK)),
    "nothing staged": spoilt(drop(K.BOOKING_STAGED)),
    "consent to another digest": spoilt(change(K.BOOKING_CONSENT, digest="d2")),
    "read-back of another digest": spoilt(change(K.BOOKING_READBACK, digest="d2")),
    "staged another after the yes": spoilt(
        put_after(K.BOOKING_CONSENT, (6.2, K.BOOKING_STAGED, {"digest": "d2"}))
    ),
    "read-back cut off before the time": spoilt(
        change(K.AGENT_SAID, heard="내과 김서연 원장님, 12월 8일")
    ),
    "read-back never heard": spoilt(change(K.AGENT_SAID, heard="")),
    "other words after the read-back": spoilt(put(ANSWER, *said(5, OTHER, 1))),
    "words after the read-back in one breath": spoilt(
        change(K.AGENT_SAID, text=f"{READBACK} {OTHER}", heard=f"{READBACK} {OTHER}")
    ),
    "yes spoken before the read-back ended": spoilt(
        put(ANSWER - 4, heard(3.55, "네, 그렇게 해 주세요", 2)),
        lambda ls: ls[: ANSWER + 1] + ls[ANSWER + 2 :],
    ),
    "consent with words nobody said": spoilt(change(K.BOOKING_CONSENT, words="네 확정해 주세요")),
    "consent with no words": spoilt(change(K.BOOKING_CONSENT, words="")),
    "consent of an older turn": spoilt(change(K.BOOKING_CONSENT, turn=1)),
    "row with another time": view(inbox=(row(start=START + timedelta(minutes=30)),)),
    "row on another day": view(inbox=(row(start=START + timedelta(days=7)),)),
    "row twelve hours off": view(inbox=(row(start=START + timedelta(hours=12)),)),
    "row with another doctor": view(inbox=(row(doctor="박도윤"),)),
    "row with another department": view(inbox=(row(department="정형외과"),)),
    "row without a time": view(inbox=(row(start=None),)),
    "row that no event made": view(inbox=(row(), row(key="k2"))),
}


@pytest.mark.parametrize("name", N1_SPOILS)
def test_n1_catches(name: str) -> None:
    assert found(Check.N1, N1_SPOILS[name])


def test_n1_holds_without_an_inbox_row_too() -> None:
    assert found(Check.N1, spoilt(drop(K.BOOKING_CONSENT), inbox=None))


def test_n1_reads_ids_through_the_names() -> None:
    names = {"dep-1": "내과", "doc-1": "김서연"}
    ids = (row(department="dep-1", doctor="doc-1"),)
    assert found(Check.N1, view(inbox=ids, names=names)) == ()
    assert found(Check.N1, view(inbox=ids))


def test_n1_allows_a_replay_of_the_same_key() -> None:
    again = (6.35, K.BOOKING_COMMITTED, {"key": "k1", "mode": "request", "digest": "d1"})
    assert found(Check.N1, spoilt(put_after(K.BOOKING_COMMITTED, again))) == ()


APPOINTMENT = AppointmentRow(id="a1", patient="p1", slot_id="s1", start=START, key="k1")

N2_SPOILS: dict[str, CallView] = {
    "one key twice": view(inbox=(row(), row(call_id="call-2", slot_id="s2", patient="b"))),
    "two patients in one slot": view(inbox=(row(), row(key="k2", patient="b", call_id="call-2"))),
    "a patient twice at one time": view(inbox=(row(), row(key="k2", slot_id="s2"))),
    "one consent, two keys": spoilt(put_after(K.BOOKING_COMMITTED, SECOND)),
    "two appointments in one slot": view(
        appointments=(APPOINTMENT, replace(APPOINTMENT, id="a2", patient="p2", key="k9"))
    ),
    "two patients at one doctor's time, as printed": view(
        inbox=tuple(row(key=key, slot_id="", patient=key) for key in ("k1", "k2"))
    ),
    "two appointments of one key": view(
        appointments=(
            APPOINTMENT,
            replace(APPOINTMENT, id="a2", slot_id="s2", start=START + timedelta(days=1)),
        )
    ),
    "a request on a slot somebody has": view(appointments=(replace(APPOINTMENT, key="desk"),)),
}


@pytest.mark.parametrize("name", N2_SPOILS)
def test_n2_catches(name: str) -> None:
    assert found(Check.N2, N2_SPOILS[name])


def test_n2_lets_cancelled_rows_and_the_request_s_own_appointment_be() -> None:
    rows = (row(), row(key="k0", state="dropped"))
    gone = replace(APPOINTMENT, id="a0", key="k5", status="cancelled")
    assert found(Check.N2, view(inbox=rows, appointments=(APPOINTMENT, gone))) == ()


OLD = replace(APPOINTMENT, id="a0", slot_id="s0", key="k0", start=START - timedelta(days=1))
CANCELLED = "cancelled"


@pytest.mark.parametrize(
    ("standing", "harm"),
    [
        ((APPOINTMENT, replace(OLD, status=CANCELLED)), False),
        ((APPOINTMENT, OLD), False),
        ((OLD,), False),
        ((replace(OLD, status=CANCELLED),), True),
        ((replace(APPOINTMENT, status=CANCELLED), replace(OLD, status=CANCELLED)), True),
    ],
)
def test_n2_catches_a_changed_patient_left_with_none(
    standing: tuple[AppointmentRow, ...], harm: bool
) -> None:
    moved = change(K.BOOKING_COMMITTED, mode="direct", replaces="a0")
    given = spoilt(moved, inbox=(), appointments=standing)
    assert bool(found(Check.N2, given)) is harm
    asked = spoilt(change(K.BOOKING_COMMITTED, replaces="a0"), inbox=(), appointments=standing)
    assert found(Check.N2, asked) == ()


def test_n2_lets_a_moved_booking_be_cancelled_later() -> None:
    cancelled = (7.0, K.BOOKING_COMMITTED, {"key": "c1", "mode": "direct", "cancels": "a1"})
    moved = change(K.BOOKING_COMMITTED, mode="direct", replaces="a0")
    gone = (replace(APPOINTMENT, status=CANCELLED), replace(OLD, status=CANCELLED))
    given = spoilt(moved, put_after(K.BOOKING_COMMITTED, cancelled), inbox=(), appointments=gone)
    assert found(Check.N2, given) == ()


SECRETS = ("정재희", "12월 3일 오후 두 시")
BEFORE_IDENTITY = 6

N3_SPOILS: dict[str, CallView] = {
    "name said": spoilt(put(3, *said(1.5, "정재희 님이시죠?", 0)), secrets=SECRETS),
    "time said": spoilt(
        put(3, *said(1.5, "12월 3일 오후 두시 예약이 있으세요.", 0)), secrets=SECRETS
    ),
    "name begun": spoilt(put(3, (1.5, K.AGENT_SPEAKING, {"text": "정재희 님"})), secrets=SECRETS),
    "told a model": view(secrets=SECRETS, model_requests=(ModelRequest(4, "환자: 정재희"),)),
    "never identified": spoilt(
        drop(K.IDENTITY_SETTLED), put_after(K.HANGUP, *said(9, "정재희 님", 2)), secrets=SECRETS
    ),
    "only a new patient": spoilt(
        change(K.IDENTITY_SETTLED, outcome="new_patient"),
        put(15, *said(4.4, "정재희 님", 2)),
        secrets=SECRETS,
    ),
}


@pytest.mark.parametrize("name", N3_SPOILS)
def test_n3_catches(name: str) -> None:
    assert found(Check.N3, N3_SPOILS[name])


def test_n3_lets_the_caller_s_own_words_and_what_follows_identity_be() -> None:
    own = put(3, heard(1.2, "저는 정재희예요", 1), *said(1.5, "정재희 님이시군요.", 1))
    known = put(15, *said(4.4, "정재희 님, 12월 3일 오후 두 시 예약이 있으세요.", 1))
    assert found(Check.N3, spoilt(own, secrets=SECRETS)) == ()
    told = (ModelRequest(9, "환자: 정재희"),)
    assert found(Check.N3, spoilt(known, secrets=SECRETS, model_requests=told)) == ()


def ended(reason: str) -> Spoil:
    return change(K.CALL_ENDED, reason=reason)


NO_HANGUP = drop(K.HANGUP)
SILENT = drop(K.TERMINAL_LATCHED)
TRANSFER: Line = (8, K.TRANSFER_SETTLED, {"outcome": "no_answer"})

N4_SPOILS: dict[str, CallView] = {
    "a hang-up that did not happen": spoilt(NO_HANGUP),
    "no reason": spoilt(ended("")),
    "our own wish": spoilt(NO_HANGUP, SILENT, ended("end_call")),
    "silence, but the caller spoke last": spoilt(
        NO_HANGUP, ended("silence"), put_after(K.TERMINAL_LATCHED, heard(8.9, "여보세요", 3)),
        lambda ls: [line for line in ls if not (line[1] is K.AGENT_SAID and line[0] > 6.4)],
    ),
    "a fault nobody saw": spoilt(NO_HANGUP, ended("fault")),
    "latched without a receipt": spoilt(NO_HANGUP, drop(K.BOOKING_COMMITTED), ended("done")),
    "a transfer nobody wanted": spoilt(put_after(K.TERMINAL_LATCHED, TRANSFER)),
    "a call-back nobody wanted": spoilt(put_after(K.TERMINAL_LATCHED, MEMO)),
    "a transfer the gate refused": spoilt(
        put(4, (3, K.GATE_VERDICT, {"action": "person.connect", "verdict": "refuse"})),
        put_after(K.TERMINAL_LATCHED, TRANSFER),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", N4_SPOILS)
def test_n4_catches(name: str) -> None:
    assert found(Check.N4, N4_SPOILS[name])


def asked(action: str, verdict: str = "allow") -> Spoil:
    return put(4, (3, K.GATE_VERDICT, {"tool": "x", "action": action, "verdict": verdict}))


N4_GOOD: dict[str, CallView] = {
    "the caller asked to end": spoilt(NO_HANGUP, SILENT, asked("call.end"), ended("end_call")),
    "work done and latched": spoilt(NO_HANGUP, ended("booking_done")),
    "a limit": spoilt(NO_HANGUP, ended("time_limit")),
    "silence after our question": spoilt(NO_HANGUP, ended("silence")),
    "a fault with its event": spoilt(NO_HANGUP, put(4, (3, K.FAULT, {})), ended("fault")),
    "a person asked for": spoilt(asked("person.connect"), put_after(K.TERMINAL_LATCHED, TRANSFER)),
    "the hospital's mode": spoilt(
        asked("booking.cancel", "ByPerson"), put_after(K.TERMINAL_LATCHED, TRANSFER)
    ),
    "a memo by mode": spoilt(
        asked("booking.cancel", "by_memo"), put_after(K.TERMINAL_LATCHED, MEMO)
    ),
    "nobody was established": spoilt(
        change(K.IDENTITY_SETTLED, outcome="ambiguous"), put_after(K.TERMINAL_LATCHED, MEMO)
    ),
    "an exit for staff": spoilt(
        change(K.TASK_LEFT, reason="staff_connection"), put_after(K.TERMINAL_LATCHED, TRANSFER)
    ),
}


@pytest.mark.parametrize("name", N4_GOOD)
def test_n4_accepts(name: str) -> None:
    assert found(Check.N4, N4_GOOD[name]) == ()


LATCHED = K.TERMINAL_LATCHED

N5_SPOILS: dict[str, CallView] = {
    "more words": spoilt(put_after(LATCHED, *said(6.45, "더 궁금한 점 있으세요?", 2))),
    "a tool": spoilt(put_after(LATCHED, (6.45, K.TOOL_STARTED, {"name": "x", "_span": "z"}))),
    "a task": spoilt(put_after(LATCHED, (6.45, K.TASK_ENTERED, {"name": "x", "_span": "z"}))),
    "a second commit": spoilt(put_after(LATCHED, SECOND)),
    "an allowed tool": spoilt(put_after(LATCHED, (6.45, K.GATE_VERDICT, CREATE))),
    "a goodbye that was not planned": spoilt(change(K.AGENT_SAID, final=False)),
    "two goodbyes": spoilt(put_after(LATCHED, *said(6.45, "감사합니다.", 2, final=True))),
}


@pytest.mark.parametrize("name", N5_SPOILS)
def test_n5_catches(name: str) -> None:
    assert found(Check.N5, N5_SPOILS[name])


def test_n5_lets_words_that_had_begun_end() -> None:
    begun, over = said(6.39, "잠시만요", 2)
    given = spoilt(put_after(LATCHED, over), put_after(K.TOOL_ENDED, begun))
    assert found(Check.N5, given) == ()


def test_a_printed_inbox_row_is_read() -> None:
    printed = {
        "kind": "booking_request",
        "state": "open",
        "patient": {"name": "김민수", "birth_date": "1985-03-12", "phone": "01000001234"},
        "contact": None,
        "department": "내과",
        "doctor": "김서연",
        "start": "2026-12-08T10:30:00+09:00",
        "insurance": None,
        "key": "k1",
        "call_id": "call-1",
    }
    assert InboxRow.from_json(printed) == row(slot_id="")
    empty = {"name": None, "birth_date": None, "phone": None}
    note = InboxRow.from_json({**printed, "kind": "memo", "patient": empty, "start": None})
    assert (note.patient, note.start, note.slot) == ("", None, "")
