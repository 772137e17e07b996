"""``wonmu text``: one visit of the text desk over standard input and output."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from wonmu.chat import HangUp, Keys, Lines, PlainView, Say, Wait, read_step
from wonmu.commands.common import choose_hospital, hospitals_of, moment_of
from wonmu.commands.models import check_model, rungs_of
from wonmu.commands.terminal import StandardInput, caller_of, show_json
from wonmu.emr.fault_plan import FaultPlan, load_faults
from wonmu.errors import InputError
from wonmu.hospital.config import Hospital
from wonmu.ids import IdSource, RandomIds
from wonmu.loop import LoopClock, frozen, run
from wonmu.model.port import Rung
from wonmu.office import open_office, reconciling
from wonmu.place import Place, place_of
from wonmu.text.conversation import Conversation, Conversations, Tokens
from wonmu.timeline.events import Event, Kind

SPEED = 25.0
"""Seconds of the conversation per second at the terminal."""

TOKEN_BYTES = 32
"""256 bits: nobody guesses one."""


@dataclass(frozen=True, slots=True)
class TextOptions:
    """The command line of one visit, as typed."""

    hospital: str | None = None
    caller: str | None = None
    now: str | None = None
    data: str | None = None
    db: str | None = None
    settings: str | None = None
    model: str = "builtin"
    model_name: str = "default"
    faults: str | None = None
    json: bool = False
    conversation: str | None = None
    conversation_file: str | None = None


@dataclass(frozen=True, slots=True)
class VisitPlan:
    """The same, checked."""

    hospital: Hospital
    caller: str | None
    options: TextOptions
    faults: FaultPlan | None
    ids: IdSource
    tokens: Tokens

    @classmethod
    def of(cls, options: TextOptions, ids: IdSource, tokens: Tokens) -> VisitPlan:
        hospital = choose_hospital(hospitals_of(options.settings), options.hospital)
        moment_of(options.now)
        check_model(options.model)
        faults = load_faults(options.faults) if options.faults is not None else None
        return cls(hospital, caller_of(options.caller), options, faults, ids, tokens)


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


async def play(
    plan: VisitPlan,
    lines: Lines | None,
    show: Callable[[Event], None],
    data: Place | Path | None,
    models: tuple[Rung, ...] | None = None,
) -> int:
    """One visit from first to last event; the exit status.

    ``models`` replaces what the options name (scripted and hostile models).
    """
    options = plan.options
    clock = LoopClock(moment_of(options.now))
    office = await open_office(plan.hospital, data, clock, faults=plan.faults)
    lost = 0
    try:
        named = rungs_of(options.model, options.model_name) if models is None else models
        async with Conversations.opened(office, plan.ids, plan.tokens, named) as talks:
            talk = await _opened(talks, plan)
            talk.recorder.add_sink(show)
            async with reconciling(office):
                await _visit(talk, lines)
            faulty = any(event.kind is Kind.FAULT for event in talk.recorder.events)
    finally:
        lost = await office.close()
    return 1 if faulty or lost else 0


async def _opened(talks: Conversations, plan: VisitPlan) -> Conversation:
    """The conversation, and its token for whoever may go on with it later."""
    options = plan.options
    if options.conversation is not None:
        talk = await talks.resume(options.conversation, plan.caller)
        if talk is None:
            raise InputError("--conversation: there is no such conversation here")
    else:
        talk = await talks.begin(plan.caller)
    if options.conversation_file is not None:
        _write_token(options.conversation_file, talk.token)
    elif options.conversation is None:
        # Not with the events: whoever reads those must not be able to open the conversation.
        sys.stderr.write(f"to go on later: --conversation {talk.token}\n")
        sys.stderr.flush()
    return talk


def _write_token(path: str, token: str) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            os.fchmod(descriptor, 0o600)
            file.write(token + "\n")
    except OSError as error:
        raise InputError(
            f"--conversation-file {path}: cannot be written ({error.strerror})"
        ) from error


async def _visit(talk: Conversation, lines: Lines | None) -> None:
    """Line after line until the visitor leaves or the desk has ended it."""
    stopped = asyncio.Event()
    try:
        with _ended_by_signal(stopped, lines):
            await talk.start()
            await _lines(talk, lines or StandardInput(), stopped)
    finally:
        await talk.end("caller_hangup")


async def _lines(talk: Conversation, lines: Lines, stopped: asyncio.Event) -> None:
    number = 0
    while not talk.closed and not stopped.is_set():
        with frozen():
            line = await _next(lines, stopped)
        if line is None:
            return
        number += 1
        match read_step(line, number):
            case Say(text):
                await talk.says(text)
            case Keys(keys=keys):
                # In text there is no keypad: digits are typed like anything else.
                await talk.says(keys)
            case Wait(seconds):
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopped.wait(), seconds)
            case HangUp():
                return
            case None:
                continue


async def _next(lines: Lines, stopped: asyncio.Event) -> str | None:
    """The next line; None at the end, or when the command is told to stop."""
    line = asyncio.create_task(lines.next())
    stop = asyncio.create_task(stopped.wait())
    await asyncio.wait({line, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if not line.done():
        line.cancel()
        return None
    return line.result()


@contextmanager
def _ended_by_signal(stopped: asyncio.Event, lines: Lines | None) -> Iterator[None]:
    """SIGTERM ends the visit after the turn under way. Only for the command itself."""
    if lines is not None:
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def run_text(options: TextOptions) -> int:
    """The command; raises ``InputError`` for bad input."""
    plan = VisitPlan.of(options, RandomIds(), new_token)
    data = place_of(options.data, options.db)
    show = show_json if options.json else PlainView(sys.stdout)
    return run(lambda: play(plan, None, show, data), speed=SPEED)
