"""``wonmu chat``: one call over standard input and output."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wonmu.call.deps import Desk
from wonmu.call.session import Call
from wonmu.chat import ChatDoor, Lines, PlainView
from wonmu.commands.common import choose_hospital, hospitals_of, moment_of
from wonmu.commands.models import check_model, models_of, rungs_of
from wonmu.emr.fault_plan import FaultPlan, load_faults
from wonmu.errors import InputError, WonmuError
from wonmu.hospital.config import Hospital
from wonmu.ids import IdSource, RandomIds
from wonmu.korean.numbers import Phone, read_phone
from wonmu.loop import LoopClock, run
from wonmu.model.port import Rung
from wonmu.office import open_office, reconciling
from wonmu.place import Place, place_of
from wonmu.timeline.events import Event, Kind
from wonmu.transfer.plan import load_staff
from wonmu.transfer.port import StaffLine
from wonmu.transfer.simulated import ScriptedLine

SPEED = 25.0
"""Seconds of the conversation per second at the terminal: fast, but time to talk over it."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """The command line of one call, as typed."""

    hospital: str | None = None
    caller: str | None = None
    now: str | None = None
    data: str | None = None
    settings: str | None = None
    model: str = "builtin"
    model_name: str = "default"
    faults: str | None = None
    json: bool = False
    staff: str | None = None
    db: str | None = None


@dataclass(frozen=True, slots=True)
class CallPlan:
    """The same, checked."""

    hospital: Hospital
    caller: str | None
    options: ChatOptions
    faults: FaultPlan | None
    ids: IdSource
    staff: StaffLine | None = None
    """The line to the people of the desk; None: nobody can be dialled."""

    @classmethod
    def of(cls, options: ChatOptions, ids: IdSource) -> CallPlan:
        hospital = choose_hospital(hospitals_of(options.settings), options.hospital)
        moment_of(options.now)
        check_model(options.model)
        faults = load_faults(options.faults) if options.faults is not None else None
        staff = ScriptedLine(load_staff(options.staff)) if options.staff is not None else None
        return cls(hospital, caller_of(options.caller), options, faults, ids, staff)


def caller_of(caller: str | None) -> str | None:
    """The caller's number as digits; None when it is withheld."""
    if caller is None or not caller.strip():
        return None
    phone = read_phone(caller)
    if not isinstance(phone, Phone):
        raise InputError(
            f"--caller {caller}: is no telephone number; write for example 01000001234"
        )
    return phone.digits


def _raw_lines() -> Iterator[bytes]:
    """The lines of standard input, through a reader of our own.

    A thread that waits for a line holds its reader's lock. Were it that of ``sys.stdin``, the
    interpreter would abort at its end when a call ends while the input is still open.
    """
    if sys.stdin is None:  # started with a closed standard input
        return
    with open(sys.stdin.fileno(), "rb", closefd=False) as reader:
        yield from reader


class StandardInput:
    """Lines from standard input, read in a thread so that the call goes on meanwhile."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ready = asyncio.Event()
        self._read: deque[str | InputError | None] = deque()
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self) -> None:
        for number, raw in enumerate(_raw_lines(), start=1):
            try:
                line: str | InputError = raw.decode("utf-8")
            except UnicodeDecodeError:
                line = InputError(f"input line {number}: is not UTF-8 text; save the file as UTF-8")
            self._hand_over(line)
        self._hand_over(None)

    def _hand_over(self, line: str | InputError | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._arrive, line)
        except RuntimeError:
            return  # the call is over and its loop closed

    def _arrive(self, line: str | InputError | None) -> None:
        self._read.append(line)
        self._ready.set()

    async def next(self) -> str | None:
        while not self._read:
            self._ready.clear()
            await self._ready.wait()
        line = self._read[0]
        if line is not None:
            self._read.popleft()
        if isinstance(line, InputError):
            raise line
        return line

    def peek(self) -> str | None:
        ahead = self._read[0] if self._read else None
        return ahead if isinstance(ahead, str) else None


async def play(
    plan: CallPlan,
    lines: Lines | None,
    show: Callable[[Event], None],
    data: Place | Path | None,
    models: tuple[Rung, ...] | None = None,
) -> int:
    """One call from first to last event; the exit status.

    ``models`` replaces what the options name (scripted and hostile models).
    """
    hospital, options = plan.hospital, plan.options
    clock = LoopClock(moment_of(options.now))
    office = await open_office(hospital, data, clock, faults=plan.faults)
    lost = 0
    try:
        named = models_of(options.model, options.model_name) if models is None else models
        rungs = rungs_of(options.model, options.model_name) if models is None else models
        desk = Desk.of(office, plan.ids, named, plan.staff, rungs)
        call = Call(desk, plan.caller)
        call.recorder.add_sink(office.timeline.sink(call.recorder))
        call.recorder.add_sink(show)
        async with reconciling(office):
            with _ended_by_signal(call, lines):
                await ChatDoor(call, lines or StandardInput()).run()
        faulty = any(event.kind is Kind.FAULT for event in call.recorder.events)
    finally:
        lost = await office.close()
    return 1 if faulty or lost else 0


@contextmanager
def _ended_by_signal(call: Call, lines: Lines | None) -> Iterator[None]:
    """SIGTERM hangs up, so that a consented write is finished and the call has its end.

    Only for the command itself: a script is played in somebody else's process.
    """
    if lines is not None:
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, call.caller_gone)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def run_chat(options: ChatOptions) -> int:
    """The command; raises ``InputError`` for bad input."""
    plan = CallPlan.of(options, RandomIds())
    data = place_of(options.data, options.db)
    show = show_json if options.json else PlainView(sys.stdout)
    return run(lambda: play(plan, None, show, data), speed=SPEED)


def show_json(event: Event) -> None:
    sys.stdout.write(json.dumps(event.to_json(), ensure_ascii=False) + "\n")
    sys.stdout.flush()


__all__ = ["CallPlan", "ChatOptions", "WonmuError", "play", "run_chat"]
