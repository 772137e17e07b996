"""Conversations of the text desk: begun, resumed, and one turn at a time (H2).

Decides who may have the talk of a token at a moment and what a visit leaves in the timeline. It
must never tell an unknown token from one of another hospital, and never write a token down: a
conversation is stored under the SHA-256 of its token.
"""

from __future__ import annotations

import hashlib
import logging
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage, ToolMessage

from wonmu.desk.agents.untraced import untraced
from wonmu.errors import StoreFailure
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.hours import Calendar
from wonmu.ids import IdSource
from wonmu.model.ladder import Limits
from wonmu.model.port import Rung
from wonmu.office import Office
from wonmu.policy.terminal import TerminalReason
from wonmu.text import booking, forms, identity
from wonmu.text.checkpoints import Busy, LocalTurns, PacedSaver, Turns, opened
from wonmu.text.confirm import delivered
from wonmu.text.desk import TextDesk, TextRules
from wonmu.text.graph import Graph, build, config_of, turn_input
from wonmu.text.history import ended_in_a_write, is_finished, too_old, unanswered
from wonmu.text.lines import TextLines
from wonmu.text.patience import Patience
from wonmu.text.people import keep
from wonmu.text.said import Said
from wonmu.text.state import Memory
from wonmu.text.talk import Talk
from wonmu.text.turn import Turn
from wonmu.timeline.events import Kind, Status
from wonmu.timeline.record import Recorder
from wonmu.timeline.store import TimelineStore
from wonmu.visit.front import Front

log = logging.getLogger(__name__)

Tokens = Callable[[], str]
"""Makes a new token that cannot be guessed; ``secrets.token_urlsafe(32)`` in production."""

LONGEST_TURN = 2000
"""Characters of one turn that are read; more is cut."""

SHOWN = 12
"""Letters of a conversation's hash in its events: enough to find its visits, no way to open it."""

_LEFT = frozenset({"caller_hangup", "hangup", "end_of_input", "caller_left"})


