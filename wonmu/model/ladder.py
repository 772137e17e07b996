"""One answer from a ladder of models: the first that gives something usable is heard (T6).

Decides when a model has failed and the next is asked, cuts text into sentences, and lets at most
one tool call through. It must never be silent for ever, never say a sentence twice, never let a
tool call written as prose be spoken, and never leave a stream open.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from wonmu.errors import ModelFailure, ModelFault, ProgrammingError
from wonmu.model.port import ChatRequest, Delta, Done, Rung, TextDelta, ToolCallDelta
from wonmu.model.sentences import SentenceCutter
from wonmu.model.toolcalls import CallCollector, judge


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a model may take. Seconds of the running event loop's clock.

    ``first_token_seconds``: from asking one model to its first word or tool call (R141: at most 4).
    ``quiet_seconds``: what all models but the last may use together before a first word; it is
    below the 4 s of silence that N11 allows, so that the last model can still answer in time.
    ``gap_seconds``: between two deltas that carry something. ``whole_seconds``: one whole answer.
    ``sentence_chars``: text without a sentence end is cut after so many characters.
    ``answer_chars``: a longer answer is ended there; nobody listens to more on the phone.
    ``close_seconds``: how long closing a stream may take.
    """

    first_token_seconds: float = 4.0
    quiet_seconds: float = 3.5
    gap_seconds: float = 3.0
    whole_seconds: float = 20.0
    sentence_chars: int = 80
    answer_chars: int = 1200
    close_seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence, without white space around it. Join sentences with a space."""

    sentence: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The one tool call of this answer, always last. ``arguments_json`` is a JSON object."""

    id: str
    name: str
    arguments_json: str


Piece = Text | ToolUse

OnFailure = Callable[[ModelFailure, str | None], None]
"""Told of each failure and the name of the next model; None when no other model is asked."""

OnDropped = Callable[[Sequence[str]], None]
"""Told the names of tool calls that were not let through."""


def never_a_tool_call(text: str) -> bool:
    """The predicate that suspects nothing."""
    return False


def ignore_dropped(names: Sequence[str]) -> None:
    """Drop without telling."""


async def answer(
    rungs: Sequence[Rung],
    request: ChatRequest,
    limits: Limits,
    on_failure: OnFailure,
    *,
    on_dropped: OnDropped = ignore_dropped,
    looks_like_tool_call: Callable[[str], bool] = never_a_tool_call,
    expected: tuple[type[Exception], ...] = (),
) -> AsyncGenerator[Piece, None]:
    """Ask one model after the other until one gives something usable.

    After a first sentence was delivered no other model is asked: a later failure is reported with
    next name None and the answer ends there. ``expected`` names the client's own exceptions; they,
    OSError and TimeoutError are failures of the model. Anything else passes through. Close the
    iterator (``aclosing``) when it is left early.

    Raises:
        ModelFailure: the last one, when every model failed and nothing was delivered.
        ProgrammingError: there is no model to ask.
    """
    if not rungs:
        raise ProgrammingError("a ladder needs at least one model")
    faults = (*expected, OSError, TimeoutError)
    quiet_until = asyncio.get_running_loop().time() + limits.quiet_seconds
    for place, rung in enumerate(rungs):
        wait = _first_wait(limits, quiet_until, others=len(rungs) - place - 1)
        attempt = _Attempt(rung, request, limits, wait, faults, looks_like_tool_call, on_dropped)
        try:
            async with aclosing(attempt.pieces()) as pieces:
                async for piece in pieces:
                    yield piece
            return
        except ModelFailure as failure:
            following = rungs[place + 1].name if place + 1 < len(rungs) else None
            on_failure(failure, None if attempt.delivered else following)
            if attempt.delivered:
                return
            if following is None:
                raise


def _first_wait(limits: Limits, quiet_until: float, others: int) -> float:
    """Seconds one model has for its first word: a fair share of the quiet time left.

    The last model has the whole first-token limit, since after it there is nobody to ask.
    """
    if others == 0:
        return limits.first_token_seconds
    left = max(quiet_until - asyncio.get_running_loop().time(), 0.0)
    return min(limits.first_token_seconds, left / others)


