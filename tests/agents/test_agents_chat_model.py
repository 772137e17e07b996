"""The ladder as a LangChain chat model, and the wire it writes (H1, H2, T6)."""

from __future__ import annotations

from typing import Any

import pytest
from agents_parts import on_the_loop
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.tools import tool
from model_rungs import Recording, Reply, Scripted, check_history, say, use

from wonmu.desk.agents.chat_model import LadderChat
from wonmu.desk.agents.untraced import untraced
from wonmu.desk.agents.watch import TimelineWatch
from wonmu.desk.agents.wire import wire_choice, wire_messages, wire_tools
from wonmu.errors import ModelFailure, ProgrammingError
from wonmu.model.offline import BuiltinRung
from wonmu.model.port import ChatRequest, Done, TextDelta, ToolCallDelta

pytestmark = pytest.mark.unit


@tool
async def look(number: int) -> str:
    """Look it up."""
    return str(number)


def calling(*ids: str, text: str = "") -> AIMessage:
    calls = [ToolCall(name="look", args={"number": 1}, id=each) for each in ids]
    return AIMessage(content=text, tool_calls=calls)


# The wire --------------------------------------------------------------------------------------


def test_every_kind_of_message_as_the_wire_has_it() -> None:
    written = wire_messages(
        [
            SystemMessage("규칙"),
            HumanMessage("얼마예요?"),
            calling("c1", text="잠시만요."),
            ToolMessage('{"a": 1}', tool_call_id="c1"),
            AIMessage("만 원입니다."),
            SystemMessage("## 지금 상태"),
        ]
    )
    function = {"name": "look", "arguments": '{"number": 1}'}
    assert written == (
        {"role": "system", "content": "규칙"},
        {"role": "user", "content": "얼마예요?"},
        {
            "role": "assistant",
            "content": "잠시만요.",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"a": 1}'},
        {"role": "assistant", "content": "만 원입니다."},
        {"role": "system", "content": "## 지금 상태"},
    )


@pytest.mark.parametrize(
    ("history", "roles"),
    [
        # The process died between a call and its answer.
        ([HumanMessage("가"), calling("c1"), HumanMessage("나")], ["user", "user"]),
        ([calling("c1", text="네."), HumanMessage("나")], ["assistant", "user"]),
        ([calling("c1", "c2"), ToolMessage("x", tool_call_id="c2")], ["assistant", "tool"]),
        ([ToolMessage("x", tool_call_id="c9"), HumanMessage("나")], ["user"]),
        (
            [calling("c1"), *[ToolMessage("x", tool_call_id="c1")] * 2],
            ["assistant", "tool"],
        ),
        ([calling("c1"), HumanMessage("나"), ToolMessage("x", tool_call_id="c1")], ["user"]),
        ([AIMessage(""), HumanMessage("나")], ["user"]),
    ],
)
def test_the_history_that_goes_out_is_valid(history: list[BaseMessage], roles: list[str]) -> None:
    written = wire_messages(history)
    check_history(written)
    assert [m["role"] for m in written] == roles


def test_parts_of_content_become_text() -> None:
    parts: list[Any] = [{"type": "text", "text": "얼마"}, {"type": "text", "text": "예요?"}]
    assert wire_messages([HumanMessage(parts)])[0]["content"] == "얼마예요?"


def test_a_kind_that_the_wire_lacks_is_refused() -> None:
    with pytest.raises(ProgrammingError):
        wire_messages([ChatMessage(content="x", role="narrator")])


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (None, "auto"),
        ("auto", "auto"),
        ("any", "required"),
        (True, "required"),
        ("required", "required"),
        ("none", "none"),
        ("look", {"type": "function", "function": {"name": "look"}}),
    ],
)
def test_ways_to_choose_a_tool(given: object, sent: object) -> None:
    assert wire_choice(given) == sent
    with pytest.raises(ProgrammingError):
        wire_choice(3)


def test_tools_keep_name_description_and_schema() -> None:
    (written,) = wire_tools([look])
    assert written["function"]["name"] == "look"
    assert written["function"]["description"] == "Look it up."
    assert written["function"]["parameters"]["required"] == ["number"]


# The model ---------------------------------------------------------------------------------------


def answered(
    replies: list[Reply], history: list[BaseMessage] | None = None, choice: Any = None
) -> tuple[AIMessage, Scripted]:
    rung = Scripted(replies)

    async def main() -> AIMessage:
        model = LadderChat(rungs=(rung,)).bind_tools([look], tool_choice=choice)
        with untraced():
            return await model.ainvoke(history or [HumanMessage("얼마예요?")])

    return on_the_loop(main), rung


