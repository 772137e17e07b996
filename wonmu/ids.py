"""Distinct id types, and where new ids come from (handed in, never made on the spot)."""

from __future__ import annotations

import secrets
from typing import NewType, Protocol

HospitalId = NewType("HospitalId", str)
DepartmentId = NewType("DepartmentId", str)
DoctorId = NewType("DoctorId", str)
PatientId = NewType("PatientId", str)
SlotId = NewType("SlotId", str)
AppointmentId = NewType("AppointmentId", str)
CallId = NewType("CallId", str)
Version = NewType("Version", str)
"""A record system's token for one state of a record; compared for equality, never counted."""
BookingKey = NewType("BookingKey", str)
"""Idempotency key of one confirmed intent; minted at consent, never per attempt."""
InvoiceId = NewType("InvoiceId", str)
RefundId = NewType("RefundId", str)
RefundKey = NewType("RefundKey", str)
"""Idempotency key of one consented refund or one receipt request; the same intent, the same key."""
Won = NewType("Won", int)
"""An amount of money in Korean won. Whole numbers; never negative unless said so."""


class IdSource(Protocol):
    def new(self, prefix: str) -> str:
        """A new id that starts with ``prefix`` and a dash; never given out twice."""
        ...


class RandomIds:
    """Ids that cannot be guessed (96 bits)."""

    def new(self, prefix: str) -> str:
        return f"{prefix}-{secrets.token_hex(12)}"


class CountingIds:
    """Ids for tests: prefix-1, prefix-2, …"""

    def __init__(self) -> None:
        self._count = 0

    def new(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}-{self._count}"
