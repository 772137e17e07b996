"""Base of all our agents: what happens between the caller's words and the agent's (T6, T12, T13).

Every reply comes from ``llm_node`` here. Red flags come first, then the agent's own code decides
(``decide``), and only then a model is asked: one tool at most, each sentence checked against the
receipts of this call before it is spoken or remembered. It must never leave a turn without words.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from livekit.agents import ModelSettings, llm
from livekit.agents.llm import ToolChoice

from wonmu.booking.result import ExitCode
from wonmu.call.context import for_model, messages_of, wire_of
from wonmu.call.models import MODEL_ERRORS, PluginRung, WrittenRung
from wonmu.call.moves import AskModel, Move, SayText, StaySilent, UseTool
from wonmu.call.voice import Utterance, words_of
from wonmu.errors import ModelFailure
from wonmu.model import ladder
from wonmu.model.offline import BuiltinRung
from wonmu.model.port import ChatRequest, Rung, Tool
from wonmu.policy import speech
from wonmu.policy.claims import looks_like_tool_call
from wonmu.policy.emergency import red_flag
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.proposals import find_proposal
from wonmu.policy.recording import objects_to_recording
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn

Chunk = llm.ChatChunk | str


class DeskVoice:
    """Mixed into ``Agent`` and ``AgentTask``."""

    call: Call
    hidden_tools: frozenset[str] = frozenset()
    """Tools that only code may call; they are never offered to a model."""

    _wired: tuple[list[llm.Tool], tuple[Tool, ...]] | None = None
    """The tools last offered, and how they look on the wire."""

    # What a kind of agent decides for itself -------------------------------------------------

    def decide(self, turn: CallerTurn) -> Move:
        """Code's own answer to the caller's words, or ``AskModel``."""
        return AskModel()

    def situation(self) -> str:
        """The state of the work in words, as the last system message."""
        return ""

    def asks_again(self, turn: CallerTurn) -> bool:
        """Whether code will put its open question behind the model's words."""
        return False

    def follow_up(self, turn: CallerTurn, answered: str) -> SayText | None:
        """What code adds after the model's words (an open question put again)."""
        return None

    def open_question(self) -> SayText | None:
        """The question that the caller has not answered yet, to be put to a silent caller."""
        return None

    def on_emergency(self) -> None:
        """The fixed words were spoken."""

    # The turn --------------------------------------------------------------------------------

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterator[Chunk]:
        """One reply. A generator of words and at most one tool call."""
        turn = self.call.take_turn()
        if turn is None or self.call.state.latch.closed:
            return
        utterance = self.call.state.replying
        match self._emergency(turn) or self._no_recording(turn) or self.decide(turn):
            case SayText() as said:
                for word in self._say(utterance, said):
                    yield word
            case UseTool(name, arguments):
                yield self._tool_chunk(name, json.dumps(arguments, ensure_ascii=False))
            case AskModel(choice):
                offered = [tool for tool in tools if tool.id not in self.hidden_tools]
                async for chunk in self._ask(turn, utterance, chat_ctx, offered, choice):
                    yield chunk
            case StaySilent(on_purpose):
                self.call.state.said_in_turn += int(on_purpose)

    def _emergency(self, turn: CallerTurn) -> SayText | None:
        flag = red_flag(turn.text)
        if flag is None:
            return None
        call = self.call
        # Else what is found meanwhile is read out right behind the fixed words.
        call.lookups.stop(ExitCode.EMERGENCY)

        def heard(_full: bool) -> None:
            self.on_emergency()

        def begun() -> None:
            call.recorder.write(Kind.EMERGENCY_SPOKEN, {"flag": flag.kind.value})
            call.propose(Action.CONNECT_PERSON)

        text = call.lines.say("emergency.instructions")
        return SayText(text, "emergency.instructions", begun, heard)

    def _no_recording(self, turn: CallerTurn) -> SayText | None:
        """An objection to the recording counts in every state (R67)."""
        call = self.call
        if call.state.recording_refused or not objects_to_recording(turn.text):
            return None
        call.state.recording_refused = True
        call.recorder.write(Kind.RECORDING_REFUSED, {"turn": turn.number})
        if read_intent(turn.text) is not Intent.NONE:
            return None  # the wish in the same breath is answered; nothing is recorded anyway
        line = "call.not_recorded"
        if call.lookups.running():
            # What was asked last is answered; the result comes by itself.
            return SayText(call.lines.say(line), line)
        question = self.open_question()
        if question is None:
            return SayText(f"{call.lines.say(line)} {call.lines.say('call.go_on')}", line)
        text = f"{call.lines.say(line)} {question.text}"
        return SayText(text, line, question.on_start, question.on_end)

    def _say(self, utterance: Utterance, said: SayText) -> list[str]:
        utterance.text = said.text
        utterance.line = said.line
        utterance.on_start, utterance.on_end = said.on_start, said.on_end
        self.call.state.said_in_turn += 1
        return words_of(said.text)

    async def _ask(
        self,
        turn: CallerTurn,
        utterance: Utterance,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool],
        choice: ToolChoice,
    ) -> AsyncIterator[Chunk]:
        answered: list[str] = []
        facts = self.call.published.facts
        judge = speech.Answer(self.call.state.receipts, facts.amounts, facts.folded)
        try:
            async with aclosing(self._pieces(chat_ctx, tools, choice)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, ladder.ToolUse):
                        yield self._tool_chunk(piece.name, piece.arguments_json)
                        return
                    if self.asks_again(turn) and piece.sentence.endswith("?"):
                        continue  # the open question is put by code, once
                    sentence = self._sayable(judge, piece.sentence)
                    if sentence and sentence not in answered:
                        answered.append(sentence)
                        for word in self._spoken(utterance, sentence):
                            yield word
        except ModelFailure:
            answered.append(self.call.lines.say("call.say_again"))
            for word in self._spoken(utterance, answered[-1]):
                yield word
        utterance.line = "model.answer"
        for word in self._finish_answer(turn, utterance, " ".join(answered)):
            yield word

    def _finish_answer(self, turn: CallerTurn, utterance: Utterance, answered: str) -> list[str]:
        """Lay the open question behind the model's words, or note what they offered."""
        extra = self.follow_up(turn, answered)
        if extra is not None:
            utterance.on_end = extra.on_end
            self._start_with(utterance, extra.on_start)
            return self._spoken(utterance, extra.text)
        if (offered := find_proposal(answered)) is not None:
            utterance.on_end = lambda full: self.call.propose(offered) if full else None
        return []

    def _start_with(self, utterance: Utterance, on_start: Callable[[], None] | None) -> None:
        """Run ``on_start`` when the utterance begins, or now if it has begun already."""
        if utterance.begun and on_start is not None:
            on_start()
        else:
            utterance.on_start = on_start

    def _spoken(self, utterance: Utterance, sentence: str) -> list[str]:
        utterance.text = f"{utterance.text} {sentence}".strip()
        self.call.state.said_in_turn += 1
        return words_of(sentence)

    def _sayable(self, answer: speech.Answer, sentence: str) -> str:
        """The sentence, or what is said in its place when this call cannot prove it (T12)."""
        match answer.judge(sentence):
            case speech.Sayable():
                return sentence
            case speech.Leaning():
                return ""
            case speech.Untrue(kind):
                self.call.recorder.write(Kind.CLAIM_BLOCKED, {"kind": kind})
                return self.call.lines.say("claims.blocked")

    async def _pieces(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], choice: ToolChoice
    ) -> AsyncGenerator[ladder.Piece, None]:
        desk = self.call.desk
        context = for_model(chat_ctx, self.situation(), self.call.copies)
        # A plugin writes its own messages; those of any other rung are made when it is asked.
        request = ChatRequest((), self._wire(tools), choice)
        rungs: list[Rung] = [
            PluginRung(model, context, tools, choice)
            if isinstance(model, llm.LLM)
            else WrittenRung(model, lambda: messages_of(context))
            for model in (*desk.models, BuiltinRung())
        ]
        names = request.tool_names()
        answer = ladder.answer(
            rungs,
            request,
            desk.limits,
            self._model_failed,
            on_dropped=self._tools_dropped,
            looks_like_tool_call=lambda text: looks_like_tool_call(text, names),
            expected=MODEL_ERRORS,
        )
        async with aclosing(answer) as pieces:
            async for piece in pieces:
                yield piece

    def _wire(self, tools: list[llm.Tool]) -> tuple[Tool, ...]:
        if self._wired is None or self._wired[0] != tools:
            self._wired = tools, wire_of(tools)
        return self._wired[1]

    def _model_failed(self, failure: ModelFailure, following: str | None) -> None:
        data = {"reason": failure.fault.value, "model": failure.model, "to": following}
        self.call.recorder.write(Kind.MODEL_FALLBACK, data)

    def _tools_dropped(self, names: Any) -> None:
        data = {"reason": "tools_dropped", "model": None, "to": None, "tools": list(names)}
        self.call.recorder.write(Kind.MODEL_FALLBACK, data)

    def _tool_chunk(self, name: str, arguments: str) -> llm.ChatChunk:
        use = self.call.desk.ids.new("use")
        call = llm.FunctionToolCall(name=name, arguments=arguments, call_id=use)
        delta = llm.ChoiceDelta(role="assistant", tool_calls=[call])
        return llm.ChatChunk(id=use, delta=delta)
