"""Conditional interactions: If-Match, If-None-Exist (R4 http.html#ccreate, #concurrency).

A conditional create decides in Python only what to answer. That of two at once one wins is a
unique row in ``fhir_conditions``: the other one's insert fails, and its second look finds the
winner's resource.
"""

from __future__ import annotations

import hashlib

from sqlalchemy import insert, select, update

from wonmu.emr.server.interaction import etag_version, pairs_of
from wonmu.emr.server.problems import FhirProblem, Issue, Json, bad_request, stale
from wonmu.emr.server.query import read_query
from wonmu.emr.server.search import all_matches
from wonmu.emr.server.tx import Collision, Tx
from wonmu.emr.tables import fhir_conditions


def check_match(if_match: str | None, version: int) -> None:
    """412 unless the version is the one the client has seen."""
    if if_match is not None and etag_version(if_match) != str(version):
        raise stale()


async def existing(tx: Tx, kind: str, condition: str) -> Json | None:
    """The one resource that meets the condition; None when there is none; 412 when several."""
    text = condition.partition("?")[2] or condition
    query = read_query(kind, pairs_of(text), tx.rules, strict=True)
    if not query.criteria:
        raise bad_request("If-None-Exist: has no search parameter")
    found = await all_matches(tx, kind, query)
    if len(found) > 1:
        raise FhirProblem(412, Issue("multiple-matches", "If-None-Exist meets several resources"))
    return found[0] if found else None


async def reserve(tx: Tx, kind: str, condition: str) -> None:
    """Before anything is created under a condition: of two at once, the second stops here and
    looks again, instead of being refused for what the first one has just written."""
    await _set(tx, kind, condition, "")


async def note_condition(tx: Tx, kind: str, condition: str, identity: str) -> None:
    """Keep what was created under the condition that was reserved."""
    await _set(tx, kind, condition, identity)


async def _set(tx: Tx, kind: str, condition: str, identity: str) -> None:
    text = condition.partition("?")[2] or condition
    digest = hashlib.sha256(repr(sorted(pairs_of(text))).encode()).hexdigest()
    here = (fhir_conditions.c.kind == kind, fhir_conditions.c.condition == digest)
    before = (await tx.connection.scalars(select(fhir_conditions.c.id).where(*here))).one_or_none()
    if before is None:
        row = {"kind": kind, "condition": digest, "id": identity}
        await tx.connection.execute(insert(fhir_conditions).values(**row))
        return
    # Reserved just now; or what was created under it once is gone or has changed.
    same = (*here, fhir_conditions.c.id == before)
    change = update(fhir_conditions).where(*same).values(id=identity)
    if (await tx.connection.execute(change)).rowcount != 1:
        raise Collision(
            FhirProblem(409, Issue("conflict", "another conditional create was faster"))
        )
