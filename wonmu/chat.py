"""The terminal door: a call over standard input and output (design: the terminal contract).

One caller turn a line, given when the agent has finished and waits; ``!`` speaks over the agent,
``!#1`` presses keys over it, ``#`` presses keys, ``/wait`` stays silent, ``/hangup`` or the end of
input hangs up. Decides when a line is given; it knows nothing of what the call does with it. While
the next line is waited for, the call's time stands still: a person who thinks is not silent, and
only ``/wait`` is silence.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TextIO

from wonmu.errors import InputError
from wonmu.loop import frozen, outside
from wonmu.timeline.events import Event, Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call

BARGE_IN_SECONDS = 0.7
"""How far into the agent's speech a ``!`` line is spoken; no read-back is over by then."""

KEY_SECONDS = 0.25
"""Between two keys of one line."""

HOLD_LOOK_SECONDS = 0.25
"""How often a line is looked for while the caller is on hold."""

LONGEST_WAIT = 24 * 3600.0

KEYS_LINE = "고객:   (키패드 입력)"


@dataclass(frozen=True, slots=True)
class Say:
    text: str
    over: bool = False


@dataclass(frozen=True, slots=True)
class Keys:
    keys: str
    over: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


@dataclass(frozen=True, slots=True)
class HangUp:
    pass


Step = Say | Keys | Wait | HangUp


def read_step(line: str, number: int) -> Step | None:
    """One line of a caller's script; None for an empty line or a comment.

    Raises ``InputError`` for a command that is none, naming the line.
    """
    text = line.strip()
    if not text or text.startswith("//"):
        return None
    if text == "/hangup":
        return HangUp()
    if text.startswith("/wait"):
        return Wait(_seconds(text[len("/wait") :], number))
    if text.startswith("/"):
        raise InputError(
            f"input line {number}: {text.split()[0]} is no command; use /wait or /hangup"
        )
    if text.startswith("#"):
        return _keys(text[1:], number)
    if text.startswith("!"):
        said = text[1:].strip()
        if said.startswith("#"):
            return replace(_keys(said[1:], number), over=True)
        return Say(said, over=True) if said else None
    return Say(text)


def _keys(keys: str, number: int) -> Keys:
    pressed = "".join(keys.split())
    if not pressed or set(pressed) - set("0123456789*#"):
        raise InputError(
            f"input line {number}: keys are the digits, * and #; write for example #850312"
        )
    return Keys(pressed)


def _seconds(words: str, number: int) -> float:
    try:
        seconds = float(words)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= LONGEST_WAIT:
        raise InputError(f"input line {number}: /wait needs seconds, for example /wait 5")
    return seconds


class Lines(Protocol):
    """Where the caller's lines come from."""

    async def next(self) -> str | None:
        """The next line, or None at the end. May wait for a person or another program."""
        ...

    def peek(self) -> str | None:
        """The next line if it is there already."""
        ...


class Script:
    """Lines known beforehand."""

    def __init__(self, lines: list[str]) -> None:
        self._left = list(lines)

    async def next(self) -> str | None:
        return self._left.pop(0) if self._left else None

    def peek(self) -> str | None:
        return self._left[0] if self._left else None


