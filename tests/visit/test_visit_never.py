"""Whatever comes in which order: no record without a yes to the read-back just before (N1, N2).

Random visitors, a random model, restarts, side answers and replays. An oracle beside the engines
says when a record may come to be, and the checks of the timeline judge every visit.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from visit_parts import Desk, Owner, desk_at

from wonmu.booking.result import Completed, ExitCode
from wonmu.identity.facts import Level
from wonmu.loop import run
from wonmu.timeline.events import Kind
from wonmu.timeline.view import Check
from wonmu.visit.booking_engine import BookingEngine, BookingState
from wonmu.visit.lookups import Name, Stopped
from wonmu.visit.own_engine import CancelDone, OwnEngine
from wonmu.visit.visit import Visit
from wonmu.visit.wishes import FirstWish

pytestmark = pytest.mark.unit

YES = ("네", "네 맞아요", "좋아요")
WORDS = (
    *YES,
    "네?",
    "아니요",
    "음",
    "네 근데 주차되나요?",
    "주차되나요?",
    "1번",
    "내일 오후요",
    "다른 선생님이요",
    "아니 수요일로요",
)
WISHES = (
    FirstWish("내과"),
    FirstWish(when="다음 주 화요일 오전 열 시"),
    FirstWish(when="내일 오후"),
    FirstWish(doctor="상관없음"),
    FirstWish("없는과", "없는의사", "2월 30일"),
)

say = st.tuples(st.just("say"), st.sampled_from(WORDS))
wish = st.tuples(st.just("wish"), st.sampled_from(WISHES))
choose = st.tuples(st.just("choose"), st.integers(0, 4))
other = st.tuples(
    st.sampled_from(("aside", "restart", "crash", "replay", "undelivered")), st.none()
)
steps = st.lists(st.one_of(say, say, say, wish, choose, other), max_size=14)


@cache
def filled(name: str) -> tempfile.TemporaryDirectory[str]:
    """A data folder as it is before the first visit; filling it takes longer than a visit."""
    folder = tempfile.TemporaryDirectory()

    async def fill() -> None:
        async with desk_at(name, Path(folder.name)):
            pass

    run(fill)
    return folder


class Oracle:
    """Says whether a yes may lead to a record: the read-back was the last thing delivered, in the
    turn just before, before the eyes of the same process."""

    def __init__(self) -> None:
        self.just_read = False

    def allows(self, words: str) -> bool:
        return self.just_read and words in YES

    def note(self, owner: Owner) -> None:
        self.just_read = bool(owner.lines) and owner.lines[-1].startswith(
            ("booking.readback", "own.readback")
        )


async def play(desk: Desk, owner: Owner, moves: list[tuple[str, object]]) -> None:
    oracle = Oracle()
    oracle.note(owner)
    for kind, what in moves:
        before = len(await desk.rows())
        may = False
        match kind, what:
            case "say", str(words):
                may = oracle.allows(words)
                await owner.say(words)
                oracle.note(owner)
            case "wish", FirstWish() as wished:
                owner.heard("모델이 읽을 말")
                await owner.take(await engine_of(owner).set_wish(owner.state(), wished))
                oracle.note(owner)
            case "choose", int(number):
                owner.heard("모델이 읽을 말")
                await owner.take(await engine_of(owner).choose(owner.state(), number))
                oracle.note(owner)
            case "aside", _:
                owner.heard("주차되나요?")
                oracle.just_read = False
            case "restart", _:
                saved, owner = owner.saved, desk.visit()
                await owner.resume(saved)
                oracle.note(owner)
            case "crash", _:
                saved, owner = owner.saved, desk.visit()
                owner.saved = saved
                oracle.just_read = False
            case "replay", _ if owner.agreed:
                engine = engine_of(owner)
                await engine.commit(BookingState.from_json(json.loads(owner.agreed[-1])))
            case "undelivered", _:
                owner.visit.memory.readbacks.clear()
                oracle.just_read = False
        grown = len(await desk.rows()) - before
        assert grown in (0, 1)
        assert may or not grown, (kind, what)
        if owner.outcome is not None:
            return


def engine_of(owner: Owner) -> BookingEngine:
    return BookingEngine(owner.visit)


@pytest.mark.parametrize("name", ["hanbit", "onnuri"])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves=steps)
def test_no_record_without_a_yes_to_the_read_back_just_before(
    name: str, moves: list[tuple[str, object]]
) -> None:
    async def main(data: Path) -> None:
        async with desk_at(name, data) as desk:
            owner = desk.visit()
            first = FirstWish("내과", None, "다음 주 화요일 오전 열 시")
            doctor = FirstWish(first.department, "김서연", first.when)
            wanted = doctor if name == "hanbit" else first
            await owner.book(await owner.minsu(), wanted, insurance="건강보험")
            await play(desk, owner, moves)
            for each in desk.owners:
                assert await each.violations((Check.N1, Check.N2, Check.N7, Check.N9)) == []

    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        shutil.copytree(filled(name).name, data)
        run(lambda: main(data))


def test_the_search_above_does_reach_a_record(tmp_path: Path) -> None:
    """Else nothing was shown: the very moves that may lead to one do."""

    async def main() -> None:
        async with desk_at("onnuri", tmp_path) as desk:
            owner = desk.visit()
            first = FirstWish("내과", None, "다음 주 화요일 오전 열 시")
            await owner.book(await owner.minsu(), first)
            await play(desk, owner, [("aside", None), ("say", "네"), ("say", "네 맞아요")])
            assert isinstance(owner.outcome, Completed)

    run(main)


def test_a_consent_taken_for_granted_would_be_noticed(tmp_path: Path) -> None:
    """With the memory of the delivery forged the oracle's rule is broken, and N1 says so."""

    async def main() -> None:
        async with desk_at("onnuri", tmp_path) as desk:
            owner = desk.visit()
            first = FirstWish("내과", None, "다음 주 화요일 오전 열 시")
            await owner.book(await owner.minsu(), first)
            owner.heard("주차되나요?")
            owner.visit.recorder.write(Kind.AGENT_SAID, {"text": "네, 됩니다.", "heard": "네"})
            state = owner.state()
            digest = state.draft.staged.digest
            engine_of(owner).heard(state, digest, owner.turn)  # it was not delivered in this turn
            await owner.say("네")
            assert isinstance(owner.outcome, Completed)
            assert await owner.violations((Check.N1,)) != []

    run(main)


