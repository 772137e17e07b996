"""After a race: what callers were told against what the database holds, and a line of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import quantiles

from races import End, Told, all_appointments, all_slots

from wonmu.emr.port import Appointment, AppointmentStatus, SlotStatus
from wonmu.emr.sql import SqlEmr
from wonmu.ids import SlotId


@dataclass(frozen=True, slots=True)
class Audit:
    """What is wrong, in words; all empty when nothing is."""

    double: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    duplicate: list[str] = field(default_factory=list)
    untyped: list[str] = field(default_factory=list)
    slots: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return not (self.double or self.lost or self.duplicate or self.untyped or self.slots)


async def audit(
    records: SqlEmr, told: Sequence[Told], slots: Sequence[SlotId], by_desk: set[SlotId]
) -> Audit:
    found = await all_appointments(records)
    live = [each for each in found if each.status is AppointmentStatus.BOOKED]
    here = Counter(each.slot_id for each in live)
    keys = Counter(each.key for each in found if each.key is not None)
    at_once = Counter((each.patient_id, each.start) for each in live)
    states = {each.id: each.status for each in await all_slots(records)}
    busy = {slot_id for slot_id in slots if here[slot_id] or slot_id in by_desk}
    return Audit(
        double=[str(slot_id) for slot_id in slots if here[slot_id] + (slot_id in by_desk) > 1],
        lost=[line for each in told for line in _lies(each, live)],
        duplicate=[f"key {key}" for key, count in keys.items() if count > 1]
        + [f"{who} twice at {start}" for (who, start), count in at_once.items() if count > 1],
        untyped=[
            f"{each.caller.key} {each.caller.wish}: {each.end} {each.why}"
            for each in told
            if each.end in (End.BROKEN, End.UNKNOWN)
        ],
        slots=[
            f"{slot_id} is {states[slot_id]}"
            for slot_id in slots
            if (states[slot_id] is SlotStatus.BUSY) != (slot_id in busy)
        ],
    )


def _lies(told: Told, live: Sequence[Appointment]) -> list[str]:
    """Where the database does not bear out what the caller was told."""
    number = told.caller.number
    mine = [each for each in live if each.key in (f"k{number}", f"m{number}")]
    if told.end in (End.BOOKED, End.MOVED):
        stands = [(each.key, each.slot_id, each.patient_id) for each in mine]
        said = (told.key, told.slot, told.caller.patient)
        return [] if stands == [said] else [f"{said} was told, {stands} is there"]
    if told.end in (End.BROKEN, End.UNKNOWN) or not mine:
        return []
    words = f"{told.end} {told.why}".strip()
    there = [str(each.key) for each in mine]
    return [f"{words} was told to {told.caller.key} ({told.caller.wish}), {there} is there"]


HEADING = (
    f"{'way':34} {'callers':>7} {'booked':>6} {'moved':>5} {'cancel':>6} {'taken':>5}"
    f" {'refused':>7} {'desk':>4} {'double':>6} {'lost':>4} {'dup':>3} {'untyped':>7}"
    f" {'p50 ms':>6} {'p99 ms':>6}"
)


def line(way: str, told: Sequence[Told], by_desk: set[SlotId], found: Audit) -> str:
    """One line of the race table."""
    ends = Counter(each.end for each in told)
    cuts = quantiles([ms for each in told for ms in each.took] or [0.0, 0.0], n=100)
    return (
        f"{way:34} {len(told):7} {ends[End.BOOKED]:6} {ends[End.MOVED]:5} {ends[End.CANCELLED]:6}"
        f" {ends[End.TAKEN]:5} {ends[End.REFUSED]:7} {len(by_desk):4} {len(found.double):6}"
        f" {len(found.lost):4} {len(found.duplicate):3} {len(found.untyped):7}"
        f" {cuts[49]:6.0f} {cuts[98]:6.0f}"
    )
