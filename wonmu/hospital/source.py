"""A settings file as plain values, with the line of each of them.

Decides whether a file is readable YAML of the simple kind we use: text, whole numbers, decimals,
``true``/``false``, lists and mappings with text keys. It must never let YAML convert a phone
number or a clock time into a number (YAML 1.1 reads 13:00 as 780), and never raise anything but
``SettingsError`` for what a file contains.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import yaml

from wonmu.errors import SettingsError

Loc = tuple[str | int, ...]
Plain = str | int | float | bool | None | tuple["Plain", ...] | dict[str, "Plain"]

_MAX_BYTES = 1_000_000
_MAX_DEPTH = 20
_MAX_NODES = 50_000
"""Aliases of aliases grow exponentially; a real file has some hundred nodes."""

_TAG = "tag:yaml.org,2002:"
_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser when it is there: ten times as fast, same interface."""


class _Loader(_Base):  # type: ignore[misc, valid-type]
    """Only what reads one way is converted: 1, 1.5, true, false, null."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


for _name, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", "n~\0"),
    ("int", r"-?(?:0|[1-9][0-9]{0,17})", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,18}", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(f"(?:{_pattern})$"), list(_first))
_Loader.yaml_implicit_resolvers[""] = _Loader.yaml_implicit_resolvers.pop("\0")


@dataclass(frozen=True, slots=True)
class Source:
    """One file's values, and where each stands (1-based lines by path of keys)."""

    path: Path
    values: Mapping[str, Plain]
    lines: Mapping[Loc, int]

    @property
    def label(self) -> str:
        return label_of(self.path)

    def line(self, loc: Loc) -> int:
        """The line of a value, or of the nearest thing around it."""
        while loc not in self.lines:
            loc = loc[:-1]
        return self.lines[loc]

    def place(self, loc: Loc) -> str:
        """File, line and field of a value, as every message starts."""
        return f"{self.label} line {self.line(loc)}, {field_of(loc) or 'the file'}"


def label_of(path: Path) -> str:
    """Folder and file name: enough to find the file, without the machine's own paths."""
    folder = path.parent.name
    return f"{folder}/{path.name}" if folder else path.name


def read_source(path: Path) -> Source:
    """Read one file; ``SettingsError`` for anything that is not a plain YAML mapping."""
    root = _compose(path, _text(path))
    walk = _Walk(path)
    values = walk.plain(root, ())
    if not isinstance(values, dict):
        raise SettingsError(f"{label_of(path)} line 1: is not a list of settings; write key: value")
    return Source(path, values, walk.lines)


def _text(path: Path) -> str:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SettingsError(f"{label_of(path)}: is not a file; put the settings file there")
        if status.st_size > _MAX_BYTES:
            raise SettingsError(f"{label_of(path)}: is larger than 1 MB; split or shorten it")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise SettingsError(f"{label_of(path)}: is missing; add this file") from None
    except OSError as error:
        why = error.strerror or "unknown reason"
        raise SettingsError(f"{label_of(path)}: cannot be read ({why}); check the file") from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        where = f"{label_of(path)} line {line}"
        raise SettingsError(f"{where}: is not UTF-8 text; save the file as UTF-8") from None


def _compose(path: Path, text: str) -> yaml.Node:
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        where = f"{label_of(path)} line {line}"
        raise SettingsError(f"{where}: is not YAML ({error.problem}); correct that line") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        line = _first_odd_line(text)
        raise SettingsError(
            f"{label_of(path)} line {line}: has characters YAML does not allow; remove them"
        ) from None
    if root is None:
        raise SettingsError(f"{label_of(path)} line 1: is empty; write the settings")
    return root


def _first_odd_line(text: str) -> int:
    for number, line in enumerate(text.split("\n"), start=1):
        if any(not c.isprintable() and c not in "\t\r" for c in line):
            return number
    return 1


@dataclass
class _Walk:
    """Nodes to values, noting lines on the way."""

    path: Path
    lines: dict[Loc, int] = field(default_factory=dict)
    seen: int = 0

    def plain(self, node: yaml.Node, loc: Loc) -> Plain:
        self.seen += 1
        self.lines.setdefault(loc, node.start_mark.line + 1)
        if len(loc) > _MAX_DEPTH or self.seen > _MAX_NODES:
            raise self.wrong(node, loc, "is nested too deeply or refers to itself; flatten it")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, loc)
        if isinstance(node, yaml.SequenceNode):
            self._known(node, loc, "seq")
            return tuple(self.plain(item, (*loc, i)) for i, item in enumerate(node.value))
        return self._scalar(node, loc)

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, Plain]:
        self._known(node, loc, "map")
        found: dict[str, Plain] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.wrong(key_node, loc, "has a key that is not a word; write key: value")
            key = str(key_node.value)
            if key in found:
                raise self.wrong(key_node, (*loc, key), "is written twice; keep one")
            self.lines[(*loc, key)] = key_node.start_mark.line + 1
            found[key] = self.plain(value_node, (*loc, key))
        return found

    def _scalar(self, node: yaml.Node, loc: Loc) -> Plain:
        match node.tag.removeprefix(_TAG):
            case "str":
                return str(node.value)
            case "int" if re.fullmatch(r"-?[0-9]{1,18}", node.value):
                return int(node.value)
            case "float" if re.fullmatch(r"-?[0-9]{1,18}\.[0-9]{1,18}", node.value):
                return float(node.value)
            case "bool" if node.value in ("true", "false"):
                return bool(node.value == "true")
            case "null":
                return None
        raise self.wrong(node, loc, f"has the tag {node.tag}; write the plain value")

    def _known(self, node: yaml.Node, loc: Loc, kind: str) -> None:
        if node.tag != _TAG + kind:
            raise self.wrong(node, loc, f"has the tag {node.tag}; remove it")

    def wrong(self, node: yaml.Node, loc: Loc, sentence: str) -> SettingsError:
        where = f"{label_of(self.path)} line {node.start_mark.line + 1}"
        return SettingsError(f"{where}, {field_of(loc) or 'the file'}: {sentence}")


def field_of(loc: Loc) -> str:
    """``("doctors", 2, "rota")`` as ``doctors[2].rota``."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
