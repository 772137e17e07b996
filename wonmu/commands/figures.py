"""``wonmu figures``: how long callers waited and how the record system answered, in plain words."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict

from wonmu.commands.common import existing_place
from wonmu.errors import InputError
from wonmu.storage import store_exists
from wonmu.timeline.events import Event
from wonmu.timeline.figures import Figures, Row, Spread, figures, table
from wonmu.timeline.store import TimelineStore
from wonmu.timeline.tables import MIGRATIONS


def show_figures(data: str | None, db: str | None, as_json: bool) -> None:
    """Print them; raises ``InputError`` where there is no timeline."""
    place = existing_place(data, db)

    async def main() -> Figures:
        if not await store_exists(place.timeline, MIGRATIONS):
            raise InputError(
                f"{place.option}: there is no timeline; run wonmu chat {place.option} first"
            )
        return await _read(place.timeline)

    found = asyncio.run(main())
    if as_json:
        lines = [json.dumps(_rounded(row), ensure_ascii=False) for row in table(found)]
    else:
        lines = list(words(found))
    sys.stdout.write("".join(line + "\n" for line in lines))


def _rounded(row: Row) -> dict[str, object]:
    value = round(row.value, 3) if row.value is not None else None
    return {**asdict(row), "value": value}


async def _read(path: str) -> Figures:
    store = await TimelineStore.open(path)
    try:
        calls: list[tuple[Event, ...]] = []
        for summary in await store.calls():
            calls.append(await store.events(summary.call_id))
    finally:
        await store.close()
    return figures(calls)


def words(found: Figures) -> Iterator[str]:
    """The figures as sentences: each with its unit and what it is a part of."""
    yield _count(found.calls, "call")
    yield f"agent's first sound after the caller: {_spread(found.responses, 'wait')}"
    waits = found.responses.count + found.unanswered
    if waits:
        yield f"ended with the call before a sound: {found.unanswered} of {_count(waits, 'wait')}"
    yield f"record system's answer: {_spread(found.lookups, 'lookup')}"
    if found.started:
        yield from _lookups(found)
    failed = sum(found.failures.values())
    kinds = ", ".join(f"{fault} {count}" for fault, count in found.failures.items())
    yield f"failed requests: {failed}" + (f" ({kinds})" if kinds else "")
    yield f"requests sent again: {found.retries}"
    yield f"the breaker opened: {_count(found.openings, 'time')}"


def _lookups(found: Figures) -> Iterator[str]:
    named = dict(found.outcomes)
    if found.unsettled:
        named["without an end"] = found.unsettled
    parts = ", ".join(f"{name} {count}" for name, count in named.items())
    yield f"lookups: {found.started} ({parts})"
    yield f"explained silences: {found.fillers} in {_count(found.started, 'lookup')}"


def _spread(spread: Spread, what: str) -> str:
    named = (("p50", spread.p50), ("p90", spread.p90), ("p95", spread.p95))
    parts = [f"{name} {value:.2f} s" for name, value in named if value is not None]
    if spread.longest is None:
        return f"no {what}s"
    return (
        ", ".join((*parts, f"longest {spread.longest:.2f} s"))
        + f", of {_count(spread.count, what)}"
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
