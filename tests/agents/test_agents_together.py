"""Several specialists at once, the loop guard, and the tool of a caller's agent (H1, H3)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from agents_parts import (
    FEE,
    LINES,
    WHO,
    ScriptedLedger,
    of_kind,
    on_the_loop,
    room,
)
from delegate_tool import as_langchain_tool
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from model_rungs import Recording, Reply, Scripted, check_history, say, use

from wonmu.desk.agents.answer import Answer, Answered, Failed, NeedsIdentity, Question, WhyFailed
from wonmu.desk.agents.asked import Asked, Refusal, WhyRefused
from wonmu.desk.agents.chat_model import LadderChat
from wonmu.desk.agents.consult import Consultation, Told, words_of
from wonmu.desk.agents.specialist import (
    BILLING,
    CERTIFICATES,
    SPECIALISTS,
    Workroom,
    ask_side_by_side,
)
from wonmu.desk.agents.untraced import untraced
from wonmu.errors import ProgrammingError
from wonmu.hospital.billing import SpecialistLimits
from wonmu.model.port import ChatRequest
from wonmu.timeline.events import Event, Kind, Status

pytestmark = pytest.mark.unit

BOTH = (BILLING, CERTIFICATES)
QUESTION = Question("지난번 진료비하고 진단서 값 알려 주세요", WHO)
PAID_WORDS = "진료비는 35,000원이고 모두 내셨습니다."
FEE_WORDS = "진단서는 20,000원입니다."


def by_specialist(request: ChatRequest) -> Reply:
    """Looks, then answers; slow in each."""
    answered = any(m["role"] == "tool" for m in request.messages)
    if "specialist_billing" in str(request.messages[-1]["content"]):
        return say(PAID_WORDS) if answered else [3.0, *use("lookup_invoice")]
    return say(FEE_WORDS) if answered else [3.0, *use("certificate_fee", name="진단서")]


# Side by side --------------------------------------------------------------------------------


def test_three_seconds_each_are_three_seconds_together() -> None:
    async def main() -> tuple[tuple[tuple[str, Answer], ...], list[Event]]:
        place = room(Scripted(by_specialist))
        answers = await ask_side_by_side((CERTIFICATES, BILLING), QUESTION, place, turn=1)
        return answers, place.recorder.events

    answers, events = on_the_loop(main)
    assert [name for name, _ in answers] == ["certificates", "billing"]
    texts = [answer.text for _, answer in answers if isinstance(answer, Answered)]
    assert texts == [FEE_WORDS, PAID_WORDS]
    assert [e.mono for e in of_kind(events, Kind.SPECIALIST_ENDED)] == [3.0, 3.0]


def test_windows_side_by_side_do_not_mix() -> None:
    recording = Recording(Scripted(by_specialist))

    async def main() -> None:
        await ask_side_by_side(BOTH, QUESTION, room(recording), turn=1)

    on_the_loop(main)
    assert len(recording.requests) == 4
    for request in recording.requests:
        check_history(request.messages)
        sent = json.dumps([dict(m) for m in request.messages], ensure_ascii=False)
        assert ("specialist_billing" in sent) != ("specialist_certificates" in sent)
        assert not ("35000" in sent and "20000" in sent)


def test_a_failing_and_a_slow_one_lose_nothing_of_the_other() -> None:
    def slow_bills(request: ChatRequest) -> Reply:
        billing = "specialist_billing" in str(request.messages[-1]["content"])
        return [90.0, *say(PAID_WORDS)] if billing else by_specialist(request)

    async def main(ledger: ScriptedLedger, step: Any) -> tuple[tuple[str, Answer], ...]:
        place = room(Scripted(step), ledger=ledger, seconds=8)
        return await ask_side_by_side(BOTH, QUESTION, place, turn=1)

    slow = on_the_loop(lambda: main(ScriptedLedger(), slow_bills))
    assert slow[0] == ("billing", Failed(WhyFailed.SECONDS))
    assert isinstance(slow[1][1], Answered)
    failing = ScriptedLedger(fails=frozenset({"invoices"}))
    failed = on_the_loop(lambda: main(failing, by_specialist))
    assert isinstance(failed[0][1], Failed)
    assert isinstance(failed[1][1], Answered)


def test_cancelling_all_ends_all() -> None:
    async def main() -> list[Event]:
        place = room(Scripted(by_specialist))
        task = asyncio.create_task(ask_side_by_side(BOTH, QUESTION, place, turn=1))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return place.recorder.events

    ended = of_kind(on_the_loop(main), Kind.SPECIALIST_ENDED)
    assert [e.status for e in ended] == [Status.CANCELLED] * 2


# The loop guard ------------------------------------------------------------------------------


def test_who_only_lacked_an_identity_may_be_asked_once_more_and_no_more_hops_than_ever() -> None:
    asked = Asked(SpecialistLimits(asks=1))
    for name in ("billing", "certificates"):
        asked.admit((name,), turn=1)
        asked.answered(name, NeedsIdentity() if name == "billing" else Answered("네."), turn=1)
    asked.identified()
    admitted, refused = asked.admit(("certificates", "billing"), turn=1)
    assert admitted == ("billing",)
    assert [each.name for each in refused] == ["certificates"]
    asked.answered("billing", NeedsIdentity(), turn=1)
    asked.identified()
    assert asked.admit(("billing",), turn=1)[0] == ()
    assert asked.admit(("billing",), turn=2)[0] == ("billing",)


def test_asked_counts_within_one_turn() -> None:
    asked = Asked(SpecialistLimits(asks=1))
    assert asked.admit(("billing", "billing"), turn=1) == (("billing",), ())
    asked.answered("billing", NeedsIdentity(), turn=1)
    again = asked.admit(("billing", "certificates"), turn=1)
    refusal = Refusal("billing", WhyRefused.ASKED_ALREADY, NeedsIdentity())
    assert again == (("certificates",), (refusal,))
    assert asked.admit(("billing",), turn=2) == (("billing",), ())
    asked.answered("billing", NeedsIdentity(), turn=1)  # too late: of another turn
    _, (refused,) = asked.admit(("billing",), turn=2)
    assert refused.earlier is None


def test_no_more_than_three_hops_whatever_a_hospital_allows() -> None:
    asked = Asked(SpecialistLimits(asks=5))
    hops = [asked.admit(("billing",), turn=1)[0] for _ in range(10)]
    assert hops == [("billing",)] * 3 + [()] * 7
    _, (refused,) = asked.admit(("certificates",), turn=1)
    assert refused.why is WhyRefused.TOO_MANY_HOPS


def consulted(
    asks: Sequence[tuple[tuple[str, ...], int]], **limits: int
) -> tuple[list[tuple[Told, ...]], list[Event], Scripted]:
    rung = Scripted(by_specialist)

    async def main() -> tuple[list[tuple[Told, ...]], list[Event]]:
        consultation = Consultation(room(rung, **limits))  # type: ignore[arg-type]
        told = [await consultation.ask(QUESTION, names, turn=turn) for names, turn in asks]
        return told, consultation.room.recorder.events

    return *on_the_loop(main), rung


def test_asked_again_the_earlier_answer_comes_back_and_nobody_is_asked() -> None:
    told, events, rung = consulted([(("billing",), 1)] * 4)
    assert len(rung.requests) == 2
    assert [each[0].refused for each in told] == [None, *[WhyRefused.ASKED_ALREADY] * 3]
    assert len({id(each[0].answer) for each in told}) == 1
    refused = of_kind(events, Kind.SPECIALIST_REFUSED)
    assert [dict(e.data) for e in refused] == [
        {"name": "billing", "reason": "asked_already", "question_turn": 1}
    ] * 3


def test_the_order_asked_is_the_order_told() -> None:
    told, _, _ = consulted([(("billing",), 1), (("certificates", "billing", "certificates"), 1)])
    assert [each.name for each in told[1]] == ["certificates", "billing"]
    assert [each.refused for each in told[1]] == [None, WhyRefused.ASKED_ALREADY]


def test_an_unknown_specialist_is_a_mistake_of_ours() -> None:
    with pytest.raises(ProgrammingError):
        consulted([(("surgery",), 1)])


def test_every_answer_has_words() -> None:
    answers: list[Answer | None] = [
        Answered("네."),
        NeedsIdentity(),
        None,
        *(Failed(why) for why in WhyFailed),
    ]
    for name in SPECIALISTS:
        for answer in answers:
            refused = None if answer else WhyRefused.TOO_MANY_HOPS
            assert words_of(Told(name, answer, refused), LINES).strip()


# The tool of a caller's agent --------------------------------------------------------------------


def tool_over(place: Workroom, question: Question = QUESTION) -> Any:
    consultation = Consultation(place)

    async def consult(words: str, names: tuple[str, ...]) -> Sequence[Told]:
        return await consultation.ask(question, names, turn=1)

    return as_langchain_tool(BOTH, LINES, consult)


def delegated(
    supervisor: Scripted | Recording, specialists: Scripted, question: Question = QUESTION
) -> tuple[dict[str, Any], list[Any], list[Event]]:
    """A caller's agent with a checkpointer, watched through every stream there is."""

    async def main() -> tuple[dict[str, Any], list[Any], list[Event]]:
        place = room(specialists)
        saver = InMemorySaver()
        agent = create_agent(
            LadderChat(rungs=(supervisor,), limits=place.model_limits),
            [tool_over(place, question)],
            system_prompt="상담원",
            checkpointer=saver,
        )
        config: Any = {"configurable": {"thread_id": "one"}}
        heard: list[Any] = []
        with untraced():
            stream = agent.astream(
                {"messages": [{"role": "user", "content": question.words}]},
                config,
                stream_mode=["messages", "updates", "values"],
                subgraphs=True,
            )
            async for event in stream:
                heard.append(event)
            state = (await agent.aget_state(config)).values
        heard.append([saved async for saved in saver.alist(None)])
        return state, heard, place.recorder.events

    return on_the_loop(main)