class _Attempt:
    """One model's answer to one request."""

    def __init__(
        self,
        rung: Rung,
        request: ChatRequest,
        limits: Limits,
        first_wait: float,
        faults: tuple[type[Exception], ...],
        looks_like_tool_call: Callable[[str], bool],
        on_dropped: OnDropped,
    ) -> None:
        self.delivered = False
        self._rung = rung
        self._request = request
        self._limits = limits
        self._first_wait = first_wait
        self._faults = faults
        self._suspect = looks_like_tool_call
        self._on_dropped = on_dropped
        self._cutter = SentenceCutter(limits.sentence_chars)
        self._calls = CallCollector()
        self._heard = ""
        self._chars = 0

    async def pieces(self) -> AsyncGenerator[Piece, None]:
        """The usable pieces; raises ModelFailure where they end too soon."""
        async with aclosing(self._deltas()) as deltas:
            async for delta in deltas:
                for sentence in self._sentences(delta):
                    self.delivered = True
                    yield Text(sentence)
                if self._chars >= self._limits.answer_chars:
                    break
        for sentence in self._judged(self._cutter.flush()):
            self.delivered = True
            yield Text(sentence)
        tool = self._tool()
        if tool is not None:
            self.delivered = True
            yield tool
        if not self.delivered:
            raise self._failure(ModelFault.EMPTY)

    def _sentences(self, delta: Delta) -> list[str]:
        match delta:
            case TextDelta(text):
                self._chars += len(text)
                # A forced tool must not be talked past: such text is held back and dropped.
                if self._request.must_call():
                    return []
                return self._judged(self._cutter.feed(text))
            case ToolCallDelta():
                self._chars += len(delta.arguments)
                self._calls.add(delta)
        return []

    def _judged(self, sentences: list[str]) -> list[str]:
        """The sentences, unless they are a tool call in disguise (R02).

        The name of an offered tool with an underscore in it is no Korean speech either.
        """
        for sentence in sentences:
            self._heard = f"{self._heard} {sentence}"[-2000:]
            names = (name for name in self._request.tool_names() if "_" in name)
            if (
                any(name in sentence for name in names)
                or self._suspect(sentence)
                or self._suspect(self._heard.strip())
            ):
                raise self._failure(ModelFault.PROSE_TOOL_CALL)
        return sentences

    def _tool(self) -> ToolUse | None:
        judged = judge(self._calls.calls, self._request)
        if judged.dropped:
            self._on_dropped(judged.dropped)
        if judged.fault is not None:
            raise self._failure(judged.fault, judged.detail)
        if judged.call is None:
            return None
        call = judged.call
        return ToolUse(call.id or "call_0", call.name, call.arguments.strip() or "{}")

    async def _deltas(self) -> AsyncGenerator[Delta, None]:
        """The deltas that carry something, within the time limits, up to Done."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._limits.whole_seconds
        stream = self._rung.open(self._request)
        started = False
        try:
            due = loop.time() + self._first_wait
            while True:
                delta = await self._next(stream, min(due, end), started)
                if isinstance(delta, Done):
                    return
                if _carries(delta):
                    started = True
                    due = loop.time() + self._limits.gap_seconds
                    yield delta
        finally:
            await self._close(stream)

    async def _next(self, stream: AsyncIterator[Delta], due: float, started: bool) -> Delta:
        """The next delta by ``due`` (loop time), or the failure that came instead."""
        late = ModelFault.STREAM_BROKEN if started else ModelFault.FIRST_TOKEN_LATE
        broken = ModelFault.STREAM_BROKEN if started else ModelFault.UNREACHABLE
        scope = asyncio.timeout_at(due)
        try:
            async with scope:
                return await anext(stream)
        except StopAsyncIteration:
            fault = ModelFault.STREAM_BROKEN if started else ModelFault.EMPTY
            raise self._failure(fault, "the stream ended without a finish") from None
        except self._faults as error:
            if scope.expired():
                raise self._failure(late, "too slow") from error
            raise self._failure(broken, type(error).__name__) from error

    async def _close(self, stream: AsyncIterator[Delta]) -> None:
        """Close the stream; a line that fails while closing is closed all the same."""
        close = getattr(stream, "aclose", None)
        if close is None:
            return
        try:
            async with asyncio.timeout(self._limits.close_seconds):
                await close()
        except self._faults:
            return

    def _failure(self, fault: ModelFault, detail: str = "") -> ModelFailure:
        return ModelFailure(fault, self._rung.name, detail)


def _carries(delta: Delta) -> bool:
    """Whether a delta says anything; keep-alives do not count as a first token (R141)."""
    match delta:
        case TextDelta(text):
            return bool(text)
        case ToolCallDelta(_, id=call_id, name=name, arguments=arguments):
            return bool(call_id or name or arguments)
        case Done():
            return True
