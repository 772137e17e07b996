"""``python -m bench``: measure, print the table; exit status 1 when a figure is over its limit."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.figures import FIGURES, Figure
from bench.rows import Row, table


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all within their limits. 1: one is over. 2: bad arguments."""
    options = _parser().parse_args(arguments)
    if options.list:
        for each in FIGURES:
            sys.stdout.write(f"{each.name}: {each.about}\n")
        return 0
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR)
    wanted = options.only or [each.name for each in FIGURES]
    rows = [row for each in FIGURES if each.name in wanted for row in _measured(each)]
    sys.stdout.write(table(rows) + "\n")
    if (load := busy()) is not None:
        sys.stdout.write(f"{load}; compare ratios and processor time, not seconds\n")
    if options.json is not None:
        numbers = json.dumps([row.to_json() for row in rows], ensure_ascii=False, indent=1)
        Path(options.json).write_text(numbers + "\n", encoding="utf-8")
    return 0 if all(row.ok for row in rows) else 1


def busy() -> str | None:
    """A sentence when other work kept the machine's cores busy during the last minutes."""
    cores = os.cpu_count() or 1
    recent = os.getloadavg()[1]
    # Measuring itself keeps one core busy.
    return f"the machine was busy (load {recent:.1f} on {cores} cores)" if recent > cores else None


def _measured(each: Figure) -> list[Row]:
    sys.stderr.write(f"measuring {each.name}: {each.about} …")
    sys.stderr.flush()
    began = time.perf_counter()
    rows = each.measure()
    sys.stderr.write(f" {time.perf_counter() - began:.0f} s\n")
    return rows


def _parser() -> argparse.ArgumentParser:
    names = [each.name for each in FIGURES]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--list", action="store_true", help="list the figures and stop")
    parser.add_argument(
        "--only", action="append", choices=names, help="measure only this one (may be repeated)"
    )
    parser.add_argument("--json", metavar="FILE", help="also write every measurement to FILE")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
