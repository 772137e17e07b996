"""The keypad menu: keys by state, announcement, questions, wrong and early keys (T6, R104)."""

from __future__ import annotations

import pytest
from call_parts import (
    BIRTH,
    MENU,
    READ_BACK,
    WISH,
    ended,
    heard,
    hospital,
    lines_of,
    of,
    played,
    tools,
)

from wonmu.evals.playing import Played
from wonmu.hospital.config import ActionMode, Hospital, KeypadMenu, MenuAction, MenuEntry
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario

NAMES = ("hanbit", "saebom")


def with_menu(name: str, **changed: object) -> Hospital:
    return hospital(name, keypad_menu=MENU, **changed)


def verdicts(call: Played) -> list[tuple[str, str]]:
    found = of(call, Kind.GATE_VERDICT)
    return [(event.data["action"], event.data["verdict"]) for event in found]


def exits(call: Played) -> list[str]:
    return [event.data["reason"] for event in of(call, Kind.TASK_LEFT)]


# Announcement ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_menu_is_told_after_the_greeting(name: str) -> None:
    call = played(with_menu(name), ["/hangup"])
    assert lines_of(call) == ["greeting", "menu.announce"]
    assert "진료 예약은 1번, 예약 확인은 2번" in heard(call)
    assert "주차 안내는 5번, 직원 연결은 0번을 눌러 주세요." in heard(call)


def test_a_quiet_menu_is_not_told_and_works() -> None:
    silent = KeypadMenu(announce=False, entries=MENU.entries)
    call = played(hospital("hanbit", keypad_menu=silent), ["#1", "/hangup"])
    assert "menu.announce" not in lines_of(call)
    assert tools(call) == ["create_booking"]


def test_the_shipped_hospitals_differ() -> None:
    assert hospital("saebom").keypad_menu is not None
    assert hospital("hanbit").keypad_menu is None
    assert lines_of(played(hospital("hanbit"), ["#1", "/hangup"])) == ["greeting"]


# A key is a wish ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("key", "tool", "action"),
    [
        ("1", "create_booking", "booking.create"),
        ("2", "inquire_booking", "booking.inquire"),
        ("3", "change_booking", "booking.change"),
        ("4", "cancel_booking", "booking.cancel"),
        ("0", "connect_person", "person.connect"),
    ],
)
def test_a_key_forces_its_tool_and_the_mode_decides(
    name: str, key: str, tool: str, action: str
) -> None:
    at = with_menu(name)
    call = played(at, [f"#{key}", "/hangup"])
    assert tools(call) == [tool]
    modes = {f"booking.{field}": mode for field, mode in at.actions}
    by_mode = {
        ActionMode.AUTO: "Allow",
        ActionMode.TRANSFER: "ByPerson",
        ActionMode.LEAVE_MEMO: "ByMemo",
    }
    assert verdicts(call) == [(action, by_mode[modes.get(action, ActionMode.AUTO)])]


@pytest.mark.parametrize("mode", list(ActionMode))
def test_a_key_whose_mode_is_not_auto_touches_nothing(mode: ActionMode) -> None:
    at = with_menu("hanbit")
    at = at.model_copy(update={"actions": at.actions.model_copy(update={"create": mode})})
    call = played(at, ["#1", BIRTH["hanbit"], "/hangup"])
    identified = bool(of(call, Kind.IDENTITY_SETTLED))
    assert identified is (mode is ActionMode.AUTO)


def test_a_booking_from_the_key_to_the_record() -> None:
    lines = ["#1", *READ_BACK["hanbit"][1:3], "내과요", *READ_BACK["hanbit"][3:], "네"]
    call = played(with_menu("hanbit"), lines)
    assert [row["kind"] for row in call.inbox] == ["booking_request"]


def test_information_is_an_ordinary_request_without_a_tool() -> None:
    call = played(with_menu("saebom"), ["#5", "/hangup"])
    assert tools(call) == []
    assert lines_of(call)[-1] == "model.answer"
    assert "주차장" in heard(call)


def test_a_question_that_is_an_order_still_opens_no_tool() -> None:
    """The hospital's words are nobody's wish."""
    entry = MenuEntry(digit=5, action=MenuAction.INFO, name="예약", question="예약해 주세요")
    call = played(
        hospital("hanbit", keypad_menu=KeypadMenu(entries=(entry,))), ["#5", "네", "/hangup"]
    )
    assert tools(call) == []


def test_a_key_agrees_to_nothing_that_was_offered() -> None:
    call = played(with_menu("hanbit"), ["수고하세요", "#1", "네", "/hangup"])
    closed = of(call, Kind.PROPOSAL_CLOSED)
    assert [(e.data["action"], e.data["how"]) for e in closed] == [("call.end", "closed")]
    assert ended(call) == "caller_hangup"


def test_voice_goes_on_without_any_key() -> None:
    call = played(with_menu("hanbit"), [*READ_BACK["hanbit"], "네"])
    assert [row["kind"] for row in call.inbox] == ["booking_request"]


def test_the_choice_is_used_up() -> None:
    """What a key chose does not justify a later tool of the same kind."""
    call = played(with_menu("hanbit"), ["#1", "예약 안 할래요", "네", "/hangup"])
    assert tools(call) == ["create_booking"]


# Wrong, early and repeated keys ------------------------------------------------------------------


