"""Who asked for what about whom: one entry an access, without names, numbers or values.

Whose data is said by ids; parameters by their names only, since a search for a person carries a
birth date. Modelled on what an AuditEvent holds (R4 auditevent.html).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from wonmu.emr.server.interaction import Answer, Interaction
from wonmu.emr.server.problems import Json
from wonmu.emr.server.values import at_path, local, reference


@dataclass(frozen=True, slots=True)
class Access:
    """``who``: the client's address and what it calls itself; ``patients``: whose data it was."""

    at: datetime
    who: str
    op: str
    kind: str
    id: str
    params: tuple[str, ...]
    patients: tuple[str, ...]
    status: int


AccessSink = Callable[[Access], None]


def jsonl_sink(path: Path) -> AccessSink:
    """Appends one JSON object a line."""

    def write(access: Access) -> None:
        entry = {**asdict(access), "at": local(access.at)}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    return write


def access_of(at: datetime, who: str, asked: Interaction | None, answer: Answer) -> Access:
    target = asked.target if asked is not None else None
    patients = set(_patients(answer.resource))
    if target is not None and target.kind == "Patient" and target.id:
        patients.add(target.id)
    return Access(
        at,
        who,
        target.op if target is not None else "",
        target.kind if target is not None else "",
        target.id if target is not None else "",
        tuple(sorted({name for name, _ in asked.pairs})) if asked is not None else (),
        tuple(sorted(patients)),
        answer.status,
    )


def _patients(resource: Json | None) -> Iterator[str]:
    if resource is None:
        return
    match resource["resourceType"]:
        case "Bundle":
            for each in at_path(resource, "entry.resource"):
                yield from _patients(each)
        case "Patient":
            yield str(resource["id"])
        case "Appointment":
            for link in at_path(resource, "participant.actor.reference"):
                pair = reference(link)
                if pair is not None and pair[0] == "Patient":
                    yield pair[1]
