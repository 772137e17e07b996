"""The ladder against scripted models: each way to fail, and what the caller gets instead."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from wonmu.errors import ModelFailure, ModelFault, ProgrammingError
from wonmu.model.ladder import Limits, Piece, Text, ToolUse, answer
from wonmu.model.offline import BuiltinRung
from wonmu.model.port import (
    ChatRequest,
    Delta,
    Done,
    TextDelta,
    ToolCallDelta,
    ToolChoice,
)

pytestmark = pytest.mark.unit

QUICK = Limits(
    first_token_seconds=0.03,
    quiet_seconds=0.03,
    gap_seconds=0.03,
    whole_seconds=0.2,
    close_seconds=0.03,
)
TOOL = {"type": "function", "function": {"name": "create_booking", "parameters": {}}}
OTHER = {"type": "function", "function": {"name": "end_call", "parameters": {}}}
HANG = "hang"
CALL = ToolCallDelta(0, "c1", "create_booking", '{"a": 1}')


class ClientError(Exception):
    """Stands for the error of a provider's client."""


Step = Delta | Exception | str


class Scripted:
    """A model that plays its steps; ``HANG`` waits for ever."""

    def __init__(self, name: str, *steps: Step) -> None:
        self.name = name
        self.steps = steps
        self.opened = 0
        self.closed = 0

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.opened += 1
        try:
            for step in self.steps:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, str):
                    await asyncio.Event().wait()
                else:
                    yield step
        finally:
            self.closed += 1


class Drip(Scripted):
    """Keep-alives, or words, without end."""

    def __init__(self, name: str, delta: Delta) -> None:
        super().__init__(name)
        self.delta = delta

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.opened += 1
        try:
            while True:
                await asyncio.sleep(0)
                yield self.delta
        finally:
            self.closed += 1


def say(*parts: str) -> tuple[Step, ...]:
    return (*(TextDelta(part) for part in parts), Done())


