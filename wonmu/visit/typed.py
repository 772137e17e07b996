"""Lines for somebody who types (``lines/<language>/typed.yaml``), where they differ."""

from __future__ import annotations

from collections.abc import Mapping

from wonmu.lines import Lines, Value
from wonmu.visit.turned import Saying


def typed(lines: Lines, line: str, values: Mapping[str, Value] | None = None) -> str:
    """The text of ``line`` as it is written to somebody who types.

    Values that the written line has no place for are left out ("전화기 키패드로 여섯 자리").
    """
    written = f"typed.{line.replace('.', '_')}"
    name = written if lines.has(written) else line
    wanted = lines.placeholders(name)
    return lines.fill(name, {key: value for key, value in (values or {}).items() if key in wanted})


def saying(lines: Lines, line: str, values: Mapping[str, Value] | None = None) -> Saying:
    return Saying(typed(lines, line, values), line)