def thread_of(token: str) -> str:
    """Under what a conversation is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


class Conversation:
    """One visit: a begun or resumed conversation, from its first words to ``call.ended``."""

    def __init__(self, home: Conversations, token: str, talk: Talk, *, resumed: bool) -> None:
        self.token = token
        self._home = home
        self._talk = talk
        self._resumed = resumed
        self._span = ""
        self._over = False
        talk.spoken[Kind.REFUND_READBACK] = lambda said: delivered(talk, said)

    @property
    def recorder(self) -> Recorder:
        return self._talk.recorder

    @property
    def closed(self) -> bool:
        """``call.ended`` is written."""
        return self._over

    def add_hearer(self, hearer: Callable[[str], None]) -> None:
        """Whoever shows the desk's words to the visitor; what leaves the process is masked."""
        self._talk.hearers.append(hearer)

    async def start(self) -> None:
        """The greeting, or the words of coming back; returns when the desk waits."""
        talk = self._talk
        self._span = talk.recorder.start(
            Kind.CALL_STARTED,
            {
                "hospital": talk.desk.hospital.id,
                "caller": talk.caller,
                "channel": talk.channel,
                "conversation": talk.thread[:SHOWN],
            },
        )
        await self._guarded(self._come_back if self._resumed else self._greet)
        self._wait()

    async def says(self, text: str) -> None:
        """One visitor's turn; returns when the desk waits again, or the visit is closed."""
        if self._over or not text.strip():
            return
        await self._guarded(lambda: self._turn(text[:LONGEST_TURN]))
        if self._talk.state.latch.closed:
            await self.end(self._talk.end_reason or "end_conversation")
        else:
            self._wait()

    async def end(self, reason: str) -> None:
        """Close the visit; ``call.ended`` is written exactly once. The conversation stays."""
        if self._over:
            return
        self._over = True
        async with LocalTurns.of(self._home.where, self._talk.thread):
            await self._end(reason)

    async def _end(self, reason: str) -> None:
        """A turn that was under way has ended; nothing follows ``call.ended``."""
        talk = self._talk
        if reason in _LEFT:
            talk.recorder.write(Kind.HANGUP, {})
        await self._close_notes()
        if talk.state.latch.close(TerminalReason.CALLER_LEFT):
            data = {"reason": TerminalReason.CALLER_LEFT.value}
            talk.recorder.write(Kind.TERMINAL_LATCHED, data)
        for span in talk.recorder.open_spans():
            if span != self._span:
                talk.recorder.end(span, Status.CANCELLED, {"reason": "call_closed"})
        status = Status.CANCELLED if reason in _LEFT else Status.SUCCESS
        talk.recorder.end(self._span, status, {"reason": reason})

    # Turns -----------------------------------------------------------------------------------

    async def _guarded(self, work: Callable[[], Any]) -> None:
        """Alone in this conversation, untraced; a fault of ours ends here, in words."""
        talk = self._talk
        rules = talk.text_desk.rules
        try:
            with untraced():
                async with LocalTurns.of(self._home.where, talk.thread):
                    if self._over:
                        return
                    async with self._home.turns.taken(talk.thread, rules.lock_seconds):
                        with Patience(talk):
                            await work()
        except Busy:
            talk.say(talk.words("text.busy"))
        except Exception as error:  # noqa: BLE001 - the session boundary
            way = "".join(traceback.format_tb(error.__traceback__))
            log.error("a turn failed: %s\n%s", type(error).__name__, way)
            where = "conversations" if isinstance(error, StoreFailure) else "turn"
            talk.recorder.write(Kind.FAULT, {"where": where, "error": type(error).__name__})
            talk.say(talk.words("call.system_error"))

    async def _greet(self) -> None:
        hospital = self._talk.desk.hospital
        self._talk.say(self._talk.words("text.greeting", hospital=hospital.name))
        first = {"messages": [], "hospital": hospital.id, **Memory(visit=self._talk.id).channels()}
        config = config_of(self._talk.thread)
        await self._home.graph.aupdate_state(config, first, as_node="model")

    async def _come_back(self) -> None:
        memory, turn = await self._loaded()
        half = await self._drop_half()
        identity.forget_if_old(turn)
        found = {"step": memory.step.value, "open": memory.form["kind"] if memory.form else None}
        self._talk.recorder.write(Kind.CONVERSATION_RESUMED, found)
        identity.recall(turn)
        forms.recall_evidence(turn)
        said = [self._talk.words(half or "text.back"), *await self._open(turn)]
        for each in said:
            self._say(turn, each)
        memory.visit = self._talk.id
        await self._save(memory)

    async def _open(self, turn: Turn) -> list[Said]:
        """What is open in the conversation, put again; else what can be done."""
        if (question := forms.open_question(turn)) is not None:
            return [question]
        return await booking.resumed(turn) or [self._talk.words("text.back_help")]

    def _say(self, turn: Turn, said: Said) -> None:
        if self._talk.say(said) and said.readback is not None:
            booking.heard(turn, said.readback)

    async def _turn(self, raw: str) -> None:
        memory, turn = await self._loaded()
        talk, graph = self._talk, self._home.graph
        elsewhere = memory.visit != talk.id
        half = await self._drop_half()
        forgotten = identity.forget_if_old(turn)
        if memory.form is not None:
            talk.used_up = False  # what led to an open question is not over
        talk.hears(raw, forms.private_text(turn, raw))
        if elsewhere:
            identity.recall(turn)
            forms.recall_evidence(turn)
        if half and (memory.form is not None or booking.opened(turn) is not None):
            await self._say_again(turn)
            return
        if elsewhere or forgotten:
            memory.visit = talk.id
            await self._save(memory)
        found = turn_input(talk.text, memory.turn + 1, talk.id)
        config = config_of(talk.thread)
        await graph.ainvoke(found, config, context=talk, durability="sync")
        await self._home.saver.keep_newest(talk.thread)

    async def _say_again(self, turn: Turn) -> None:
        """The turn before was broken off: what is open is put again, whatever was said now."""
        question = await self._open(turn)
        for each in (self._talk.words("text.back_half"), *question):
            self._say(turn, each)
        turn.memory.visit = self._talk.id
        await self._save(turn.memory)

    async def _loaded(self) -> tuple[Memory, Turn]:
        state = await self._home.graph.aget_state(config_of(self._talk.thread))
        memory = Memory.of(state.values)
        memory.pending, memory.then = [], ""  # of a turn that is over, or was broken off
        return memory, Turn(self._talk, memory)

    async def _save(self, memory: Memory) -> None:
        """Write what code has changed between two turns."""
        config = config_of(self._talk.thread)
        await self._home.graph.aupdate_state(config, memory.channels(), as_node="model")

    async def _drop_half(self) -> str | None:
        """Finish a turn that a dead process left half done: its calls are answered as broken off,
        nothing of it is run again (B4). Also lets go of what is too old to keep.

        The line that says so; None when there was no such turn."""
        config = config_of(self._talk.thread)
        state = await self._home.graph.aget_state(config)
        messages: list[AnyMessage] = list(state.values.get("messages", ()))
        half = bool(state.next) or not is_finished(messages)
        more: list[AnyMessage] = [
            ToolMessage('{"error": "broken_off"}', tool_call_id=id) for id in unanswered(messages)
        ]
        line = "text.back_done" if ended_in_a_write(messages) else "text.back_half"
        if half:
            more.append(AIMessage(content=self._talk.lines.say(line)))
        old = [RemoveMessage(id=str(each.id)) for each in too_old(messages) if each.id]
        if more or old:
            update = {"messages": [*old, *more], "pending": [], "then": ""}
            await self._home.graph.aupdate_state(config, update, as_node="model")
        return line if half else None

    def _wait(self) -> None:
        if not self._over:
            self._talk.recorder.write(Kind.TURN_WAITING, {"turn": self._talk.turn})

    async def _close_notes(self) -> None:
        """A request for a person that is still being taken down is kept, if a number is known."""
        try:
            with untraced():
                memory, turn = await self._loaded()
                form = memory.form_of("note")
                if form is not None:
                    await keep(turn, form)
                    memory.form = None
                    await self._save(memory)
        except StoreFailure as error:
            log.error("a note was not kept at the end: %s", error)
            self._talk.recorder.write(Kind.FAULT, {"where": "conversations"})