DELEGATES = [
    use("ask_specialist", caller_words=QUESTION.words, specialists=["billing", "certificates"]),
    say("안내해 드렸습니다."),
]


def test_the_callers_agent_sees_last_messages_only() -> None:
    supervisor = Scripted(DELEGATES)
    state, heard, events = delegated(supervisor, Scripted(by_specialist))
    first, second = supervisor.requests
    check_history(second.messages)
    (result,) = [m for m in second.messages if m["role"] == "tool"]
    assert result["content"] == f"{PAID_WORDS}\n\n{FEE_WORDS}"
    everything = repr([first, second, state["messages"], heard])
    for inner in ("lookup_invoice", "certificate_fee", "visit_day", "과제: specialist_", WHO):
        assert inner not in everything
    assert "35000" not in repr([first, second])
    (message,) = [m for m in state["messages"] if m.type == "tool"]
    assert [each["name"] for each in message.artifact] == ["billing", "certificates"]
    assert [each["outcome"] for each in message.artifact] == ["answered", "answered"]
    assert 35_000 in message.artifact[0]["amounts"]
    assert json.loads(json.dumps(message.artifact)) == message.artifact
    assert len(of_kind(events, Kind.SPECIALIST_STEP)) == 2


def test_a_specialist_sees_nothing_of_the_callers_talk() -> None:
    specialists = Scripted(by_specialist)
    delegated(Scripted(DELEGATES), specialists)
    sent = json.dumps([[dict(m) for m in r.messages] for r in specialists.requests])
    assert "상담원입니다" not in sent
    assert "ask_specialist" not in sent
    for request in specialists.requests:
        users = [m["content"] for m in request.messages if m["role"] == "user"]
        assert users == [QUESTION.words]