def test_text_and_one_call_in_their_order() -> None:
    message, rung = answered([use("look", text="잠시만요. 확인합니다.", number=3)])
    assert message.content == "잠시만요. 확인합니다."
    (call,) = message.tool_calls
    assert (call["name"], call["args"], call["id"]) == ("look", {"number": 3}, "call_0")
    assert rung.requests[0].tool_names() == ("look",)


def test_at_most_one_call() -> None:
    calls = [ToolCallDelta(at, f"c{at}", "look", '{"number": 1}') for at in range(3)]
    message, _ = answered([[*calls, Done("tool_calls")]])
    assert [call["id"] for call in message.tool_calls] == ["c0"]


def test_an_id_is_never_used_twice() -> None:
    history: list[BaseMessage] = [HumanMessage("가")]
    for _ in range(3):
        message, rung = answered([use("look", number=1)], list(history))
        check_history(rung.requests[0].messages)
        (call,) = message.tool_calls
        history += [message, ToolMessage("x", tool_call_id=call["id"])]
    check_history(wire_messages(history))


def test_a_choice_reaches_the_endpoint() -> None:
    _, rung = answered([use("look", number=1)], choice="any")
    assert rung.requests[0].tool_choice == "required"
    _, rung = answered([say("네.")], choice="none")
    assert rung.requests[0].tool_choice == "none"


def test_streamed_it_is_the_same_message() -> None:
    replies: list[Reply] = [use("look", text="잠시만요. 확인합니다.", number=3)]

    async def main() -> AIMessageChunk:
        whole: AIMessageChunk | None = None
        model = LadderChat(rungs=(Scripted(replies),)).bind_tools([look])
        with untraced():
            async for chunk in model.astream([HumanMessage("얼마예요?")]):
                assert isinstance(chunk, AIMessageChunk)
                whole = chunk if whole is None else whole + chunk
        assert whole is not None
        return whole

    streamed, (message, _) = on_the_loop(main), answered(replies)
    assert streamed.content == message.content
    assert streamed.tool_calls == message.tool_calls


def test_the_builtin_model_is_asked_last() -> None:
    dead = [Scripted([OSError("gone")], name=f"m{n}") for n in range(2)]
    last = Recording(BuiltinRung())
    failures: list[tuple[str, str | None]] = []

    class Watching:
        def failed(self, failure: ModelFailure, following: str | None) -> None:
            failures.append((failure.model, following))

        def dropped(self, names: object) -> None:
            raise AssertionError

    async def main() -> None:
        model = LadderChat(rungs=tuple(dead), watch=Watching(), last_resort=last)
        with untraced():
            await model.ainvoke([HumanMessage("얼마예요?")])

    on_the_loop(main)
    assert failures == [("m0", "m1"), ("m1", "builtin")]
    assert len(last.requests) == 1


def test_a_dead_ladder_raises() -> None:
    async def main() -> None:
        model = LadderChat(rungs=(Scripted([OSError("gone")]),), last_resort=None)
        with untraced():
            await model.ainvoke([HumanMessage("얼마예요?")])

    with pytest.raises(ModelFailure):
        on_the_loop(main)


def test_a_tool_call_in_prose_is_none_and_goes_to_the_next_model() -> None:
    message, _ = answered([say('{"name": "look", "arguments": {"number": 1}}')])
    assert "look" not in str(message.content)


def test_a_half_answer_is_kept_and_reported() -> None:
    message, _ = answered([[TextDelta("네, 그렇습니다. 그리고 ")]])
    assert message.content == "네, 그렇습니다."


def test_it_is_async_only() -> None:
    with pytest.raises(ProgrammingError):
        LadderChat().invoke([HumanMessage("네?")])


def test_fallbacks_are_written_until_the_call_is_over() -> None:
    from agents_parts import room

    from wonmu.errors import ModelFault
    from wonmu.timeline.events import Kind

    async def main() -> list[Kind]:
        recorder = room().recorder
        watch = TimelineWatch(recorder)
        watch.failed(ModelFailure(ModelFault.EMPTY, "m"), "builtin")
        watch.dropped(["end_call"])
        recorder.write(Kind.CALL_ENDED)
        watch.failed(ModelFailure(ModelFault.EMPTY, "m"), None)
        watch.dropped(["end_call"])
        return [event.kind for event in recorder.events]

    assert on_the_loop(main) == [Kind.MODEL_FALLBACK, Kind.MODEL_FALLBACK, Kind.CALL_ENDED]


def test_requests_hold_no_tools_where_none_are_bound() -> None:
    rung = Scripted([say("네.")])

    async def main() -> ChatRequest:
        with untraced():
            await LadderChat(rungs=(rung,)).ainvoke([HumanMessage("네?")])
        return rung.requests[0]

    assert on_the_loop(main) == ChatRequest(({"role": "user", "content": "네?"},))