class Conversations:
    """The conversations of one open office."""

    def __init__(
        self,
        desk: TextDesk,
        graph: Graph,
        saver: PacedSaver,
        turns: Turns,
        tokens: Tokens,
        timeline: TimelineStore,
        *,
        where: str,
        channel: str,
    ) -> None:
        self.graph = graph
        self.saver = saver
        self.turns = turns
        self.where = where
        self._desk = desk
        self._tokens = tokens
        self._timeline = timeline
        self._channel = channel

    @classmethod
    @asynccontextmanager
    async def opened(
        cls,
        office: Office,
        ids: IdSource,
        tokens: Tokens,
        models: tuple[Rung, ...] = (),
        limits: Limits | None = None,
        channel: str = "text",
        rules: TextRules | None = None,
    ) -> AsyncIterator[Conversations]:
        """Open the checkpoints. ``models`` are asked in order; the built-in one is always last."""
        front = front_of(office, ids)
        desk = TextDesk(front, models, limits or Limits(), rules or TextRules())
        async with opened(office.place) as (saver, turns):
            with untraced():
                graph = build(front.lines, saver)
            where = office.place.conversations
            found = (desk, graph, saver, turns, tokens, office.timeline)
            yield cls(*found, where=where, channel=channel)

    async def begin(self, caller: str | None = None) -> Conversation:
        """A new conversation. ``caller``: a number the visitor is known by (a hint, no proof)."""
        token = self._tokens()
        return Conversation(self, token, self._talk(thread_of(token), caller), resumed=False)

    async def resume(self, token: str, caller: str | None = None) -> Conversation | None:
        """The conversation of this token at its saved step; None: unknown here, whatever why."""
        thread = thread_of(token)
        if not await self._is_ours(thread):
            return None
        return Conversation(self, token, self._talk(thread, caller), resumed=True)

    async def forget(self, token: str) -> bool:
        """Delete what is kept of the conversation, which is not open now. False: unknown here."""
        thread = thread_of(token)
        if not await self._is_ours(thread):
            return False
        async with LocalTurns.of(self.where, thread):
            await self.saver.adelete_thread(thread)
        return True

    async def _is_ours(self, thread: str) -> bool:
        """Whether it is known, and this hospital's."""
        state = await self.graph.aget_state(config_of(thread))
        return bool(state.values.get("hospital") == self._desk.front.hospital.id)

    def _talk(self, thread: str, caller: str | None) -> Talk:
        talk = Talk(self._desk, thread, caller, self._channel)
        talk.recorder.add_sink(self._timeline.sink(talk.recorder))
        return talk


def front_of(office: Office, ids: IdSource) -> Front:
    """The front desk of an open office, with its lines as they are read."""
    hospital = office.hospital
    return Front(
        hospital=hospital,
        calendar=Calendar(hospital),
        catalog=Catalog(hospital),
        lines=TextLines.load(hospital.language),
        emr=office.emr,
        inbox=office.inbox,
        clock=office.clock,
        ids=ids,
        direct=office.direct,
        ledger=office.ledger,
    )
