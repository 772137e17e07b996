"""The caller's own bookings: appointments on file and requests that staff has not worked off (B3).

Reads both, says apart "there are none" and "it could not be read" (A7), and never tells anything:
the flows do, after identity.
"""

from __future__ import annotations

from datetime import timedelta

from wonmu.clock import SEOUL
from wonmu.desk.records import InboxRow, RequestKind, RequestState
from wonmu.emr.port import Emr, Patient, Window
from wonmu.ids import AppointmentId, DepartmentId, DoctorId
from wonmu.visit.host import Host
from wonmu.visit.own import OwnBooking

AHEAD = timedelta(days=400)
"""Further than any hospital of ours books."""


async def own_bookings(host: Host, emr: Emr, patient: Patient) -> tuple[OwnBooking, ...]:
    """Everything that lies ahead for this patient, earliest first.

    Raises ``EmrFailure`` or ``StoreFailure`` when it could not be read.
    """
    now = host.desk.clock.now()
    appointments = await emr.appointments(patient.id, Window(now, now + AHEAD))
    rows = await host.desk.inbox.rows(host.desk.hospital.id, states=frozenset({RequestState.OPEN}))
    mine = [row for row in rows if row.patient is not None and row.patient.id == patient.id]
    leaving = {row.appointment_id for row in mine if row.kind is RequestKind.CANCEL}
    found = [
        OwnBooking(
            each.id,
            each.start.astimezone(SEOUL),
            each.department_id,
            department_name(host, each.department_id),
            each.doctor_id,
            doctor_name(host, each.doctor_id),
            cancelling=each.id in leaving,
        )
        for each in appointments
    ]
    # A request that is written already, or may be, is not told beside its own appointment.
    on_file = {(each.start, each.doctor_id) for each in found}
    waiting = (_request(host, row, leaving) for row in mine)
    found += [each for each in waiting if each and (each.start, each.doctor_id) not in on_file]
    return tuple(sorted((each for each in found if each.start >= now), key=lambda each: each.start))


def _request(host: Host, row: InboxRow, leaving: set[AppointmentId | None]) -> OwnBooking | None:
    wanted = row.kind in (RequestKind.BOOKING, RequestKind.CHANGE)
    if not wanted or row.start is None or row.department_id is None or row.doctor_id is None:
        return None
    ref = AppointmentId(row.key)
    return OwnBooking(
        ref,
        row.start.astimezone(SEOUL),
        row.department_id,
        department_name(host, row.department_id),
        row.doctor_id,
        doctor_name(host, row.doctor_id),
        requested=True,
        cancelling=ref in leaving,
    )


def department_name(host: Host, id: DepartmentId) -> str:
    found = host.desk.catalog.department(id)
    return found.name if found is not None else str(id)


def doctor_name(host: Host, id: DoctorId) -> str:
    found = host.desk.catalog.doctor(id)
    return found.spoken if found is not None else str(id)
