"""$find, $hold and $book of IHE ITI Scheduling (ITI-115, ITI-116, ITI-117).

What $find offers and $hold keeps is not stored as an appointment: a proposed Appointment is a free
slot (``find.<slot>``), a held one a live hold (``hold.<token>``), and both vanish with it. Only
$book makes an appointment.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wonmu.emr.server import claims
from wonmu.emr.server.interaction import Answer, Interaction
from wonmu.emr.server.kinds import APPOINTMENTS, KINDS, SLOTS
from wonmu.emr.server.kinds.base import Found, as_list, remember_all
from wonmu.emr.server.problems import FhirProblem, Issue, Json, bad_request, not_supported, refused
from wonmu.emr.server.query import Pairs, read_query
from wonmu.emr.server.search import all_matches
from wonmu.emr.server.shapes import shape_issues
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.validate import check
from wonmu.emr.server.values import date_range, local, reference, to
from wonmu.emr.server.writes import slots_noted
from wonmu.emr.server.writes import update as update_appointment

PROPOSED, HELD = "find.", "hold."
_KEPT_FROM_SLOT = ("start", "end", "serviceType", "specialty")


async def run_operation(tx: Tx, asked: Interaction) -> Answer:
    if not tx.rules.has_operations:
        raise not_supported("there is no such operation", 404)
    match asked.target.op:
        case "$find":
            return await _find(tx, asked)
        case "$hold":
            return await _hold(tx, asked)
    return await _book(tx, asked)


async def _find(tx: Tx, asked: Interaction) -> Answer:
    wanted = _inputs(asked)
    pairs = [("status", "free"), *_window(wanted)]
    if "practitioner" in wanted:
        names = [_id_of(value, "Practitioner", tx) for value in wanted["practitioner"]]
        pairs.append(("schedule", ",".join(f"Schedule/{name}" for name in names)))
    if "specialty" in wanted:
        pairs.append(("specialty", ",".join(map(str, wanted["specialty"]))))
    found = await all_matches(
        tx, "Slot", read_query("Slot", [*pairs, ("_sort", "start")], tx.rules)
    )
    free = [slot for slot in found if not _is_past(slot, tx)]
    count = _count(wanted, tx)
    proposed = [await _proposed(tx, slot) for slot in free[:count]]
    return Answer(200, _bundle(tx, proposed, total=len(free)))


def _window(wanted: dict[str, list[Any]]) -> Pairs:
    start, end = wanted.get("start", []), wanted.get("end", [])
    for name, values in (("start", start), ("end", end)):
        if len(values) != 1 or date_range(str(values[0])) is None:
            raise bad_request(f"{name} is a date or moment and required", name)
    return [("start", f"ge{start[0]}"), ("start", f"lt{end[0]}")]


def _is_past(slot: Json, tx: Tx) -> bool:
    range_ = date_range(slot["start"])
    return range_ is None or range_.low <= tx.now


def _count(wanted: dict[str, list[Any]], tx: Tx) -> int:
    text = str(wanted.get("_count", [tx.rules.page])[0])
    if not (text.isascii() and text.isdigit()):
        raise bad_request("_count is no number")
    return min(int(text), tx.rules.largest_page)


async def _proposed(tx: Tx, slot: Json) -> Json:
    return await _sketch(tx, slot, f"{PROPOSED}{slot['id']}", "proposed")


async def _sketch(tx: Tx, slot: Json, identity: str, status: str) -> Json:
    """An appointment that is not stored, without a patient."""
    pair = reference(slot["schedule"]["reference"])
    doctor = await KINDS["Practitioner"].must(tx, pair[1] if pair is not None else "")
    actor = to("Practitioner", doctor.resource["id"], doctor.resource["name"][0]["text"])
    return {
        "resourceType": "Appointment",
        "id": identity,
        "meta": {"lastUpdated": local(tx.now)},
        "status": status,
        **{name: slot[name] for name in _KEPT_FROM_SLOT if name in slot},
        "slot": [to("Slot", slot["id"])],
        "participant": [{"actor": actor, "status": "accepted"}],
    }


async def _hold(tx: Tx, asked: Interaction) -> Answer:
    identity = _one_reference(_inputs(asked), tx)
    slot_id = identity.removeprefix(PROPOSED)
    found = await SLOTS.get(tx, slot_id) if identity.startswith(PROPOSED) else None
    if found is None:
        raise _unavailable()
    token = tx.ids.new("h")
    async with slots_noted(tx, [slot_id]):
        if _is_past(found.resource, tx) or not await claims.hold(
            tx, slot_id, token, tx.now + tx.rules.hold
        ):
            raise _unavailable()
    pending = await _sketch(tx, found.resource, f"{HELD}{token}", "pending")
    return Answer(200, _bundle(tx, [pending]))


async def _book(tx: Tx, asked: Interaction) -> Answer:
    inputs = _inputs(asked)
    sent = inputs.get("appointment-resource", [])
    if "appointment-reference" in inputs:
        identity = _one_reference(inputs, tx)
        body: Json = {"resourceType": "Appointment"}
    elif len(sent) == 1 and isinstance(sent[0], dict):
        body, identity = {**sent[0], "resourceType": "Appointment"}, str(sent[0].get("id", ""))
        wrong = tuple(shape_issues("Appointment", body))
        if wrong:
            raise FhirProblem(422, *wrong)
    else:
        raise bad_request("appointment-reference or appointment-resource is needed")
    if identity.startswith(HELD) and body.get("status") == "cancelled":
        return await _let_go(tx, body, identity)
    if identity and not identity.startswith((PROPOSED, HELD)):
        return await _change(tx, body, identity, asked)
    return await _book_new(tx, body, identity, inputs)


async def _change(tx: Tx, body: Json, identity: str, asked: Interaction) -> Answer:
    """Move (``booked``) or cancel (``cancelled``) what is there."""
    if "status" not in body:
        raise bad_request("a stored appointment is changed by appointment-resource")
    target = type(asked.target)("update", "Appointment", identity)
    answer = await update_appointment(tx, type(asked)(target, [], body, asked.if_match))
    return Answer(200, _bundle(tx, [answer.resource] if answer.resource is not None else []))


async def _let_go(tx: Tx, body: Json, identity: str) -> Answer:
    """A hold that is given back before it ran out."""
    slot_id = await claims.held_slot(tx, identity.removeprefix(HELD))
    if slot_id is None:
        raise _unavailable()
    async with slots_noted(tx, [slot_id]):
        await claims.free(tx, slot_id)
    return Answer(200, _bundle(tx, [{**body, "id": identity}]))


async def _book_new(tx: Tx, body: Json, identity: str, inputs: dict[str, list[Any]]) -> Answer:
    token = identity.removeprefix(HELD) if identity.startswith(HELD) else None
    booked = await _earlier(tx, body, token)
    if booked is None:
        slot_id = await _slot_of(tx, body, identity, token)
        full = await _completed(tx, body, slot_id, token, inputs)
        await check(tx, full)
        async with slots_noted(tx, [slot_id]):
            made = await APPOINTMENTS.insert(tx, full, token)
        booked = await APPOINTMENTS.must(tx, made)
        await remember_all(tx, "Appointment", [booked])
    return Answer(200, _bundle(tx, [booked.resource]))


async def _earlier(tx: Tx, body: Json, token: str | None) -> Found | None:
    """What the same hold or the same booking identifier made already."""
    values = [
        f"{each.get('system', '')}|{each.get('value')}"
        for each in as_list(body.get("identifier"))
        if isinstance(each, dict) and each.get("system") == tx.rules.booking_system
    ]
    values += [f"{tx.rules.booking_system}|{HELD}{token}"] if token is not None else []
    for value in values:
        query = read_query("Appointment", [("identifier", value)], tx.rules)
        found = await all_matches(tx, "Appointment", query)
        if found:
            return await APPOINTMENTS.must(tx, found[0]["id"])
    return None


async def _slot_of(tx: Tx, body: Json, identity: str, token: str | None) -> str:
    if token is not None:
        held = await claims.held_slot(tx, token)
        if held is None:
            raise _unavailable()
        return held
    if identity.startswith(PROPOSED):
        return identity.removeprefix(PROPOSED)
    links = as_list(body.get("slot"))
    pair = reference(links[0].get("reference"), tx.base) if len(links) == 1 else None
    if pair is None:
        raise refused("an appointment needs exactly one slot", "Appointment.slot")
    return pair[1]


async def _completed(
    tx: Tx, body: Json, slot_id: str, token: str | None, inputs: dict[str, list[Any]]
) -> Json:
    """The appointment to write: times of the slot, the practitioner, the patient, the comment."""
    slot = (await SLOTS.must(tx, slot_id)).resource
    sketch = await _sketch(tx, slot, "", "booked")
    full = {**sketch, **body, "status": "booked", "slot": sketch["slot"]}
    full = {name: value for name, value in full.items() if name not in ("id", "meta")}
    full["start"], full["end"] = slot["start"], slot["end"]
    full["participant"] = [*as_list(full["participant"]), *_patients(inputs, full)]
    comments = inputs.get("comment")
    if comments:
        full["comment"] = str(comments[0])
    if token is not None and "identifier" not in body:
        held = {"system": tx.rules.booking_system, "value": f"{HELD}{token}"}
        full["identifier"] = [held]
    return full


def _patients(inputs: dict[str, list[Any]], full: Json) -> list[Json]:
    known = {str(each.get("actor", {}).get("reference")) for each in as_list(full["participant"])}
    links = [f"Patient/{each.get('id')}" for each in _objects(inputs, "patient-resource")]
    links += [str(each.get("reference")) for each in _objects(inputs, "patient-reference")]
    return [
        {"actor": {"reference": link}, "status": "accepted"}
        for link in dict.fromkeys(links)
        if link not in known
    ]


def _objects(inputs: dict[str, list[Any]], name: str) -> list[Json]:
    return [each for each in inputs.get(name, []) if isinstance(each, dict)]


def _inputs(asked: Interaction) -> dict[str, list[Any]]:
    """Parameters by name, from the query or from a Parameters body."""
    found: dict[str, list[Any]] = {}
    for name, value in asked.pairs:
        found.setdefault(name, []).append(value)
    body = asked.body or {}
    if body and body.get("resourceType") != "Parameters":
        raise bad_request("the body is no Parameters", "resourceType")
    for each in as_list(body.get("parameter")):
        if not isinstance(each, dict) or not isinstance(each.get("name"), str):
            raise bad_request("a parameter needs a name", "Parameters.parameter")
        values = [value for name, value in each.items() if name.startswith(("value", "resource"))]
        found.setdefault(each["name"], []).extend(values)
    return found


def _one_reference(inputs: dict[str, list[Any]], tx: Tx) -> str:
    values = inputs.get("appointment-reference", [])
    if len(values) != 1:
        raise bad_request("exactly one appointment-reference is needed")
    return _id_of(values[0], "Appointment", tx)


def _id_of(value: Any, kind: str, tx: Tx) -> str:
    text = value.get("reference") if isinstance(value, dict) else value
    pair = reference(text, tx.base)
    if pair is None or pair[0] != kind:
        raise bad_request(f"it is no reference to a {kind}")
    return pair[1]


def _unavailable() -> FhirProblem:
    """ITI-116: severity fatal, code not-found."""
    issue = Issue("not-found", "it is not available any more", severity="fatal")
    return FhirProblem(409, issue)


def _bundle(tx: Tx, appointments: Iterable[Json], total: int | None = None) -> Json:
    entries = [
        {
            "fullUrl": f"{tx.base}/Appointment/{each['id']}",
            "resource": each,
            "search": {"mode": "match"},
        }
        for each in appointments
    ]
    count = len(entries) if total is None else total
    bundle: Json = {"resourceType": "Bundle", "type": "searchset", "total": count}
    return {**bundle, "entry": entries} if entries else bundle
