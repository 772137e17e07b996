"""A file of faults for the record system and the billing ledger, read strictly.

Decides whether a faults file means exactly one thing. A mistake is an ``InputError`` that names
file, line and field; nothing is guessed, skipped or defaulted over a mistake. The format is
described in docs/faults-file.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import yaml

from wonmu.errors import EmrFault, InputError

MAX_SECONDS = 3600.0
"""Longer than any call; a larger number is a slip of the pen."""


class FaultKind(StrEnum):
    """What goes wrong; see docs/faults-file.md."""

    LATENCY = "latency"
    ERROR = "error"
    HANG = "hang"
    LOST_REPLY = "lost_reply"
    TAKEN_SLOT = "taken_slot"
    STALE_LIST = "stale_list"
    INVALID = "invalid"
    EMPTY = "empty"


READS = frozenset(
    {"find_slots", "find_patients", "read_slot", "departments", "doctors", "appointments",
     "lookup_key", "read_appointment"}
)  # fmt: skip
WRITES = frozenset({"book", "reschedule", "cancel", "hold", "release"})
LEDGER_READS = frozenset({"invoices", "payments", "refunds", "certificates"})
LEDGER_WRITES = frozenset({"request_refund", "request_receipt"})
"""Requests to the billing ledger (``wonmu.desk.billing.faults``)."""

_ALL_READS = READS | LEDGER_READS
_ALL_WRITES = WRITES | LEDGER_WRITES
OPS = _ALL_READS | _ALL_WRITES | {"any"}

_ONLY_FOR: dict[FaultKind, frozenset[str]] = {
    FaultKind.LOST_REPLY: _ALL_WRITES,
    FaultKind.TAKEN_SLOT: frozenset({"read_slot", "hold", "book", "reschedule"}),
    FaultKind.STALE_LIST: frozenset({"find_slots"}),
    FaultKind.EMPTY: _ALL_READS,
}
"""Kinds that mean something for some requests only; ``any`` then stands for just those."""

_TIMED = frozenset({FaultKind.LATENCY, FaultKind.HANG, FaultKind.LOST_REPLY})
_FIELDS = ("op", "kind", "seconds", "times", "after", "error", "retry_after", "count")

K = TypeVar("K", bound=StrEnum)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class FaultRule:
    """After ``after`` matching requests the fault strikes ``times`` times (None: always).

    ``seconds``: length of a latency; how long a hang or a lost reply lasts before the connection
    breaks (None: it never does). ``count``: how many slots of a stale list are gone.
    ``retry_after``: seconds after which an error wants to be asked again (None: it does not say).
    """

    op: str
    kind: FaultKind
    seconds: float | None = None
    times: int | None = None
    after: int = 0
    error: EmrFault = EmrFault.UNREACHABLE
    count: int = 1
    retry_after: float | None = None

    def concerns(self, op: str) -> bool:
        allowed = _ONLY_FOR.get(self.kind, OPS)
        return op in allowed and self.op in (op, "any")


@dataclass(frozen=True, slots=True)
class FaultPlan:
    rules: tuple[FaultRule, ...] = ()


def load_faults(path: str | Path) -> FaultPlan:
    """The plan in a YAML file: a list of rules. Raises ``InputError`` naming file, line, field."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise InputError(f"{file}: is not YAML: {_where(error)}") from error
    if root is None:
        return FaultPlan()
    return faults_in(file, root)


def faults_in(file: Path, root: yaml.Node) -> FaultPlan:
    """The plan written in one node of a file, for files that hold more than faults."""
    if not isinstance(root, yaml.SequenceNode):
        raise _Reader(file).wrong(root, "the file", "must be a list of rules")
    return FaultPlan(tuple(_Reader(file).rule(node) for node in root.value))


