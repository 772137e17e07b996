"""Open visits: one for a token, turns in order, words in the right visit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest
from web_parts import FakeTalks, World, world

from wonmu.web.frames import Ended, Ending, Failed, Frame, Message, Speaker, Typing, Waiting
from wonmu.web.limiter import Rate
from wonmu.web.limits import WebLimits
from wonmu.web.live import LiveVisit, Turn, Watcher
from wonmu.web.refusal import Refused, Why

pytestmark = pytest.mark.unit

Play = Callable[[World], Awaitable[None]]


def play(what: Play, limits: WebLimits | None = None) -> None:
    async def run() -> None:
        await what(world(limits))

    asyncio.run(run())


async def done(turn: Turn) -> Turn:
    await asyncio.wait_for(turn.done.wait(), 5)
    return turn


def words(visit: LiveVisit) -> list[str]:
    return [message.text for message in visit.messages]


async def frames(watcher: Watcher, count: int) -> list[Frame]:
    return [await asyncio.wait_for(watcher.next(), 5) for _ in range(count)]


async def refused(work: Awaitable[object]) -> Why:
    with pytest.raises(Refused) as caught:
        await work
    return caught.value.why


def test_a_visit_begins_with_the_desks_words_and_numbers_what_is_said() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        assert visit.waiting
        turn = await done(visit.send("예약이요", "c1", visit.name))
        assert visit.messages == [
            Message(1, Speaker.DESK, "안녕하세요."),
            Message(2, Speaker.VISITOR, "예약이요", "c1"),
            Message(3, Speaker.DESK, "echo: 예약이요"),
        ]
        assert [message.seq for message in visit.answer(turn)] == [2, 3]

    play(what)


def test_the_same_client_id_is_one_turn_however_often_it_comes() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        first, second = (visit.send("네", "c1", None) for _ in range(2))
        assert first is second
        await done(first)
        assert visit.send("네", "c1", None) is first
        await done(visit.send("네", "c2", None))
        assert world.hanbit.talks[0].heard == ["네", "네"]

    play(what)


def test_turns_are_answered_one_after_the_other() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        slow = visit.send("잠깐", None, None)
        second = visit.send("둘", None, None)
        await asyncio.sleep(0.001)
        assert world.hanbit.talks[0].heard == ["잠깐"]
        assert not visit.waiting
        world.hanbit.talks[0].go_on.set()
        await done(slow)
        await done(second)
        assert [message.text for message in visit.answer(slow)] == ["잠깐", "echo: 잠깐"]
        assert [message.text for message in visit.answer(second)] == ["둘", "echo: 둘"]

    play(what)


def test_too_many_turns_do_not_queue_up() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        turns = [visit.send("잠깐", None, None) for _ in range(2)]
        with pytest.raises(Refused) as many:
            visit.send("셋", None, None)
        assert many.value.why is Why.TOO_MANY
        world.hanbit.talks[0].go_on.set()
        for turn in turns:
            await done(turn)

    play(what, WebLimits(waiting_turns=1))


def test_words_for_an_earlier_visit_answer_nothing() -> None:
    """A yes that was typed before the visit ended must not answer a question of the next one."""

    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        await visit.end(Ending.IDLE)
        later = await world.rooms().find(visit.token, "a")
        assert later.name != visit.name
        for old in (later, visit):
            with pytest.raises(Refused) as caught:
                old.send("네", "c1", "visit-0")
            assert caught.value.why is Why.VISIT_CHANGED
        assert [talk.heard for talk in world.hanbit.talks] == [[], []]

    play(what)


def test_a_token_opens_its_visit_and_only_there() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        assert await world.rooms().find(visit.token, "b") is visit
        assert await refused(world.rooms("onnuri").find(visit.token, "a")) is Why.UNKNOWN
        assert await refused(world.rooms().find("guess", "a")) is Why.UNKNOWN
        assert await refused(world.rooms("onnuri").forget(visit.token, "a")) is Why.UNKNOWN
        assert world.onnuri.asked == [visit.token, visit.token], "looked up like any other"
        assert await world.rooms().find(visit.token, "b") is visit

    play(what)


def test_guessing_is_slowed_down_before_anything_is_looked_up() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        for _ in range(3):
            assert await refused(world.rooms().find("guess", "bad")) is Why.UNKNOWN
        asked = len(world.hanbit.asked)
        assert await refused(world.rooms().find("guess", "bad")) is Why.TOO_MANY
        assert await refused(world.rooms().forget("guess", "bad")) is Why.TOO_MANY
        assert len(world.hanbit.asked) == asked
        assert await world.rooms().find(visit.token, "good") is visit
        world.clock.advance(10)
        assert await refused(world.rooms().find("guess", "bad")) is Why.UNKNOWN

    play(what, WebLimits(unknown=Rate(3, 0.1)))


def test_many_who_come_back_at_once_get_one_visit() -> None:
    async def what(world: World) -> None:
        first = await world.rooms().begin("a")
        await first.end(Ending.IDLE)
        found = await asyncio.gather(*(world.rooms().find(first.token, "a") for _ in range(5)))
        assert len({id(visit) for visit in found}) == 1
        assert words(found[0]) == ["다시 오셨네요."]
        assert len(world.hanbit.talks) == 2

    play(what)


def test_who_comes_back_while_the_visit_ends_waits_for_its_end() -> None:
    """The fake desk asserts that no token has two visits."""

    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        turn = visit.send("잠깐", None, None)
        await asyncio.sleep(0.001)
        ending = asyncio.create_task(visit.end(Ending.IDLE))
        coming = asyncio.create_task(world.rooms().find(visit.token, "a"))
        await asyncio.sleep(0.001)
        assert not coming.done()
        world.hanbit.talks[0].go_on.set()
        later = await coming
        await ending
        assert (await done(turn)).taken
        assert later is not visit
        assert world.hanbit.talks[0].reasons == ["idle"]

    play(what)


def test_a_visit_that_was_quiet_for_half_an_hour_ends_and_can_be_gone_on_with() -> None:
    async def what(world: World) -> None:
        quiet = await world.rooms().begin("a")
        world.clock.advance(1000)
        await done((talking := await world.rooms().begin("b")).send("네", None, None))
        world.clock.advance(800)
        watcher = quiet.watch(0)
        await world.rooms().end_idle()
        assert world.hanbit.talks[0].reasons == ["idle"]
        assert world.rooms().open == (talking,)
        assert (await frames(watcher, 3))[-1] == Ended(Ending.IDLE)
        later = await world.rooms().find(quiet.token, "a")
        assert words(later) == ["다시 오셨네요."]

    play(what)


def test_a_turn_under_way_is_not_quiet() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        turn = visit.send("잠깐", None, None)
        await asyncio.sleep(0.001)
        world.clock.advance(5000)
        await world.rooms().end_idle()
        assert visit.ended is None
        world.hanbit.talks[0].go_on.set()
        await done(turn)

    play(what)


def test_forgetting_ends_the_visit_and_the_token() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        watcher = visit.watch(0)
        await world.rooms().forget(visit.token, "a")
        assert (await frames(watcher, 3))[-1] == Ended(Ending.FORGOTTEN)
        assert world.hanbit.known == set()
        assert await refused(world.rooms().find(visit.token, "a")) is Why.UNKNOWN
        assert await refused(world.rooms().forget(visit.token, "a")) is Why.UNKNOWN

    play(what)


def test_when_the_desk_closes_the_visit_is_over() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        watcher = visit.watch(1)
        queued = [visit.send(text, None, None) for text in ("끝", "더")]
        for turn in queued:
            await done(turn)
        assert [turn.taken for turn in queued] == [True, False]
        assert await frames(watcher, 5) == [
            Waiting(),
            Typing(),
            Message(2, Speaker.VISITOR, "끝"),
            Message(3, Speaker.DESK, "echo: 끝"),
            Ended(Ending.CLOSED),
        ]
        assert (await world.rooms().find(visit.token, "a")) is not visit

    play(what)


def test_a_failed_turn_is_told_and_the_visit_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        watcher = visit.watch(1)
        assert (await done(visit.send("고장", "c1", None))).failed
        assert not (await done(visit.send("네", "c2", None))).failed
        assert Failed("c1") in await frames(watcher, 5)
        assert visit.waiting

    with caplog.at_level(logging.DEBUG):
        play(what)
    assert "RuntimeError" in caplog.text
    assert "고장" not in caplog.text


def test_a_visit_without_a_greeting_does_not_stay_open() -> None:
    async def what(world: World) -> None:
        world.hanbit.broken.add("greeting")
        with pytest.raises(RuntimeError):
            await world.rooms().begin("a")
        assert world.rooms().open == ()
        assert world.hanbit.open == set()

    play(what)


def test_a_visitors_numbers_are_kept_masked_and_the_desks_words_are_whole() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        await done(visit.send("010-0000-1234", None, None))
        assert words(visit)[1:] == ["[전화번호]", "echo: 010-0000-1234"]
        events = world.hanbit.talks[0].recorder.events
        assert not any("010-0000" in str(event.data) for event in events)

    play(what)


def test_a_watcher_gets_what_it_missed_and_nothing_twice() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        await done(visit.send("하나", None, None))
        watcher = visit.watch(2)
        assert await frames(watcher, 2) == [Message(3, Speaker.DESK, "echo: 하나"), Waiting()]
        visit.unwatch(watcher)
        again = visit.watch(3)
        await done(visit.send("둘", None, None))
        seen = [frame.seq for frame in await frames(again, 5) if isinstance(frame, Message)]
        assert seen == [4, 5]

    play(what)


def test_a_slow_watcher_is_let_go_and_stops_nobody() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        slow = visit.watch(0)
        for number in range(80):
            await done(visit.send(str(number), None, None))
        assert slow.lost
        assert len(visit.messages) == 161

    play(what)


def test_watchers_are_few() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        watchers = [visit.watch(0) for _ in range(3)]
        with pytest.raises(Refused):
            visit.watch(0)
        visit.unwatch(watchers[0])
        visit.watch(0)

    play(what)


def test_when_all_places_are_taken_the_longest_quiet_one_makes_room() -> None:
    async def what(world: World) -> None:
        quiet = await world.rooms().begin("a")
        world.clock.advance(60)
        await world.rooms().begin("b")
        assert await refused(world.rooms().begin("c")) is Why.BUSY
        assert await refused(world.rooms().find("guess", "c")) is Why.BUSY
        world.clock.advance(60)
        await world.rooms().begin("c")
        assert quiet.ended is Ending.IDLE
        assert len(world.rooms().open) == 2

    play(what, WebLimits(conversations=2, spare_after=120.0))


def test_closing_ends_every_visit_and_waits_for_turns_under_way() -> None:
    async def what(world: World) -> None:
        visits = [await world.rooms().begin("a") for _ in range(2)]
        turn = visits[0].send("잠깐", None, None)
        await asyncio.sleep(0.001)
        closing = asyncio.create_task(world.rooms().close())
        await asyncio.sleep(0.001)
        assert not closing.done()
        world.hanbit.talks[0].go_on.set()
        await closing
        assert [talk.reasons for talk in world.hanbit.talks] == [["shutdown"], ["shutdown"]]
        assert turn.taken
        assert isinstance(world.hanbit, FakeTalks)

    play(what)


def test_closing_does_not_wait_for_ever() -> None:
    async def what(world: World) -> None:
        visit = await world.rooms().begin("a")
        turn = visit.send("잠깐", None, None)
        await asyncio.sleep(0.001)
        await asyncio.wait_for(world.rooms().close(), 5)
        assert not turn.done.is_set()
        world.hanbit.talks[0].go_on.set()
        await done(turn)

    play(what, WebLimits(stop_seconds=0.01))
