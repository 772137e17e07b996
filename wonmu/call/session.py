"""One call: one AgentSession, one recorder, one state (S1, E1).

Wires the parts, takes what the caller does (speaks, presses keys, hangs up) and closes cleanly. It
must never leave a span open, a task waiting or a line up: whatever happens, ``call.ended`` is
written once and last.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from random import Random
from typing import Literal, TypeVar

from livekit.agents import NOT_GIVEN, AgentSession, RunContext
from livekit.agents.voice import SpeechHandle
from livekit.agents.voice.events import SpeechCreatedEvent

from wonmu.booking.result import ExitCode, Exited
from wonmu.call.caller import Caller
from wonmu.call.context import MaskedCopies
from wonmu.call.deps import Desk
from wonmu.call.ear import Ear
from wonmu.call.floor import Floor
from wonmu.call.handover import Handover
from wonmu.call.keypad import Keypad
from wonmu.call.limits import Limits
from wonmu.call.lookups import Lookups
from wonmu.call.menu import Menu
from wonmu.call.moves import SayText
from wonmu.call.people import keep_at_close
from wonmu.call.progress import Quiet, still_on
from wonmu.call.results import note_heard
from wonmu.call.silence import Silence
from wonmu.call.sound import Sound, session_for, voice_for
from wonmu.call.state import CallerTurn, CallState
from wonmu.call.tasks.base import DeskTask, outcome_of
from wonmu.call.voice import Utterance, spoken
from wonmu.emr.guard import GuardedEmr, GuardRules
from wonmu.hospital.catalog import NotFound
from wonmu.ids import CallId
from wonmu.korean.mask import mask_text
from wonmu.korean.speak import speak_digits
from wonmu.lines import Value
from wonmu.policy.terminal import TerminalReason
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Kind, Status
from wonmu.timeline.record import Recorder
from wonmu.visit.emr_events import EmrEvents
from wonmu.visit.published import Published
from wonmu.visit.writing import Writes

log = logging.getLogger(__name__)

T = TypeVar("T")

WRITE_SECONDS = 3.5
"""Longest wait for a write at a hang-up: one request to the record system and our own insert."""
LET_GO_SECONDS = 0.2
"""For a tool to note that its write goes on without it."""
CLOSE_SECONDS = 4.0
"""Longest wait for the session to close after a hang-up; N7 allows five."""


class Call:
    """One call on one line."""

    def __init__(
        self, desk: Desk, caller: str | None, channel: str = "chat", sound: Sound | None = None
    ) -> None:
        self.desk = desk
        self.published = Published(desk)
        self.lines = desk.lines
        self.state = CallState(caller_phone=caller)
        self.recorder = Recorder(CallId(desk.ids.new("call")), desk.clock, desk.ids)
        self.emr = GuardedEmr(
            desk.emr,
            GuardRules.of(desk.hospital.emr),
            EmrEvents(self.recorder),
            breaker=desk.breaker,
            chance=Random(self.recorder.call_id).random,
        )
        self.quiet = Quiet()
        self.writes = Writes()
        self.lookups = Lookups(self)
        self.caller_speaks = False
        """The caller is speaking right now; known only on a line with sound."""
        self.recorder.add_sink(self.quiet.sink)
        self.floor = Floor(self._quiet)
        self._published = speak_digits(desk.hospital.phone)
        self._handover = Handover(self.floor, lambda: self._ending is not None)
        self.caller = Caller(self)
        self.keypad = Keypad(self)
        self.menu = Menu(self)
        self.silence = Silence(self)
        self.limits = Limits(self)
        self.closed = asyncio.Event()
        self.at_close: list[Callable[[], Awaitable[None]]] = []
        """What must be let go before the session closes; the last one first."""
        self.copies = MaskedCopies(self.masked)
        self._masked: dict[str, str] = {}
        self._channel = channel
        self._span = ""
        self._last: Utterance | None = None
        self._ending: asyncio.Task[None] | None = None
        self._end_reason: str | None = None
        self._hung_up = False
        self.ear = Ear(self)
        self.session: AgentSession[None] = session_for(sound)
        self.voice = voice_for(self, sound, self._may_speak, self._heard)
        self.session.on("speech_created", self._speech_created)

    def masked(self, text: str) -> str:
        """Text as it may leave the process (N8)."""
        known = self._masked.get(text)
        if known is None:
            known = self._published.join(self._mask(text))
            self._masked[text] = known
        return known

    def _mask(self, text: str) -> list[str]:
        """The parts around the hospital's own number, masked: what is published is no secret."""
        today = self.desk.clock.now().date()
        parts = text.split(self._published) if self._published else [text]
        return [mask_text(part, today=today).text for part in parts]

    # Life ----------------------------------------------------------------------------------

    async def start(self) -> None:
        """Answer the call: the greeting starts; returns before it has been heard."""
        from wonmu.call.supervisor import Supervisor

        self._span = self.recorder.start(
            Kind.CALL_STARTED,
            {
                "hospital": self.desk.hospital.id,
                "caller": self.state.caller_phone,
                "channel": self._channel,
            },
        )
        self.floor.hold("start")
        self.limits.start()
        # record=False: nothing of the talk leaves for anybody's cloud.
        await self.session.start(Supervisor(self), record=False)

    def end(self, reason: TerminalReason, why: str) -> None:
        """Latch the call and close it when the floor is quiet (after the goodbye)."""
        if self.state.latch.close(reason):
            self.recorder.write(Kind.TERMINAL_LATCHED, {"reason": reason.value})
            self._end_reason = why
            self.lookups.stop(ExitCode.HANGUP)

    def say_goodbye(self, why: str, line: str, /, **values: Value) -> None:
        """Latch the call, then say the one planned goodbye; the call closes after it."""
        goodbye = Utterance(self.lines.fill(line, values), line=line, final=True)
        self.end(TerminalReason.CALL_ENDING, why)
        self.speak(goodbye)

    def end_at_limit(self, why: str) -> None:
        """Part politely from a call that leads nowhere (R128)."""
        self.say_goodbye(why, f"ending.{why}", number=self.desk.hospital.phone)

    async def hang_up(self) -> None:
        """The caller hung up. Returns when the call is closed."""
        self.caller_gone()
        await self.closed.wait()

    def caller_gone(self) -> None:
        """The caller hung up; the call closes by itself."""
        if self._ending is None:
            self._hung_up = True
            self.recorder.write(Kind.HANGUP, {})
            self._ending = asyncio.create_task(self._leave())

    @property
    def hung_up(self) -> bool:
        return self._hung_up

    async def _leave(self) -> None:
        """Close for a caller who is gone; a consented write that has begun is finished first."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        await self.writes.finished(WRITE_SECONDS)
        self.writes.let_go.set()
        await self.writes.finished(LET_GO_SECONDS)
        self.end(TerminalReason.CALLER_LEFT, "caller_hangup")
        await self._finish(CLOSE_SECONDS - (loop.time() - began))

    def _close(self) -> None:
        if self._ending is None:
            self._ending = asyncio.create_task(self._finish())

    async def _finish(self, seconds: float = CLOSE_SECONDS) -> None:
        self.keypad.disarm()
        self.menu.stop()
        self.silence.stop()
        self.limits.stop()
        try:
            await asyncio.wait_for(asyncio.shield(self._closing()), seconds)
        except TimeoutError:
            log.error("the session did not close within %s s", seconds)
            self.recorder.write(Kind.FAULT, {"where": "close"})
        for span in self.recorder.open_spans():
            if span != self._span:
                self.recorder.end(span, Status.CANCELLED, {"reason": "call_closed"})
        self.recorder.end(self._span, self._status(), {"reason": self._end_reason or "fault"})
        self.closed.set()

    async def _closing(self) -> None:
        for let_go in reversed(self.at_close.copy()):
            await let_go()
        await keep_at_close(self)
        await self.session.aclose()
        await self.lookups.gone(LET_GO_SECONDS)

    def _status(self) -> Status:
        return Status.CANCELLED if self._hung_up else Status.SUCCESS

    # The caller ----------------------------------------------------------------------------

    def caller_says(self, raw: str, *, barge_in: bool = False) -> None:
        """The caller said something; with ``barge_in`` over the agent's speech."""
        self.caller.says(raw, barge_in=barge_in)

    def interrupt(self) -> None:
        """Cut what is being said and what was to be said next; never the work of a tool."""
        try:
            self.session.interrupt()
        except RuntimeError:
            # The present speech is that of a tool, which has no words to cut.
            log.debug("nothing to interrupt but a tool")

    def answer_again(self) -> None:
        """Let the agent that now has the talk answer the caller's last words (S7)."""
        last = self.state.fresh = self.state.last
        known = last is None or self._remembers(last.text)
        # "auto": inside a tool LiveKit would otherwise forbid tools in this reply.
        self.ask(words=None if known or last is None else last.text, tools="auto")

    def _remembers(self, words: str) -> bool:
        """Whether the agent that has the talk knows the caller's last words.

        A task that left in the middle of a turn gave its memory back before LiveKit had put that
        turn into it.
        """
        items = self.session.current_agent.chat_ctx.items
        said = [item for item in items if item.type == "message" and item.role == "user"]
        return bool(said) and said[-1].text_content == words

    def ask(
        self, *, words: str | None = None, tools: Literal["auto", "none"] | None = None
    ) -> None:
        """Ask the agent that has the talk for a reply; ``words`` are what it was not told yet."""
        self._handover.soon(lambda: self._ask(words, tools))

    def _ask(self, words: str | None, tools: Literal["auto", "none"] | None) -> None:
        handle = self.session.generate_reply(
            user_input=words if words is not None else NOT_GIVEN,
            tool_choice=tools if tools is not None else NOT_GIVEN,
            input_modality="text",
        )
        # The model node starts before the speech is current, so it cannot ask LiveKit which
        # speech it writes for; the reply's utterance is laid out for it here.
        self.state.replying = Utterance("", turn=self.state.turn)
        self.voice.announce(handle, self.state.replying)

    def press(self, key: str) -> None:
        """One key of the keypad."""
        if not self.state.latch.closed:
            self.keypad.press(key)

    def open_question(self) -> SayText | None:
        """The question of the agent that has the talk, as far as it is unanswered."""
        reader = getattr(self.session.current_agent, "open_question", None)
        return reader() if reader is not None else None

    def propose(self, action: Action) -> None:
        """The agent's present turn offers ``action``."""
        self.state.proposals.propose(action, self.state.speeches)
        self.recorder.write(Kind.PROPOSAL_OPENED, {"action": action.value})

    def names_care(self, words: str) -> bool:
        """Whether the words name a department or a doctor of this hospital, or any doctor."""
        catalog = self.desk.catalog
        return (
            not isinstance(catalog.find_department(words), NotFound)
            or not isinstance(catalog.find_doctor(words), NotFound)
            or catalog.wants_any_doctor(words)
        )

    # The agent -----------------------------------------------------------------------------

    def say(self, name: str, /, **values: Value) -> None:
        """Speak one line of ``lines/`` by name."""
        self.speak(Utterance(self.lines.fill(name, values), line=name))

    def offer(self, name: str, action: Action, /, **values: Value) -> None:
        """Speak a line that offers ``action``; only when heard in full does a yes count (T5)."""
        words = Utterance(self.lines.fill(name, values), line=name)
        words.on_end = lambda full: self.propose(action) if full else None
        self.speak(words)

    def speak(self, utterance: Utterance) -> None:
        """Speak prepared words, after whatever is being said."""
        utterance.turn = self.state.turn
        self.state.said_in_turn += 1
        self._handover.soon(lambda: self._speak(utterance))

    def _speak(self, utterance: Utterance) -> None:
        handle = self.session.say(spoken(utterance.text))
        self.voice.announce(handle, utterance)
        if (done := utterance.on_done) is not None:
            handle.add_done_callback(lambda _: done())

    def take_turn(self) -> CallerTurn | None:
        """The caller's turn that nobody has taken up yet, once."""
        fresh, self.state.fresh = self.state.fresh, None
        return fresh

    async def lend(self, ctx: RunContext[None], task: DeskTask[T]) -> T | Exited:
        """Lend the talk to a task and wait for its result (S3).

        Must be awaited in the tool that opened it: LiveKit refuses any other place. Raises
        ``ToolError`` when the call closes meanwhile.
        """
        still_on(self)
        handle = task.lender = ctx.speech_handle
        span = self.recorder.start(Kind.TASK_ENTERED, {"name": task.name})
        self.floor.hold(task)
        self.floor.park(handle)
        status, outcome, reason = Status.CANCELLED, "cancelled", ExitCode.HANGUP.value
        try:
            result = await task
            status, outcome, reason = outcome_of(result)
            return result
        finally:
            self.floor.release(task)
            self.floor.unpark(handle)
            data = {"name": task.name, "outcome": outcome, "reason": reason}
            self.recorder.end(span, status, data)

    # What LiveKit reports ------------------------------------------------------------------

    def _speech_created(self, event: SpeechCreatedEvent) -> None:
        handle = event.speech_handle
        self.silence.stop()
        self.floor.hold(handle)
        handle.add_done_callback(self._speech_done)

    def _speech_done(self, handle: SpeechHandle) -> None:
        self.floor.release(handle)
        self.floor.unpark(handle)
        if (error := handle.exception()) is not None:
            log.error("a reply failed", exc_info=error)
            self.recorder.write(Kind.FAULT, {"where": "reply", "error": type(error).__name__})

    @property
    def last_words(self) -> SayText | None:
        """What the agent said last, to be said again ("네?"); its proposal comes with it."""
        last = self._last
        if last is None:
            return None
        return SayText(last.text, last.line or "again", last.on_start, last.on_end)

    def _heard(self, utterance: Utterance, heard: str, full: bool) -> None:
        if utterance.line == "greeting" and not full:
            notices = self.desk.hospital.greeting.notices
            self.state.notice_owed = "" if notices in heard else notices
        note_heard(self, utterance, heard)
        if not utterance.final:
            self._last = self._last if utterance.aside else utterance
            self.state.proposals.agent_turn(self.state.speeches)

    def _may_speak(self, utterance: Utterance) -> bool:
        """Nothing is spoken after a terminal result but the planned goodbye (N5)."""
        if self._hung_up or not self.state.latch.allows_speech(utterance.final):
            return False
        self.state.speeches += 1
        return True

    def _quiet(self) -> None:
        """The agent has finished: wait for the caller, or close if the call is over."""
        if self.state.latch.closed:
            self._close()
        elif self.state.said_in_turn == 0 and self.state.turn > 0:
            # A turn that ended without a word (an empty answer, a tool that was refused by the
            # framework) is never left silent.
            self.say("call.say_again")
        elif (limit := self.limits.reached()) is not None:
            self.end_at_limit(limit)
        else:
            self.recorder.write(Kind.TURN_WAITING, {"turn": self.state.turn})
            self.silence.wait()