class _Reader:
    """Reads nodes of one file; every complaint knows its line."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def wrong(self, node: yaml.Node, field: str, why: str) -> InputError:
        return InputError(f"{self._file}, line {node.start_mark.line + 1}: {field} {why}")

    def rule(self, node: yaml.Node) -> FaultRule:
        fields = self._fields(node)
        for needed in ("op", "kind"):
            if needed not in fields:
                raise self.wrong(node, needed, "is missing")
        kind = self._one_of(FaultKind, "kind", fields["kind"])
        self._fits(kind, fields)
        return FaultRule(
            op=self._op(kind, fields["op"]),
            kind=kind,
            seconds=self._optional(fields, "seconds", self._seconds, None),
            times=self._optional(fields, "times", lambda f, n: self._whole(f, n, 1), None),
            after=self._optional(fields, "after", lambda f, n: self._whole(f, n, 0), 0),
            error=self._optional(
                fields, "error", lambda f, n: self._one_of(EmrFault, f, n), EmrFault.UNREACHABLE
            ),
            count=self._optional(fields, "count", lambda f, n: self._whole(f, n, 1), 1),
            retry_after=self._optional(fields, "retry_after", self._seconds, None),
        )

    def _fields(self, node: yaml.Node) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(node, "a rule", "must be a mapping such as {op: book, kind: hang}")
        fields: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "a key"
            if name not in _FIELDS:
                raise self.wrong(key, str(name), f"is not known; use {', '.join(_FIELDS)}")
            if name in fields:
                raise self.wrong(key, name, "is given twice")
            fields[name] = value
        return fields

    def _fits(self, kind: FaultKind, fields: dict[str, yaml.Node]) -> None:
        """A field that its kind would ignore is a mistake, not decoration."""
        allowed = {"seconds": kind in _TIMED, "error": kind is FaultKind.ERROR}
        allowed["retry_after"] = kind is FaultKind.ERROR
        allowed["count"] = kind is FaultKind.STALE_LIST
        for name, fits in allowed.items():
            if name in fields and not fits:
                raise self.wrong(fields[name], name, f"means nothing for kind {kind}")
        if kind is FaultKind.LATENCY and "seconds" not in fields:
            raise self.wrong(fields["kind"], "seconds", "is missing for kind latency")

    def _op(self, kind: FaultKind, node: yaml.Node) -> str:
        op = self._text("op", node)
        if op not in OPS:
            raise self.wrong(node, "op", f"must be one of {', '.join(sorted(OPS))}")
        allowed = _ONLY_FOR.get(kind)
        if op != "any" and allowed is not None and op not in allowed:
            raise self.wrong(
                node, "op", f"for kind {kind} must be any or {', '.join(sorted(allowed))}"
            )
        return op

    def _optional(
        self,
        fields: dict[str, yaml.Node],
        name: str,
        read: Callable[[str, yaml.Node], V],
        default: V,
    ) -> V:
        return read(name, fields[name]) if name in fields else default

    def _text(self, field: str, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode) or not node.tag.endswith(":str"):
            raise self.wrong(node, field, "must be a word")
        return str(node.value)

    def _one_of(self, kinds: type[K], field: str, node: yaml.Node) -> K:
        word = self._text(field, node)
        if word not in set(kinds):
            raise self.wrong(node, field, f"must be one of {', '.join(sorted(kinds))}")
        return kinds(word)

    def _whole(self, field: str, node: yaml.Node, least: int) -> int:
        if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":int"):
            number = yaml.SafeLoader("").construct_yaml_int(node)
            if isinstance(number, int) and number >= least:
                return number
        raise self.wrong(node, field, f"must be a whole number, {least} or more")

    def _seconds(self, field: str, node: yaml.Node) -> float:
        number = math.nan
        if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":int"):
            number = float(yaml.SafeLoader("").construct_yaml_int(node))
        elif isinstance(node, yaml.ScalarNode) and node.tag.endswith(":float"):
            number = float(yaml.SafeLoader("").construct_yaml_float(node))
        if not 0 <= number <= MAX_SECONDS:
            raise self.wrong(node, field, f"must be a number of seconds from 0 to {MAX_SECONDS:g}")
        return number


def _where(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}: {error.problem}"
    return "it cannot be read"
