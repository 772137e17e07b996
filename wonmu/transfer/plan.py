"""What ``wonmu chat --staff`` names: a scripted line, as one word or as a file.

```yaml
- {outcome: no_answer, ring_seconds: 20}
- {outcome: connected, ring_seconds: 4, consult_seconds: 3}   # the last one is repeated
```

Decides whether a file means exactly one plan. A mistake is an ``InputError`` naming file, line and
field; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from wonmu.errors import InputError
from wonmu.transfer.port import Outcome
from wonmu.transfer.simulated import Attempt

MAX_SECONDS = 600.0
"""Far above every limit; a larger number is a slip of the pen."""

_FIELDS = ("outcome", "ring_seconds", "consult_seconds")
_NEVER_RINGS = frozenset({Outcome.OUTSIDE_HOURS})
_NEVER_PICKED_UP = frozenset(
    {Outcome.NO_ANSWER, Outcome.BUSY, Outcome.FAILED, Outcome.OUTSIDE_HOURS}
)


def load_staff(value: str) -> tuple[Attempt, ...]:
    """The attempts that ``--staff`` names. Raises ``InputError``."""
    if value in set(Outcome):
        return (Attempt(Outcome(value)),)
    file = Path(value)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise InputError(
            f"--staff {value}: is neither one of {', '.join(Outcome)} nor a file that can be read "
            f"({error.strerror})"
        ) from error
    return _read(file, text)


def _read(file: Path, text: str) -> tuple[Attempt, ...]:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise InputError(f"{file}: is not YAML: {_where(error)}") from error
    if root is None:
        raise InputError(f"{file}, line 1: the file must hold at least one attempt")
    return attempts_in(file, root)


def attempts_in(file: Path, root: yaml.Node) -> tuple[Attempt, ...]:
    """The attempts written in one node, for files that hold more than them."""
    if isinstance(root, yaml.ScalarNode) and root.value in set(Outcome):
        return (Attempt(Outcome(root.value)),)
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        raise _wrong(file, root, "the file", "must be a list of at least one attempt")
    return tuple(_attempt(file, node) for node in root.value)


def _attempt(file: Path, node: yaml.Node) -> Attempt:
    fields = _fields(file, node)
    if "outcome" not in fields:
        raise _wrong(file, node, "outcome", "is missing")
    outcome = _outcome(file, fields["outcome"])
    for name, never in (("ring_seconds", _NEVER_RINGS), ("consult_seconds", _NEVER_PICKED_UP)):
        if name in fields and outcome in never:
            raise _wrong(file, fields[name], name, f"means nothing for outcome {outcome}")
    return Attempt(
        outcome,
        _seconds(file, fields, "ring_seconds"),
        _seconds(file, fields, "consult_seconds"),
    )


def _fields(file: Path, node: yaml.Node) -> Mapping[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(file, node, "an attempt", "must be a mapping such as {outcome: connected}")
    fields: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else "a key"
        if name not in _FIELDS:
            raise _wrong(file, key, name, f"is not known; use {', '.join(_FIELDS)}")
        if name in fields:
            raise _wrong(file, key, name, "is given twice")
        fields[name] = value
    return fields


def _outcome(file: Path, node: yaml.Node) -> Outcome:
    if not isinstance(node, yaml.ScalarNode) or node.value not in set(Outcome):
        raise _wrong(file, node, "outcome", f"must be one of {', '.join(Outcome)}")
    return Outcome(node.value)


def _seconds(file: Path, fields: Mapping[str, yaml.Node], name: str) -> float | None:
    node = fields.get(name)
    if node is None:
        return None
    try:
        number = yaml.SafeLoader("").construct_object(node)
    except (yaml.YAMLError, ValueError):
        number = None
    # ``not <=`` also refuses .nan, which compares with nothing.
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise _wrong(file, node, name, f"must be a number of seconds from 0 to {MAX_SECONDS:g}")
    if not 0 <= number <= MAX_SECONDS:
        raise _wrong(file, node, name, f"must be a number of seconds from 0 to {MAX_SECONDS:g}")
    return float(number)


def _wrong(file: Path, node: yaml.Node, field: str, why: str) -> InputError:
    return InputError(f"{file}, line {node.start_mark.line + 1}: {field} {why}")


def _where(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}: {error.problem}"
    return "it cannot be read"
