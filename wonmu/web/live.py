"""A visit that is open now: its words, its turns, and who watches it.

Decides that turns are answered one after the other, that a client's id is one turn however often
it comes, and what watchers see. A turn goes on when whoever sent it is gone. It must never let
words meant for an earlier visit answer a question of this one. The desk's words are shown as they
are, since a read-back must be read; a visitor's are kept as the timeline has them, with personal
numbers masked, so that who finds the tab open later reads none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from wonmu.timeline.events import Event, Kind
from wonmu.web.frames import Ended, Ending, Failed, Frame, Message, Speaker, Typing, Waiting
from wonmu.web.limits import WebLimits
from wonmu.web.port import Talk
from wonmu.web.refusal import Refused, Why

log = logging.getLogger(__name__)

QUEUE_FRAMES = 256
"""Frames that wait for a slow browser; then it is let go and has to come again."""

END_REASONS = {
    Ending.IDLE: "idle",
    Ending.FORGOTTEN: "caller_left",
    Ending.SHUTDOWN: "shutdown",
    Ending.CLOSED: "shutdown",
}
"""How the timeline calls an end that the web chat brings about."""


@dataclass(slots=True)
class Turn:
    """One message of the visitor on its way. ``failed``: it was not answered, by our fault."""

    text: str
    client_id: str | None
    after: int = 0
    """Number of the last message before its own."""
    last: int = 0
    """Number of its last message."""
    taken: bool = False
    failed: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event)


class Watcher:
    """A queue of frames for one socket. ``lost``: it was too slow and is no longer served."""

    def __init__(self) -> None:
        self.lost = False
        self._frames: asyncio.Queue[Frame] = asyncio.Queue(QUEUE_FRAMES)

    def put(self, frame: Frame) -> None:
        try:
            self._frames.put_nowait(frame)
        except asyncio.QueueFull:
            self.lost = True

    async def next(self) -> Frame:
        return await self._frames.get()


class LiveVisit:
    """``name``: a visit's name on the wire, which is not its id in the timeline."""

    def __init__(
        self, talk: Talk, name: str, address: str, mono: Callable[[], float], limits: WebLimits
    ) -> None:
        self.name = name
        self.address = address
        self.messages: list[Message] = []
        self.waiting = False
        self.ended: Ending | None = None
        self._talk = talk
        self._mono = mono
        self._limits = limits
        self._active = mono()
        self._lock = asyncio.Lock()
        self._current: Turn | None = None
        self._turns: dict[str, Turn] = {}
        self._queued = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._watchers: list[Watcher] = []
        talk.add_hearer(self._desk_says)
        talk.recorder.add_sink(self._event)

    @property
    def token(self) -> str:
        return self._talk.token

    @property
    def quiet_seconds(self) -> float:
        """Since somebody last said something; 0.0 while a turn is under way."""
        return 0.0 if self._lock.locked() or self._queued else self._mono() - self._active

    @property
    def watchers(self) -> int:
        return len(self._watchers)

    async def start(self) -> None:
        async with self._lock:
            await self._talk.start()
            self._settle()

    def send(self, text: str, client_id: str | None, visit: str | None) -> Turn:
        """Take a message; its turn is answered in the background.

        The same ``client_id`` again is the same turn. Raises ``Refused``.
        """
        if visit is not None and visit != self.name:
            raise Refused(Why.VISIT_CHANGED)
        if client_id is not None and client_id in self._turns:
            return self._turns[client_id]
        if self.ended is not None:
            raise Refused(Why.VISIT_CHANGED)
        if self._queued > self._limits.waiting_turns:
            raise Refused(Why.TOO_MANY, retry_after=5.0)
        turn = Turn(text, client_id)
        if client_id is not None:
            self._turns[client_id] = turn
        self._queued += 1
        self._active = self._mono()
        task = asyncio.create_task(self._run(turn))
        self._tasks.add(task)
        task.add_done_callback(self._ran)
        return turn

    def answer(self, turn: Turn) -> tuple[Message, ...]:
        """The messages of a turn that is done: the visitor's own, and what the desk said."""
        return tuple(self.messages[turn.after : turn.last])

    def since(self, seq: int) -> tuple[Message, ...]:
        return tuple(self.messages[max(seq, 0) :])

    def watch(self, after: int) -> Watcher:
        """See everything after message ``after``, and the state. Raises ``Refused``."""
        if len(self._watchers) >= self._limits.conversation_sockets:
            raise Refused(Why.TOO_MANY, retry_after=10.0)
        watcher = Watcher()
        for message in self.since(after)[-(QUEUE_FRAMES - 8) :]:
            watcher.put(message)
        watcher.put(self._state())
        self._watchers.append(watcher)
        return watcher

    def unwatch(self, watcher: Watcher) -> None:
        if watcher in self._watchers:
            self._watchers.remove(watcher)

    async def end(self, why: Ending) -> None:
        """After the turn under way; turns behind it are not taken. A second end does nothing."""
        if self.ended is not None:
            return await self.over()
        self.ended = why
        async with self._lock:
            if not self._talk.closed:
                await self._talk.end(END_REASONS[why])
        self._publish(Ended(why))

    async def over(self) -> None:
        """Until an end that has begun is complete."""
        async with self._lock:
            return

    async def _run(self, turn: Turn) -> None:
        async with self._lock:
            try:
                if self.ended is None:
                    await self._answered(turn)
            finally:
                self._queued -= 1
                turn.done.set()

    async def _answered(self, turn: Turn) -> None:
        turn.after, turn.taken = len(self.messages), True
        self._current, self.waiting = turn, False
        self._publish(Typing())
        turn.failed = True
        try:
            await self._talk.says(turn.text)
            turn.failed = False
        finally:
            turn.last = len(self.messages)
            self._current = None
            if turn.failed:
                self._publish(Failed(turn.client_id))
            self._settle()

    def _settle(self) -> None:
        self._active = self._mono()
        if self._talk.closed and self.ended is None:
            self.ended = Ending.CLOSED
            self._publish(Ended(Ending.CLOSED))
        elif self.ended is None:
            self.waiting = True
            self._publish(Waiting())

    def _ran(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            # The type only: a message may hold what was said.
            log.error("a turn of the web chat failed: %s", type(error).__name__)

    def _state(self) -> Frame:
        if self.ended is not None:
            return Ended(self.ended)
        return Waiting() if self.waiting else Typing()

    def _event(self, event: Event) -> None:
        text = event.data.get("text")
        if event.kind is Kind.CALLER_HEARD and isinstance(text, str):
            mine = self._current.client_id if self._current is not None else None
            self._said(Speaker.VISITOR, text, mine)

    def _desk_says(self, text: str) -> None:
        self._said(Speaker.DESK, text, None)

    def _said(self, speaker: Speaker, text: str, client_id: str | None) -> None:
        if not text.strip():
            return
        message = Message(len(self.messages) + 1, speaker, text, client_id)
        self.messages.append(message)
        self._publish(message)

    def _publish(self, frame: Frame) -> None:
        for watcher in self._watchers:
            watcher.put(frame)
