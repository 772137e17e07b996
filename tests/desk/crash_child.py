"""A process that carries out one act and dies by SIGKILL at a chosen step.

A step is a transaction of the outbox or a request to the record system: a call of the port for the
embedded one, an HTTP request for a server. ``kill`` counts them. Run by ``test_crash_table`` in a
child of a fork server, which has imported everything once.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

import httpx
from outbox_parts import (
    HOSPITAL,
    NOTES,
    NOW,
    EmrAround,
    TwoSteps,
    as_port,
    cancel_request,
    request,
    run,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from wonmu.desk.inbox import open_inbox
from wonmu.desk.outbox.direct import DirectDesk
from wonmu.desk.outbox.reconcile import Reconciler
from wonmu.desk.outbox.store import OutboxStore
from wonmu.emr.fhir.adapter import open_fhir
from wonmu.emr.guard import GuardedEmr, GuardRules
from wonmu.emr.port import Appointment, Emr, Slot
from wonmu.emr.sql import open_embedded
from wonmu.hospital.config import FhirSettings
from wonmu.loop import LoopClock, outside

PATIENT = GuardRules(request=30.0, step=60.0)
"""On a busy machine the limits of a call would end a request that is only slow."""


class What(StrEnum):
    BOOK = "book"
    CHANGE = "change"
    CANCEL = "cancel"
    RECONCILE = "reconcile"


class When(StrEnum):
    BEFORE = "before"
    AFTER = "after"
    WITHIN = "within"
    """A transaction: written, not committed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything lies. ``url``: a FHIR server in front of the record system, if any.

    ``two_steps``: the embedded record system moves an appointment as two steps.
    """

    folder: Path
    url: str = ""
    two_steps: bool = False


@dataclass(frozen=True, slots=True)
class Agreed:
    """The time agreed on, as it was offered, and the appointment that the patient has."""

    slot: Slot
    old: Appointment


@dataclass(frozen=True, slots=True)
class Death:
    """Die at step ``number`` (1 is the first); 0 never dies."""

    number: int
    when: When


class Steps:
    """Counts the steps of this process and ends it at the chosen one."""

    def __init__(self, death: Death) -> None:
        self._death = death
        self.count = 0

    def begin(self) -> int:
        """The number of the step that begins now; several may be under way at once."""
        self.count += 1
        self.kill(self.count, When.BEFORE)
        return self.count

    def kill(self, number: int, when: When) -> None:
        if Death(number, when) == self._death:
            os.kill(os.getpid(), signal.SIGKILL)


class MortalEmr(EmrAround):
    def __init__(self, inner: Emr, steps: Steps) -> None:
        super().__init__(inner)
        self._steps = steps

    async def around(self, name: str, ask: Callable[[], Awaitable[object]]) -> object:
        number = self._steps.begin()
        answer = await ask()
        self._steps.kill(number, When.AFTER)
        return answer


class MortalTransport(httpx.AsyncHTTPTransport):
    def __init__(self, steps: Steps) -> None:
        super().__init__(verify=False)  # it speaks plain HTTP; loading certificates takes long
        self._steps = steps

    async def handle_async_request(self, asked: httpx.Request) -> httpx.Response:
        number = self._steps.begin()
        with outside():
            answer = await super().handle_async_request(asked)
            await answer.aread()
        self._steps.kill(number, When.AFTER)
        return answer


class MortalStore(OutboxStore):
    steps: Steps

    def _writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._mortal(super()._writing())

    @asynccontextmanager
    async def _mortal(
        self, inner: AbstractAsyncContextManager[AsyncConnection]
    ) -> AsyncIterator[AsyncConnection]:
        number = self.steps.begin()
        async with inner as connection:
            yield connection
            self.steps.kill(number, When.WITHIN)
        self.steps.kill(number, When.AFTER)


@asynccontextmanager
async def emr_at(place: Place, steps: Steps, minutes: float) -> AsyncIterator[Emr]:
    """The record system as a process sees it that lives ``minutes`` after the first one."""
    clock = LoopClock(NOW + timedelta(minutes=minutes))
    if place.url:
        settings = FhirSettings(url=place.url)
        emr: Emr = open_fhir(settings, clock, transport=MortalTransport(steps))
    else:
        records: Emr = await open_embedded(str(place.folder / "emr.sqlite"), clock)
        mortal = as_port(MortalEmr(records, steps))
        emr = as_port(TwoSteps(mortal)) if place.two_steps else mortal
    try:
        yield emr
    finally:
        await emr.close()


async def act(
    place: Place, what: What, agreed: Agreed, death: Death, minutes: float, key: str
) -> None:
    """Do it, or die."""
    steps = Steps(death)
    async with emr_at(place, steps, minutes) as emr:
        inbox = await open_inbox(str(place.folder / "desk.sqlite"))
        store = MortalStore(inbox.engine)
        store.steps = steps
        clock = LoopClock(NOW + timedelta(minutes=minutes))
        guarded = GuardedEmr(emr, PATIENT)
        if what is What.RECONCILE:
            await Reconciler(guarded, store, clock, NOTES, HOSPITAL).run_once()
        else:
            desk = DirectDesk(guarded, store, clock, asyncio.sleep, NOTES)
            await _carry_out(desk, what, agreed, key)
        await inbox.close()


async def _carry_out(desk: DirectDesk, what: What, agreed: Agreed, key: str) -> None:
    wanted, old = agreed.slot, agreed.old
    match what:
        case What.BOOK:
            await desk.book(request(wanted, key), wanted)
        case What.CHANGE:
            await desk.change(request(wanted, key, replaces=old.id), wanted)
        case _:
            await desk.cancel(cancel_request(old, key))


def main(place: Place, what: What, agreed: Agreed, death: Death, minutes: float, key: str) -> None:
    """The child's whole life."""
    run(lambda: act(place, what, agreed, death, minutes, key))