def test_a_supervisor_that_asks_for_ever_stops() -> None:
    def again(request: ChatRequest) -> Reply:
        asked = sum(m["role"] == "tool" for m in request.messages)
        return DELEGATES[0] if asked < 6 else say("네, 그렇습니다.")

    specialists = Scripted(by_specialist)
    _, _, events = delegated(Scripted(again), specialists)
    assert len(of_kind(events, Kind.SPECIALIST_STARTED)) == 2
    assert len(of_kind(events, Kind.SPECIALIST_REFUSED)) == 10


def test_a_failure_is_a_plain_clause() -> None:
    supervisor = Scripted(DELEGATES)
    delegated(supervisor, Scripted(by_specialist), Question(FEE.words))
    (result,) = [m for m in supervisor.requests[1].messages if m["role"] == "tool"]
    needs, fee = result["content"].split("\n\n")
    assert needs == "수납 담당에서 확인하려면 먼저 본인 확인이 필요합니다."
    assert fee == FEE_WORDS


def test_the_tool_tells_who_can_be_asked_and_takes_nobody_else() -> None:
    supervisor = Scripted(
        [use("ask_specialist", caller_words="x", specialists=["surgery"]), say("네, 알겠습니다.")]
    )
    _, _, events = delegated(supervisor, Scripted(by_specialist))
    function = supervisor.requests[0].tools[0]["function"]
    for each in BOTH:
        assert f"{each.name}: {each.about(LINES)}" in function["description"]
    names = function["parameters"]["properties"]["specialists"]["items"]["enum"]
    assert names == ["billing", "certificates"]
    assert not of_kind(events, Kind.SPECIALIST_STARTED)
    check_history(supervisor.requests[1].messages)
