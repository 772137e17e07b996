"""The kinds of resources this server has, by name."""

from __future__ import annotations

from wonmu.emr.server.kinds.appointment import Appointments
from wonmu.emr.server.kinds.base import Kind
from wonmu.emr.server.kinds.patient import Patients
from wonmu.emr.server.kinds.people import Practitioners, Roles
from wonmu.emr.server.kinds.places import Locations, Organizations, Services
from wonmu.emr.server.kinds.schedules import Schedules
from wonmu.emr.server.kinds.slot import Slots

APPOINTMENTS = Appointments()
SLOTS = Slots()

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Patients(),
        Practitioners(),
        Roles(),
        Services(),
        Schedules(),
        SLOTS,
        APPOINTMENTS,
        Organizations(),
        Locations(),
    )
}