@dataclass
class Heard:
    pieces: list[Piece] = field(default_factory=list)
    failures: list[tuple[ModelFault, str, str | None]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    raised: ModelFailure | None = None
    seconds: float = 0.0

    @property
    def faults(self) -> list[ModelFault]:
        return [fault for fault, _, _ in self.failures]


def play(
    *rungs: Scripted, choice: ToolChoice = "auto", limits: Limits = QUICK, prose: str = "```"
) -> Heard:
    heard = Heard()
    request = ChatRequest(({"role": "user", "content": "네"},), (TOOL, OTHER), choice)

    def failed(failure: ModelFailure, following: str | None) -> None:
        heard.failures.append((failure.fault, failure.model, following))

    async def run() -> None:
        pieces = answer(
            rungs,
            request,
            limits,
            failed,
            on_dropped=heard.dropped.extend,
            looks_like_tool_call=lambda text: text.startswith(prose),
            expected=(ClientError,),
        )
        started = asyncio.get_running_loop().time()
        try:
            async for piece in pieces:
                heard.seconds = asyncio.get_running_loop().time() - started
                heard.pieces.append(piece)
        except ModelFailure as failure:
            heard.raised = failure

    asyncio.run(asyncio.wait_for(run(), 5))
    assert [rung.closed for rung in rungs] == [rung.opened for rung in rungs]
    return heard


def spare() -> Scripted:
    return Scripted("spare", *say("네, 말씀하세요."))


SAVED: list[Piece] = [Text("네, 말씀하세요.")]

FAILING: list[tuple[str, Sequence[Step], ModelFault]] = [
    ("refused", [ConnectionRefusedError()], ModelFault.UNREACHABLE),
    ("quota", [ClientError("429")], ModelFault.UNREACHABLE),
    ("client time-out", [TimeoutError()], ModelFault.UNREACHABLE),
    ("hang", [HANG], ModelFault.FIRST_TOKEN_LATE),
    ("broken in the first sentence", [TextDelta("저희 병"), OSError()], ModelFault.STREAM_BROKEN),
    ("stops mid-way", [TextDelta("저희 병"), HANG], ModelFault.STREAM_BROKEN),
    ("no finish", [TextDelta("저희 병")], ModelFault.STREAM_BROKEN),
    ("nothing at all", [], ModelFault.EMPTY),
    ("empty", [Done()], ModelFault.EMPTY),
    ("blank", [TextDelta(" \n "), Done()], ModelFault.EMPTY),
    ("only dots", [TextDelta("..."), Done()], ModelFault.EMPTY),
    ("filtered", [Done("content_filter")], ModelFault.EMPTY),
    ("fence", say("```json\n", '{"name": "x"}\n```'), ModelFault.PROSE_TOOL_CALL),
    ("name", say("create_booking(내일)"), ModelFault.PROSE_TOOL_CALL),
    ("split name", say("create_", "booking(내일)"), ModelFault.PROSE_TOOL_CALL),
    ("unknown", [ToolCallDelta(0, "c", "rm_all", "{}"), Done()], ModelFault.UNKNOWN_TOOL),
    ("nameless", [ToolCallDelta(0, "c", "", "{}"), Done()], ModelFault.UNKNOWN_TOOL),
    (
        "half arguments",
        [ToolCallDelta(0, "c", "create_booking", '{"a":'), Done("length")],
        ModelFault.INVALID_ARGUMENTS,
    ),
    (
        "list arguments",
        [ToolCallDelta(0, "c", "create_booking", "[1]"), Done()],
        ModelFault.INVALID_ARGUMENTS,
    ),
    ("call, then broken", [CALL, OSError()], ModelFault.STREAM_BROKEN),
]


@pytest.mark.parametrize(("name", "steps", "fault"), FAILING, ids=[row[0] for row in FAILING])
def test_failure_asks_the_next_model(name: str, steps: Sequence[Step], fault: ModelFault) -> None:
    heard = play(Scripted("first", *steps), spare())
    assert heard.pieces == SAVED
    assert heard.failures == [(fault, "first", "spare")]
    assert heard.raised is None


@pytest.mark.parametrize(("name", "steps", "fault"), FAILING, ids=[row[0] for row in FAILING])
def test_failure_of_the_last_model_is_raised(
    name: str, steps: Sequence[Step], fault: ModelFault
) -> None:
    heard = play(Scripted("only", *steps))
    assert heard.pieces == []
    assert heard.failures == [(fault, "only", None)]
    assert heard.raised is not None
    assert heard.raised.fault is fault


def test_keep_alives_are_no_first_token() -> None:
    heard = play(Drip("first", TextDelta("")), spare())
    assert heard.pieces == SAVED
    assert heard.faults == [ModelFault.FIRST_TOKEN_LATE]


def test_keep_alives_do_not_bridge_a_gap() -> None:
    class Stuck(Drip):
        async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
            yield TextDelta("저희 병")
            async with aclosing(super().open(request)) as drip:  # type: ignore[type-var]
                async for delta in drip:
                    yield delta

    heard = play(Stuck("first", TextDelta("")), spare())
    assert heard.pieces == SAVED
    assert heard.faults == [ModelFault.STREAM_BROKEN]


def test_two_hung_models_leave_time_for_the_last() -> None:
    limits = Limits(first_token_seconds=1.0, quiet_seconds=0.06)
    heard = play(Scripted("a", HANG), Scripted("b", HANG), spare(), limits=limits)
    assert heard.pieces == SAVED
    assert heard.faults == [ModelFault.FIRST_TOKEN_LATE] * 2
    assert heard.seconds < 1.0


def test_broken_after_a_sentence_keeps_it_and_repeats_nothing() -> None:
    other = spare()
    heard = play(Scripted("first", TextDelta("네, 됩니다. 그리고 주"), OSError()), other)
    assert heard.pieces == [Text("네, 됩니다.")]
    assert heard.failures == [(ModelFault.STREAM_BROKEN, "first", None)]
    assert (other.opened, heard.raised) == (0, None)


def test_prose_call_after_a_sentence_is_not_spoken() -> None:
    heard = play(Scripted("first", *say("예약할게요. ", "create_booking(내일)")), spare())
    assert heard.pieces == [Text("예약할게요.")]
    assert heard.faults == [ModelFault.PROSE_TOOL_CALL]


def test_each_sentence_is_judged_by_itself() -> None:
    heard = play(Scripted("first", *say("네. ", "함수 호출 끝.")), spare(), prose="함수")
    assert heard.pieces == [Text("네.")]
    assert heard.faults == [ModelFault.PROSE_TOOL_CALL]


def test_bad_tool_after_a_sentence_ends_there() -> None:
    bad = ToolCallDelta(0, "c", "rm_all", "{}")
    heard = play(Scripted("first", TextDelta("네."), bad, Done()), spare())
    assert heard.pieces == [Text("네.")]
    assert heard.failures == [(ModelFault.UNKNOWN_TOOL, "first", None)]


def test_text_then_tool() -> None:
    heard = play(Scripted("first", TextDelta("잠시만요"), CALL, Done("tool_calls")))
    assert heard.pieces == [Text("잠시만요"), ToolUse("c1", "create_booking", '{"a": 1}')]


def test_tool_call_in_parts() -> None:
    parts = (
        ToolCallDelta(0, "c1", "create_booking", ""),
        ToolCallDelta(0, arguments='{"a"'),
        ToolCallDelta(0, arguments=": 1}"),
    )
    heard = play(Scripted("first", *parts, Done("tool_calls")))
    assert heard.pieces == [ToolUse("c1", "create_booking", '{"a": 1}')]


def test_no_arguments_are_an_empty_object() -> None:
    heard = play(Scripted("first", ToolCallDelta(0, "c1", "end_call"), Done("tool_calls")))
    assert heard.pieces == [ToolUse("c1", "end_call", "{}")]


@pytest.mark.parametrize("second_index", [0, 1])
def test_of_two_tools_only_the_first(second_index: int) -> None:
    second = ToolCallDelta(second_index, "c2", "end_call", "{}")
    heard = play(Scripted("first", CALL, second, Done("tool_calls")))
    assert heard.pieces == [ToolUse("c1", "create_booking", '{"a": 1}')]
    assert heard.dropped == ["end_call"]


def test_forbidden_tool_is_dropped() -> None:
    heard = play(Scripted("first", TextDelta("네."), CALL, Done()), choice="none")
    assert heard.pieces == [Text("네.")]
    assert heard.dropped == ["create_booking"]


def test_only_a_forbidden_tool_is_an_empty_answer() -> None:
    heard = play(Scripted("first", CALL, Done()), spare(), choice="none")
    assert heard.pieces == SAVED
    assert (heard.dropped, heard.faults) == (["create_booking"], [ModelFault.EMPTY])


FORCED = {"type": "function", "function": {"name": "create_booking"}}


@pytest.mark.parametrize("choice", ["required", FORCED])
def test_talk_instead_of_a_forced_tool_fails(choice: ToolChoice) -> None:
    second = Scripted("second", CALL, Done())
    heard = play(Scripted("first", *say("네, 예약할게요.")), second, choice=choice)
    assert heard.pieces == [ToolUse("c1", "create_booking", '{"a": 1}')]
    assert heard.faults == [ModelFault.EMPTY]


def test_another_tool_than_the_forced_fails() -> None:
    wrong = Scripted("first", ToolCallDelta(0, "c", "end_call", "{}"), Done())
    heard = play(wrong, Scripted("second", CALL, Done()), choice=FORCED)
    assert heard.pieces == [ToolUse("c1", "create_booking", '{"a": 1}')]
    assert heard.faults == [ModelFault.UNKNOWN_TOOL]


def test_endless_talk_is_ended() -> None:
    limits = Limits(answer_chars=300)
    first = Drip("first", TextDelta("또 말합니다. "))
    heard = play(first, limits=limits)
    said = sum(len(piece.sentence) for piece in heard.pieces if isinstance(piece, Text))
    assert 200 < said <= 320
    assert heard.failures == []


def test_slow_drip_hits_the_whole_limit() -> None:
    limits = Limits(whole_seconds=0.05)
    heard = play(Drip("first", ToolCallDelta(0, "c", "create_booking")), spare(), limits=limits)
    assert heard.pieces == SAVED
    assert heard.faults == [ModelFault.STREAM_BROKEN]


def test_the_builtin_model_answers_when_the_real_one_is_down() -> None:
    """R142: a quota error at the first request must not mean silence."""

    async def run() -> list[Piece]:
        rungs = (Scripted("real", ClientError("429")), BuiltinRung())
        request = ChatRequest(({"role": "user", "content": "여보세요?"},))
        pieces = answer(rungs, request, QUICK, lambda *_: None, expected=(ClientError,))
        return [piece async for piece in pieces]

    assert asyncio.run(run()) == [Text("네, 말씀하세요.")]


def test_unexpected_errors_pass_through() -> None:
    rung = Scripted("first", ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        play(rung, spare())
    assert rung.closed == 1


def test_no_models_is_a_mistake_of_ours() -> None:
    with pytest.raises(ProgrammingError):
        play()


def test_cancellation_closes_the_stream_and_asks_nobody_else() -> None:
    first, other = Scripted("first", TextDelta("네. 그"), HANG), spare()
    failures: list[ModelFailure] = []

    async def run() -> None:
        started = asyncio.Event()

        async def listen() -> None:
            request = ChatRequest(())
            pieces = answer((first, other), request, Limits(), lambda f, _: failures.append(f))
            async with aclosing(pieces):
                async for _ in pieces:
                    started.set()

        task = asyncio.create_task(listen())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (first.closed, other.opened, failures) == (1, 0, [])

    asyncio.run(run())


def test_leaving_early_closes_the_stream() -> None:
    first = Scripted("first", TextDelta("네. 그"), HANG)

    async def run() -> None:
        pieces = answer((first,), ChatRequest(()), Limits(), lambda *_: None)
        assert await anext(pieces) == Text("네.")
        await pieces.aclose()
        assert first.closed == 1

    asyncio.run(run())


def test_a_stream_that_will_not_close_does_not_hold_the_answer() -> None:
    class Sticky(Scripted):
        async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
            try:
                yield TextDelta("네.")
                yield TextDelta("더 많은 말")
                raise ClientError
            finally:
                await asyncio.Event().wait()

    rung = Sticky("first")
    assert play(rung, limits=Limits(answer_chars=2, close_seconds=0.03)).pieces == [Text("네.")]