@pytest.mark.parametrize("key", ["7", "*", "#"])
def test_a_wrong_key_is_told_with_the_menu_once(key: str) -> None:
    call = played(with_menu("saebom"), [f"#{key}", f"#{key}", "#1", "/hangup"])
    assert lines_of(call)[2:4] == ["menu.wrong", "menu.wrong_again"]
    assert tools(call) == ["create_booking"]


@pytest.mark.parametrize("name", NAMES)
def test_a_key_stops_the_greeting_and_is_used(name: str) -> None:
    call = played(with_menu(name), ["!#1", BIRTH[name], "/hangup"])
    said = of(call, Kind.AGENT_SAID)
    assert (said[0].data["line"], said[0].data["full"]) == ("greeting", False)
    assert lines_of(call)[1:3] == ["greeting.notice", "identity.birth"]
    assert of(call, Kind.IDENTITY_SETTLED)


def test_what_every_caller_must_hear_comes_once_and_whole() -> None:
    """R71: the notice was talked over."""
    at = with_menu("hanbit")
    call = played(at, ["!#1", "/hangup"])
    assert heard(call).count(at.greeting.notices) == 1


def test_a_key_in_the_announcement_stops_it() -> None:
    # The first key is wrong, so that the menu is told again, and the next comes over it.
    call = played(with_menu("saebom"), ["#9", "!#1", "/hangup"])
    assert [
        e.data["full"] for e in of(call, Kind.AGENT_SAID) if e.data["line"] == "menu.wrong"
    ] == [False]
    assert tools(call) == ["create_booking"]
    assert "greeting.notice" not in lines_of(call)


@pytest.mark.parametrize("keys", ["#11", "#1#"])
def test_the_same_press_twice_does_not_leak_into_the_birth_date(keys: str) -> None:
    call = played(with_menu("hanbit"), [keys, BIRTH["hanbit"], "/hangup"])
    assert tools(call) == ["create_booking"]
    assert lines_of(call)[2:4] == ["identity.birth", "insurance.ask"]
    assert [event.data["outcome"] for event in of(call, Kind.IDENTITY_SETTLED)] == ["verified"]


def test_typing_ahead_reaches_the_birth_date() -> None:
    call = played(with_menu("hanbit"), ["#1850312", "/hangup"])
    assert [event.data["outcome"] for event in of(call, Kind.IDENTITY_SETTLED)] == ["verified"]


# Keys by state -----------------------------------------------------------------------------------

STATES = {
    "greeting": (),
    "information": ("주차 되나요?",),
    "birth date": ("예약하고 싶어요",),
    "insurance": WISH["hanbit"][:2],
    "time": WISH["hanbit"],
    "read-back": READ_BACK["hanbit"],
    "done": (*READ_BACK["hanbit"], "네"),
}
"""State → caller lines that lead there."""

AT_DESK = ("greeting", "information", "done")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("key", ["0", "1", "5", "7", "*"])
def test_keys_by_state(state: str, key: str) -> None:
    before = STATES[state]
    call = played(with_menu("hanbit"), [*before, f"#{key}", "/hangup"])
    choices = [
        event.data["choice"] for event in of(call, Kind.KEYPAD_PRESSED) if "choice" in event.data
    ]
    if state in AT_DESK:
        entry = MENU.entry(int(key)) if key.isdigit() else None
        assert choices == ([entry.action.value] if entry else [])
        assert ("menu.wrong" in lines_of(call)) is (entry is None)
    elif state == "birth date":
        assert choices == []
        assert exits(call)[-1] == "hangup"
    else:
        assert choices == (["person"] if key == "0" else [])
        assert ("staff_connection" in exits(call)) is (key == "0")
    assert len([row for row in call.inbox if row["kind"] == "booking_request"]) == (state == "done")


def test_a_number_that_is_typed_is_no_wish_for_a_person() -> None:
    """R104: 010… begins like the key for a person."""
    lines = ("예약하고 싶어요", "#850312", "#01000005678", "/hangup")
    call = played(with_menu("hanbit"), lines, caller=None)
    assert "staff_connection" not in exits(call)


def test_the_key_for_a_person_counts_while_something_is_looked_up() -> None:
    """R116: the lookup is slow, its filler is spoken, and 0 is pressed over it."""
    slow = "- {op: find_patients, kind: latency, seconds: 2.9}\n"
    lines = ["예약하고 싶어요", "#850312", "!#0", "/hangup"]
    call = played(with_menu("hanbit"), lines, faults=slow)
    assert "lookup.patient_started" in lines_of(call)
    assert [e.data["choice"] for e in of(call, Kind.KEYPAD_PRESSED) if "choice" in e.data] == [
        "person"
    ]
    # The lookup that nobody wants any more ended there; nothing of it was told (A5).
    settled = [e for e in of(call, Kind.SEARCH_SETTLED) if e.data["outcome"] == "cancelled"]
    assert len(settled) == 1
    assert len(of(call, Kind.TRANSFER_SETTLED)) == 1
    assert tools(call) == ["create_booking"]


def test_a_key_while_the_talk_is_over_is_nothing() -> None:
    call = played(with_menu("hanbit"), ["끊어 주세요", "!#1"])
    assert tools(call) == ["end_call"]
    assert ended(call) == "end_call"


def test_no_digit_stands_in_the_timeline() -> None:
    call = played(with_menu("hanbit"), ["#1", BIRTH["hanbit"], "#7", "/hangup"])
    assert {event.data["masked"] for event in of(call, Kind.KEYPAD_PRESSED)} == {"•"}
