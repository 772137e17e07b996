"""Is this slot still free, right now (T9, R25)? Read again, never remembered."""

from __future__ import annotations

from wonmu.emr.port import Emr, Slot, SlotStatus
from wonmu.visit.host import Host


async def still_free(host: Host, emr: Emr, slot: Slot) -> Slot | None:
    """The slot as it is now; None when somebody has it.

    The slot must still be the same one: its start, doctor and department as offered. Raises
    ``EmrFailure`` or ``StoreFailure`` when nobody could say.
    """
    fresh = await emr.read_slot(slot.id)
    taken = await host.desk.inbox.taken_slots(host.desk.hospital.id, [slot.id])
    if fresh is None or fresh.status is not SlotStatus.FREE or slot.id in taken:
        return None
    same = (fresh.start, fresh.doctor_id, fresh.department_id) == (
        slot.start,
        slot.doctor_id,
        slot.department_id,
    )
    return fresh if same else None