def test_a_record_of_another_call_is_no_excuse_without_a_resumption(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            first, second = desk.visit(), desk.visit()
            wish = FirstWish("내과", "김서연", "다음 주 화요일 오전 열 시")
            await first.book(await first.minsu(), wish, insurance="건강보험")
            await first.say("네")
            await second.take(
                await engine_of(second).commit(BookingState.from_json(json.loads(first.agreed[0])))
            )
            assert isinstance(second.outcome, Completed)
            assert await second.violations((Check.N1,)) != []

    run(main)


def test_what_was_agreed_is_written_before_anything_else(tmp_path: Path) -> None:
    """Between the yes and the record nothing can be changed, left or chosen."""

    async def main() -> None:
        async with desk_at("onnuri", tmp_path) as desk:
            owner = desk.visit()
            first = FirstWish("내과", None, "다음 주 화요일 오전 열 시")
            await owner.book(await owner.minsu(), first)
            owner.heard("네")
            engine = engine_of(owner)
            agreed = await engine.answer(owner.state(), "네", owner.turn)
            assert agreed is not None
            for turned in (
                await engine.set_wish(agreed.state, WISHES[2]),
                await engine.choose(agreed.state, 1),
                await engine.answer(agreed.state, "그만할게요", owner.turn + 1),
                engine.leave(agreed.state),
            ):
                assert turned is not None
                assert turned.outcome == agreed.outcome
                assert turned.state == agreed.state

    run(main)


def test_the_same_consent_has_the_same_key_and_another_has_another(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("onnuri", tmp_path) as desk:
            owner = desk.visit()
            first = FirstWish("내과", None, "다음 주 화요일 오전 열 시")
            await owner.book(await owner.minsu(), first)
            owner.heard("네")
            state = owner.state()
            one = await engine_of(owner).answer(state, "네", owner.turn)
            two = await engine_of(owner).answer(state, "네", owner.turn)
            assert one is not None
            assert two is not None
            assert one.outcome == two.outcome
            other = desk.visit()
            await other.resume(owner.saved)
            other.heard("네")
            three = await engine_of(other).answer(other.state(), "네", other.turn)
            assert three is not None
            assert three.outcome not in (None, one.outcome)

    run(main)


def test_reads_are_one_of_a_kind_and_end_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            visit: Visit = desk.visit().visit
            never: asyncio.Event = asyncio.Event()
            reading = asyncio.ensure_future(visit.lookups.run(Name.SLOTS, lambda _: never.wait()))
            await asyncio.sleep(0.1)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            assert not visit.lookups.running()
            settled = [e for e in visit.recorder.events if e.kind is Kind.SEARCH_SETTLED]
            assert [event.data["outcome"] for event in settled] == ["cancelled"]
            waiting = asyncio.ensure_future(visit.lookups.run(Name.SLOTS, lambda _: never.wait()))
            await asyncio.sleep(0.1)
            assert visit.lookups.stop(ExitCode.HANGUP)
            assert await waiting == Stopped(ExitCode.HANGUP)

    run(main)


def test_a_cancellation_is_never_written_without_its_yes(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            who = await owner.minsu(Level.READ)
            owner.heard("예약 취소해 주세요")
            await owner.take(await OwnEngine(owner.visit).cancel(who, "예약 취소해 주세요"))
            owner.visit.memory.readbacks.clear()
            await owner.say("네")
            assert await desk.rows() == ()
            owner.heard("주차되나요?")
            await owner.say("네")
            assert await desk.rows() == ()
            turned = await OwnEngine(owner.visit).commit(owner.state())
            assert [each.line for each in turned.say] == ["own.readback_cancel"]
            assert await desk.rows() == ()
            await owner.say("네")
            assert isinstance(owner.outcome, CancelDone)

    run(main)
