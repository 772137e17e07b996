"""Requests for refunds and receipts as staff sees them, beside the other rows of the inbox (A8).

Shows what calls and chats have left in the ledgers; what was asked for at the counter is known
there. Working a row off says that the desk has taken it over: a refund is approved, a receipt
issued. It decides nothing about money.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

from sqlalchemy import Row

from wonmu.clock import Clock
from wonmu.desk.billing import sql_requests
from wonmu.desk.billing.port import ReceiptState, RefundState
from wonmu.desk.billing.sql import SqlLedger, open_ledger
from wonmu.desk.billing.stores import ledgers_in
from wonmu.desk.billing.tables import refunds
from wonmu.desk.records import InboxRow, RequestKind, RequestPatient, RequestState
from wonmu.emr.port import Patient
from wonmu.emr.sql import open_embedded
from wonmu.emr.tables import MIGRATIONS as RECORDS
from wonmu.ids import BookingKey, CallId, HospitalId, PatientId, RefundKey, Won
from wonmu.lines import Lines
from wonmu.place import Place
from wonmu.storage import reading, store_exists

_REFUND_STATES = {
    RefundState.REQUESTED: RequestState.OPEN,
    RefundState.APPROVED: RequestState.DONE,
    RefundState.PAID_OUT: RequestState.DONE,
    RefundState.REJECTED: RequestState.DROPPED,
}
_RECEIPT_STATES = {
    ReceiptState.REQUESTED: RequestState.OPEN,
    ReceiptState.ISSUED: RequestState.DONE,
}

Patients = Mapping[PatientId, Patient]


async def ledger_rows(place: Place, clock: Clock, lines: Lines) -> tuple[InboxRow, ...]:
    """The rows of every ledger in a place, oldest first. Raises ``InputError``."""
    rows: list[InboxRow] = []
    for hospital in await ledgers_in(place):
        async with _ledger(place, hospital) as ledger:
            rows += await rows_of(ledger, hospital, place, clock, lines)
    return tuple(sorted(rows, key=lambda row: (row.created_at, row.key)))


async def rows_of(
    ledger: SqlLedger, hospital: HospitalId, place: Place, clock: Clock, lines: Lines
) -> tuple[InboxRow, ...]:
    """One row a request. A patient whom no embedded record system knows has no name here."""
    refunded = sql_requests.REFUNDS.where(refunds.c.key.is_not(None))
    async with reading(ledger.engine) as connection:
        back = (await connection.execute(refunded)).all()
        papers = (await connection.execute(sql_requests.RECEIPTS)).all()
    ids = frozenset(PatientId(row.patient_id) for row in (*back, *papers))
    patients = await _patients(place, hospital, clock, ids) if ids else {}
    return (
        *(_refund_row(row, hospital, patients, lines) for row in back),
        *(_receipt_row(row, hospital, patients, lines) for row in papers),
    )


async def work_off(place: Place, key: str, today: date) -> bool:
    """The desk has taken a request over; False when none is open under this key."""
    for hospital in await ledgers_in(place):
        async with _ledger(place, hospital) as ledger:
            if await ledger.approve(RefundKey(key), today) or await ledger.hand_out(RefundKey(key)):
                return True
    return False


@asynccontextmanager
async def _ledger(place: Place, hospital: HospitalId) -> AsyncIterator[SqlLedger]:
    ledger = await open_ledger(place.ledger(hospital))
    try:
        yield ledger
    finally:
        await ledger.close()


async def _patients(
    place: Place, hospital: HospitalId, clock: Clock, ids: frozenset[PatientId]
) -> Patients:
    store = place.records(hospital)
    if not await store_exists(store, RECORDS):
        return {}
    records = await open_embedded(store, clock)
    try:
        return {patient.id: patient for patient in await records.patients_of(ids)}
    finally:
        await records.close()


def _refund_row(row: Row[Any], hospital: HospitalId, patients: Patients, lines: Lines) -> InboxRow:
    note = lines.say(
        "ledger.refund",
        day=row.visit_day,
        department=row.department,
        what=row.what,
        amount=row.amount,
        invoice=row.invoice_id,
    )
    state = _REFUND_STATES[RefundState(row.state)]
    return _row(RequestKind.REFUND, state, row, hospital, patients, note)


def _receipt_row(row: Row[Any], hospital: HospitalId, patients: Patients, lines: Lines) -> InboxRow:
    note = lines.say(
        "ledger.receipt",
        kind=lines.say(f"billing.kind_{row.kind}"),
        day=row.visit_day,
        department=row.department,
        what=row.what,
        amount=row.amount,
        invoice=row.invoice_id,
    )
    state = _RECEIPT_STATES[ReceiptState(row.state)]
    return _row(RequestKind.RECEIPT, state, row, hospital, patients, note)


def _row(
    kind: RequestKind,
    state: RequestState,
    row: Row[Any],
    hospital: HospitalId,
    patients: Patients,
    note: str,
) -> InboxRow:
    return InboxRow(
        kind=kind,
        state=state,
        key=BookingKey(row.key),
        hospital_id=hospital,
        call_id=CallId(row.call_id),
        created_at=row.requested_at,
        patient=_patient(patients.get(PatientId(row.patient_id))),
        contact=row.contact,
        department_id=None,
        department=row.department,
        doctor_id=None,
        doctor=None,
        slot_id=None,
        appointment_id=None,
        start=None,
        insurance=None,
        note=note,
        window=None,
        amount=Won(row.amount),
    )


def _patient(known: Patient | None) -> RequestPatient | None:
    if known is None:
        return None
    phone = known.phones[0] if known.phones else ""
    return RequestPatient(known.name, known.birth_date, phone, known.id)
