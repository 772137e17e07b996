"""A dialogue: what a caller says, and what must have come of it, as a file for readers of Korean.

```yaml
title: 주차를 묻고 예약을 이어 간다
hospital: hanbit
caller: "01000001234"          # left out: the number is withheld
now: "2026-12-01T10:00+09:00"  # the default
lines: |
  내과 예약하고 싶어요
  #850312
expect:
  inbox: [{kind: booking_request, patient: 김민수, start: "2026-12-08 15:00"}]
  said: [접수되었습니다]
```

Decides whether a file means exactly one dialogue. A mistake is an ``InputError`` that names file,
line and field. What the fields mean is in docs/dialogues.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import yaml

from wonmu.clock import SEOUL
from wonmu.emr.fault_plan import FaultPlan, faults_in
from wonmu.errors import InputError
from wonmu.evals.fields import Fields
from wonmu.hospital.source import Plain, read_source
from wonmu.timeline.events import Kind, Status
from wonmu.transfer.plan import attempts_in
from wonmu.transfer.simulated import Attempt

NOW = "2026-12-01T10:00+09:00"
"""A Tuesday on which both demo hospitals are open."""

ROW_FIELDS = (
    *("kind", "state", "patient", "birth_date", "phone", "contact"),
    *("department", "doctor", "start", "insurance", "note"),
)
EXPECT_FIELDS = (
    *("inbox", "events", "never", "said", "not_said", "said_times", "ended", "status"),
)
FIELDS = (
    *("title", "hospital", "caller", "now", "faults", "staff", "before", "lines", "expect"),
    "open_bug",
)


_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser that has read the file already: the two differ on "되나요?}"."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One call's input. ``caller`` None: the number is withheld. ``lines``: terminal contract."""

    caller: str | None
    now: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WantedEvent:
    """An event of this kind whose status and data agree where they are given."""

    kind: Kind
    status: Status | None = None
    data: Mapping[str, Plain] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WantedRow:
    """An inbox row; only the fields that are written are compared. ``note``: a part of it."""

    fields: Mapping[str, Plain]
    start: datetime | None = None


@dataclass(frozen=True, slots=True)
class Expect:
    """What must have come of the call.

    ``inbox`` None: not looked at, else the exact list in order of writing. ``events``: in this
    order, others between. ``said``: parts of agent sentences, in this order. ``said_times``: in
    how many agent sentences a part occurs.
    """

    inbox: tuple[WantedRow, ...] | None = None
    events: tuple[WantedEvent, ...] = ()
    never: tuple[WantedEvent, ...] = ()
    said: tuple[str, ...] = ()
    not_said: tuple[str, ...] = ()
    said_times: Mapping[str, int] = field(default_factory=dict)
    ended: str | None = None
    status: int = 0


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One file.

    ``before``: earlier calls on its data. ``staff``: what happens each time the desk is dialled;
    empty: there is no line to the desk. ``open_bug``: why it is known to fail.
    """

    path: Path
    title: str
    hospital: str
    talk: Talk
    expect: Expect
    before: tuple[Talk, ...] = ()
    faults: FaultPlan | None = None
    staff: tuple[Attempt, ...] = ()
    open_bug: str | None = None


def load_dialogue(path: Path) -> Dialogue:
    """The dialogue in a file. Raises ``InputError`` naming file, line and field."""
    source = read_source(path)
    fields = Fields(source, source.values)
    fields.only(*FIELDS)
    expect = fields.inner("expect")
    if expect is None:
        raise fields.wrong("expect", "is missing")
    return Dialogue(
        path=path,
        title=fields.text("title"),
        hospital=fields.text("hospital"),
        talk=_talk(fields),
        expect=_expect(expect),
        before=tuple(_earlier(each) for each in fields.each("before")),
        faults=_faults(path, fields),
        staff=_staff(path, fields),
        open_bug=fields.maybe_text("open_bug"),
    )


def _talk(fields: Fields) -> Talk:
    lines = tuple(fields.text("lines").splitlines())
    now = fields.maybe_text("now") or NOW
    try:
        datetime.fromisoformat(now)
    except ValueError:
        raise fields.wrong("now", "must be a moment such as 2026-12-01T10:00+09:00") from None
    return Talk(fields.maybe_text("caller"), now, lines)


def _earlier(fields: Fields) -> Talk:
    fields.only("caller", "now", "lines")
    return _talk(fields)


def _faults(path: Path, fields: Fields) -> FaultPlan | None:
    if "faults" not in fields.values:
        return None
    if isinstance(fields.values["faults"], str):
        raise fields.wrong("faults", "must be a list of rules; see docs/faults-file.md")
    return faults_in(path, _node(path, "faults"))


def _staff(path: Path, fields: Fields) -> tuple[Attempt, ...]:
    return attempts_in(path, _node(path, "staff")) if "staff" in fields.values else ()


def _node(path: Path, name: str) -> yaml.Node:
    """The written form of a field, for the readers of files that hold nothing else."""
    root = yaml.compose(path.read_text(encoding="utf-8"), Loader=_LOADER)
    if not isinstance(root, yaml.MappingNode):
        raise InputError(f"{path}: {name} must be a field of the dialogue")
    nodes: dict[str, yaml.Node] = {key.value: value for key, value in root.value}
    return nodes[name]


def _expect(fields: Fields) -> Expect:
    fields.only(*EXPECT_FIELDS)
    rows = tuple(_row(row) for row in fields.each("inbox"))
    return Expect(
        inbox=rows if "inbox" in fields.values else None,
        events=_events(fields, "events"),
        never=_events(fields, "never"),
        said=fields.texts("said"),
        not_said=fields.texts("not_said"),
        said_times=fields.counts("said_times"),
        ended=fields.maybe_text("ended"),
        status=_status(fields),
    )


def _status(fields: Fields) -> int:
    value = fields.values.get("status", 0)
    if value not in (0, 1, 2) or isinstance(value, bool):
        raise fields.wrong("status", "must be the exit status 0, 1 or 2")
    return int(str(value))


def _row(fields: Fields) -> WantedRow:
    fields.only(*ROW_FIELDS)
    fields.text("kind")
    return WantedRow({k: v for k, v in fields.values.items() if k != "start"}, _start(fields))


def _start(fields: Fields) -> datetime | None:
    text = fields.maybe_text("start")
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise fields.wrong("start", "must be a moment such as 2026-12-08 15:00") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=SEOUL)


def _events(fields: Fields, name: str) -> tuple[WantedEvent, ...]:
    return tuple(_event(fields, name, item) for item in fields.each_or_text(name))


def _event(fields: Fields, name: str, item: Fields | str) -> WantedEvent:
    if isinstance(item, str):
        return WantedEvent(_kind(fields, name, item))
    status = item.maybe_text("status")
    if status is not None and status not in set(Status):
        raise item.wrong("status", f"must be one of {', '.join(Status)}")
    data = {key: value for key, value in item.values.items() if key not in ("kind", "status")}
    kind = _kind(item, "kind", item.text("kind"))
    return WantedEvent(kind, Status(status) if status else None, data)


def _kind(fields: Fields, name: str, word: str) -> Kind:
    if word not in set(Kind):
        raise fields.wrong(name, f"{word} is no event; see docs/timeline.md")
    return Kind(word)


__all__ = ["Dialogue", "Expect", "InputError", "Talk", "WantedEvent", "WantedRow", "load_dialogue"]
