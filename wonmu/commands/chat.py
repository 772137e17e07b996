"""``wonmu chat``: one call over standard input and output."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wonmu.call.deps import Desk
from wonmu.call.session import Call
from wonmu.chat import ChatDoor, Lines, PlainView
from wonmu.commands.common import choose_hospital, hospitals_of, moment_of
from wonmu.commands.models import check_model, models_of, rungs_of
from wonmu.commands.terminal import StandardInput, caller_of, show_json
from wonmu.emr.fault_plan import FaultPlan, load_faults
from wonmu.errors import WonmuError
from wonmu.hospital.config import Hospital
from wonmu.ids import IdSource, RandomIds
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


__all__ = ["CallPlan", "ChatOptions", "WonmuError", "caller_of", "play", "run_chat"]
