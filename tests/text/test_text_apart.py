"""Two conversations side by side never mix; one in two hands never interleaves (H2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import cycle, islice

import pytest
from text_parts import (
    MINSU,
    SEOYEON,
    Door,
    Played,
    Recording,
    collect,
    fresh,
    history_faults,
    opened,
    text_of,
)

from wonmu.commands.common import hospitals_of
from wonmu.loop import run
from wonmu.model.port import ChatRequest
from wonmu.text.conversation import Conversation
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.unit

TURNS = 30
MINE = ("52,000", "35,000", "52000", "35000", "김민수")
THEIRS = ("100,000", "100000", "이서연")


def turns(identity: Sequence[str]) -> list[str]:
    start = ["진료비 얼마 나왔어요?", *identity]
    more = cycle(
        ("환불해 주세요", "아니요", "환불 어떻게 됐어요?", "주차 되나요?", "진료비 다시요")
    )
    return [*start, *islice(more, TURNS - len(start))]


@pytest.mark.parametrize("hospital", ["hanbit", "onnuri"])
def test_names_and_amounts_of_one_are_never_in_the_others_requests(hospital: str) -> None:
    chosen = hospitals_of(None).pick(hospital)
    recording = Recording()

    async def body(door: Door) -> list[tuple[list[ChatRequest], Played]]:
        left, right = await door.talks.begin(), await door.talks.begin()
        requests: dict[str, list[ChatRequest]] = {"left": [], "right": []}

        async def say(side: str, talk: Conversation, words: str) -> None:
            before = len(recording.requests)
            await talk.says(words)
            requests[side] += recording.requests[before:]

        await left.start()
        await right.start()
        for mine, theirs in zip(turns(MINSU), turns(SEOYEON), strict=True):
            await say("left", left, mine)
            await say("right", right, theirs)
        await left.end("caller_hangup")
        await right.end("caller_hangup")
        return [
            (requests["left"], await collect(door, left)),
            (requests["right"], await collect(door, right)),
        ]

    both = run(lambda: opened(body, hospital=chosen, data=fresh(chosen), recording=recording))
    (left_sent, left), (right_sent, right) = both
    assert len(left_sent) > 10
    assert len(right_sent) > 10
    for request in left_sent:
        assert not [each for each in THEIRS if each in text_of(request)]
        assert history_faults(request) == []
    for request in right_sent:
        assert not [each for each in MINE if each in text_of(request)]
        assert history_faults(request) == []
    assert any(MINE[0] in said for said in left.said())
    assert any("100,000" in said for said in right.said())
    assert not any(each in said for each in THEIRS for said in left.said())
    assert not any(each in said for each in MINE for said in right.said())


def test_both_at_once_are_answered_each_their_own() -> None:
    chosen = hospitals_of(None).pick("hanbit")

    async def body(door: Door) -> tuple[Played, Played]:
        left, right = await door.talks.begin(), await door.talks.begin()
        await asyncio.gather(left.start(), right.start())
        for mine, theirs in zip(turns(MINSU), turns(SEOYEON), strict=True):
            await asyncio.gather(left.says(mine), right.says(theirs))
        await asyncio.gather(left.end("caller_hangup"), right.end("caller_hangup"))
        return await collect(door, left), await collect(door, right)

    left, right = run(lambda: opened(body, hospital=chosen, data=fresh(chosen)))
    assert any("52,000" in said for said in left.said())
    assert not any("100,000" in said for said in left.said())
    assert any("100,000" in said for said in right.said())
    assert not any("52,000" in said for said in right.said())
    for visit in (left, right):
        assert [e.data["turn"] for e in visit.of(Kind.CALLER_HEARD)] == list(range(1, TURNS + 1))


def test_two_hands_on_one_conversation_take_turns() -> None:
    chosen = hospitals_of(None).pick("hanbit")

    async def body(door: Door) -> tuple[Played, Played]:
        one = await door.talks.begin()
        await one.start()
        other = await door.talks.resume(one.token)
        assert other is not None
        await other.start()
        for words in (
            "주차 되나요?",
            "몇 시까지 해요?",
            "진료비 얼마 나왔어요?",
            "850312",
            "김민수",
        ):
            await asyncio.gather(one.says(words), other.says(words))
        await asyncio.gather(one.end("caller_hangup"), other.end("caller_hangup"))
        return await collect(door, one), await collect(door, other)

    recording = Recording()
    visits = run(lambda: opened(body, hospital=chosen, data=fresh(chosen), recording=recording))
    for request in recording.requests:
        assert history_faults(request) == []
    for visit in visits:
        assert not visit.of(Kind.FAULT)


def test_a_yes_in_the_other_hand_is_no_consent() -> None:
    """A read-back counts where it was said (N1)."""
    chosen = hospitals_of(None).pick("hanbit")

    async def body(door: Door) -> tuple[Played, Played]:
        one = await door.talks.begin()
        await one.start()
        other = await door.talks.resume(one.token)
        assert other is not None
        await other.start()
        for words in ("환불해 주세요", *MINSU):
            await one.says(words)
        await other.says("네")
        after_first = len((await collect(door, one)).refunds)
        assert after_first == 0
        await other.says("네")
        await one.end("caller_hangup")
        await other.end("caller_hangup")
        return await collect(door, one), await collect(door, other)

    one, other = run(lambda: opened(body, hospital=chosen, data=fresh(chosen)))
    assert len(one.refunds) == 1
    assert other.lines()[-2:] == ["billing.readback_refund", "billing.refund_taken"]
    assert other.report().violations == ()