class ChatDoor:
    """Plays the caller's lines into one call."""

    def __init__(self, call: Call, lines: Lines) -> None:
        self._call = call
        self._lines = lines
        self._number = 0
        self._speaking = asyncio.Event()
        call.recorder.add_sink(self._event)

    async def run(self) -> None:
        """From answering to the end. Raises ``InputError`` on a bad line, after closing."""
        await self._call.start()
        try:
            await self._talk_over()
            while not self._call.closed.is_set():
                await self._agent_finished()
                # A call that is closing needs its time; nobody is asked for another line.
                if self._call.state.latch.closed or not await self._give_next():
                    break
        finally:
            if self._call.state.latch.closed:
                await self._call.closed.wait()
            await self._call.hang_up()

    async def _agent_finished(self) -> None:
        """Until the agent waits, the call is over, or a line comes that is for the hold."""
        quiet = asyncio.create_task(self._call.floor.until_quiet())
        closed = asyncio.create_task(self._call.closed.wait())
        while not (quiet.done() or closed.done() or self._acts_on_hold()):
            held = asyncio.create_task(self._call.floor.on_hold.wait())
            # On hold a line may come at any time, so it is looked for again and again.
            look = HOLD_LOOK_SECONDS if self._call.floor.on_hold.is_set() else None
            waited = {quiet, closed} if look else {quiet, closed, held}
            await asyncio.wait(waited, timeout=look, return_when=asyncio.FIRST_COMPLETED)
            held.cancel()
        for task in (quiet, closed):
            task.cancel()

    def _acts_on_hold(self) -> bool:
        """On hold a caller can talk, press, wait or hang up; a plain line is for the agent."""
        ahead = self._lines.peek() if self._call.floor.on_hold.is_set() else None
        return ahead is not None and ahead.strip()[:1] in ("", "!", "#", "/")

    async def _give_next(self) -> bool:
        """Give the next step; False when the caller is gone."""
        # Time stands still only while nothing is under way: a transfer on hold goes on.
        with outside() if self._call.floor.busy else frozen():
            line = await self._next_or_closed()
        if line is None:
            return False
        self._number += 1
        step = read_step(line, self._number)
        if step is None:
            return True
        return await self._give(step)

    async def _next_or_closed(self) -> str | None:
        line = asyncio.create_task(self._lines.next())
        closed = asyncio.create_task(self._call.closed.wait())
        await asyncio.wait({line, closed}, return_when=asyncio.FIRST_COMPLETED)
        closed.cancel()
        if not line.done():
            line.cancel()
            return None
        return line.result()

    async def _give(self, step: Step) -> bool:
        match step:
            case Say(text, over):
                self._speaking.clear()
                self._call.caller_says(text, barge_in=over)
                await self._talk_over()
            case Keys(keys=keys):
                self._speaking.clear()
                await self._press(keys)
                await self._talk_over()
            case Wait(seconds):
                await self._stay_silent(seconds)
            case HangUp():
                return False
        return True

    async def _press(self, keys: str) -> None:
        for key in keys:
            self._call.press(key)
            await asyncio.sleep(KEY_SECONDS)

    async def _stay_silent(self, seconds: float) -> None:
        """Say nothing for so long, or until the agent has ended the call."""
        closed = asyncio.create_task(self._call.closed.wait())
        await asyncio.wait({closed}, timeout=seconds)
        closed.cancel()

    async def _talk_over(self) -> None:
        """Give the ``!`` lines that follow, each over the agent's answer to the one before."""
        while (line := await self._follows_at_once()) is not None:
            await self._until_speaking()
            await asyncio.sleep(BARGE_IN_SECONDS)
            self._number += 1
            step = read_step(line, self._number)
            if self._call.closed.is_set():
                continue
            self._speaking.clear()
            match step:
                case Say(text):
                    self._call.caller_says(text, barge_in=True)
                case Keys(keys=keys):
                    await self._press(keys)
                case _:
                    pass

    async def _follows_at_once(self) -> str | None:
        ahead = self._lines.peek()
        if ahead is None or not ahead.strip().startswith("!"):
            return None
        return await self._lines.next()

    async def _until_speaking(self) -> None:
        speaking = asyncio.create_task(self._speaking.wait())
        quiet = asyncio.create_task(self._call.floor.until_quiet())
        await asyncio.wait({speaking, quiet}, return_when=asyncio.FIRST_COMPLETED)
        for task in (speaking, quiet):
            task.cancel()

    def _event(self, event: Event) -> None:
        if event.kind is Kind.AGENT_SPEAKING:
            self._speaking.set()


def plain(event: Event) -> str | None:
    """How a person reads an event; None for what only machines read."""
    data = event.data
    match event.kind:
        case Kind.AGENT_SAID:
            cut = "" if data.get("full") else " …"
            return f"상담원: {data['heard']}{cut}"
        case Kind.CALLER_HEARD:
            return f"고객:   {data['text']}"
        case Kind.CALL_ENDED:
            return f"(통화 종료: {data['reason']})"
        case _:
            return None


class PlainView:
    """A sink that writes the talk as a person reads it. One run of keys is one line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._keys = False

    def __call__(self, event: Event) -> None:
        line = plain(event)
        done = bool(event.data.get("done"))
        if event.kind is Kind.KEYPAD_PRESSED and (event.data.get("used") or done):
            line = None if self._keys else KEYS_LINE
            self._keys = not done
        elif line is not None:
            self._keys = False
        if line is not None:
            self._out.write(line + "\n")
            self._out.flush()
